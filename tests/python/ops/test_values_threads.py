"""Threads: torch's settings are obeyed, results do not depend on their number; fused operators are one kernel each."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch
from comparison import as_tuple
from operators import OPERATORS
from torch.profiler import ProfilerActivity, profile

ROWS, SIZE = 700, 384


def make(dtype: torch.dtype) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    shapes = {
        "x": (ROWS, SIZE),
        "y": (ROWS, SIZE),
        "w": (SIZE,),
        "half": (ROWS, SIZE // 2),
        "b": (SIZE,),
        "long": (300_000,),
    }
    return {name: torch.randn(shape, generator=generator).to(dtype) for name, shape in shapes.items()}


# Of each operator that has a loop of ours, each way in which that cuts its work.
LARGE_CALLS: dict[str, Callable[..., Any]] = {
    "myadd": lambda o, x, y, **_: o.myadd(x, y),
    "myadd broadcast": lambda o, x, w, **_: o.myadd(x, w),
    "myadd transposed": lambda o, x, y, **_: o.myadd(x.t(), y.t().contiguous()),
    "myadd_": lambda o, x, y, **_: o.myadd_(x.clone(), y),
    "myadd.out": lambda o, x, y, **_: o.myadd.out(x, y, out=torch.empty_like(x)),
    "my_multiple_input_op": lambda o, x, y, **_: o.my_multiple_input_op(x, y),
    "sum": lambda o, x, **_: o.sum(x),
    "sum of rows": lambda o, x, **_: o.sum(x, [-1]),
    "sum of columns": lambda o, x, **_: o.sum(x, [0]),
    "sum of an inner dimension": lambda o, x, **_: o.sum(x.view(7, 100, SIZE), [1]),
    "sum of several dimensions": lambda o, x, **_: o.sum(x.view(7, 100, SIZE), [0, 2]),
    "sum of a vector": lambda o, long, **_: o.sum(long),
    "argmax": lambda o, x, **_: o.argmax(x, 0),
    "argmax of rows": lambda o, x, **_: o.argmax(x, 1),
    "rms_norm": lambda o, x, w, **_: o.rms_norm(x, w),
    "add_rms_norm": lambda o, x, y, w, **_: o.add_rms_norm(x, y, w),
    "layer_norm": lambda o, x, w, b, **_: o.layer_norm(x, w, b),
    "add_layer_norm": lambda o, x, y, w, b, **_: o.add_layer_norm(x, y, w, b),
    "rms_norm_backward": lambda o, x, y, w, **_: o.rms_norm_backward(x, y, w, 1e-6, [True] * 2),
    "layer_norm_backward": lambda o, x, y, w, **_: o.layer_norm_backward(x, y, w, 1e-6, [True] * 3),
    "silu_and_mul": lambda o, x, **_: o.silu_and_mul(x),
    "silu_and_mul of a vector": lambda o, long, **_: o.silu_and_mul(long),
    "silu_and_mul_backward": lambda o, x, half, **_: o.silu_and_mul_backward(half, x),
    "gelu_and_mul": lambda o, x, **_: o.gelu_and_mul(x),
    "gelu_and_mul_backward": lambda o, x, half, **_: o.gelu_and_mul_backward(half, x, approximate="tanh"),
}


CALLS_ATEN = {"mymatmul", "diagonal"}


def test_every_operator_is_called() -> None:
    assert {name.split()[0] for name in LARGE_CALLS} == {str(o) for o in OPERATORS} - CALLS_ATEN


@pytest.fixture
def threads() -> Iterator[Callable[[int], None]]:
    before = torch.get_num_threads()
    yield torch.set_num_threads
    torch.set_num_threads(before)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", LARGE_CALLS)
def test_any_number_of_threads_gives_the_same_bits(
    name: str, dtype: torch.dtype, threads: Callable[[int], None]
) -> None:
    tensors = make(dtype)
    results = []
    for number in (1, 2, 5):
        threads(number)
        results.append(as_tuple(LARGE_CALLS[name](torch.ops.myops, **tensors)))
    for other in results[1:]:
        for left, right in zip(results[0], other, strict=True):
            assert torch.equal(left, right)


def test_calls_from_sixteen_threads_at_once() -> None:
    tensors = make(torch.float32)
    expected = {name: as_tuple(run(torch.ops.myops, **tensors)) for name, run in LARGE_CALLS.items()}

    def check(number: int) -> None:
        name = list(LARGE_CALLS)[number % len(LARGE_CALLS)]
        for left, right in zip(as_tuple(LARGE_CALLS[name](torch.ops.myops, **tensors)), expected[name], strict=True):
            assert torch.equal(left, right), name

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(check, range(64)))


def test_no_thread_is_ours(threads: Callable[[int], None]) -> None:
    """Started by at::parallel_for or not at all: after our operators there is none that was not there after ATen's own.

    Fewer there may be: the teams of threads that ended in an earlier test go when they like.
    """
    tensors = make(torch.float32)
    threads(2)
    torch.add(tensors["x"], tensors["y"])
    before = set(os.listdir("/proc/self/task"))
    for run in LARGE_CALLS.values():
        run(torch.ops.myops, **tensors)
    assert set(os.listdir("/proc/self/task")) <= before


def test_one_openmp_runtime_is_mapped() -> None:
    maps = Path("/proc/self/maps").read_text()
    runtimes = {line.split()[-1] for line in maps.splitlines() if any(n in line for n in ("gomp", "iomp", "libomp"))}
    assert len(runtimes) == 1, runtimes


def status_of_fork(work: Callable[[], Any]) -> int | None:
    """How a forked child ends that does this; None where it had to be killed."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


# Of ours alone: torch's own operators hang in a child that does not say that it has one thread.
IN_A_CHILD = ("layer_norm", "rms_norm_backward", "sum", "argmax", "silu_and_mul", "my_multiple_input_op")


@pytest.mark.parametrize("told", [True, False], ids=["told", "untold"])
def test_a_forked_child_works_with_one_thread(told: bool, threads: Callable[[int], None]) -> None:
    """Whether it calls set_num_threads(1) or not."""
    tensors = make(torch.float32)
    threads(2)
    expected = {name: as_tuple(LARGE_CALLS[name](torch.ops.myops, **tensors)) for name in IN_A_CHILD}

    def work() -> None:
        if told:
            torch.set_num_threads(1)
        for name, values in expected.items():
            for left, right in zip(as_tuple(LARGE_CALLS[name](torch.ops.myops, **tensors)), values, strict=True):
                assert left.numpy().tobytes() == right.numpy().tobytes(), name

    assert status_of_fork(work) == 0


FUSED = [name for name in LARGE_CALLS if "norm" in name or name.endswith(("_and_mul", "_and_mul_backward"))]


@pytest.mark.parametrize("name", FUSED)
@pytest.mark.parametrize("strides", ["contiguous", "transposed"])
def test_a_fused_operator_is_one_kernel(name: str, strides: str) -> None:
    """No aten:: event at all: the results are allocated below the dispatcher."""
    tensors = make(torch.float32)
    if strides == "transposed":
        tensors |= {n: tensors[n].t().contiguous().t() for n in ("x", "y", "half")}
    with torch.no_grad(), profile(activities=[ProfilerActivity.CPU]) as recorded:
        LARGE_CALLS[name](torch.ops.myops, **tensors)
    names = [event.name for event in recorded.events()]
    assert f"myops::{name}" in names
    assert not [n for n in names if n.startswith("aten::")], names
