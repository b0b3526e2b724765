"""tools/gpu_check.sh where there is no GPU, and its comparisons on the CPU, so that they are proven themselves."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from support.build_tree import BUILD, ROOT
from support.process import run

SCRIPT = str(ROOT / "tools" / "gpu_check.sh")
HAS_GPU = any(Path("/dev").glob("nvidia[0-9]*")) or Path("/dev/dxg").exists()


@pytest.mark.skipif(HAS_GPU, reason="this machine has a GPU: the script would build and run")
def test_without_a_gpu_it_says_so_in_one_line() -> None:
    outcome = run([SCRIPT])
    assert outcome.returncode == 1
    assert outcome.stderr.splitlines() == ["gpu_check: no NVIDIA GPU on this machine: nothing can be checked"]
    assert outcome.stdout == ""


@pytest.mark.parametrize("arguments", [["--outptu"], ["--output"], ["--limit", "soon"]])
def test_wrong_usage_is_told_in_one_line(arguments: list[str]) -> None:
    outcome = run([SCRIPT, *arguments])
    assert outcome.returncode == 2
    assert len(outcome.stderr.splitlines()) == 1 and arguments[0] in outcome.stderr


def test_help_has_an_example() -> None:
    outcome = run([SCRIPT, "--help"])
    assert outcome.returncode == 0
    assert "example: tools/gpu_check.sh --output gpu.json" in outcome.stdout


def comparison(folder: Path) -> tuple[int | None, Any]:
    command = [
        sys.executable,
        str(ROOT / "tools" / "gpu_check.py"),
        "--libraries",
        str(folder),
        "--device",
        "cpu",
        "--quick",
    ]
    outcome = run(command, timeout=600)
    assert outcome.stdout, outcome
    return outcome.returncode, outcome.json


def test_its_comparisons_hold_for_the_cpu_library() -> None:
    status, report = comparison(BUILD)
    assert status == 0, report["checks"]
    assert {check["name"] for check in report["checks"]} >= {"norms", "gradients of norms", "elementwise", "reductions"}
    assert all(check["passed"] > 10 for check in report["checks"] if "notes" not in check)
    for time in report["times"]:
        assert time["ours"]["median_us"] > 0 and time["copy_over_ours"] > 0, time


def test_its_comparisons_find_a_wrong_kernel(tmp_path: Path) -> None:
    """The same with an operator that another library computes wrongly: a check that cannot fail shows nothing."""
    plugins = tmp_path / "plugins"
    shutil.copytree(BUILD / "lib" / "myops" / "plugins", plugins)
    wrong = """
import sys
sys.argv = [{script!r}, "--libraries", {folder!r}, "--device", "cpu", "--quick"]
sys.path.insert(0, {tools!r})
import gpu_check, gpu_check_cases, torch
load = gpu_check.load_libraries
def load_and_replace(folder, device):
    opened = load(folder, device)
    library = torch.library.Library("myops", "IMPL")
    library.impl("rms_norm", lambda input, weight, eps=1e-6: torch.zeros_like(input) + 0.01, "CPU", allow_override=True)
    gpu_check.kept = library
    return opened
gpu_check.load_libraries = load_and_replace
gpu_check.times.measure = lambda *_: []
gpu_check_cases.CHECKS = {{"norms": gpu_check_cases.CHECKS["norms"]}}
sys.exit(gpu_check.main())
"""
    code = wrong.format(script="gpu_check.py", folder=str(tmp_path), tools=str(ROOT / "tools"))
    outcome = run([sys.executable, "-c", code], timeout=600)
    assert outcome.returncode == 1, outcome
    (check,) = outcome.json["checks"]
    assert check["failed"] > 50 and check["failures"][0].startswith("rms_norm ")
    assert json.dumps(check).count("layer_norm") == 0
