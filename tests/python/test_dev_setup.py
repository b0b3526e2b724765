"""What ./dev sets a machine up with, on stand-ins for the programs it calls: packages, wheels, number of jobs."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from support.build_tree import ROOT
from support.process import Outcome, run

TOOLS = ROOT / "tools"


def stand_in(folder: Path, name: str, script: str) -> Path:
    """A program of that name, first on PATH where `folder` is."""
    program = folder / name
    program.write_text(f"#!/bin/bash\n{script}\n")
    program.chmod(0o755)
    return program


# Boost's own package is of version {own}; packages that name a version are there for {others}.
APT_CACHE = """
case "$*" in
  "policy chromium") printf 'chromium:\\n  Installed: (none)\\n  Candidate: %s\\n' "${{CHROMIUM:-(none)}}" ;;
  "policy libboost-dev") printf 'libboost-dev:\\n  Installed: (none)\\n  Candidate: {own}\\n' ;;
  "pkgnames libboost1.") printf 'libboost1.1-doc\\n%s\\n' {others} ;;
esac
"""
DISTRIBUTIONS = {
    "Debian 12": ("1.74.0.3", "libboost1.81-dev libboost1.74-dev", "libboost1.81-dev"),
    "Debian 13": ("1.83.0.2+b2", "libboost1.83-dev libboost1.88-dev", "libboost-dev"),
    "a newer one": ("1.100.0.1", "libboost1.100-dev", "libboost-dev"),
    "Ubuntu 22.04": ("1.74.0.3ubuntu7", "libboost1.74-dev libboost1.74-all-dev", None),
    "of many": ("(none)", "libboost1.88-dev libboost1.83-dev libboost1.9-dev", "libboost1.83-dev"),
}


def install_packages(
    tmp_path: Path, own: str, others: str, *, installed: str = "", **variables: str
) -> tuple[str | None, Outcome]:
    """What the script would have installed, and what it said. All packages but Boost are there."""
    programs = tmp_path / "bin"
    programs.mkdir()
    told = tmp_path / "told"
    stand_in(programs, "dpkg-query", '[[ $* == *chromium && -n $CHROMIUM ]] || echo -n "install ok installed"')
    stand_in(programs, "apt-cache", APT_CACHE.format(own=own, others=others))
    stand_in(programs, "apt-get", f'if [[ $1 == install ]]; then echo "${{@: -1}}" >"{told}"; fi')
    if installed:
        header = tmp_path / "system" / "include" / "boost" / "version.hpp"
        header.parent.mkdir(parents=True)
        header.write_text(f'#define BOOST_LIB_VERSION "{installed}"\n')
    settings = {"PATH": f"{programs}:{os.environ['PATH']}", "MYOPS_SYSTEM_ROOT": str(tmp_path / "system"), **variables}
    outcome = run(["bash", str(TOOLS / "install_packages.sh")], settings)
    return told.read_text().strip() if told.exists() else None, outcome


AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root installs packages: run as root to see which")


@AS_ROOT
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_boost_is_that_of_the_distribution(distribution: str, tmp_path: Path) -> None:
    own, others, expected = DISTRIBUTIONS[distribution]
    package, outcome = install_packages(tmp_path, own, others)
    assert package == expected, outcome
    assert outcome.returncode == (0 if expected else 1), outcome
    if expected is None:
        assert outcome.stderr.startswith("dev: no Boost 1.81 or newer is installed or to be had as a package"), outcome


@AS_ROOT
@pytest.mark.parametrize(("installed", "is_enough"), [("1_80", False), ("1_81", True), ("1_90_1", True)])
def test_an_installed_boost_will_do(installed: str, is_enough: bool, tmp_path: Path) -> None:
    package, outcome = install_packages(tmp_path, "1.83.0", "libboost1.83-dev", installed=installed)
    assert outcome.returncode == 0, outcome
    assert package == (None if is_enough else "libboost-dev")


@AS_ROOT
@pytest.mark.parametrize(("candidate", "expected"), [("131.0.1", "chromium"), ("(none)", None)])
def test_what_only_tests_use_is_installed_where_it_can_be_had(
    candidate: str, expected: str | None, tmp_path: Path
) -> None:
    package, outcome = install_packages(tmp_path, "1.83.0", "", installed="1_83", CHROMIUM=candidate)
    assert (package, outcome.returncode) == (expected, 0), outcome


def test_a_boost_that_was_named_will_do(tmp_path: Path) -> None:
    header = tmp_path / "mine" / "include" / "boost" / "version.hpp"
    header.parent.mkdir(parents=True)
    header.write_text('#define BOOST_LIB_VERSION "1_85"\n')
    package, outcome = install_packages(tmp_path, "(none)", "", BOOST_ROOT=str(tmp_path / "mine"))
    assert (package, outcome.returncode) == (None, 0), outcome


PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(boost LANGUAGES NONE)
set(CMAKE_FIND_USE_CMAKE_SYSTEM_PATH OFF)  # nothing of this machine counts
set(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH OFF)
include("{module}")
get_target_property(folders Boost::headers INTERFACE_INCLUDE_DIRECTORIES)
message(STATUS "Boost in ${{folders}}")
"""


@pytest.mark.parametrize(("version", "words"), [("1_80", "is 1.80"), ("1_85_1", "Boost in"), (None, "none was found")])
def test_cmake_takes_headers_alone(version: str | None, words: str, tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(PROJECT.format(module=ROOT / "cmake" / "MyopsBoost.cmake"))
    headers = tmp_path / "include" / "boost"
    headers.mkdir(parents=True)
    if version:
        (headers / "version.hpp").write_text(f'#define BOOST_LIB_VERSION "{version}"\n')
    outcome = run(
        ["cmake", "-G", "Ninja", "-S", str(tmp_path), "-B", str(tmp_path / "build")], {"BOOST_ROOT": str(tmp_path)}
    )
    said = " ".join((outcome.stdout + outcome.stderr).split())
    assert (outcome.returncode == 0) == (version == "1_85_1"), outcome
    assert words in said
    if outcome.returncode != 0:
        assert "the loader needs the headers of Boost 1.81 or newer" in said


WHEEL = "thing-1.0-py3-none-any.whl"
WHOLE = b"the whole wheel"


def fetch_wheels(tmp_path: Path, download: str) -> str:
    """Fetches the wheel thing==1.0 with `download` for a pip, whose last argument but one is the folder."""
    tools = tmp_path / "tools"
    tools.mkdir(exist_ok=True)
    shutil.copy2(TOOLS / "fetch_wheels.sh", tools)
    (tools / "wheels.sha256").write_text(f"{hashlib.sha256(WHOLE).hexdigest()}  {WHEEL}\n")
    pip = stand_in(tmp_path, "pip", f'into="${{@: -2:1}}"\n{download}')
    outcome = run([str(tools / "fetch_wheels.sh"), str(pip), str(tmp_path / "wheels"), "thing==1.0"])
    assert outcome.returncode == 0, outcome
    return outcome.stderr


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


DOWNLOAD = f'printf "{WHOLE.decode()}" >"$into/{WHEEL}"'
HALF = f'printf "the who" >"$into/{WHEEL}"'


def test_half_a_wheel_is_not_there(tmp_path: Path) -> None:
    said = fetch_wheels(tmp_path, f"{HALF}; exit 1")
    assert "thing==1.0 is not to be had" in said
    assert names(tmp_path / "wheels") == []


def test_a_wheel_that_is_another_is_not_kept(tmp_path: Path) -> None:
    assert "is not what tools/wheels.sha256 says" in fetch_wheels(tmp_path, HALF)
    assert names(tmp_path / "wheels") == []


def test_half_a_wheel_of_before_is_fetched_anew(tmp_path: Path) -> None:
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels" / WHEEL).write_bytes(WHOLE[:5])
    fetch_wheels(tmp_path, DOWNLOAD)
    assert names(tmp_path / "wheels") == [WHEEL]
    assert (tmp_path / "wheels" / WHEEL).read_bytes() == WHOLE
    assert fetch_wheels(tmp_path, "echo fetched again >&2; exit 1") == "", "what is there is not fetched"


def test_a_download_that_is_killed_leaves_no_wheel(tmp_path: Path) -> None:
    """The next run fetches it."""
    pip = stand_in(tmp_path, "pip", f'into="${{@: -2:1}}"\n{HALF}; kill -KILL $PPID; sleep 60')
    outcome = subprocess.run([TOOLS / "fetch_wheels.sh", pip, tmp_path / "wheels", "thing==1.0"])
    assert outcome.returncode == -9
    assert [path for path in (tmp_path / "wheels").iterdir() if path.is_file()] == []


LIMITS = {
    "no limit": ({"cpu.max": "max 100000", "memory.max": "max"}, None),
    "a core and a half": ({"cpu.max": "150000 100000"}, 2),
    "half a core": ({"cpu.max": "50000 100000"}, 1),
    "memory for one": ({"memory.max": str(4 << 30)}, 1),
    "memory for none": ({"memory.max": str(1 << 30)}, 1),
}


@pytest.mark.parametrize("limits", LIMITS)
def test_jobs_keep_within_the_control_group(limits: str, tmp_path: Path) -> None:
    files, expected = LIMITS[limits]
    free = int(run([str(TOOLS / "jobs.sh"), str(tmp_path)]).stdout)
    assert 1 <= free <= len(os.sched_getaffinity(0))
    for name, text in files.items():
        (tmp_path / name).write_text(text + "\n")
    outcome = run([str(TOOLS / "jobs.sh"), str(tmp_path)])
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert int(outcome.stdout) == (free if expected is None else min(free, expected))


def test_jobs_keep_to_the_cores_of_this_process() -> None:
    assert run(["taskset", "--cpu-list", str(min(os.sched_getaffinity(0))), str(TOOLS / "jobs.sh")]).stdout == "1\n"
