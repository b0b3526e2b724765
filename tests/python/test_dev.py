"""./dev as a command: what it refuses, where it runs commands. What it builds is tested by running everything else."""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.build_tree import BUILD, ROOT, torch_version

DEFAULT = re.findall(r"^torch==(.*)$", (ROOT / "requirements.txt").read_text(), re.M)[0]
TORCHES = f"{DEFAULT} (default), 2.11.0"


def dev(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run([ROOT / "dev", *arguments], cwd=cwd, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nonsense"], "dev: no such command: nonsense\n"),
        (["clean", "everything"], "dev: clean takes no such argument: everything\n"),
        (["build", "--jobs", "2"], "dev: build takes no such argument: --jobs\n"),
        (["build", "--preset", "debug"], "dev: --preset needs a name: cpu, asan or tsan\n"),
        (["build", "--torch", "2.9.0"], f"dev: --torch needs a version: {TORCHES}\n"),
        (["build", "--preset", "asan", "--torch"], f"dev: --torch needs a version: {TORCHES}\n"),
        (["build", "--torch", DEFAULT, "--preset", "cpu", "x"], "dev: build takes no such argument: x\n"),
        (["build", "--cuda-arch", "sm_75"], "dev: --cuda-arch needs numbers like '75;120', or all-release\n"),
        (["test", "--preset", "asan", "-k", "x"], "dev: pytest runs with the preset cpu only: -k x\n"),
        (["exec"], "dev: exec needs a command, e.g. ./dev exec myops list\n"),
    ],
)
def test_what_it_does_not_understand_it_does_not_do(arguments: list[str], words: str) -> None:
    outcome = dev(*arguments)
    assert outcome.returncode == 2 and outcome.stderr.endswith(words), outcome


HELP = dict.fromkeys(("setup", "build", "test", "exec", "fmt", "lint", "clean"), "./dev COMMAND")


@pytest.mark.parametrize(
    ("arguments", "usage"),
    [([command, "--help"], usage) for command, usage in HELP.items()]
    + [
        (["demo", "--help"], "./dev demo"),
        (["bench", "-h"], "./dev bench"),
        (["bench", "load", "--help"], "./dev bench"),
    ]
    + [(["build", "--torch", DEFAULT, "--help"], "./dev COMMAND")],
)
def test_help_of_a_command_does_nothing_else(arguments: list[str], usage: str, tmp_path: Path) -> None:
    """In a tree that was never set up: nothing is there that it could need."""
    for name in ("dev", "requirements.txt", "requirements-torch-2.11.txt", "bench", "examples/demo"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "dev").unlink()
    shutil.copy2(ROOT / "dev", tmp_path)
    outcome = subprocess.run([tmp_path / "dev", *arguments], capture_output=True, text=True, timeout=60)
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert outcome.stdout.startswith(f"usage: {usage} ")
    assert not (tmp_path / "build").exists() and not (tmp_path / ".venv").exists()


def test_help_tells_the_versions_of_torch() -> None:
    assert f": {TORCHES}\n" in dev("help").stdout


ON_BUILD_OF_DEV = pytest.mark.skipif(
    BUILD.parent != ROOT / "build" or not BUILD.name.startswith("cpu"),
    reason="the tests run on another build than those of ./dev",
)


@ON_BUILD_OF_DEV
def test_a_command_runs_where_it_was_called(tmp_path: Path) -> None:
    outcome = dev("exec", "--torch", torch_version(), "bash", "-c", "pwd; command -v myops", cwd=tmp_path)
    assert (outcome.returncode, outcome.stderr) == (0, ""), outcome
    assert outcome.stdout == f"{tmp_path}\n{BUILD}/bin/myops\n"


@ON_BUILD_OF_DEV
def test_environment_is_what_the_pins_say() -> None:
    """Those of requirements.txt, for an older torch with its own in their place: each package once."""
    pins = re.findall(r"^([^#\s=]+)==(\S+)$", (Path(sys.prefix) / "requirements.installed").read_text(), re.M)
    assert len(dict(pins)) == len(pins) > 50
    assert dict(pins)["torch"] == torch_version()
    assert {name: importlib.metadata.version(name) for name, _ in pins} == dict(pins)


def copy_of_dev(folder: Path, *, in_environment: str, in_build: str) -> Path:
    """A tree with `dev`, an environment with a torch, and a build folder; nothing of it works."""
    for name in ("dev", "requirements.txt", "requirements-torch-2.11.txt"):
        shutil.copy2(ROOT / name, folder)
    torch = folder / ".venv" / "lib" / "python3.11" / "site-packages" / "torch"
    torch.mkdir(parents=True)
    (torch / "version.py").write_text(f"__version__ = '{in_environment}+cu132'\n")
    command = folder / "build" / "cpu" / "bin" / "myops"
    command.parent.mkdir(parents=True)
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    (folder / "build" / "cpu" / "build.finished").touch()
    cache = folder / "build" / "cpu" / "CMakeCache.txt"
    cache.write_text(f"TorchCore_BUILT_FOR:INTERNAL={in_build} in {torch}\n")
    return folder / "dev"


def test_build_folder_of_another_torch_is_not_used(tmp_path: Path) -> None:
    command = [copy_of_dev(tmp_path, in_environment=DEFAULT, in_build="2.14.1"), "exec", "true"]
    outcome = subprocess.run(command, capture_output=True, text=True)
    words = f"dev: build/cpu was configured for torch 2.14.1, and this is {DEFAULT}: remove that folder\n"
    assert (outcome.returncode, outcome.stderr) == (1, words)


def test_environment_with_another_torch_is_not_used(tmp_path: Path) -> None:
    command = [copy_of_dev(tmp_path, in_environment="2.16.0", in_build="2.16.0"), "exec", "true"]
    outcome = subprocess.run(command, capture_output=True, text=True)
    words = f"dev: .venv holds torch 2.16.0 instead of {DEFAULT}: remove that folder, and ./dev setup makes it anew\n"
    assert (outcome.returncode, outcome.stderr) == (1, words)


def test_environment_and_build_folder_of_the_same_torch_are_used(tmp_path: Path) -> None:
    command = [copy_of_dev(tmp_path, in_environment=DEFAULT, in_build=DEFAULT), "exec", "true"]
    outcome = subprocess.run(command, capture_output=True, text=True)
    assert (outcome.returncode, outcome.stderr) == (0, "")


def test_an_environment_is_not_begun_where_there_is_no_room_for_it(tmp_path: Path) -> None:
    for name in ("dev", "requirements.txt", "requirements-torch-2.11.txt"):
        shutil.copy2(ROOT / name, tmp_path)
    script(tmp_path / "tools" / "install_packages.sh", "exit 0")
    shutil.copy2(ROOT / "tools" / "make_environment.sh", tmp_path / "tools")
    script(tmp_path / "programs" / "df", "echo Avail; echo 9999")
    path = f"{tmp_path}/programs:{os.environ['PATH']}"
    outcome = subprocess.run(
        [tmp_path / "dev", "setup"], capture_output=True, text=True, env={**os.environ, "PATH": path}
    )
    assert outcome.returncode == 1, outcome
    assert outcome.stderr.endswith("dev: it takes 10 GB while it is made, and 9 GB are free here\n"), outcome
    assert not (tmp_path / ".venv").exists()


TOOLS = (
    "install_packages",
    "make_environment",
    "fetch_wheels",
    "jobs",
    "find_nvcc",
)  # what ./dev calls before it builds


def dev_that_builds(folder: Path) -> Path:
    """`dev` with stand-ins for all that it calls."""
    dev_ = copy_of_dev(folder, in_environment=DEFAULT, in_build=DEFAULT)
    for name in (*(f"tools/{tool}.sh" for tool in TOOLS), ".venv/bin/cmake", ".venv/bin/ninja"):
        script(folder / name, "echo 1")
    script(folder / "tools" / "make_environment.sh", "cat >/dev/null")  # a pipe that is not read kills who writes
    return dev_


def test_a_folder_is_configured_anew_for_another_nvcc_and_after_a_failure(tmp_path: Path) -> None:
    """CMake forgets what else it was told where its compiler is another."""
    dev_, calls = dev_that_builds(tmp_path), tmp_path / "calls"
    cmake = f'echo "$@" >>{calls}; '
    steps = [("/a/nvcc", 0, 1), ("/a/nvcc", 0, 1), ("/b/nvcc", 1, 2), ("/b/nvcc", 0, 3), ("", 1, 4), ("", 0, 5)]
    for nvcc, status, configured in steps:
        script(tmp_path / "tools" / "find_nvcc.sh", f"echo {nvcc}")
        works = f"touch {tmp_path}/build/cpu/build.ninja" if status == 0 else "exit 1"
        script(tmp_path / ".venv" / "bin" / "cmake", cmake + works)
        outcome = subprocess.run([dev_, "build"], capture_output=True, text=True)
        assert outcome.returncode == status, outcome
        lines = calls.read_text().splitlines()
        assert len(lines) == configured and all(line.startswith("--fresh --preset cpu ") for line in lines), lines


def test_a_build_that_was_broken_off_is_finished_first(tmp_path: Path) -> None:
    """Though `myops` is there already: it is not what is built last."""
    dev_ = dev_that_builds(tmp_path)
    finished = tmp_path / "build" / "cpu" / "build.finished"
    finished.unlink()
    ninja = tmp_path / ".venv" / "bin" / "ninja"
    for status in (1, 0):
        script(ninja, f"echo '*** built ***'; exit {status}")
        outcome = subprocess.run([dev_, "exec", "echo", "ran"], capture_output=True, text=True)
        assert outcome.returncode == status and "*** built ***" in outcome.stderr, outcome
        assert finished.exists() == (status == 0) == ("ran" in outcome.stdout), outcome
    script(ninja, "exit 1")
    assert subprocess.run([dev_, "exec", "true"]).returncode == 0, "nothing is built again"
    outcome = subprocess.run([dev_, "build"], capture_output=True, text=True)
    assert outcome.returncode == 1 and not finished.exists(), outcome


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
