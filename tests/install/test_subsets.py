"""Subsets of the components: installed, moved, used without a library path, uninstalled.

Cases 15 (search begins at the loader library), 29 (a moved tree), 107 and 109 (what an install leaves).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prefixes import SHARED, add, codes, files, install, moved, opened, surroundings, uninstall
from support import manifest
from support.build_tree import BUILD, LIBRARIES, ROOT
from support.installing import cmake_install, installed_files
from support.process import run, run_myops, run_python

LEVELS = {"x86-64": "cpu", "x86-64-v2": "cpu", "x86-64-v3": "cpu.x86-64-v3", "x86-64-v4": "cpu.x86-64-v4"}
CPU_SET = ("loader", "schema", "cpu", "inplace_or_view")


def widest() -> str:
    """The variant of the CPU library that this machine takes."""
    return LEVELS[run_myops("facts").json["cpu_level"]]


@dataclass(frozen=True)
class Used:
    """One prefix after it was moved and used."""

    first: Path
    prefix: Path
    answer: dict[str, Any]


def use(folder: Path, *components: str, **options: Any) -> Used:
    """Installs, moves, loads and calls. The Python package comes with it."""
    first = folder / "first"
    prefix = moved(install(first, [*components, "python"] if components else []), folder / "second")
    return Used(first, prefix, add(prefix, **options))


def assert_tells_no_folder(used: Used) -> None:
    """No file of the prefix holds a folder of the build machine or of the first place."""
    folders = [str(folder).encode() for folder in (ROOT, BUILD, used.first)]
    told = [path for path in files(used.prefix) if any(folder in path.read_bytes() for folder in folders)]
    # What Python compiled holds the place of its source.
    assert [path for path in told if path.suffix != ".pyc"] == []


def assert_leaves_nothing(used: Used) -> None:
    uninstall(used.prefix)
    left = {path.relative_to(used.prefix).as_posix() for path in used.prefix.rglob("*")}
    assert left <= SHARED


def test_schema_loader_cpu(tmp_path: Path) -> None:
    """Complete in files, and the CPU library is refused: with myadd_ in it, gradients would go wrong without a word."""
    used = use(tmp_path, "loader", "schema", "cpu")
    assert opened(used.answer) == {"schema"}
    assert codes(used.answer) == {"schema": [], "cpu": ["inplace-or-view-missing"]}
    assert used.answer["sum"] is None
    assert_tells_no_folder(used)
    anyway = add(used.prefix, allow_incomplete=True)
    assert opened(anyway) == {"schema", "cpu"}
    assert anyway["sum"] == [2.0, 2.0]
    assert_leaves_nothing(used)


def test_cpu_set_with_a_variant(tmp_path: Path) -> None:
    used = use(tmp_path, *CPU_SET, "cpu.x86-64-v3", require=["CPU"])
    taken = "cpu" if widest() == "cpu" else "cpu.x86-64-v3"
    (other,) = {"cpu", "cpu.x86-64-v3"} - {taken}
    assert opened(used.answer) == {"schema", "inplace_or_view", taken}
    assert codes(used.answer)[other] == ["isa-level-missing" if taken == "cpu" else "superseded"]
    assert used.answer["sum"] == [2.0, 2.0]
    assert_tells_no_folder(used)
    assert_leaves_nothing(used)


def test_all_libraries(tmp_path: Path) -> None:
    used = use(tmp_path, "loader", *LIBRARIES, require=["CPU", "Autograd", "Meta"])
    variants = {name for name in LIBRARIES if name.startswith("cpu")}
    assert opened(used.answer) == (set(LIBRARIES) - variants) | {widest()}
    assert used.answer["sum"] == [2.0, 2.0]
    assert_tells_no_folder(used)
    assert_leaves_nothing(used)


def test_everything(tmp_path: Path) -> None:
    used = use(tmp_path, require=["CPU", "Autograd", "Meta"])
    assert used.answer["sum"] == [2.0, 2.0]
    assert (used.prefix / "lib/python/myops/__pycache__").is_dir(), "nothing to see of what an uninstall does with it"
    # From elsewhere, through a link, without a library path.
    (tmp_path / "link").symlink_to(used.prefix / "bin" / "myops")
    outcome = run([str(tmp_path / "link"), "verify", "--json", "--require", "CPU"], surroundings(used.prefix))
    assert outcome.returncode == 0, outcome
    paths = [file["path"] for file in outcome.json["files"]]
    assert paths and all(path.startswith(f"{used.prefix}/lib/") for path in paths)
    assert_tells_no_folder(used)
    assert_leaves_nothing(used)


def test_loader_alone_names_every_folder(tmp_path: Path) -> None:
    used = use(tmp_path, "loader", require=["CPU"])
    places = [f"{used.prefix}/lib/plugins", f"{used.prefix}/lib/myops/plugins"]
    assert [folder for folder in used.answer["report"]["folders"] if "torch-" not in folder] == places
    assert all(place in used.answer["error"] for place in places)
    assert_tells_no_folder(used)
    assert_leaves_nothing(used)


def test_python_alone_says_what_is_missing(tmp_path: Path) -> None:
    prefix = moved(install(tmp_path / "first", ["python"]), tmp_path / "second")
    outcome = run_python("import torch, myops", env={**surroundings(prefix), "MYOPS_AUTOLOAD": "1"})
    assert outcome.returncode == 1
    assert f"LoadError: libmyops_loader.so was not found; looked for\n  {prefix}/lib" in outcome.stderr
    uninstall(prefix)
    assert {path.relative_to(prefix).as_posix() for path in prefix.rglob("*")} <= SHARED


def test_one_component_is_taken_away_again(tmp_path: Path) -> None:
    prefix = install(tmp_path / "prefix")
    before = set(files(prefix))
    uninstall(prefix, "autograd")
    gone = {path.name for path in before - set(files(prefix))}
    assert gone == {"libmyops_autograd.so"}


def test_target_uninstalls_from_the_default_prefix(tmp_path: Path) -> None:
    cache = (BUILD / "CMakeCache.txt").read_text()
    (prefix,) = (line.split("=")[1] for line in cache.splitlines() if line.startswith("CMAKE_INSTALL_PREFIX:"))
    install(Path(prefix), ["schema", "python"], DESTDIR=str(tmp_path))
    assert len(files(tmp_path / prefix.lstrip("/"))) > 5
    outcome = run(["cmake", "--build", str(BUILD), "--target", "uninstall"], {"DESTDIR": str(tmp_path)})
    assert outcome.returncode == 0, outcome
    assert files(tmp_path) == []


def test_uninstall_leaves_what_is_not_ours(tmp_path: Path) -> None:
    prefix = install(tmp_path / "pre[1] *", ["schema", "cpu"])
    changed = next(prefix.rglob("libmyops_schema.so"))
    changed.write_bytes(b"another's")
    theirs = [changed.with_name("libtheirs.so"), prefix / "lib/myops/plugins/libtheirs.so", prefix / "lib/other/data"]
    for path in theirs:
        path.parent.mkdir(exist_ok=True)
        path.touch()
    outcome = uninstall(prefix)
    assert files(prefix) == sorted([changed, *theirs])
    assert f"Leaving, not as it was installed: {changed}" in outcome.stdout


def test_second_bridge_goes_beside_the_first(tmp_path: Path) -> None:
    """A build for another torch adds its plugins and the bridge alone."""
    prefix = install(tmp_path / "prefix", ["bridge"])
    assert [path.name for path in files(prefix)] == ["libmyops_bridge.so"]


def test_misspelt_component_is_told(tmp_path: Path) -> None:
    outcome = cmake_install("--prefix", tmp_path, "--component", "myops_cpus")
    assert outcome.returncode != 0
    assert "no component is called myops_cpus" in outcome.stderr and "myops_cpu.x86-64-v3" in outcome.stderr
    assert files(tmp_path) == []


def test_staged_install(tmp_path: Path) -> None:
    """DESTDIR and --strip, as packages for distributions are made."""
    listed = installed_files("myops_cpu", "--prefix", "/usr", "--strip", env={"DESTDIR": str(tmp_path)})
    (path,) = files(tmp_path)
    assert path.is_relative_to(tmp_path / "usr/lib/myops/plugins") and path.name == "libmyops_cpu.so"
    assert os.access(path, os.X_OK)
    built = next((BUILD / "lib/myops/plugins").rglob(path.name))
    assert path.stat().st_size < built.stat().st_size
    assert manifest.read(path) == manifest.read(built), "a stripped library keeps its manifest"
    assert run_myops("check", path).returncode == 0
    assert listed == [f"/{path.relative_to(tmp_path)}"]
