"""An install that was broken off half-way: what it placed is known, and can be taken away.

On files of the test, with records of their own.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from prefixes import files
from support.build_tree import ROOT
from support.installing import installed_files
from support.process import Outcome, run

INSTALL = """
set(CMAKE_INSTALL_PREFIX "{folder}/prefix")
set(CMAKE_INSTALL_DO_STRIP {strip})
set(MYOPS_STRIP "{folder}/strip")
set(MYOPS_COMPONENT part)
set(MYOPS_DESTINATION lib/part)
set(MYOPS_FILES "{folder}/a;{folder}/b")
set(MYOPS_PROGRAMS "{folder}/c")
set(MYOPS_RECORDS "{folder}/records")
include("{root}/cmake/PlaceFiles.cmake")
"""
FOLDERS = {"BINDIR": "bin", "INCLUDEDIR": "include", "LIBDIR": "lib", "DATAROOTDIR": "share"}


@pytest.fixture
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """The files a, b and c, and `uninstall.cmake` for what is recorded here. The parameter is the folder's name."""
    tmp_path /= getattr(request, "param", "build")
    tmp_path.mkdir()
    for name in "abc":
        (tmp_path / name).write_text(f"the file {name}")
    text = (ROOT / "cmake" / "uninstall.cmake.in").read_text().replace("@MYOPS_RECORDS@", str(tmp_path / "records"))
    for name, value in FOLDERS.items():
        text = text.replace(f"@CMAKE_INSTALL_{name}@", value)
    (tmp_path / "uninstall.cmake").write_text(text)
    return tmp_path


def install(folder: Path, strip: str = "") -> Outcome:
    """With a program for `strip`, if any."""
    program = folder / "strip"
    program.write_text(f"#!/bin/bash\n{strip}\n")
    program.chmod(0o755)
    script = folder / f"install{'.strip' if strip else ''}.cmake"
    script.write_text(INSTALL.format(folder=folder, root=ROOT, strip="ON" if strip else "OFF"))
    return run(["cmake", "-P", str(script)])


def uninstall(folder: Path, *arguments: str) -> Outcome:
    return run(["cmake", *arguments, "-P", str(folder / "uninstall.cmake")])


def left_by_uninstall(folder: Path) -> list[Path]:
    outcome = uninstall(folder, f"-DPREFIX={folder / 'prefix'}")
    assert outcome.returncode == 0, outcome
    return list((folder / "prefix").rglob("*"))


def test_file_in_the_way(folder: Path) -> None:
    """The first file is placed, the second cannot be."""
    (folder / "prefix" / "lib" / "part" / "b").mkdir(parents=True)
    (folder / "prefix" / "lib" / "part" / "b" / "theirs").touch()
    outcome = install(folder)
    assert outcome.returncode != 0 and "cannot install" in outcome.stderr, outcome
    assert [path.name for path in files(folder / "prefix")] == ["a", "theirs"]
    left_by_uninstall(folder)
    assert [path.name for path in files(folder / "prefix")] == ["theirs"]


def test_file_that_cannot_be_written_whole(folder: Path) -> None:
    """As where the disk is full: nothing of it stays, under a hidden name either."""
    (folder / "c").write_bytes(b"c" * 4096)
    install(folder)  # writes the script
    shutil.rmtree(folder / "prefix")
    limited = f"trap '' XFSZ; ulimit -f 2; exec cmake -P '{folder / 'install.cmake'}'"
    outcome = run(["bash", "-c", limited])
    assert outcome.returncode != 0 and "cannot install" in outcome.stderr, outcome
    assert [path.name for path in files(folder / "prefix")] == ["a", "b"]


def test_killed(folder: Path) -> None:
    """While c is complete under its hidden name alone."""
    outcome = install(folder, strip="kill -KILL $PPID; sleep 1")
    assert outcome.signal == "SIGKILL", outcome
    placed = [path.name for path in files(folder / "prefix")]
    assert sorted(placed)[1:] == ["a", "b"] and placed[0].startswith(".c."), placed
    theirs = [folder / "prefix" / "lib" / "part" / name for name in (".c.theirs", ".c.of-them", ".cc.abcdefgh")]
    for path in theirs:
        path.touch()
    left_by_uninstall(folder)
    assert files(folder / "prefix") == sorted(theirs)


def test_wrong_prefix(folder: Path) -> None:
    """Not even a folder that has the name of one of ours is taken from it."""
    assert install(folder).returncode == 0
    wrong = folder / "wrong"
    (wrong / "lib" / "part").mkdir(parents=True)
    found_in = "nothing that was installed from this build folder is in"
    refusals = {str(wrong): f"{found_in} {wrong}:", f"{folder}/no": f"{found_in} {folder}/no:", "": "PREFIX is empty"}
    for prefix, words in refusals.items():
        outcome = uninstall(folder, f"-DPREFIX={prefix}")
        assert outcome.returncode != 0 and words in " ".join(outcome.stderr.split()), outcome
    assert (wrong / "lib" / "part").is_dir() and len(files(folder / "prefix")) == 3
    outcome = uninstall(folder, f"-DPREFIX={folder / 'prefix'}", "-DCOMPONENT=par?")
    assert "nothing of component par? was ever installed" in " ".join(outcome.stderr.split()), outcome
    assert len(files(folder / "prefix")) == 3


@pytest.mark.parametrize("folder", ["build[1] *"], indirect=True)
def test_build_folder_whose_name_reads_as_a_pattern(folder: Path) -> None:
    assert install(folder).returncode == 0
    assert left_by_uninstall(folder) == [folder / "prefix" / "lib"]


def test_folders_of_others_stay(folder: Path) -> None:
    shared = ["lib/cmake", "lib/python", "share/doc"]
    (folder / "records").mkdir()
    lines = []
    for name in shared:
        path = folder / "prefix" / name / "part" / "a"
        path.parent.mkdir(parents=True)
        path.write_text("the file a")
        lines.append(f"{hashlib.sha256(path.read_bytes()).hexdigest()} {name}/part/a\n")
    (folder / "records" / "part.txt").write_text("".join(lines))
    left = {path.relative_to(folder / "prefix").as_posix() for path in left_by_uninstall(folder)}
    assert left == {*shared, "lib", "share"}


def test_complete(folder: Path) -> None:
    assert install(folder).returncode == 0
    first = (folder / "records" / "part.txt").read_text()
    assert len(first.splitlines()) == 3
    assert install(folder).returncode == 0
    assert (folder / "records" / "part.txt").read_text() == first, "what is known is not noted again"
    assert left_by_uninstall(folder) == [folder / "prefix" / "lib"]


def test_two_at_once(folder: Path) -> None:
    """Each notes what it placed: one strips and is slower, the other does not."""
    waiting = 'while [[ ! -e "${0%/*}/go" ]]; do sleep 0.01; done; echo stripped >"${@: -1}"'
    (folder / "strip").write_text(f"#!/bin/bash\n{waiting}\n")
    (folder / "strip").chmod(0o755)
    script = folder / "slow.cmake"
    script.write_text(INSTALL.format(folder=folder, root=ROOT, strip="ON"))
    slow = subprocess.Popen(["cmake", "-P", script], env=os.environ, stdout=subprocess.DEVNULL)
    while not list((folder / "prefix").rglob(".c.*")):
        assert slow.poll() is None
    quick = folder / "quick.cmake"
    quick.write_text(INSTALL.format(folder=folder, root=ROOT, strip="OFF"))
    (folder / "a").write_text("a newer a")
    assert run(["cmake", "-P", str(quick)]).returncode == 0
    (folder / "go").touch()
    assert slow.wait() == 0
    assert (folder / "prefix" / "lib" / "part" / "c").read_text() == "stripped\n"
    assert (folder / "prefix" / "lib" / "part" / "a").read_text() == "a newer a"
    assert left_by_uninstall(folder) == [folder / "prefix" / "lib"]


def test_each_test_reads_its_own_list(tmp_path: Path) -> None:
    """CMake has one list of installed files a component in the build folder, and the tests share that folder."""
    prefixes = [str(tmp_path / name) for name in "abcdefgh"]
    with ThreadPoolExecutor(len(prefixes)) as pool:
        listed = list(pool.map(lambda prefix: installed_files("myops_schema", "--prefix", prefix), prefixes))
    for prefix, names in zip(prefixes, listed, strict=True):
        assert names and all(name.startswith(prefix + "/") for name in names), names
