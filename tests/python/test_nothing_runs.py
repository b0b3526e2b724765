"""Nothing runs before the verdict: `list`, `check` and `plan` answer over folders full of plugins whose constructors
abort, loop, raise SIGILL or exit, and strace shows that no candidate was ever mapped executable.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from support import manifest
from support.build_tree import BUILD, fake
from support.loading import SEARCHED_ALONE
from support.process import Outcome, run, run_myops, run_python

# What each constructor does to a process that opens it.
HOSTILE = {"aborts": "SIGABRT", "illegal_instruction": "SIGILL", "exits": 7, "loops": None}
# To answer takes a fraction of a second; a plugin that ran would loop for ever.
ANSWER_SECONDS = 60
COPIES = 5


def dlopen(path: Path) -> Outcome:
    return run_python("import ctypes, sys; ctypes.CDLL(sys.argv[1])", path, timeout=5)


@pytest.mark.parametrize("deed", HOSTILE)
def test_hostile_constructor_does_what_it_says(deed: str) -> None:
    """Without this, every other test here could pass on harmless files."""
    outcome = dlopen(fake(deed))
    ended = outcome.signal or outcome.returncode
    assert ended == HOSTILE[deed] and outcome.timed_out == (deed == "loops"), outcome


def stamp_of(name: str) -> manifest.Manifest:
    """A manifest with nothing against it: a load would open the file."""
    stamp = manifest.read(fake("schema"))
    defined = {"defines": [f"{name}::op(Tensor self) -> Tensor"], "libraries": [name]}
    return {**stamp, "name": name, "namespace": name, "set": name, **defined}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Hostile plugins in copies: without a manifest, and with one that lets them be usable."""
    for deed in HOSTILE:
        for number in range(COPIES):
            name = f"{deed}_{number}"
            manifest.write(manifest.copied(fake(deed), tmp_path, name), stamp_of(name))
        shutil.copy(fake(deed), tmp_path / f"lib{deed}_unstamped.so")
    return tmp_path


def candidates(folder: Path) -> list[Path]:
    return sorted(folder.glob("lib*.so"))


def commands(folder: Path) -> dict[str, list[str]]:
    return {
        "list": ["list", "--path", str(folder), "--json"],
        "check": ["check", *map(str, candidates(folder)), "--json"],
        "plan": ["plan", "--json"],
    }


@pytest.mark.parametrize("command", ["list", "check", "plan"])
def test_command_answers_over_hostile_plugins(folder: Path, command: str) -> None:
    arguments = commands(folder)[command]
    outcome = run_myops(*arguments, env={SEARCHED_ALONE: str(folder)}, timeout=ANSWER_SECONDS)
    # `check` was asked for files of which some are not usable; the others were asked for nothing special.
    assert outcome.returncode == (1 if command == "check" else 0), outcome
    verdicts = {Path(file["path"]).name: file["verdict"] for file in outcome.json["files"]}
    assert set(verdicts) == {path.name for path in candidates(folder)}
    usable = {f"lib{deed}_{number}.so" for deed in HOSTILE for number in range(COPIES)}
    assert {name for name, verdict in verdicts.items() if verdict == "usable"} == usable


API = """
import json, sys
import torch, myops
folder, files = sys.argv[1], sys.argv[2:]
answers = {"list": myops.list(paths=[folder]), "check": myops.check(files), "plan": myops.plan(paths=[folder])}
print(json.dumps({name: len(answer.files) for name, answer in answers.items()}))
"""


def test_python_answers_over_hostile_plugins(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    files = candidates(folder)
    empty = tmp_path_factory.mktemp("empty")
    env = {"MYOPS_AUTOLOAD": "0", SEARCHED_ALONE: str(empty)}
    outcome = run_python(API, folder, *files, env=env, timeout=ANSWER_SECONDS + 30)
    assert outcome.returncode == 0 and outcome.json == dict.fromkeys(("list", "check", "plan"), len(files)), outcome


OPENED = re.compile(
    r'open(?:at)?\((?:AT_FDCWD(?:<[^>]*>)?, )?"(?P<path>[^"]+)"[^)]*\)\s*= (?P<fd>\d+)<(?P<real>[^>]+)>'
)
MAPPED = re.compile(r"mmap\([^,]+, \d+, (?P<protection>[A-Z_|]+), [A-Z_|]+, \d+<(?P<real>[^>]+)>")


def traced(arguments: list[str], env: dict[str, str], log: Path) -> Outcome:
    strace = shutil.which("strace")
    assert strace, "strace is missing: ./dev setup installs it"
    # -y prints the path behind every file descriptor, so that a mapping names its file.
    calls = "trace=mmap,open,openat,execve"
    return run([strace, "-f", "-y", "-qq", "-e", calls, "-o", str(log), *arguments], env, timeout=ANSWER_SECONDS * 2)


def executable_mappings(log: str) -> set[str]:
    return {found["real"] for found in MAPPED.finditer(log) if "PROT_EXEC" in found["protection"]}


@pytest.mark.parametrize("command", ["list", "check", "plan"])
def test_no_candidate_is_mapped_executable(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, command: str
) -> None:
    log = tmp_path_factory.mktemp("log") / "strace"
    program = [str(BUILD / "bin" / "myops"), *commands(folder)[command]]
    outcome = traced(program, {SEARCHED_ALONE: str(folder)}, log)
    assert outcome.returncode in (0, 1), outcome
    text = log.read_text(errors="replace")
    candidate_paths = {str(path.resolve()) for path in candidates(folder)}
    opened = {found["real"] for found in OPENED.finditer(text)}
    assert candidate_paths <= opened, "the trace saw every candidate being read"
    executable = executable_mappings(text)
    assert any("libc.so" in path for path in executable), "the trace sees executable mappings at all"
    assert not executable & candidate_paths


def test_python_maps_no_candidate_executable(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The same from Python, where torch is mapped. The one file that `load` opens at the end is seen by this trace."""
    log = tmp_path_factory.mktemp("log") / "strace"
    good = manifest.copied(fake("schema"), tmp_path_factory.mktemp("good"))
    program = API + f"\nmyops.load(paths=[{str(good)!r}])\n"
    empty = tmp_path_factory.mktemp("empty")
    env = {"MYOPS_AUTOLOAD": "0", SEARCHED_ALONE: str(empty)}
    files = [str(path) for path in candidates(folder)]
    outcome = traced([sys.executable, "-c", program, str(folder), *files], env, log)
    assert outcome.returncode == 0, outcome
    text = log.read_text(errors="replace")
    assert set(files) <= {found["path"] for found in OPENED.finditer(text)}
    executable = executable_mappings(text)
    assert str(good) in executable
    assert not executable & {os.path.realpath(path) for path in files}
