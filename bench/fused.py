"""Fused operators against eager PyTorch, torch.compile and a clone of the same bytes: python fused.py [ROUNDS]

Prints one line of JSON for each operator, dtype and shape. The CPU variant that serves is the one that the loader took;
the driver switches wider ones off with MYOPS_DISABLE, so that the peers always run at the machine's full level.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import myops
import torch
from torch import Tensor
from torch.nn import functional

SHAPES = [(2048, 4096), (128, 4096), (4096, 384)]
DTYPES = [torch.float32, torch.bfloat16, torch.float16]
EPS = 1e-6
OPS = torch.ops.myops


def of_size(x: Tensor) -> list[int]:
    return [x.shape[-1]]


def added(x: Tensor, r: Tensor, norm: Callable[[Tensor], Tensor]) -> tuple[Tensor, Tensor]:
    total = x + r
    return norm(total), total


def gated(x: Tensor, activation: Callable[[Tensor], Tensor]) -> Tensor:
    first, second = x.chunk(2, -1)
    return activation(first) * second


# Operator → (ours, eager, tensors of the input's size that it reads, and that it writes, in input sizes).
Call = Callable[..., Any]
CASES: dict[str, tuple[Call, Call, float, float]] = {
    "rms_norm": (
        lambda x, r, w, b: OPS.rms_norm(x, w, EPS),
        lambda x, r, w, b: functional.rms_norm(x, of_size(x), w, EPS),
        1,
        1,
    ),
    "layer_norm": (
        lambda x, r, w, b: OPS.layer_norm(x, w, b, EPS),
        lambda x, r, w, b: functional.layer_norm(x, of_size(x), w, b, EPS),
        1,
        1,
    ),
    "add_rms_norm": (
        lambda x, r, w, b: OPS.add_rms_norm(x, r, w, EPS),
        lambda x, r, w, b: added(x, r, lambda s: functional.rms_norm(s, of_size(x), w, EPS)),
        2,
        2,
    ),
    "add_layer_norm": (
        lambda x, r, w, b: OPS.add_layer_norm(x, r, w, b, EPS),
        lambda x, r, w, b: added(x, r, lambda s: functional.layer_norm(s, of_size(x), w, b, EPS)),
        2,
        2,
    ),
    "silu_and_mul": (
        lambda x, r, w, b: OPS.silu_and_mul(x),
        lambda x, r, w, b: gated(x, functional.silu),
        1,
        0.5,
    ),
    "gelu_and_mul": (
        lambda x, r, w, b: OPS.gelu_and_mul(x),
        lambda x, r, w, b: gated(x, functional.gelu),
        1,
        0.5,
    ),
    "gelu_and_mul tanh": (
        lambda x, r, w, b: OPS.gelu_and_mul(x, approximate="tanh"),
        lambda x, r, w, b: gated(x, lambda a: functional.gelu(a, approximate="tanh")),
        1,
        0.5,
    ),
}


def seconds(call: Callable[[], Any], times: int) -> float:
    start = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - start) / times


def measure(calls: dict[str, Callable[[], Any]], rounds: int) -> dict[str, list[float]]:
    """The seconds of one call of each, for each round; within a round they take turns."""
    for call in calls.values():
        seconds(call, 3)  # what is done once: compiling, and fetching the operator
    once = seconds(calls["ours"], 3)
    times = max(1, int(0.005 / once))
    found: dict[str, list[float]] = {name: [] for name in calls}
    for round_number in range(rounds):
        names = list(calls) if round_number % 2 == 0 else list(reversed(calls))
        for name in names:
            found[name].append(seconds(calls[name], times))
    return found


def ratio(found: dict[str, list[float]], peer: str) -> dict[str, float]:
    """How many times as long the peer takes: the median over rounds, and the middle half."""
    each = sorted(other / ours for other, ours in zip(found[peer], found["ours"], strict=True))
    low, middle, high = statistics.quantiles(each, n=4)
    return {"ratio": round(middle, 3), "low": round(low, 3), "high": round(high, 3)}


def compare(name: str, dtype: torch.dtype, shape: tuple[int, int], compiled: Call, rounds: int) -> dict[str, Any]:
    ours, eager, reads, writes = CASES[name]
    generator = torch.Generator().manual_seed(0)
    x, r = (torch.randn(shape, generator=generator).to(dtype) for _ in range(2))
    w, b = (torch.randn(shape[-1], generator=generator).to(dtype) for _ in range(2))
    moved = int((reads + writes) * x.numel() * x.element_size())
    same_bytes = torch.empty(moved // 2, dtype=torch.uint8)  # clone reads them and writes as many
    found = measure(
        {
            "ours": lambda: ours(x, r, w, b),
            "eager": lambda: eager(x, r, w, b),
            "compile": lambda: compiled(x, r, w, b),
            "clone": same_bytes.clone,
        },
        rounds,
    )
    median = {peer: statistics.median(times) for peer, times in found.items()}
    return {
        "name": name,
        "dtype": str(dtype).removeprefix("torch."),
        "shape": list(shape),
        "ours_ms": round(median["ours"] * 1e3, 4),
        "gb_per_s": round(moved / median["ours"] / 1e9, 2),
        **{peer: ratio(found, peer) for peer in ("eager", "compile", "clone")},
    }


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    paths = [Path(path).name for path in myops.report().opened]
    library = next(name for name in paths if name.startswith("libmyops_cpu"))
    with torch.no_grad():
        for name, (_, eager, _, _) in CASES.items():
            for dtype in DTYPES:
                torch._dynamo.reset()
                compiled = torch.compile(eager, dynamic=False)
                for shape in SHAPES:
                    answer = compare(name, dtype, shape, compiled, rounds)
                    answer |= {"library": library, "threads": torch.get_num_threads()}
                    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
