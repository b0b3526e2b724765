"""The tables of docs/packaging.md are true of the files: components, sizes, and the oldest glibc and libstdc++."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from prefixes import COMPONENTS, files, install
from support.build_tree import BUILD, ROOT
from support.installing import cmake_install

PAGE = (ROOT / "docs" / "packaging.md").read_text()
SIZES = {name: int(size) for name, size in re.findall(r"^\| `myops_([\w.-]+)` \|.*\| (\d+) \|$", PAGE, re.MULTILINE)}
TOLERANCE = 0.25
KIB, MIB = 2**10, 2**20
# What the page calls the least set, and everything for CPUs; the limits stand there too.
LEAST = ("loader", "schema", "cpu", "inplace_or_view")
LIMITS = {"least": 8 * MIB, "all": 16 * MIB}
# Built only where there is a CUDA compiler, for architectures that are chosen there.
OF_SOME_BUILDS = {"cuda"}
UNMEASURED = {f"libmyops_{name}.so" for name in OF_SOME_BUILDS}
BUILT = [
    *sorted(path for path in (BUILD / "lib").rglob("*.so") if path.name not in UNMEASURED),
    BUILD / "bin" / "myops",
]
# Families of versions that the page gives a column, and those it names below the table.
COLUMNS = ("GLIBC", "GLIBCXX", "CXXABI")
OTHERS = {"GCC": "3.4", "GOMP": "4.0", "OMP": "1.0"}


def size(prefix: Path) -> int:
    return sum(path.stat().st_size for path in files(prefix))


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    folder = tmp_path_factory.mktemp("sizes")
    return {name: size(install(folder / name, [name])) for name in (*COMPONENTS, "bridge")}


def test_page_and_tests_name_every_component(tmp_path: Path) -> None:
    outcome = cmake_install("--prefix", tmp_path, "--component", "nothing")
    known = set(re.findall(r"myops_([\w.-]+)", outcome.stderr.split("there are:")[1]))
    assert known - OF_SOME_BUILDS == set(SIZES) == {*COMPONENTS, "bridge"}
    assert all(f"| `myops_{name}` |" in PAGE for name in OF_SOME_BUILDS)


@pytest.mark.parametrize("name", SIZES)
def test_size_is_what_the_page_says(name: str, measured: dict[str, int]) -> None:
    assert measured[name] / KIB == pytest.approx(SIZES[name], rel=TOLERANCE, abs=8), f"{measured[name] / KIB:.0f} KiB"


def test_cpu_set_stays_small(measured: dict[str, int]) -> None:
    """Case 107."""
    sums = {"least": sum(measured[name] for name in LEAST), "all": sum(measured[name] for name in COMPONENTS)}
    stated = re.findall(r"([\d.]+) MiB, and may never be more than\s+(\d+) MiB", PAGE)
    assert [int(limit) * MIB for _, limit in stated] == list(LIMITS.values())
    for (said, _), (name, total) in zip(stated, sums.items(), strict=True):
        assert total <= LIMITS[name]
        assert total / MIB == pytest.approx(float(said), rel=TOLERANCE), f"{name}: {total / MIB:.1f} MiB"


def number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def newest(path: Path) -> dict[str, str]:
    """Of each family of symbol versions the newest that the file needs: {"GLIBC": "2.32", …}."""
    found: dict[str, str] = {}
    with path.open("rb") as file:
        for _, versions in ELFFile(file).get_section_by_name(".gnu.version_r").iter_versions():
            for version in versions:
                family, _, text = version.name.rpartition("_")
                found[family] = max(found.get(family, "0"), text, key=number)
    return found


def stated() -> dict[str, dict[str, str]]:
    rows: dict[str, dict[str, str]] = {}
    for names, cells in re.findall(r"^\| ((?:`[^`]+`(?:, )?)+) \|((?: [A-Z]+_[\d.]+ \|)+)$", PAGE, re.MULTILINE):
        versions = dict(cell.strip().split("_") for cell in cells.strip(" |").split("|"))
        rows |= dict.fromkeys(re.findall(r"`([^`]+)`", names), versions)
    return rows


def test_page_names_every_file() -> None:
    rows = stated()
    assert set(rows) == {path.name for path in BUILT}
    assert all(tuple(versions) == COLUMNS for versions in rows.values())


@pytest.mark.parametrize("path", BUILT, ids=lambda path: path.name)
def test_needs_no_newer_system_than_the_page_says(path: Path) -> None:
    allowed = {**OTHERS, **stated()[path.name]}
    needed = newest(path)
    assert "GLIBC" in needed and set(needed) <= set(allowed)
    newer = {family: version for family, version in needed.items() if number(version) > number(allowed[family])}
    assert newer == {}
