#!/usr/bin/env python3
"""Checks the operators' kernels on one device against ATen, measures them, and prints JSON.

Exit code: 0 every check held, 1 one did not, 2 usage.
Example: tools/gpu_check.py --libraries build/gpu-check --device cuda
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import gpu_check_cases as cases
import gpu_check_cuda as cuda
import gpu_check_times as times
import torch

# The order in which libraries are opened: operators first, then kernels, then what lies above them.
ORDER = ["schema", "cpu", "cuda", "inplace_or_view", "autograd", "autocast"]
KEPT_FAILURES = 8


def load_libraries(folder: Path, device: str) -> list[str]:
    opened = []
    for part in ORDER:
        if part == "cuda" and device != "cuda":
            continue
        found = sorted(folder.rglob(f"plugins/**/libmyops_{part}.so"))
        if len(found) != 1:
            sys.exit(f"gpu_check: expected one libmyops_{part}.so under {folder}, found {len(found)}")
        torch.ops.load_library(str(found[0]))
        opened.append(found[0].name)
    return opened


def run_check(name: str, body: Any) -> dict[str, Any]:
    """Runs one check: a generator that gives (what, error text or None) for each comparison."""
    start = time.monotonic()
    passed, failures, notes = 0, [], []
    try:
        for what, error in body:
            if error is None:
                passed += 1
            elif error.startswith("skipped: "):
                notes.append(f"{what}: {error}")
            else:
                failures.append(f"{what}: {error}")
    except Exception:  # a check that dies is a check that failed; the others still tell something
        failures.append(traceback.format_exc(limit=4))
    result = {"name": name, "passed": passed, "failed": len(failures), "seconds": round(time.monotonic() - start, 2)}
    if failures:
        result["failures"] = failures[:KEPT_FAILURES]
    if notes:
        result["notes"] = notes
    print(f"gpu_check: {name}: {passed} held, {len(failures)} failed {' '.join(notes)}", file=sys.stderr)
    return result


def describe(device: str) -> dict[str, Any]:
    about: dict[str, Any] = {"torch": torch.__version__, "cuda": torch.version.cuda, "device": device}
    if device == "cuda":
        about["gpus"] = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
        about["capability"] = list(torch.cuda.get_device_capability())
    return about


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--libraries", type=Path, required=True, help="build folder with the libraries")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda", help="cpu checks the checks themselves")
    parser.add_argument("--limit", type=float, default=300, help="seconds; measurements are cut short [default: 300]")
    parser.add_argument("--quick", action="store_true", help="small sizes and few measurements")
    arguments = parser.parse_args()
    if arguments.device == "cuda" and not torch.cuda.is_available():
        print("gpu_check: torch finds no GPU that it can use", file=sys.stderr)
        return 1
    if arguments.device == "cpu":
        torch.set_num_threads(
            1
        )  # the tensors are small, and threads that wait for each other cost more than they bring
    deadline = time.monotonic() + arguments.limit
    opened = load_libraries(arguments.libraries, arguments.device)
    checks = {**cases.CHECKS, **(cuda.CHECKS if arguments.device == "cuda" else {})}
    results = [run_check(name, body(arguments.device, arguments.quick)) for name, body in checks.items()]
    report = {
        "format": 1,
        **describe(arguments.device),
        "libraries": opened,
        "checks": results,
        "times": times.measure(arguments.device, arguments.quick, deadline),
    }
    print(json.dumps(report, indent=1))
    return 1 if any(result["failed"] for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
