"""Typed names for the operators: the same call as torch.ops.myops.<op>, with a signature, types and documentation.

Each function has the parameters of its schema, in order, with the same names and defaults; the dispatcher does all
checking. Floating point is float16, bfloat16, float32 and float64. "Computed in float32" means float64 for float64
inputs.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

__all__ = [
    "add_layer_norm",
    "add_rms_norm",
    "argmax",
    "diagonal",
    "gelu_and_mul",
    "layer_norm",
    "my_multiple_input_op",
    "myadd",
    "myadd_",
    "myadd_out",
    "mymatmul",
    "rms_norm",
    "silu_and_mul",
    "sum",
]


def myadd(self: Tensor, other: Tensor) -> Tensor:
    """self + other, elementwise: a new tensor of the broadcast shape.

    Both of one dtype: floating point, or an integer type (wraps around).
    """
    result: Tensor = torch.ops.myops.myadd.default(self, other)
    return result


def myadd_(self: Tensor, other: Tensor) -> Tensor:
    """Writes self + other into `self`, which keeps its shape and must not overlap itself nor, partially, `other`.

    That is an error, whatever the strides, before anything is written. Dtypes as `myadd`. Returns `self`.
    """
    result: Tensor = torch.ops.myops.myadd_.default(self, other)
    return result


def myadd_out(self: Tensor, other: Tensor, *, out: Tensor) -> Tensor:
    """Writes self + other into `out`, resized to the broadcast shape: overload `myadd.out`. Dtypes as `myadd`.

    `out` must not overlap itself nor, partially, an input; where it is resized it must not share their memory at all.

    Returns `out`.
    """
    result: Tensor = torch.ops.myops.myadd.out(self, other, out=out)
    return result


def mymatmul(self: Tensor, other: Tensor) -> Tensor:
    """Matrix product, computed by torch.matmul, with its shapes: vectors, matrices and batches of them. One dtype.

    Under autocast it runs in the lower precision.
    """
    result: Tensor = torch.ops.myops.mymatmul.default(self, other)
    return result


def my_multiple_input_op(t0: Tensor, t1: Tensor) -> Tensor:
    """t0 · t1 + t0, elementwise: a new tensor of the broadcast shape, rounded once.

    Both of one dtype: floating point, or an integer type (wraps around). Under autocast two of float32, bfloat16
    and float16 are promoted to the wider.
    """
    result: Tensor = torch.ops.myops.my_multiple_input_op.default(t0, t1)
    return result


def sum(self: Tensor, dim: int | Sequence[int] | None = None, keepdim: bool = False) -> Tensor:
    """Sum over `dim`; over all dimensions where it is None or empty. The sum of nothing is 0.

    Floating point keeps its dtype and is added in float32; integers and bool give int64. float32 under autocast.
    """
    result: Tensor = torch.ops.myops.sum.default(self, dim, keepdim)
    return result


def diagonal(self: Tensor) -> Tensor:
    """The main diagonal of the first two dimensions, as a view: (m, n, rest…) gives (rest…, min(m, n)). Any dtype."""
    result: Tensor = torch.ops.myops.diagonal.default(self)
    return result


def argmax(self: Tensor, dim: int = -1) -> Tensor:
    """Index (int64) of the largest value along `dim`, which goes away. No gradient.

    NaN counts as the largest value; among equals the first index is given.
    """
    result: Tensor = torch.ops.myops.argmax.default(self, dim)
    return result


def rms_norm(input: Tensor, weight: Tensor | None, eps: float = 1e-06) -> Tensor:
    """input / sqrt(mean(input²) + eps) · weight over the last dimension, computed in float32 and rounded once.

    Floating point. `weight`: shape (input.size(-1),) and input's dtype; None stands for ones. float32 under autocast.
    Source: Zhang and Sennrich 2019, arXiv:1910.07467.
    """
    result: Tensor = torch.ops.myops.rms_norm.default(input, weight, eps)
    return result


def add_rms_norm(input: Tensor, residual: Tensor, weight: Tensor | None, eps: float = 1e-06) -> tuple[Tensor, Tensor]:
    """(rms_norm(sum, weight, eps), sum) with sum = input + residual, in one pass over memory.

    `residual` has input's shape and dtype; the sum is rounded to that dtype before it is normalised. It requires grad
    where one of the two does. The rest as `rms_norm`.
    """
    result: tuple[Tensor, Tensor] = torch.ops.myops.add_rms_norm.default(input, residual, weight, eps)
    return result


def layer_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float = 1e-05) -> Tensor:
    """(input - mean) / sqrt(variance + eps) · weight + bias over the last dimension, with the biased variance.

    Floating point, computed in float32 and rounded once. `weight` and `bias`: shape (input.size(-1),) and input's
    dtype; None stands for ones and zeros. A row whose variance is beyond that range (deviations above 1.8e19) is
    NaN. float32 under autocast. Source: Ba, Kiros and Hinton 2016, arXiv:1607.06450.
    """
    result: Tensor = torch.ops.myops.layer_norm.default(input, weight, bias, eps)
    return result


def add_layer_norm(
    input: Tensor, residual: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float = 1e-05
) -> tuple[Tensor, Tensor]:
    """(layer_norm(sum, weight, bias, eps), sum) with sum = input + residual, in one pass over memory.

    `residual` has input's shape and dtype; the sum is rounded to that dtype before it is normalised. It requires grad
    where one of the two does. The rest as `layer_norm`.
    """
    result: tuple[Tensor, Tensor] = torch.ops.myops.add_layer_norm.default(input, residual, weight, bias, eps)
    return result


def silu_and_mul(input: Tensor) -> Tensor:
    """silu(a) · b with silu(x) = x / (1 + exp(-x)), a and b being the first and second half of the last dimension.

    Floating point, computed in float32 and rounded once. The last dimension is even, and half as large in the result.
    Under autocast it runs in its input's dtype. Source: Shazeer 2020, arXiv:2002.05202 (SwiGLU without its matrices).
    """
    result: Tensor = torch.ops.myops.silu_and_mul.default(input)
    return result


def gelu_and_mul(input: Tensor, *, approximate: str = "none") -> Tensor:
    """gelu(a) · b, a and b being the first and second half of the last dimension; the rest as `silu_and_mul`.

    `approximate`: "none" for gelu(x) = x · Φ(x), "tanh" for x · (1 + tanh(√(2/π) · (x + 0.044715 · x³))) / 2.
    Source: Hendrycks and Gimpel 2016, arXiv:1606.08415.
    """
    result: Tensor = torch.ops.myops.gelu_and_mul.default(input, approximate=approximate)
    return result
