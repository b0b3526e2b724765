"""How results are compared, and how the kernel of one library is called while others are loaded."""

from __future__ import annotations

from typing import Any

import torch
from operators import Operator
from samples import Sample

# Low precision: one unit in the last place, for values halfway between two; and room for values near zero that are
# sums of larger terms. tests/ops/ holds the kernels themselves to tighter bounds.
TOLERANCES = {
    torch.float64: {"rtol": 1e-12, "atol": 1e-12},
    torch.float32: {"rtol": 1e-5, "atol": 1e-5},
    torch.bfloat16: {"rtol": 2**-7, "atol": 1e-4},
    torch.float16: {"rtol": 2**-10, "atol": 1e-4},
}
EXACT = {"rtol": 0.0, "atol": 0.0}

NORMALISES_A_SUM = {"add_rms_norm", "add_layer_norm"}


def as_tuple(result: Any) -> tuple[torch.Tensor | None, ...]:
    return tuple(result) if isinstance(result, (tuple, list)) else (result,)


def metadata(result: Any) -> list[Any]:
    """Shape, strides and dtype of each tensor; None for those that are not there.

    Strides of empty tensors do not count: ATen's own CPU and Meta kernels give different ones.
    """
    return [
        None if t is None else (tuple(map(int, t.shape)), tuple(map(int, t.stride())) if t.numel() else None, t.dtype)
        for t in as_tuple(result)
    ]


def oracle(operator: Operator, sample: Sample, dtype: torch.dtype) -> tuple[torch.Tensor | None, ...]:
    """ATen's answer in float64, rounded once; integers as they are."""
    if not dtype.is_floating_point:
        return as_tuple(operator.reference(*sample.args, **sample.kwargs))
    wide = sample.map_tensors(torch.Tensor.double)
    if operator.name in NORMALISES_A_SUM:
        wide = rounded_sum(sample, dtype)
    exact = as_tuple(operator.reference(*wide.args, **wide.kwargs))
    return tuple(t if t is None or not t.is_floating_point() else t.to(dtype) for t in exact)


def rounded_sum(sample: Sample, dtype: torch.dtype) -> Sample:
    """The sum is normalised as it is returned: rounded. The oracle gets that sum and adds nothing."""
    x, residual, *rest = sample.map_tensors(torch.Tensor.double).args
    return Sample(((x + residual).to(dtype).double(), torch.zeros_like(x), *rest), sample.kwargs)


def assert_values(got: Any, expected: tuple[torch.Tensor | None, ...], dtype: torch.dtype) -> None:
    assert len(as_tuple(got)) == len(expected)
    for left, right in zip(as_tuple(got), expected, strict=True):
        if right is None:
            assert left is None
        else:
            assert left is not None
            tolerance = TOLERANCES[dtype] if right.is_floating_point() else EXACT
            torch.testing.assert_close(left, right, equal_nan=True, **tolerance)


def call(operator: Operator, sample: Sample) -> Any:
    return operator.op(*sample.args, **sample.kwargs)


def call_composite(operator: Operator, sample: Sample) -> Any:
    """The composite kernel on CPU tensors: a backend for which no library has a kernel of its own."""
    other_backend = torch._C.DispatchKeySet(torch._C.DispatchKey.XLA)
    return operator.op.redispatch(other_backend, *sample.args, **sample.kwargs)


def copy(sample: Sample) -> Sample:
    """New memory with the same values, sizes and strides."""
    return sample.map_tensors(copy_with_strides)


def copy_with_strides(x: torch.Tensor) -> torch.Tensor:
    span = (
        0 if x.numel() == 0 else 1 + sum((size - 1) * stride for size, stride in zip(x.shape, x.stride(), strict=True))
    )
    memory = x.as_strided((span,), (1,)).clone()
    return memory.as_strided(x.shape, x.stride())
