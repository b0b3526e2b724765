"""Samples seen as functions of the tensors that can require a gradient. Knows no operator by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import torch
from operators import OPERATORS, Operator, Sample

DIFFERENTIABLE = [operator for operator in OPERATORS if operator.differentiable]

# No call may reach torch's fallback for operators without an autograd kernel, which warns.
NO_FALLBACK = ("error:.*an autograd kernel was not registered.*",)
# Nor warn at all; torch deprecates what its own forward mode uses.
NO_WARNINGS = ("error", "ignore:.*torch.jit.script.*:FutureWarning")


def tensor_positions(sample: Sample) -> list[int]:
    return [k for k, argument in enumerate(sample.args) if isinstance(argument, torch.Tensor)]


def subsets(items: list[int]) -> Iterator[tuple[int, ...]]:
    """All of them but the empty one."""
    for size in range(1, len(items) + 1):
        yield from combinations(items, size)


def call(operator: Operator, arguments: list[object], sample: Sample) -> object:
    """An in-place operator gets a copy to write into, so that the argument stays a leaf."""
    if operator.kind == "in-place":
        first, *rest = arguments
        assert isinstance(first, torch.Tensor)
        arguments = [first.clone(), *rest]
    return operator.op(*arguments, **sample.kwargs)


def as_function(
    operator: Operator, sample: Sample, positions: tuple[int, ...]
) -> tuple[Callable[..., object], tuple[torch.Tensor, ...]]:
    """The call as a function of the tensors at `positions`, and these tensors, requiring grad."""

    def function(*leaves: torch.Tensor) -> object:
        arguments = list(sample.args)
        for position, leaf in zip(positions, leaves, strict=True):
            arguments[position] = leaf
        return call(operator, arguments, sample)

    return function, tuple(sample.args[position].requires_grad_() for position in positions)


def outputs(result: object) -> tuple[torch.Tensor, ...]:
    return (result,) if isinstance(result, torch.Tensor) else tuple(result)  # type: ignore[call-overload]


def incoming(results: tuple[torch.Tensor, ...], seed: int = 9) -> list[torch.Tensor]:
    """A gradient for each result: normal values, the same on every call."""
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(r.shape, generator=generator, dtype=torch.float64).to(r.dtype) for r in results]


def layouts(tensor: torch.Tensor) -> Iterator[tuple[str, torch.Tensor]]:
    """The same values in memory orders other than the contiguous one."""
    if tensor.dim() > 0:
        order = tuple(reversed(range(tensor.dim())))
        yield "reversed dimensions", tensor.permute(order).contiguous().permute(order)
        wide = tensor.new_zeros(*tensor.shape[:-1], 2 * tensor.shape[-1])
        yield "every second element", wide[..., ::2].copy_(tensor)
    offset = tensor.new_zeros(tensor.numel() + 3)[3:].view(tensor.shape)
    yield "offset", offset.copy_(tensor)
