"""How the child processes of `myops verify` and `myops stamp` end."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest
from support import manifest
from support.build_tree import BUILD, fake, torch_lib
from support.loading import SEARCHED_ALONE
from support.process import environment, run_myops


def one_that_never_opens(folder: Path) -> Path:
    schema, bad = (Path(shutil.copy(fake(case), folder)) for case in ("schema", "loops"))
    stamp = manifest.read(schema)
    of_bad = {"name": "bad", "namespace": "bad", "set": "bad", "defines": ["bad::f() -> ()"], "libraries": ["bad"]}
    return manifest.write(bad, {**stamp, **of_bad})


def children_in(folder: Path) -> list[int]:
    """Processes that load what lies in this folder for another."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (
                b"\0child\0" in (path / "cmdline").read_bytes()
                and os.fsencode(folder) in (path / "environ").read_bytes()
            ):
                found.append(int(path.name))
    return found


@pytest.mark.parametrize("command", ["verify", "stamp"])
def test_a_child_ends_with_its_parent(command: str, tmp_path: Path) -> None:
    bad = one_that_never_opens(tmp_path)
    arguments = ["verify"] if command == "verify" else ["stamp", bad, "--namespace", "bad"]
    parent = subprocess.Popen(
        [BUILD / "bin" / "myops", *arguments, "--torch", torch_lib()],
        env=environment({SEARCHED_ALONE: str(tmp_path)}),
        stdout=subprocess.DEVNULL,
    )
    until = time.monotonic() + 60
    while not children_in(tmp_path) and time.monotonic() < until:
        time.sleep(0.05)
    assert children_in(tmp_path)
    time.sleep(1)  # it has begun
    parent.kill()
    parent.wait()
    while children_in(tmp_path) and time.monotonic() < until:
        time.sleep(0.1)
    assert children_in(tmp_path) == []


def test_verify_ends_a_plugin_that_does_not(tmp_path: Path) -> None:
    bad = one_that_never_opens(tmp_path)
    command = ["verify", "--timeout", "10", "--torch", torch_lib(), "--json"]
    outcome = run_myops(*command, env={SEARCHED_ALONE: str(tmp_path)})
    assert (outcome.returncode, outcome.stderr) == (1, "")
    error = outcome.json["error"]
    assert error["subject"] == str(bad)
    assert "time limit" in error["found"] and "leave it out" in error["hint"]
