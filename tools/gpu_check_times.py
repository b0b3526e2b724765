"""Times of the operators beside ATen's, a clone of the same number of bytes and, where it works, torch.compile.

All contestants take turns, so that a change of clock or load meets each alike; medians and quartiles are given.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from gpu_check_cases import make
from torch import Tensor
from torch.nn import functional


@dataclass(frozen=True)
class Contest:
    """One operator on one shape: ours, the same in ATen, and the bytes that must be read and written."""

    name: str
    shape: tuple[int, int]
    dtype: torch.dtype
    ours: Callable[[], Any]
    eager: Callable[[], Any]
    nbytes: int
    compiled: bool = True


def contests(device: str, quick: bool) -> list[Contest]:
    op = torch.ops.myops
    shapes = [(64, 128)] if quick else [(16384, 4096), (65536, 1024), (4096, 16384), (8192, 4099), (32, 4096)]
    found: list[Contest] = []
    for shape in shapes:
        for dtype in [torch.bfloat16, torch.float32]:
            x, r = make(shape, dtype, device), make(shape, dtype, device, 1)
            w, b = make(shape[1:], dtype, device, 2), make(shape[1:], dtype, device, 3)
            size = x.numel() * x.element_size()

            def add(
                name: str, ours: Any, eager: Any, arrays: float, compiled: bool = True, *, about: Any = None
            ) -> None:
                shape_, dtype_, size_ = about
                found.append(Contest(name, shape_, dtype_, ours, eager, int(arrays * size_), compiled))

            _add_forward(op, add, (shape, dtype, size), x, r, w, b)
            _add_backward(op, add, (shape, dtype, size), x, r, w, b)
    return found


def _add_forward(op: Any, add: Any, about: Any, x: Tensor, r: Tensor, w: Tensor, b: Tensor) -> None:
    size = w.shape
    add("myadd", lambda: op.myadd(x, r), lambda: x + r, 3, about=about)
    add("my_multiple_input_op", lambda: op.my_multiple_input_op(x, r), lambda: x * r + x, 3, about=about)
    add("sum of rows", lambda: op.sum(x, [1]), lambda: x.sum(1), 1, about=about)
    add("sum of columns", lambda: op.sum(x, [0]), lambda: x.sum(0), 1, about=about)
    add("sum", lambda: op.sum(x), lambda: x.sum(), 1, about=about)
    add("argmax", lambda: op.argmax(x, 1), lambda: x.argmax(1), 1, about=about)
    add("rms_norm", lambda: op.rms_norm(x, w), lambda: functional.rms_norm(x, size, w, 1e-6), 2, about=about)
    add("layer_norm", lambda: op.layer_norm(x, w, b), lambda: functional.layer_norm(x, size, w, b), 2, about=about)

    def add_layer_norm() -> tuple[Tensor, Tensor]:
        total = x + r
        return functional.layer_norm(total, size, w, b), total

    def add_rms_norm() -> tuple[Tensor, Tensor]:
        total = x + r
        return functional.rms_norm(total, size, w, 1e-6), total

    add("add_layer_norm", lambda: op.add_layer_norm(x, r, w, b), add_layer_norm, 4, about=about)
    add("add_rms_norm", lambda: op.add_rms_norm(x, r, w), add_rms_norm, 4, about=about)
    if x.size(1) % 2 == 0:
        half = x.size(1) // 2
        add(
            "silu_and_mul",
            lambda: op.silu_and_mul(x),
            lambda: functional.silu(x[:, :half]) * x[:, half:],
            1.5,
            about=about,
        )
        add(
            "gelu_and_mul",
            lambda: op.gelu_and_mul(x),
            lambda: functional.gelu(x[:, :half]) * x[:, half:],
            1.5,
            about=about,
        )


def _add_backward(op: Any, add: Any, about: Any, x: Tensor, r: Tensor, w: Tensor, b: Tensor) -> None:
    leaves = [tensor.detach().requires_grad_() for tensor in (x, w, b)]
    rms = functional.rms_norm(leaves[0], w.shape, leaves[1], 1e-6)
    layer = functional.layer_norm(leaves[0], w.shape, leaves[1], leaves[2])
    add(
        "rms_norm_backward",
        lambda: op.rms_norm_backward(r, x, w, 1e-6, [True, True]),
        lambda: torch.autograd.grad(rms, leaves[:2], r, retain_graph=True),
        3,
        False,
        about=about,
    )
    add(
        "layer_norm_backward",
        lambda: op.layer_norm_backward(r, x, w, 1e-5, [True, True, True]),
        lambda: torch.autograd.grad(layer, leaves, r, retain_graph=True),
        3,
        False,
        about=about,
    )


def clock(call: Callable[[], Any], device: str) -> float:
    """Seconds of one call, on the GPU's own clock where there is one."""
    if device == "cpu":
        start = time.perf_counter()
        call()
        return time.perf_counter() - start
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    call()
    end.record()
    end.synchronize()
    seconds: float = begin.elapsed_time(end) / 1000
    return seconds


def summary(samples: list[float], nbytes: int) -> dict[str, Any]:
    low, middle, high = statistics.quantiles(samples, n=4)
    return {
        "median_us": round(middle * 1e6, 2),
        "quartiles_us": [round(low * 1e6, 2), round(high * 1e6, 2)],
        "gigabytes_per_second": round(nbytes / max(middle, 1e-9) / 1e9, 1),
    }


def race(contest: Contest, calls: dict[str, Callable[[], Any]], device: str, quick: bool) -> dict[str, Any]:
    """Times of "ours" and the other contestants, in turns."""
    samples: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        for _ in range(3):
            call()
    for _ in range(5 if quick else 30):
        for name, call in calls.items():
            samples[name].append(clock(call, device))
    times = {name: summary(found, contest.nbytes) for name, found in samples.items()}
    ours = max(times["ours"]["median_us"], 1e-3)
    ratios = {f"{name}_over_ours": round(times[name]["median_us"] / ours, 3) for name in times if name != "ours"}
    about = {"operator": contest.name, "shape": list(contest.shape), "dtype": str(contest.dtype)}
    return {**about, "bytes": contest.nbytes, **times, **ratios}


def measure(device: str, quick: bool) -> Iterator[dict[str, Any]]:
    for contest in contests(device, quick):
        source = torch.empty(max(1, contest.nbytes // 2), dtype=torch.uint8, device=device)
        yield race(contest, {"ours": contest.ours, "eager": contest.eager, "clone": source.clone}, device, quick)


def measure_compiled(device: str, quick: bool) -> Iterator[dict[str, Any]]:
    """Beside torch.compile, on the first shape: compiling takes seconds for each."""
    if device == "cpu":
        yield {"skipped": "torch.compile is measured on a GPU only"}
        return
    found = contests(device, quick)
    for contest in found:
        if not contest.compiled or contest.shape != found[0].shape or contest.dtype != torch.bfloat16:
            continue
        try:
            compiled = torch.compile(contest.eager, dynamic=False)
            compiled()
        except Exception as error:  # no C compiler, no Triton
            text = str(error).splitlines()
            yield {"skipped": f"torch.compile does not work here: {type(error).__name__}: {text[0] if text else ''}"}
            return
        yield race(contest, {"ours": contest.ours, "compiled": compiled}, device, quick)
        torch._dynamo.reset()


KINDS: dict[str, Callable[[str, bool], Iterator[dict[str, Any]]]] = {
    "times": measure,
    "compiled_times": measure_compiled,
}
