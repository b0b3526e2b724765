"""Builds for two torches in one install prefix: under either, the loader takes its own and is silent on others."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support import torches
from support.installing import cmake_install
from support.process import Outcome, run


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[torches.Build]]:
    """The prefix, and the builds that were installed into it, one after the other."""
    builds = torches.builds()
    prefix = tmp_path_factory.mktemp("prefix")
    for build in builds:
        outcome = cmake_install("--prefix", prefix, build=build.folder)
        assert outcome.returncode == 0, outcome
    return prefix, builds


# What may be said of variants for CPU levels and of the CUDA library, and nothing else of any file.
OF_THIS_MACHINE = {"superseded", "isa-level-missing", "no-gpu"}


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def ask(command: Sequence[str], prefix: Path, build: torches.Build, builds: list[torches.Build]) -> Outcome:
    """Runs a command under the torch of `build`. It ends well, and names no other torch's folder or release."""
    outcome = run(command, build.variables(prefix))
    assert (outcome.returncode, outcome.stderr) == (0, ""), outcome
    for other in builds:
        if other != build:
            assert f"torch-{other.minor}" not in outcome.stdout and other.version not in outcome.stdout, outcome.stdout
    return outcome


def test_each_torch_has_folders_of_its_own(installed: tuple[Path, list[torches.Build]]) -> None:
    prefix, builds = installed
    minors = sorted(f"torch-{build.minor}" for build in builds)
    libraries = prefix / "lib" / "myops"
    assert names(libraries / "plugins") == names(libraries / "bridge") == minors
    for minor in minors:
        assert "libmyops_schema.so" in names(libraries / "plugins" / minor)
        assert names(libraries / "bridge" / minor) == ["libmyops_bridge.so"]
    for build in builds:
        assert names(libraries / "plugins" / f"torch-{build.minor}") == names(build.plugins)


def test_what_knows_no_torch_is_the_same_in_every_build(installed: tuple[Path, list[torches.Build]]) -> None:
    """An install prefix has one loader and one command for all, and the last install wins."""
    first, *others = installed[1]
    for file in ("lib/libmyops_loader.so", "bin/myops"):
        for other in others:
            assert (other.folder / file).read_bytes() == (first.folder / file).read_bytes(), (other.folder, file)


@pytest.mark.parametrize("command", ["list", "plan", "verify"])
def test_the_command_sees_its_own(installed: tuple[Path, list[torches.Build]], command: str) -> None:
    prefix, builds = installed
    for build in builds:
        ask(["myops", command], prefix, build, builds)
        report: Any = ask(["myops", command, "--json"], prefix, build, builds).json
        assert report["torch"]["version"] == build.version
        folder = prefix / "lib" / "myops" / "plugins" / f"torch-{build.minor}"
        assert {Path(file["path"]) for file in report["files"]} == set(folder.iterdir())
        for file in report["files"]:
            assert {reason["code"] for reason in file["reasons"]} <= OF_THIS_MACHINE, file
        assert report["missing"] == []


IMPORT = """
import json, torch, myops
with open("/proc/self/maps") as maps:
    mapped = sorted({line.split()[-1] for line in maps if "/libmyops_" in line})
norm = torch.ops.myops.rms_norm(torch.full((2, 3), 2.0), None, 0.0)
opened = [str(path) for path in myops.report().opened]
version = torch.__version__.partition("+")[0]
print(json.dumps({"torch": version, "mapped": mapped, "opened": opened, "norm": norm.tolist()}))
"""


def test_import_takes_its_own(installed: tuple[Path, list[torches.Build]]) -> None:
    prefix, builds = installed
    for build in builds:
        answer = ask(["python", "-c", IMPORT], prefix, build, builds).json
        assert answer["torch"] == build.version and answer["norm"] == [[1.0] * 3] * 2
        folders = prefix / "lib" / "myops"
        minor = f"torch-{build.minor}"
        assert answer["opened"] and {Path(path).parent for path in answer["opened"]} == {folders / "plugins" / minor}
        others = [folders / "bridge" / minor / "libmyops_bridge.so", prefix / "lib" / "libmyops_loader.so"]
        assert answer["mapped"] == sorted([*answer["opened"], *map(str, others)])


def test_an_install_without_this_torch_says_so(installed: tuple[Path, list[torches.Build]], tmp_path: Path) -> None:
    """Only what is for another torch: nothing is found, no library of the other is tried."""
    prefix, builds = installed
    for build in builds:
        alone = tmp_path / build.minor
        shutil.copytree(prefix, alone)
        shutil.rmtree(alone / "lib" / "myops" / "plugins" / f"torch-{build.minor}")
        outcome = run(["myops", "plan", "--require", "CPU", "--json"], build.variables(alone))
        assert outcome.returncode == 1 and outcome.json["files"] == []
        assert [reason["code"] for reason in outcome.json["missing"]] == ["key-not-served"]
