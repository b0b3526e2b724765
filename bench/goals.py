"""What is aimed at, and whether a run reached it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def goals(results: dict[str, Any]) -> list[dict[str, Any]]:
    """What is aimed at, and whether this run reached it."""

    def call(name: str, stack: str) -> float:
        return float(next(c["ratio"] for c in results["calls"] if (c["name"], c["stack"]) == (name, stack)))

    def fused(name: str, dtype: str) -> float:
        cases = [c for c in results["fused"] if (c["name"], c["dtype"], c["shape"]) == (name, dtype, [2048, 4096])]
        return float(cases[0]["eager"]["ratio"])  # the widest level comes first

    def growth() -> float:
        return float(max(each["ratio"] for each in results["loader"]["growth"].values()))

    wanted: list[tuple[str, str, Callable[[], float], float, bool]] = [
        ("load", "check + load / dlopen", lambda: results["load"]["load_to_dlopen"]["median"], 1.5, True),
        ("load", "plan of 10, ms", lambda: results["load"]["plan_of_10_ms"]["median"], 3, True),
        ("load", "plan of 20,000 files, ms", lambda: results["load"]["plan_of_20000_ms"]["median"], 200, True),
        # "Judging the whole set": read as the verdicts on what is opened, and as a plan, which does more.
        ("loader", "judge / dlopen", lambda: results["loader"]["judge_to_dlopen"]["median"], 1.3, True),
        ("loader", "plan / dlopen", lambda: results["loader"]["plan_to_dlopen"]["median"], 1.3, True),
        ("loader", "system calls of a refused library", lambda: results["loader"]["refused"]["calls"], 8, True),
        ("loader", "KiB read of a refused library", lambda: results["loader"]["refused"]["kib"], 64, True),
        ("loader", "1,000 libraries / 10", growth, 100, True),
        ("loader", "import myops / import torch", lambda: results["loader"]["import"]["median"], 0.03, True),
        ("calls", "myadd / add, inference", lambda: call("myadd", "inference"), 0.6, True),
        ("calls", "myadd / add, requires_grad", lambda: call("myadd", "requires_grad"), 1.1, True),
        ("fused", "rms_norm 2048x4096 float32, times eager", lambda: fused("rms_norm", "float32"), 3, False),
        ("fused", "rms_norm 2048x4096 bfloat16, times eager", lambda: fused("rms_norm", "bfloat16"), 6, False),
    ]
    found = []
    for part, text, figure, limit, is_upper in wanted:
        if part in results:
            value = figure()
            reached = value <= limit if is_upper else value >= limit
            found.append({"goal": text, "limit": limit, "upper": is_upper, "value": value, "reached": reached})
    return found
