"""A program that has more rights than whoever starts it takes nothing from that one's environment (AT_SECURE)."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support import manifest
from support.build_tree import BUILD, fake, torch_lib
from support.loading import Report
from support.process import run

PLAN_ALONE = BUILD / "tests" / "plan_alone"


def other_groups() -> set[int]:
    """Those that a file may be given to, without the process's own."""
    return ({1} if os.geteuid() == 0 else set(os.getgroups())) - {os.getgid()}


def plan(program: Path, paths: Sequence[Path] = (), **env: str) -> Any:
    options = {"torch": str(torch_lib().parent), "paths": [str(path) for path in paths]}
    outcome = run([str(program), json.dumps(options)], env=env)
    assert outcome.returncode == 0, outcome
    return outcome.json


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A copy with the set-group-ID bit."""
    if not other_groups():
        pytest.skip("there is no other group that this user may give a file to")
    copy = Path(shutil.copy2(PLAN_ALONE, tmp_path / "plan"))
    os.chown(copy, -1, min(other_groups()))
    copy.chmod(0o2755)
    if not plan(copy)["secure"]:
        pytest.skip(f"set-group-ID is without effect under {tmp_path}: mounted with nosuid")
    return copy


def test_variables_are_left_unread(tmp_path: Path, program: Path) -> None:
    folder = tmp_path / "elsewhere"
    manifest.copied(fake("schema"), folder)
    variables = {
        "MYOPS_PLUGIN_PATH": str(folder),
        "MYOPS_SYSTEM_PLUGIN_PATH": str(folder),
        "MYOPS_REQUIRE": "CUDA",
        "MYOPS_LOCK": "/nowhere",
    }
    assert plan(PLAN_ALONE, **variables)["error"]["subject"] == "/nowhere"
    del variables["MYOPS_LOCK"]
    ordinary = plan(PLAN_ALONE, **variables)
    assert not ordinary["secure"] and str(folder) in ordinary["folders"] and ordinary["missing"]
    raised = plan(program, **variables, MYOPS_LOCK="/nowhere", MYOPS_SKIP_CHECK="untrusted", MYOPS_DISABLE="*")
    assert raised == plan(program)
    assert raised["secure"] and str(folder) not in raised["folders"]


def test_trust_is_strict(tmp_path: Path, program: Path) -> None:
    """A file that its group can write is a note for everybody else."""
    folder = tmp_path / "elsewhere"
    path = manifest.copied(fake("schema"), folder)
    path.chmod(0o775)
    assert Report(plan(PLAN_ALONE, [folder])).codes(path) == []
    assert "untrusted" in Report(plan(program, [folder])).codes(path)
