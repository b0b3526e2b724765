"""./dev as a command: what it refuses, where it runs commands. What it builds is tested by running everything else."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from support.build_tree import BUILD, ROOT


def dev(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run([ROOT / "dev", *arguments], cwd=cwd, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nonsense"], "dev: no such command: nonsense\n"),
        (["clean", "everything"], "dev: clean takes no such argument: everything\n"),
        (["build", "--jobs", "2"], "dev: build takes no such argument: --jobs\n"),
        (["build", "--preset", "debug"], "dev: --preset needs a name: cpu, asan or tsan\n"),
        (["test", "--preset", "asan", "-k", "x"], "dev: pytest runs with the preset cpu only: -k x\n"),
        (["exec"], "dev: exec needs a command, e.g. ./dev exec myops list\n"),
    ],
)
def test_what_it_does_not_understand_it_does_not_do(arguments: list[str], words: str) -> None:
    outcome = dev(*arguments)
    assert outcome.returncode == 2 and outcome.stderr.endswith(words), outcome


@pytest.mark.parametrize("command", ["setup", "build", "test", "exec", "fmt", "lint", "clean"])
def test_help_of_a_command_does_nothing_else(command: str) -> None:
    outcome = dev(command, "--help")
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert outcome.stdout.startswith("usage: ./dev COMMAND")


@pytest.mark.skipif(BUILD != ROOT / "build" / "cpu", reason="the tests run on another build than that of ./dev")
def test_a_command_runs_where_it_was_called(tmp_path: Path) -> None:
    outcome = dev("exec", "bash", "-c", "pwd; command -v myops", cwd=tmp_path)
    assert (outcome.returncode, outcome.stderr) == (0, ""), outcome
    assert outcome.stdout == f"{tmp_path}\n{BUILD}/bin/myops\n"
