"""The table of operators that the tests walk: their samples, and what ATen says about them.

It knows nothing about which libraries are loaded. Add an operator here once it is in myops/ops.h; test_values.py
compares the two lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from samples import (
    Sample,
    add_layer_norm_samples,
    add_rms_norm_samples,
    argmax_samples,
    backward_samples,
    binary_samples,
    diagonal_samples,
    gated_backward_samples,
    gated_samples,
    gelu_samples,
    inplace_samples,
    layer_norm_samples,
    matmul_samples,
    out_samples,
    rms_norm_samples,
    sum_samples,
)
from torch.nn import functional

FLOATING = (torch.float32, torch.float64, torch.bfloat16, torch.float16)
INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


@dataclass(frozen=True)
class Operator:
    """One overload of torch.ops.myops.

    `reference` takes the same arguments and gives ATen's answer, never writing into them; call it with float64 tensors
    for an oracle. `differentiable` says that every floating tensor argument has a gradient. `kind` is functional,
    in-place, out, view or backward.
    """

    name: str
    reference: Callable[..., Any]
    samples: Callable[[torch.dtype], Iterator[Sample]]
    overload: str = "default"
    dtypes: tuple[torch.dtype, ...] = FLOATING
    kind: str = "functional"
    differentiable: bool = True

    @property
    def op(self) -> torch._ops.OpOverload:
        """Looked up late: the libraries must be loaded first."""
        return getattr(getattr(torch.ops.myops, self.name), self.overload)

    def __str__(self) -> str:
        return self.name if self.overload == "default" else f"{self.name}.{self.overload}"


def rms_norm(x: torch.Tensor, weight: torch.Tensor | None = None, eps: float = 1e-6) -> torch.Tensor:
    return functional.rms_norm(x, x.shape[-1:], weight, eps)


def add_rms_norm(
    x: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor | None = None, eps: float = 1e-6
) -> tuple[torch.Tensor, torch.Tensor]:
    return rms_norm(x + residual, weight, eps), x + residual


def layer_norm(
    x: torch.Tensor,
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    eps: float = 1e-5,
) -> torch.Tensor:
    return functional.layer_norm(x, x.shape[-1:], weight, bias, eps)


def add_layer_norm(
    x: torch.Tensor,
    residual: torch.Tensor,
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    eps: float = 1e-5,
) -> tuple[torch.Tensor, torch.Tensor]:
    return layer_norm(x + residual, weight, bias, eps), x + residual


def silu_and_mul(x: torch.Tensor) -> torch.Tensor:
    a, b = halves(x)
    return functional.silu(a) * b


def gelu_and_mul(x: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    a, b = halves(x)
    return functional.gelu(a, approximate=approximate) * b


def halves(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    half = x.shape[-1] // 2
    return x[..., :half], x[..., half:]


def gradient(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """What autograd says about a function of one tensor, in the form of its backward operator."""

    def backward(grad: torch.Tensor, x: torch.Tensor, **kwargs: Any) -> torch.Tensor:
        with torch.enable_grad():
            leaf = x.detach().clone().requires_grad_()
            return torch.autograd.grad(function(leaf, **kwargs), leaf, grad)[0]

    return backward


def gradients(norm: Callable[..., torch.Tensor], parameters: int) -> Callable[..., Any]:
    """What autograd says about `norm`, in the form of the backward operators: None where the mask is false."""

    def backward(grad: torch.Tensor, x: torch.Tensor, weight: torch.Tensor | None, eps: float, mask: list[bool]) -> Any:
        leaves = [x.detach().clone()]
        leaves.append(torch.ones(x.shape[-1:], dtype=x.dtype) if weight is None else weight.detach().clone())
        leaves += [torch.zeros(x.shape[-1:], dtype=x.dtype)] * (parameters - 1)
        with torch.enable_grad():
            leaves = [leaf.requires_grad_() for leaf in leaves]
            found = torch.autograd.grad(norm(*leaves, eps), leaves, grad)
        return tuple(value if wanted else None for value, wanted in zip(found, mask, strict=True))

    return backward


OPERATORS = [
    Operator("myadd", torch.add, binary_samples, dtypes=FLOATING + INTEGERS),
    Operator("myadd_", torch.add, inplace_samples, dtypes=FLOATING + INTEGERS, kind="in-place"),
    Operator(
        "myadd",
        lambda x, y, out: torch.add(x, y),
        out_samples,
        overload="out",
        dtypes=FLOATING + INTEGERS,
        kind="out",
        differentiable=False,
    ),
    Operator("mymatmul", torch.matmul, matmul_samples),
    Operator("my_multiple_input_op", lambda x, y: torch.addcmul(x, x, y), binary_samples, dtypes=FLOATING + INTEGERS),
    Operator(
        "sum",
        lambda x, dim=None, keepdim=False: torch.sum(x, dim, keepdim),
        sum_samples,
        dtypes=(*FLOATING, *INTEGERS, torch.bool),
    ),
    Operator("diagonal", torch.diagonal, diagonal_samples, dtypes=(*FLOATING, *INTEGERS, torch.bool), kind="view"),
    Operator(
        "argmax",
        lambda x, dim=-1: torch.argmax(x, dim),
        argmax_samples,
        dtypes=FLOATING + INTEGERS,
        differentiable=False,
    ),
    Operator("rms_norm", rms_norm, rms_norm_samples),
    Operator("add_rms_norm", add_rms_norm, add_rms_norm_samples),
    Operator("layer_norm", layer_norm, layer_norm_samples),
    Operator("add_layer_norm", add_layer_norm, add_layer_norm_samples),
    Operator(
        "rms_norm_backward",
        gradients(rms_norm, 1),
        backward_samples(rms_norm_samples, 2),
        kind="backward",
        differentiable=False,
    ),
    Operator(
        "layer_norm_backward",
        gradients(layer_norm, 2),
        backward_samples(layer_norm_samples, 3),
        kind="backward",
        differentiable=False,
    ),
    Operator("silu_and_mul", silu_and_mul, gated_samples),
    Operator("gelu_and_mul", gelu_and_mul, gelu_samples),
    Operator(
        "gelu_and_mul_backward",
        gradient(gelu_and_mul),
        gated_backward_samples(gelu_samples),
        kind="backward",
        differentiable=False,
    ),
    Operator(
        "silu_and_mul_backward",
        gradient(silu_and_mul),
        gated_backward_samples(gated_samples),
        kind="backward",
        differentiable=False,
    ),
]
