#!/usr/bin/env python3
"""Checks the operators' kernels on one device against ATen, measures them, and writes JSON.

Each check runs in a process of its own with a time limit: an illegal memory access or a hang spoils one check alone.
The JSON is written after each, so a run that is broken off loses nothing; `complete` is true in a finished one only,
and `error` says why nothing could be checked.

Exit code: 0 every check held, 1 one did not or could not run, 2 usage.
Example: tools/gpu_check.py --libraries build/gpu-check --device cuda --output gpu.json
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

CHILD = Path(__file__).with_name("gpu_check_child.py")
KEPT_FAILURES = 8
SHOWN_FAILURES = 3
# Under compute-sanitizer everything takes many times as long.
CHECK_LIMIT = 100
SANITIZED_CHECK_LIMIT = 1000
SANITIZER_TOOLS = ["memcheck", "racecheck", "synccheck"]
SANITIZER_OPTIONS = ["--target-processes", "all", "--error-exitcode", "9", "--log-file", "/dev/stderr"]


def say(text: str) -> None:
    print(f"gpu_check: {text}", file=sys.stderr, flush=True)


class Children:
    """Starts gpu_check_child.py, once for each check."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.sanitizer = sanitizer() if arguments.sanitize else ""
        self.options = ["--libraries", str(arguments.libraries), "--device", arguments.device]
        self.options += ["--quick"] if arguments.quick or arguments.sanitize else []
        self.options += ["--checks", str(arguments.checks)] if arguments.checks else []

    def run(self, task: list[str], limit: float, tool: str = "") -> tuple[list[Any], str | None, str]:
        """The lines of JSON it gave, why it ended before its end (or None), and the end of what it printed."""
        with tempfile.NamedTemporaryFile("r") as answers, tempfile.TemporaryFile("w+") as printed:
            prefix = [self.sanitizer, "--tool", tool, *SANITIZER_OPTIONS] if tool else []
            command = [*prefix, sys.executable, str(CHILD), *self.options, "--answers", answers.name, *task]
            # A group of its own: under compute-sanitizer the check is a grandchild, and may outlive its parent.
            child = subprocess.Popen(
                command, stdout=printed, stderr=printed, stdin=subprocess.DEVNULL, start_new_session=True
            )
            fault = None
            try:
                child.wait(max(1.0, limit))
            except subprocess.TimeoutExpired:
                fault = f"not done after {limit:.0f} s"
                os.killpg(child.pid, signal.SIGABRT)  # faulthandler tells where it was
                time.sleep(1)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(child.pid, signal.SIGKILL)
                child.wait()
            lines = [json.loads(line) for line in answers if line.endswith("\n")]
            printed.seek(0)
            tail = printed.read()[-2000:]
        if lines and lines[-1] == {"done": True}:
            lines.pop()
            if child.returncode not in (0, None):
                fault = fault or f"exit code {child.returncode} after its last comparison"
        elif fault is None:
            fault = f"ended by {signal.Signals(-child.returncode).name}" if child.returncode < 0 else "it died"
        return lines, fault, tail


def sanitizer() -> str:
    path = os.environ.get("PATH", "")
    found = shutil.which("compute-sanitizer", path=f"{path}:/usr/local/cuda/bin")
    if found is None:
        say("--sanitize needs compute-sanitizer, which is neither on PATH nor in /usr/local/cuda/bin")
        sys.exit(1)
    return found


def title(name: str, tool: str) -> str:
    return f"{name}, {tool}" if tool else name


def run_check(children: Children, name: str, tool: str, limit: float) -> dict[str, Any]:
    start = time.monotonic()
    lines, fault, tail = children.run(["--run", name], limit, tool)
    failures = [f"{what}: {error}" for what, error in lines if error and not error.startswith("skipped: ")]
    notes = [f"{what}: {error}" for what, error in lines if error and error.startswith("skipped: ")]
    if fault is not None:
        last = f"after {lines[-1][0]}" if lines else "before the first comparison"
        failures.append(f"{fault}, {last}: {' '.join(tail.split())[-1200:]}")
    passed = sum(1 for _, error in lines if error is None)
    result: dict[str, Any] = {"name": title(name, tool), "passed": passed, "failed": len(failures)}
    result["seconds"] = round(time.monotonic() - start, 2)
    if failures:  # what ended it, too
        result["failures"] = failures[:KEPT_FAILURES] + (failures[-1:] if len(failures) > KEPT_FAILURES else [])
    if notes:
        result["notes"] = notes
    say(" ".join([f"{title(name, tool)}: {passed} held, {len(failures)} failed in {result['seconds']} s", *notes]))
    for failure in failures[:SHOWN_FAILURES]:
        say(f"  {failure[:600]}")
    return result


class Report:
    """The JSON, in a file after each change where there is one."""

    def __init__(self, output: Path | None) -> None:
        self.output = output
        self.content: dict[str, Any] = {"format": 2, "complete": False}

    def write(self) -> None:
        if self.output is not None:
            part = self.output.with_name(self.output.name + ".part")
            part.write_text(self.text())
            part.replace(self.output)

    def text(self) -> str:
        return json.dumps(self.content, indent=1) + "\n"


def measure(children: Children, report: Report, deadline: float) -> None:
    for kind in ["times", "compiled_times"]:
        left = deadline - time.monotonic()
        if left < 5:
            report.content[kind] = [{"skipped": "the time limit was reached"}]
            continue
        lines, fault, tail = children.run(["--measure", kind], left)
        report.content[kind] = lines
        if fault is not None:  # measurements are worth having, none is a check
            report.content[kind].append({"stopped": f"{fault}: {' '.join(tail.split())[-600:]}"})
        without = [f"; {line['skipped']}" for line in lines if "skipped" in line] + ([f"; {fault}"] if fault else [])
        say(f"{kind}: {len(lines)} lines{''.join(without[:3])}")
        report.write()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--libraries", type=Path, required=True, help="build folder with the libraries")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda", help="cpu checks the checks themselves")
    parser.add_argument("--output", type=Path, help="file for the JSON [default: stdout, at the end]")
    parser.add_argument("--limit", type=float, default=300, help="seconds for everything [default: 300]")
    parser.add_argument("--check-limit", type=float, help="seconds for one check [default: 100, with --sanitize 1000]")
    parser.add_argument("--quick", action="store_true", help="small sizes and few measurements")
    parser.add_argument("--sanitize", action="store_true", help="small sizes under compute-sanitizer; measures nothing")
    parser.add_argument("--checks", type=Path, help=argparse.SUPPRESS)  # a file with other CHECKS, for tests
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # not without ending the check that runs
    deadline = time.monotonic() + arguments.limit
    check_limit = arguments.check_limit or (SANITIZED_CHECK_LIMIT if arguments.sanitize else CHECK_LIMIT)
    children = Children(arguments)
    report = Report(arguments.output)
    lines, fault, tail = children.run(["--list"], max(60.0, check_limit))
    if fault is not None or not lines:
        why = tail.strip().splitlines()[-1] if tail.strip() else f"the checks cannot be listed: {fault}"
        say(why)
        report.content["error"] = why
        report.write()
        return 1
    names, sanitized = lines[0].pop("names"), lines[0].pop("sanitized")
    runs = [(name, "") for name in names]
    if arguments.sanitize:
        runs = [(name, tool) for tool in SANITIZER_TOOLS for name in sanitized]
    report.content.update({**lines[0], "sanitized": arguments.sanitize, "checks": []})
    report.write()
    for name, tool in runs:
        left = deadline - time.monotonic()
        if left < 1:
            why = "not run: the time limit was reached"
            result: dict[str, Any] = {"name": title(name, tool), "passed": 0, "failed": 1, "failures": [why]}
            say(f"{title(name, tool)}: {why}")
        else:
            result = run_check(children, name, tool, min(check_limit, left))
        report.content["checks"].append(result)
        report.write()
    if not arguments.sanitize and not arguments.checks:
        measure(children, report, deadline)
    report.content["complete"] = True
    report.write()
    if arguments.output is None:
        print(report.text(), end="")
    failed = [result["name"] for result in report.content["checks"] if result["failed"]]
    say(f"failed: {', '.join(failed)}" if failed else "every check held")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
