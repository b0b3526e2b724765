"""Regions of autocast: nesting, casts made once, gradients, other devices."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
import torch
from autograd_samples import NO_WARNINGS, outputs
from samples import make
from torch._subclasses import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

pytestmark = [pytest.mark.filterwarnings(f) for f in NO_WARNINGS]

F16, BF16, F32, F64 = torch.float16, torch.bfloat16, torch.float32, torch.float64

myops = torch.ops.myops


def dtype_of_product() -> torch.dtype:
    return myops.mymatmul(make((4, 4), F32), make((4, 4), F32)).dtype


def test_regions_nest() -> None:
    assert dtype_of_product() == F32
    with torch.autocast("cpu", dtype=BF16):
        assert dtype_of_product() == BF16
        with torch.autocast("cpu", enabled=False):
            assert dtype_of_product() == F32
            assert myops.sum(make((4,), BF16)).dtype == BF16
            with torch.autocast("cpu", dtype=F16):
                assert dtype_of_product() == F16
            assert dtype_of_product() == F32
        with torch.autocast("cpu", dtype=F16):
            assert dtype_of_product() == F16
        with torch.autocast("cpu", dtype=BF16):
            assert dtype_of_product() == BF16
        assert dtype_of_product() == BF16
    assert dtype_of_product() == F32


class Casts(TorchDispatchMode):
    """Counts the conversions that reach the backend."""

    count = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.count += func.name() == "aten::_to_copy"
        return func(*args, **(kwargs or {}))


def casts(call: Callable[[], object]) -> int:
    with Casts() as mode:
        call()
    return mode.count


def test_each_argument_is_cast_once() -> None:
    x, y, w = make((4, 4), F32, 1), make((4, 4), F32, 2), make((4,), BF16, 3)
    low = x.bfloat16()
    for depth in (1, 2):
        with contextlib.ExitStack() as regions:
            for _ in range(depth):
                regions.enter_context(torch.autocast("cpu", dtype=BF16))
            assert casts(lambda: myops.mymatmul(x, y)) == 2
            assert casts(lambda: myops.mymatmul(low, y)) == 1
            assert casts(lambda: myops.mymatmul(low, low)) == 0
            assert casts(lambda: myops.rms_norm(low, w)) == 2
            assert casts(lambda: myops.rms_norm(x, None)) == 0
            assert casts(lambda: myops.myadd(low, x)) == 1
            assert casts(lambda: myops.myadd(low, low)) == 0


def test_casts_of_parameters_are_kept_until_the_region_ends() -> None:
    parameter, low = make((4, 4), F32).requires_grad_(), make((4, 4), BF16)
    for _ in range(2):
        with torch.autocast("cpu", dtype=BF16):
            assert [casts(lambda: myops.mymatmul(low, parameter)) for _ in range(3)] == [1, 0, 0]


def test_region_inside_a_traced_function() -> None:
    def mixed(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.autocast("cpu", dtype=BF16, cache_enabled=False):
            return myops.mymatmul(x, x), myops.sum(x.bfloat16())

    x = make((4, 4), F32)
    results = torch.jit.trace(mixed, (x,))(x)
    assert [r.dtype for r in results] == [BF16, F32]
    assert all(torch.equal(have, want) for have, want in zip(results, mixed(x), strict=True))


@pytest.mark.parametrize("region", [BF16, F16], ids=str)
def test_gradients_are_those_of_explicit_casts(region: torch.dtype) -> None:
    def autocast(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cpu", dtype=region):
            product = myops.mymatmul(x, x)
            normalised, _ = myops.add_layer_norm(product, x, w, None)
            return myops.sum(myops.my_multiple_input_op(normalised, myops.rms_norm(product, w)), [0])

    def explicit(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        low = x.to(region)
        product = myops.mymatmul(low, low)
        normalised, _ = myops.add_layer_norm(product.float(), x, w, None)
        return myops.sum(myops.my_multiple_input_op(normalised, myops.rms_norm(product.float(), w)), [0])

    leaves = [make((4, 4), F32, 1).requires_grad_(), make((4,), F32, 2).requires_grad_()]
    results = [f(*leaves) for f in (autocast, explicit)]
    assert torch.equal(results[0], results[1])
    grads = [torch.autograd.grad(r.sum(), leaves) for r in results]
    assert [g.dtype for g in grads[0]] == [F32, F32]
    torch.testing.assert_close(grads[0], grads[1])


def test_gradient_has_the_dtype_of_its_argument() -> None:
    x = make((4, 4), BF16).requires_grad_()
    with torch.autocast("cpu", dtype=BF16):
        result = myops.rms_norm(x, None)
    assert result.dtype == F32
    (grad,) = torch.autograd.grad(result.sum(), x)
    assert grad.dtype == BF16


def test_backward_inside_the_region() -> None:
    leaves = [make((3, 4), F32, 1).requires_grad_(), make((4,), F32, 2).requires_grad_()]
    grads = []
    for inside in (False, True):
        with torch.autocast("cpu", dtype=BF16):
            loss = outputs(myops.add_layer_norm(leaves[0], leaves[0], leaves[1], None))[0].pow(2).sum()
            if inside:
                grads.append(torch.autograd.grad(loss, leaves))
        if not inside:
            grads.append(torch.autograd.grad(loss, leaves))
    torch.testing.assert_close(grads[0], grads[1])


def cuda_region(dtype: torch.dtype, call: Callable[[], torch.Tensor]) -> torch.Tensor:
    """As torch.autocast("cuda"), which switches itself off where there is no GPU."""
    before = torch.is_autocast_enabled("cuda"), torch.get_autocast_dtype("cuda")
    torch.set_autocast_enabled("cuda", True)
    torch.set_autocast_dtype("cuda", dtype)
    try:
        return call()
    finally:
        torch.set_autocast_enabled("cuda", before[0])
        torch.set_autocast_dtype("cuda", before[1])


@pytest.mark.parametrize("region", [BF16, F16], ids=str)
def test_policies_on_cuda(region: torch.dtype) -> None:
    """With tensors that have a device and no memory, so that no GPU is needed."""
    with FakeTensorMode():
        x, w = (torch.empty(s, dtype=F32, device="cuda") for s in ((4, 4), (4,)))
        half, double = x.half(), x.double()
        dtypes = cuda_region(
            region,
            lambda: [
                myops.mymatmul(x, half).dtype,
                myops.rms_norm(half, w).dtype,
                myops.layer_norm(half, None, w).dtype,
                myops.sum(half).dtype,
                myops.myadd(half, x.bfloat16()).dtype,
                myops.my_multiple_input_op(half, half).dtype,
                myops.diagonal(half).dtype,
                myops.mymatmul(double, double).dtype,
            ],
        )
    assert dtypes == [region, F32, F32, F32, F32, F16, F16, F64]


def test_region_of_another_device_changes_nothing() -> None:
    x = make((4, 4), BF16)
    assert cuda_region(F16, lambda: myops.mymatmul(x, x)).dtype == BF16
    with FakeTensorMode():
        on_cuda = torch.empty(4, 4, dtype=F32, device="cuda")
        with torch.autocast("cpu", dtype=BF16):
            assert myops.mymatmul(on_cuda, on_cuda).dtype == F32


def test_cuda_kernels_leave_tensors_of_other_devices_alone() -> None:
    """Reached with a tensor of the CPU when another argument is on a GPU."""
    cuda = torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCUDA)
    x = make((4, 4), F32)
    assert myops.mymatmul.default.redispatch(cuda, x, x).dtype == F32
    assert myops.sum.default.redispatch(cuda, x.bfloat16()).dtype == BF16
