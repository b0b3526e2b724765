"""A second install over the first: no reader meets half a file, who has the old one keeps it, what is stale is told.

Cases 11 (copy and scan at once), 35 (version 2 over version 1), 109 (a library left over).
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from prefixes import add, codes, files, install, opened, surroundings, uninstall
from support import manifest
from support.build_tree import BUILD, ROOT
from support.installing import alone, cmake_install
from support.process import environment, run

CPU_SET = ("loader", "python", "schema", "cpu", "inplace_or_view")
OLD_RELEASE = "0.0.9+torch2.15+0123456789abcdef"
CALL_TWICE = """
import sys, torch, myops
myops.load(require=["CPU"])
for line in sys.stdin:
    print(torch.ops.myops.myadd(torch.ones(1000), torch.ones(1000)).sum().item(), flush=True)
print([line.split()[-1] for line in open("/proc/self/maps") if "libmyops_cpu" in line][0])
"""


def library(prefix: Path, name: str) -> Path:
    (path,) = (prefix / "lib" / "myops" / "plugins").rglob(f"libmyops_{name}.so")
    return path


def of_an_old_release(path: Path) -> Path:
    """The file as if it came from another release of the set."""
    stated = manifest.read(path)
    stated["release"] = OLD_RELEASE
    return manifest.write(path, stated)


def test_process_keeps_what_it_has_mapped(tmp_path: Path) -> None:
    prefix = install(tmp_path / "prefix", CPU_SET)
    path = library(prefix, "cpu")
    before = path.stat().st_ino
    child = subprocess.Popen(
        [sys.executable, "-c", CALL_TWICE],
        env=environment(surroundings(prefix)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdin and child.stdout
    child.stdin.write("call\n")
    child.stdin.flush()
    assert child.stdout.readline() == "2000.0\n"
    install(prefix, CPU_SET)
    rest, _ = child.communicate("call\n", timeout=120)
    assert child.returncode == 0
    # The kernel's mark on a mapped file that has no name any more.
    assert rest.splitlines() == ["2000.0", "(deleted)"]
    assert path.stat().st_ino != before


def test_file_is_complete_before_it_has_its_name(tmp_path: Path) -> None:
    strace = shutil.which("strace")
    assert strace, "strace is missing: ./dev setup installs it"
    prefix = install(tmp_path / "prefix", ["cpu"])
    log = tmp_path / "log"
    calls = "trace=open,openat,creat,unlink,unlinkat,rename,renameat,renameat2,truncate"
    command = ["cmake", "--install", str(BUILD), "--prefix", str(prefix), "--component", "myops_cpu"]
    with alone():
        outcome = run([strace, "-f", "-qq", "-s", "4096", "-e", calls, "-o", str(log), *command])
    assert outcome.returncode == 0, outcome
    name = re.escape(str(library(prefix, "cpu")))
    touched = [line for line in log.read_text().splitlines() if re.search(f'"{name}"', line)]
    assert len(touched) == 1 and re.search(rf'rename\w*\(.*, "{name}".*= 0$', touched[0]), touched


def test_install_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    prefix = install(tmp_path / "prefix", ["cpu"])
    path = library(prefix, "cpu")
    path.unlink()
    (path / "in the way").mkdir(parents=True)
    outcome = cmake_install("--prefix", prefix, "--component", "myops_cpu")
    assert outcome.returncode != 0 and f"cannot install {path}" in " ".join(outcome.stderr.split())
    assert list(path.parent.iterdir()) == [path]


def test_second_install_replaces_a_stale_library(tmp_path: Path) -> None:
    prefix = install(tmp_path / "prefix", [*CPU_SET, "meta"])
    of_an_old_release(library(prefix, "meta"))
    stale = add(prefix, require=["CPU"])
    assert codes(stale)["meta"] == ["mixed-release"] and "meta" not in opened(stale)
    install(prefix, ["meta"])
    assert "meta" in opened(add(prefix, require=["CPU"]))


def test_library_that_was_left_over_is_refused(tmp_path: Path) -> None:
    prefix = install(tmp_path / "prefix", CPU_SET)
    kept = tmp_path / library(prefix, "cpu").name
    shutil.copy(library(prefix, "cpu"), kept)
    uninstall(prefix)
    assert files(prefix) == []
    install(prefix, ["loader", "python", "schema", "inplace_or_view", "composite"])
    left = of_an_old_release(Path(shutil.copy(kept, library(prefix, "schema").parent)))
    answer = add(prefix)
    (reason,) = next(file["reasons"] for file in answer["report"]["files"] if file["path"] == str(left))
    assert reason["code"] == "mixed-release" and OLD_RELEASE in reason["found"], json.dumps(reason)
    assert answer["sum"] == [2.0, 2.0], "composite serves the CPU"


def test_the_cmake_of_the_system_installs_as_well(tmp_path: Path) -> None:
    """Older than the one that configured, perhaps: an install script has no policies but those it sets."""
    system = shutil.which("cmake", path="/usr/bin:/bin")
    if system is None:
        pytest.skip("no cmake in /usr/bin")
    prefix = tmp_path / "prefix"
    for component in ("myops_schema", "myops_python"):
        arguments = ["--install", str(BUILD), "--prefix", str(prefix), "--component", component, "--strip"]
        with alone():
            outcome = run([system, *arguments])
        assert (outcome.returncode, outcome.stderr) == (0, ""), outcome
    assert library(prefix, "schema").is_file() and len(files(prefix)) > 10
    outcome = run([system, f"-DPREFIX={prefix}", "-P", str(BUILD / "uninstall.cmake")])
    assert (outcome.returncode, outcome.stderr) == (0, ""), outcome
    assert files(prefix) == []
    misspelt = run([system, "--install", str(BUILD), "--prefix", str(prefix), "--component", "schema"])
    assert misspelt.returncode != 0 and "no component is called schema" in misspelt.stderr


@pytest.mark.parametrize("again", [False, True], ids=["from one install", "from two"])
def test_uninstall_knows_all_that_was_installed(again: bool, tmp_path: Path) -> None:
    prefix = install(tmp_path / "prefix", ["schema"])
    if again:
        install(prefix, ["schema", "meta"])
    uninstall(prefix)
    assert files(prefix) == []


def test_prefix_that_cmake_takes_for_several_is_refused(tmp_path: Path) -> None:
    """Uninstalling from it would remove files of that folder's neighbours."""
    prefix = tmp_path / "a;b"
    outcome = cmake_install("--prefix", prefix, "--component", "myops_schema")
    assert outcome.returncode != 0 and "to CMake a name with ; is several" in outcome.stderr.replace("\n", " ")
    outcome = run(["cmake", f"-DPREFIX={prefix}", "-P", str(BUILD / "uninstall.cmake")])
    assert outcome.returncode != 0 and "to CMake a name with ; is several" in outcome.stderr.replace("\n", " ")
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_built_is_told(tmp_path: Path) -> None:
    script = ROOT / "cmake" / "PlaceFiles.cmake"
    settings = {
        "CMAKE_INSTALL_PREFIX": tmp_path,
        "MYOPS_DESTINATION": "lib",
        "MYOPS_PROGRAMS": "/no/libmyops_cpu.so",
        "MYOPS_COMPONENT": "myops_cpu",
    }
    outcome = run(["cmake", *(f"-D{name}={value}" for name, value in settings.items()), "-P", str(script)])
    assert outcome.returncode != 0 and "/no/libmyops_cpu.so is not built yet" in outcome.stderr
    assert files(tmp_path) == []
