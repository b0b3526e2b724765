#!/usr/bin/env python3
"""One check, or the measurements, of gpu_check.py: gives lines of JSON, one for each comparison, as they come.

They go to a file of their own: any library may print to stdout.

Example: tools/gpu_check_child.py --libraries build/gpu-check --device cuda --run norms
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import runpy
import sys
import traceback
from pathlib import Path
from typing import Any

import gpu_check_calls as calls
import gpu_check_cases as cases
import gpu_check_cuda as cuda
import gpu_check_gated as gated
import gpu_check_special as special
import gpu_check_times as times
import torch

# The order in which libraries are opened: operators first, then kernels, then what lies above them.
ORDER = ["schema", "cpu", "cuda", "inplace_or_view", "autograd", "autocast"]


def load_libraries(folder: Path, device: str) -> list[str]:
    opened = []
    for part in ORDER:
        if part == "cuda" and device != "cuda":
            continue
        found = sorted(folder.rglob(f"plugins/**/libmyops_{part}.so"))
        if len(found) != 1:
            sys.exit(f"expected one libmyops_{part}.so under {folder}, found {len(found)}")
        torch.ops.load_library(str(found[0]))
        opened.append(found[0].name)
    return opened


def describe(device: str) -> dict[str, Any]:
    about: dict[str, Any] = {"torch": torch.__version__, "cuda": torch.version.cuda, "device": device}
    if device == "cuda":
        about["gpus"] = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
        about["capability"] = list(torch.cuda.get_device_capability())
        about["free_bytes"] = torch.cuda.mem_get_info()[0]
    return about


class Answers:
    """The file that the lines go to."""

    def __init__(self, path: Path) -> None:
        self.file = path.open("a")

    def give(self, line: Any) -> None:
        print(json.dumps(line), file=self.file, flush=True)

    def run(self, body: Any) -> None:
        try:
            for what, error in body:
                self.give([what, error])
        except Exception:  # a check that dies is a check that failed
            self.give(["an exception", " ".join(traceback.format_exc(limit=4).split())])


def main() -> None:
    faulthandler.enable()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--libraries", type=Path, required=True, help="build folder with the libraries")
    parser.add_argument("--device", choices=["cuda", "cpu"], required=True)
    parser.add_argument("--quick", action="store_true", help="small sizes and few measurements")
    parser.add_argument("--answers", type=Path, default=Path("/dev/stdout"), help="where lines go [default: stdout]")
    parser.add_argument("--checks", type=Path, help=argparse.SUPPRESS)
    task = parser.add_mutually_exclusive_group(required=True)
    task.add_argument("--list", action="store_true", help="the device, and the names of the checks")
    task.add_argument("--run", metavar="CHECK", help="one check")
    task.add_argument("--measure", choices=["times", "compiled_times"])
    arguments = parser.parse_args()
    device, quick = arguments.device, arguments.quick
    if device == "cuda" and not torch.cuda.is_available():
        sys.exit("torch finds no GPU that it can use")
    if device == "cpu":  # the tensors are small, and threads that wait for each other cost more than they bring
        torch.set_num_threads(1)
    answers = Answers(arguments.answers)
    opened = load_libraries(arguments.libraries, device)
    checks = {
        **cases.CHECKS,
        **gated.CHECKS,
        **calls.CHECKS,
        **special.CHECKS,
        **(cuda.CHECKS if device == "cuda" else {}),
    }
    if arguments.checks:
        checks = runpy.run_path(str(arguments.checks))["CHECKS"]
    if arguments.list:
        sanitized = [name for name, check in checks.items() if getattr(check, "sanitized", False)]
        answers.give({**describe(device), "libraries": opened, "names": list(checks), "sanitized": sanitized})
    elif arguments.run:
        answers.run(checks[arguments.run](device, quick))
    else:
        for line in times.KINDS[arguments.measure](device, quick):
            answers.give(line)
    if device == "cuda":
        torch.cuda.synchronize()  # a late error belongs to this check
    answers.give({"done": True})


if __name__ == "__main__":
    main()
