"""Ways in which the same tensor can lie in memory."""

from __future__ import annotations

from collections.abc import Callable

import torch


def contiguous(x: torch.Tensor) -> torch.Tensor:
    return x.clone(memory_format=torch.contiguous_format)


def transposed(x: torch.Tensor) -> torch.Tensor:
    if x.dim() < 2:
        return x.clone()
    return x.transpose(0, -1).clone(memory_format=torch.contiguous_format).transpose(0, -1)


def stepped(x: torch.Tensor) -> torch.Tensor:
    """Every second element of a larger tensor, in each dimension."""
    larger = x.new_zeros([2 * size + 1 for size in x.shape])
    view = larger[tuple(slice(1, 1 + 2 * size, 2) for size in x.shape)]
    return view.copy_(x)


def offset(x: torch.Tensor) -> torch.Tensor:
    """Contiguous, three elements into its storage: aligned for no vector."""
    storage = x.new_zeros(x.numel() + 3)
    return storage[3:].view(x.shape).copy_(x)


def channels_last(x: torch.Tensor) -> torch.Tensor:
    return x.clone(memory_format=torch.channels_last) if x.dim() == 4 else x.clone()


def expanded(x: torch.Tensor) -> torch.Tensor:
    """Its first slice, repeated with stride 0. The values change."""
    return x[:1].clone().expand(x.shape) if x.dim() > 0 and x.shape[0] > 0 else x.clone()


def overlapping(x: torch.Tensor) -> torch.Tensor:
    """Rows that share memory with the next one, as in a sliding window. The values change."""
    if x.dim() == 0 or x.numel() == 0:
        return x.clone()
    return x.clone().as_strided(x.shape, [1] * x.dim())


LAYOUTS: list[Callable[[torch.Tensor], torch.Tensor]] = [
    contiguous,
    transposed,
    stepped,
    offset,
    channels_last,
    expanded,
    overlapping,
]

# What an operator may write into.
WRITABLE = [layout for layout in LAYOUTS if layout not in (expanded, overlapping)]
