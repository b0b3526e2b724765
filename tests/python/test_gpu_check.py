"""tools/gpu_check.sh where there is no GPU, and its comparisons on the CPU, so that they are proven themselves."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from support.build_tree import BUILD, ROOT
from support.process import Outcome, run

SCRIPT = str(ROOT / "tools" / "gpu_check.sh")
HAS_GPU = any(Path("/dev").glob("nvidia[0-9]*")) or Path("/dev/dxg").exists()


@pytest.mark.skipif(HAS_GPU, reason="this machine has a GPU: the script would build and run")
def test_without_a_gpu_it_says_so_in_one_line() -> None:
    outcome = run([SCRIPT])
    assert outcome.returncode == 1
    assert outcome.stderr.splitlines() == ["gpu_check: no NVIDIA GPU on this machine: nothing can be checked"]
    assert outcome.stdout == ""


@pytest.mark.skipif(HAS_GPU, reason="this machine has a GPU: the script would build and run")
def test_without_a_gpu_the_json_says_so_too(tmp_path: Path) -> None:
    outcome = run([SCRIPT, "--output", str(tmp_path / "gpu.json")])
    assert outcome.returncode == 1 and len(outcome.stderr.splitlines()) == 1
    error = "no NVIDIA GPU on this machine: nothing can be checked"
    assert json.loads((tmp_path / "gpu.json").read_text()) == {"format": 2, "complete": False, "error": error}


@pytest.mark.parametrize(
    "arguments",
    [["--outptu"], ["--output"], ["--output", ""], ["--build", ""], ["--limit", "soon"], ["--check-limit", "soon"]],
)
def test_wrong_usage_is_told_in_one_line(arguments: list[str]) -> None:
    outcome = run([SCRIPT, *arguments])
    assert outcome.returncode == 2
    assert len(outcome.stderr.splitlines()) == 1 and arguments[0] in outcome.stderr


def test_it_builds_what_it_opens() -> None:
    child = (ROOT / "tools" / "gpu_check_child.py").read_text()
    opened = re.findall(r'"(\w+)"', re.findall(r"^ORDER = (.*)$", child, re.M)[0])
    (built,) = re.findall(r"for library in (.*); do targets", Path(SCRIPT).read_text())
    assert sorted(built.split()) == sorted(opened)


def test_help_has_an_example() -> None:
    outcome = run([SCRIPT, "--help"])
    assert outcome.returncode == 0
    assert "example: tools/gpu_check.sh --output gpu.json" in outcome.stdout


def comparison(output: Path, *arguments: str, env: dict[str, str] | None = None) -> tuple[Outcome, Any]:
    command = [sys.executable, str(ROOT / "tools" / "gpu_check.py"), "--libraries", str(BUILD), "--device", "cpu"]
    outcome = run([*command, "--quick", "--output", str(output), *arguments], timeout=600, env=env)
    return outcome, json.loads(output.read_text()) if output.exists() else None


def test_its_comparisons_hold_for_the_cpu_library(tmp_path: Path) -> None:
    outcome, report = comparison(tmp_path / "report.json")
    assert outcome.returncode == 0, report["checks"]
    assert report["complete"] and report["device"] == "cpu" and len(report["libraries"]) == 5
    assert {check["name"] for check in report["checks"]} == {
        "norms",
        "gradients of norms",
        "elementwise",
        "reductions",
        "gated",
        "others",
        "same bits",
        "special values",
    }
    assert all(check["passed"] > 10 for check in report["checks"])
    assert len(report["times"]) > 20
    for entry in report["times"]:
        assert entry["ours"]["median_us"] > 0 and entry["eager_over_ours"] > 0 and entry["clone_over_ours"] > 0, entry
    assert report["compiled_times"] == [{"skipped": "torch.compile is measured on a GPU only"}]


WRONG = """
import gpu_check_cases, gpu_check_gated, gpu_check_special, torch
library = torch.library.Library("myops", "IMPL")
# Not the dtype's last bit, but one that a bound without the length and the dtype would let through.
def wrong(input, weight, eps=1e-6):
    right = gpu_check_cases.rms_norm(input.double(), None if weight is None else weight.double(), eps)
    return (right * (1 + 3e-6)).to(input.dtype)
library.impl("rms_norm", wrong, "CPU", allow_override=True)
def wrong_backward(grad, input, weight, eps=1e-5, output_mask=(True, True, True)):
    dy, x, w = grad.double(), input.double(), weight.double()
    centre = x - x.mean(-1, keepdim=True)
    inverse = torch.rsqrt(centre.square().mean(-1, keepdim=True) + eps)
    x_hat, g = centre * inverse, dy * w
    dx = inverse * (g - g.mean(-1, keepdim=True) - x_hat * (g * x_hat).mean(-1, keepdim=True))
    return tuple(((1 - 1e-5) * right).to(input.dtype) for right in (dx, (dy * x_hat).sum(0), dy.sum(0)))
library.impl("layer_norm_backward", wrong_backward, "CPU", allow_override=True)
def strides(a, b):
    return (a + b).t().contiguous().t() if a.dim() == 2 else a + b
library.impl("myadd", strides, "CPU", allow_override=True)
# Right to a last bit of 1, and wrong where they are small: 1 + erf and 1 - sigmoid cancel.
def gated(activation):
    def product(input, **options):
        a, b = (half if input.dtype == torch.float64 else half.float() for half in input.chunk(2, -1))
        return (activation(a) * b).to(input.dtype)
    return product
library.impl("silu_and_mul", gated(lambda a: a * (1 - torch.sigmoid(-a))), "CPU", allow_override=True)
library.impl("gelu_and_mul", gated(lambda a: a * 0.5 * (1 + torch.erf(a * 0.5**0.5))), "CPU", allow_override=True)
library.impl("argmax", lambda x, dim=-1: x.size(dim) - 1 - x.flip(dim).argmax(dim), "CPU", allow_override=True)
CHECKS = {**gpu_check_cases.CHECKS, **gpu_check_gated.CHECKS, **gpu_check_special.CHECKS}
"""


def gated_failures(folder: Path) -> list[str]:
    """All of them: a report keeps the first."""
    child = [sys.executable, str(ROOT / "tools" / "gpu_check_child.py"), "--libraries", str(BUILD), "--device", "cpu"]
    outcome = run([*child, "--quick", "--checks", str(folder / "checks.py"), "--run", "gated"])
    lines = [json.loads(line) for line in outcome.stdout.splitlines()]
    return [f"{what}: {error}" for what, error in lines[:-1] if error]


def test_its_comparisons_find_wrong_kernels(tmp_path: Path) -> None:
    """Kernels wrong by little: a check that cannot fail shows nothing."""
    (tmp_path / "checks.py").write_text(WRONG)
    outcome, report = comparison(tmp_path / "report.json", "--checks", str(tmp_path / "checks.py"))
    assert outcome.returncode == 1, outcome
    found = {check["name"]: check.get("failures", []) for check in report["checks"]}
    assert found["norms"][0].startswith("rms_norm ") and "torch.float32" in found["norms"][0]
    assert found["gradients of norms"][0].startswith("layer_norm_backward ")
    assert "strides" in found["elementwise"][0]
    assert found["reductions"][0].startswith("argmax ")
    assert found["special values"]
    for name in ("silu_and_mul tails torch.float32", "gelu_and_mul tails torch.float32"):
        assert any(failure.startswith(name) for failure in gated_failures(tmp_path)), name
    # The first failures are on stderr too.
    assert found["norms"][0] in outcome.stderr and "failed: norms, " in outcome.stderr


ENDS = """
import os, signal, sys, time
def holds(device, quick):
    print("[W torch] no answer of ours", flush=True)
    yield "one", None
    yield "two", "skipped: not here"
def fails(device, quick):
    yield "one", None
    yield "two", "seven apples, expected eight"
def dies(device, quick):
    yield "one", None
    print("last words", file=sys.stderr, flush=True)
    os.kill(os.getpid(), signal.SIGSEGV)
def hangs(device, quick):
    yield "one", None
    time.sleep(600)
def raises(device, quick):
    yield "one", None
    raise RuntimeError("CUDA error: an illegal memory access was encountered")
CHECKS = {"fails": fails, "dies": dies, "hangs": hangs, "raises": raises, "holds": holds}
"""


def test_a_check_that_dies_or_hangs_spoils_no_other(tmp_path: Path) -> None:
    (tmp_path / "checks.py").write_text(ENDS)
    options = ["--checks", str(tmp_path / "checks.py"), "--check-limit", "15"]
    outcome, report = comparison(tmp_path / "report.json", *options)
    assert outcome.returncode == 1, outcome
    found = {check["name"]: check for check in report["checks"]}
    assert [(check["passed"], check["failed"]) for check in found.values()] == [(1, 1)] * 4 + [(1, 0)]
    assert found["holds"]["notes"] == ["two: skipped: not here"]
    assert found["fails"]["failures"] == ["two: seven apples, expected eight"]
    assert "ended by SIGSEGV, after one" in found["dies"]["failures"][0]
    assert "last words" in found["dies"]["failures"][0]
    assert "not done after 15 s, after one" in found["hangs"]["failures"][0]
    assert "in hangs" in found["hangs"]["failures"][0]  # faulthandler's line
    assert "illegal memory access" in found["raises"]["failures"][0]
    assert "failed: fails, dies, hangs, raises" in outcome.stderr


def test_a_run_that_is_broken_off_leaves_what_it_had(tmp_path: Path) -> None:
    (tmp_path / "checks.py").write_text(ENDS.replace('{"fails": fails, "dies": dies, ', '{"fails": fails, '))
    output = tmp_path / "report.json"
    command = [sys.executable, str(ROOT / "tools" / "gpu_check.py"), "--libraries", str(BUILD), "--device", "cpu"]
    command += ["--checks", str(tmp_path / "checks.py"), "--output", str(output)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and not (output.exists() and json.loads(output.read_text())["checks"]):
            time.sleep(0.1)
        process.terminate()
    report = json.loads(output.read_text())
    assert report["complete"] is False
    assert [(check["name"], check["failed"]) for check in report["checks"]] == [("fails", 1)]


def test_what_there_is_no_time_for_is_no_success(tmp_path: Path) -> None:
    (tmp_path / "checks.py").write_text(ENDS.replace('CHECKS = {"fails": fails, "dies": dies, ', "CHECKS = {"))
    options = ["--checks", str(tmp_path / "checks.py"), "--limit", "10"]
    outcome, report = comparison(tmp_path / "report.json", *options)
    assert outcome.returncode == 1
    assert report["checks"][-1]["failures"] == ["not run: the time limit was reached"]


SANITIZER = """#!/usr/bin/env bash
while [[ $1 == --* ]]; do
  case $1 in --tool) tool=$2; shift ;; --target-processes | --error-exitcode | --log-file) shift ;; esac
  shift
done
"$@" || exit
if [[ "$tool $* " == memcheck*" --run elementwise "* ]]; then
  echo "========= Invalid __global__ read of size 4 bytes" >&2
  exit 9
fi
"""


def test_it_runs_under_compute_sanitizer_and_takes_its_word(tmp_path: Path) -> None:
    fake = tmp_path / "compute-sanitizer"
    fake.write_text(SANITIZER)
    fake.chmod(0o755)
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    outcome, report = comparison(tmp_path / "report.json", "--sanitize", env=env)
    assert outcome.returncode == 1
    assert report["sanitized"] and "times" not in report
    failed = [check for check in report["checks"] if check["failed"]]
    assert [check["name"] for check in failed] == ["elementwise, memcheck"]
    values = ["norms", "gradients of norms", "elementwise", "reductions", "gated", "special values"]
    expected = [f"{name}, {tool}" for tool in ("memcheck", "racecheck", "synccheck") for name in values]
    assert [check["name"] for check in report["checks"]] == expected
    assert "exit code 9" in failed[0]["failures"][0] and "Invalid __global__ read" in failed[0]["failures"][0]


ORPHAN = """#!/usr/bin/env bash
sleep 600 & echo $! >>"$(dirname "$0")/orphans"
exit 134
"""


def test_what_a_check_leaves_running_is_ended(tmp_path: Path) -> None:
    """A sanitizer that dies leaves the check that it started: it would hold the GPU while the next ones run."""
    fake = tmp_path / "compute-sanitizer"
    fake.write_text(ORPHAN)
    fake.chmod(0o755)
    (tmp_path / "checks.py").write_text(ENDS.replace("CHECKS =", "holds.sanitized = True\nCHECKS ="))
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    options = ["--sanitize", "--checks", str(tmp_path / "checks.py")]
    outcome, report = comparison(tmp_path / "report.json", *options, env=env)
    assert outcome.returncode == 1 and len(report["checks"]) == 3
    orphans = [int(line) for line in (tmp_path / "orphans").read_text().split()]
    assert len(orphans) == 3
    deadline = time.monotonic() + 10
    while any(Path(f"/proc/{pid}/exe").exists() for pid in orphans) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(Path(f"/proc/{pid}/exe").exists() for pid in orphans)


def test_without_libraries_it_says_so(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "tools" / "gpu_check.py"), "--libraries", str(tmp_path), "--device", "cpu"]
    outcome = run(command)
    assert outcome.returncode == 1
    text = f"gpu_check: expected one libmyops_schema.so under {tmp_path}, found 0"
    assert outcome.stderr.splitlines() == [text]
