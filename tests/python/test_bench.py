"""./dev bench measures what it says and writes it down. No time is compared with another here."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from support.build_tree import BUILD, ROOT
from support.process import Outcome, run, run_python

BENCH = ROOT / "bench"


def bench(*arguments: object) -> Outcome:
    command = [sys.executable, str(BENCH / "bench.py"), *map(str, arguments)]
    return run(command, {"MYOPS_BUILD_FOLDER": str(BUILD), "PATH": f"{BUILD / 'bin'}{os.pathsep}{os.environ['PATH']}"})


def test_load_and_calls(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    outcome = bench("load", "calls", "--rounds", 2, "--output", file)
    assert outcome.returncode == 0 and outcome.stderr == "", outcome
    result = json.loads(file.read_text())
    assert result["load"]["libraries"] >= 8
    for name in ("load_ms", "dlopen_ms", "load_to_dlopen", "plan_of_10_ms", "plan_of_20000_ms"):
        spread = result["load"][name]
        assert 0 < spread["low"] <= spread["median"] <= spread["high"], name
    pairs = {(call["name"], call["stack"]) for call in result["calls"]}
    assert {("myadd", stack) for stack in ("inference", "requires_grad", "autocast")} <= pairs
    assert all(call["ratio"] > 0 for call in result["calls"])
    goals = result["goals"]
    assert len(goals) == 5 and all(goal["reached"] == (goal["value"] <= goal["limit"]) for goal in goals)
    assert outcome.stdout.count("reached  ") + outcome.stdout.count("MISSED   ") == len(goals)


def test_loader(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    outcome = bench("loader", "--rounds", 2, "--output", file)
    assert outcome.returncode == 0 and outcome.stderr == "", outcome
    result = json.loads(file.read_text())
    assert all(result["loader"][name]["median"] > 0 for name in ("judge_to_dlopen", "plan_to_dlopen"))
    # Counts, not times: these hold on any machine.
    assert 1 < result["loader"]["refused"]["calls"] <= 8
    assert 1 < result["loader"]["refused"]["kib"] <= 64
    assert all(0 < each["few_ms"] < each["many_ms"] for each in result["loader"]["growth"].values())
    assert 0 < result["loader"]["import"]["median"] < 1
    assert len(result["goals"]) == 6


def test_fused_compares_the_same_results() -> None:
    code = """
        import json, sys, torch
        sys.path.insert(0, sys.argv[1])
        import fused
        torch.manual_seed(0)
        x, r, w, b = torch.randn(6, 64), torch.randn(6, 64), torch.randn(64), torch.randn(64)
        for ours, eager, _, _ in fused.CASES.values():
            torch.testing.assert_close(ours(x, r, w, b), eager(x, r, w, b))
        print(json.dumps(fused.compare("rms_norm", torch.float32, (8, 64), fused.CASES["rms_norm"][1], 3)))
    """
    outcome = run_python(code, BENCH)
    assert outcome.returncode == 0, outcome
    line = outcome.json
    assert line["ours_ms"] > 0 and line["gb_per_s"] > 0
    assert all(line[peer]["low"] <= line[peer]["ratio"] <= line[peer]["high"] for peer in ("eager", "compile", "clone"))


@pytest.mark.parametrize("arguments", [("speed",), ("--rounds", 1)])
def test_what_it_does_not_understand_it_does_not_do(arguments: tuple[object, ...]) -> None:
    outcome = bench(*arguments)
    assert outcome.returncode == 2 and "usage: ./dev bench" in outcome.stderr
