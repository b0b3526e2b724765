"""Comparisons of the gated activations and their gradients with float64, in their tails too. Any device."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from gpu_check_bounds import compare
from gpu_check_cases import FLOATING, Check, Outcome, gradients, layouts, make, sanitized
from torch import Tensor
from torch.nn import functional


# Of the activations in float64. ATen's own gelu cancels where it is small: 1 + erf(x), 1 + tanh(u).
def gelu(a: Tensor) -> Tensor:
    below: Tensor = torch.special.erfc(a * -(0.5**0.5)) / 2
    return a * below


def gelu_tanh(a: Tensor) -> Tensor:
    return a * torch.sigmoid((8 / torch.pi) ** 0.5 * (a + 0.044715 * a**3))


def gated_calls() -> list[tuple[str, Callable[..., Tensor], dict[str, str]]]:
    """Name, activation and options of the gated operators."""
    return [
        ("silu_and_mul", functional.silu, {}),
        ("gelu_and_mul", gelu, {"approximate": "none"}),
        ("gelu_and_mul", gelu_tanh, {"approximate": "tanh"}),
    ]


def gated_by(activation: Callable[..., Tensor]) -> Callable[[Tensor], Tensor]:
    """The gated operator of an activation: of the first half of each row, times the second."""

    def reference(x: Tensor) -> Tensor:
        a, b = x.chunk(2, -1)
        return activation(a) * b

    return reference


def gated_scales(activation: Callable[..., Tensor], grad: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    """Magnitudes of the terms of the result and of the gradient, all float64.

    Relative to the value itself, however small: exp and erfc magnify the rounding of their arguments by up to x².
    """
    a, b = x.double().chunk(2, -1)
    (slope,) = gradients(activation, torch.ones_like(a), a)
    share = torch.where(a == 0, 0.5, activation(a) / a)
    condition = 1 + a.square()
    value = activation(a).abs() * condition
    terms = (share.abs() + (slope - share).abs()) * condition
    return value * b.abs(), torch.cat([terms * b.abs(), value], -1) * grad.double().abs().repeat(1, 2)


def gated_inputs(device: str, dtype: torch.dtype, quick: bool) -> Iterator[tuple[str, Tensor]]:
    for shape in [(0, 4), (3, 0), (1, 2), (5, 14), (3, 64), (7, 2002)] + ([] if quick else [(16, 8192)]):
        for layout, x in layouts(make(shape, dtype, device)):
            yield f"{shape} {dtype} {layout}", x
    a = torch.linspace(-9.5, 9.5, 761)  # as far as float32 has normal values of gelu, approximated by tanh too
    yield f"tails {dtype}", torch.stack([a, torch.full_like(a, 1.5)], -1).to(device=device, dtype=dtype)


@sanitized
def gated(device: str, quick: bool) -> Iterator[Outcome]:
    op = torch.ops.myops
    for name, activation, options in gated_calls():
        reference = gated_by(activation)
        for dtype in FLOATING:
            for what, x in gated_inputs(device, dtype, quick):
                grad = make((x.size(0), x.size(1) // 2), dtype, device, 3)
                scale, grad_scale = gated_scales(activation, grad, x)
                got = getattr(op, name)(x, **options)
                yield f"{name} {what} {options}", compare(got, reference(x.double()), scale)
                got = getattr(op, f"{name}_backward")(grad, x, **options)
                yield f"{name}_backward {what} {options}", compare([got], gradients(reference, grad, x), [grad_scale])


CHECKS: dict[str, Check] = {"gated": gated}
