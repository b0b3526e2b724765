"""How far a result may be from its reference in float64: one rounding to its dtype, and those of the sums before.

A computing type of unit roundoff u adds at most 1024 terms one after the other or as a tree, then goes on in double. So
a sum is within some u of Σ|term|, whatever its length; FACTOR covers it with the few operations around it. What is no
sum, as the gated activations, is within some u of its own value times the condition of its functions.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

FACTOR = 16
UNIT = {torch.float32: 2.0**-24, torch.float64: 2.0**-53, torch.bfloat16: 2.0**-8, torch.float16: 2.0**-11}
# Of float64 the reference rounds as often as what is checked, and not always in a better order.
COMPUTING_UNIT = {torch.float32: 2.0**-24, torch.float64: 2.0**-50, torch.bfloat16: 2.0**-24, torch.float16: 2.0**-24}
SMALLEST = {torch.float32: 2.0**-149, torch.float64: 2.0**-1074, torch.bfloat16: 2.0**-133, torch.float16: 2.0**-24}


def compare(got: Any, expected: Any, scale: Any = None, factor: float = FACTOR) -> str | None:
    """None, or where and by how much they differ.

    `expected` is float64, or for integers of the very dtype; `scale` is the magnitude of the terms that each element is
    the sum of (|expected| where it is None).
    """
    if isinstance(got, (tuple, list)):
        scales = scale if isinstance(scale, (tuple, list)) else [scale] * len(got)
        errors = [compare(g, e, s, factor) for g, e, s in zip(got, expected, scales, strict=True)]
        return next((f"result {i}: {error}" for i, error in enumerate(errors) if error), None)
    if got.shape != expected.shape:
        return f"shape {tuple(got.shape)}, expected {tuple(expected.shape)}"
    dtype = got.dtype
    if not dtype.is_floating_point:
        if dtype != expected.dtype:
            return f"{dtype}, expected {expected.dtype}"
        return None if torch.equal(got, expected) else f"{int((got != expected).sum())} integers differ"
    if got.numel() == 0:
        return None
    exact, value = expected.double(), got.double()
    rounded = exact.to(dtype).double()
    finite = rounded.isfinite() & value.isfinite()
    same_kind = (rounded == value) | (rounded.isnan() & value.isnan())
    magnitude = exact.abs() if scale is None else torch.as_tensor(scale, device=got.device).double().expand_as(exact)
    allowed = 1.01 * UNIT[dtype] * exact.abs() + factor * COMPUTING_UNIT[dtype] * magnitude + SMALLEST[dtype]
    wrong = torch.where(finite, (value - exact).abs() > allowed, ~same_kind)
    if not bool(wrong.any()):
        return None
    at = int(wrong.flatten().nonzero()[0])
    place = tuple(int(i) for i in torch.unravel_index(torch.tensor(at), got.shape))
    values = [float(tensor.flatten()[at]) for tensor in (got, exact, allowed)]
    found = f"{int(wrong.sum())} of {got.numel()} differ, first at {place}: {values[0]!r}"
    return f"{found}, expected {values[1]!r} ± {values[2]:.3g}"


def like(got: Tensor, native: Tensor, strides: bool = True) -> str | None:
    """Whether dtype, shape and strides are those of what ATen gives."""
    if got.dtype != native.dtype or got.shape != native.shape:
        return f"{got.dtype} {tuple(got.shape)}, ATen gives {native.dtype} {tuple(native.shape)}"
    if strides and got.numel() > 0 and got.stride() != native.stride():
        return f"strides {got.stride()}, ATen gives {native.stride()}"
    return None
