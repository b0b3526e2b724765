"""How the package finds its loader library, and what it says where it does not.

The package is copied, so that each test has a tree of its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from support.build_tree import BUILD, ROOT
from support.installing import cmake_install
from support.process import Outcome, run_python

PACKAGE = ROOT / "python" / "myops"
LOADER = BUILD / "lib" / "libmyops_loader.so"

IMPORT = """
import torch
try:
    import myops
except ImportError as error:
    print(type(error).__module__, type(error).__name__, getattr(error, "report", "no attribute"))
    print(error)
else:
    print("imported")
"""
CALL_EACH = """
for call in (myops.load, myops.report, myops.list, myops.plan, myops.table):
    try:
        call()
    except myops.LoadError as error:
        print(call.__name__, str(error)[:33])
"""
ADD = """
import torch, myops
print(torch.ops.myops.myadd(torch.ones(2), torch.ones(2)).tolist())
print(*sorted(myops.report().opened), sep="\\n")
"""


def package_in(folder: Path) -> Path:
    """A copy of the package in `folder`/myops."""
    return Path(shutil.copytree(PACKAGE, folder / "myops", ignore=shutil.ignore_patterns("__pycache__")))


def run_with(folder: Path, code: str, **env: str) -> Outcome:
    """Runs code that imports the package from `folder`, not from the build tree."""
    return run_python(f"import sys; sys.path.insert(0, {str(folder)!r})\n{code}", env=env)


def installed(prefix: Path) -> Path:
    """An installation under `prefix`, as `cmake --install` makes it."""
    outcome = cmake_install("--prefix", prefix)
    assert outcome.returncode == 0, outcome
    return prefix


def test_no_loader_library_names_every_place(tmp_path: Path) -> None:
    package = package_in(tmp_path / "prefix" / "lib" / "python")
    outcome = run_with(package.parent, IMPORT)
    first, *rest = outcome.stdout.splitlines()
    assert first == "myops._errors LoadError None", outcome
    assert rest == [
        "libmyops_loader.so was not found; looked for",
        f"  {package}/lib/libmyops_loader.so",
        f"  {tmp_path}/prefix/lib/libmyops_loader.so",
        "Install the loader and the package together.",
    ]


def test_linked_package_is_looked_for_at_both_ends(tmp_path: Path) -> None:
    package = package_in(tmp_path / "real" / "python")
    site = tmp_path / "site" / "python"
    site.mkdir(parents=True)
    (site / "myops").symlink_to(package)
    outcome = run_with(site, IMPORT)
    places = [line.strip() for line in outcome.stdout.splitlines() if line.startswith("  ")]
    assert places == [
        f"{site}/myops/lib/libmyops_loader.so",
        f"{tmp_path}/site/libmyops_loader.so",
        f"{package}/lib/libmyops_loader.so",
        f"{tmp_path}/real/libmyops_loader.so",
    ], outcome


def test_without_autoload_the_loader_is_missed_only_when_it_is_called(tmp_path: Path) -> None:
    folder = package_in(tmp_path).parent
    outcome = run_with(folder, IMPORT + CALL_EACH, MYOPS_AUTOLOAD="0")
    assert outcome.stdout.splitlines() == ["imported"] + [
        f"{name} libmyops_loader.so was not found;" for name in ("load", "report", "list", "plan", "table")
    ], outcome


def test_file_that_is_no_library(tmp_path: Path) -> None:
    package = package_in(tmp_path)
    path = package / "lib" / "libmyops_loader.so"
    path.parent.mkdir()
    path.write_text("not ELF")
    outcome = run_with(tmp_path, IMPORT)
    assert outcome.stdout.splitlines() == [
        "myops._errors LoadError None",
        f"{path} cannot be opened: {path}: file too short",
    ], outcome


def test_loader_of_another_abi(tmp_path: Path) -> None:
    package = package_in(tmp_path)
    path = package / "lib" / "libmyops_loader.so"
    path.parent.mkdir()
    source = tmp_path / "abi.c"
    source.write_text("int myops_loader_abi(void) { return 7; }\n")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", path, source], check=True, timeout=60)
    outcome = run_with(tmp_path, IMPORT)
    assert outcome.stdout.splitlines() == [
        "myops._errors LoadError None",
        f"{path} speaks loader ABI 7, this package speaks 1: install both from one release",
    ], outcome


def test_wheel_layout(tmp_path: Path) -> None:
    """Everything inside the package, the plugins beside the loader library."""
    package = package_in(tmp_path / "site-packages")
    (package / "lib").mkdir()
    shutil.copy2(LOADER, package / "lib")
    shutil.copytree(BUILD / "lib" / "myops", package / "lib" / "myops")
    outcome = run_with(package.parent, ADD)
    added, *opened = outcome.stdout.splitlines()
    assert added == "[2.0, 2.0]", outcome
    assert opened and all(path.startswith(f"{package}/lib/") for path in opened), opened


@pytest.mark.parametrize("through_link", [False, True], ids=["path", "link"])
def test_moved_installation(tmp_path: Path, through_link: bool) -> None:
    """Case 116: an installed tree works where it was moved to, and through a link to the package."""
    moved = tmp_path / "elsewhere"
    os.rename(installed(tmp_path / "first"), moved)
    folder = moved / "lib" / "python"
    if through_link:
        folder = tmp_path / "site-packages"
        folder.mkdir()
        (folder / "myops").symlink_to(moved / "lib" / "python" / "myops")
    outcome = run_with(folder, ADD)
    added, *opened = outcome.stdout.splitlines()
    assert added == "[2.0, 2.0]", outcome
    assert opened and all(path.startswith(f"{moved}/lib/") for path in opened), opened
    assert str(tmp_path / "first") not in outcome.stdout + outcome.stderr


def test_installed_package_is_complete(tmp_path: Path) -> None:
    package = installed(tmp_path) / "lib" / "python" / "myops"
    names = {path.relative_to(package).as_posix() for path in package.rglob("*")}
    assert names == {path.name for path in PACKAGE.iterdir() if path.name != "__pycache__"}
    assert {"py.typed", "__init__.py", "ops.py"} <= names
