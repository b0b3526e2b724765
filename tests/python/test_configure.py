"""The key libraries configure with torch, CMake and a compiler alone; torch is that of `python3` if none is named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.build_tree import ROOT, torch_lib
from support.process import run


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("alone")
    command = [
        "cmake",
        "-G",
        "Ninja",
        "-S",
        str(ROOT),
        "-B",
        str(folder),
        "-DMYOPS_LOADER=OFF",
        "-DBUILD_SHARED_LIBS=OFF",
    ]
    outcome = run(command)
    assert outcome.returncode == 0, outcome
    return folder


def test_no_test_and_no_loader_is_built(alone: Path) -> None:
    rules = (alone / "build.ninja").read_text()
    assert "libmyops_cpu.so" in rules
    assert "gtest" not in rules and "libmyops_loader" not in rules


def test_nothing_of_it_is_static(alone: Path) -> None:
    """Case 55 of docs/cases.md: an archive would lose its registrations, or register them twice."""
    targets = re.findall(r"^build (\S+\.(?:so|a)): \w+_LINKER", (alone / "build.ninja").read_text(), re.M)
    assert "backend_cpu/unstamped/libmyops_cpu.so" in targets and not [t for t in targets if t.endswith(".a")]


def test_kernels_are_optimised(alone: Path) -> None:
    assert "CMAKE_BUILD_TYPE:STRING=Release" in (alone / "CMakeCache.txt").read_text()


def test_folders_of_torch_and_of_the_source_are_not_in_the_files(alone: Path) -> None:
    maps = re.findall(r"-ffile-prefix-map=(\S*?)=(\S+)", (alone / "build.ninja").read_text())
    assert {torch_lib().parent: "torch", ROOT: "."}.items() <= {Path(folder): name for folder, name in maps}.items()
    assert all(folder for folder, _ in maps)


OTHER_ABI = "-D_GLIBCXX_USE_CXX11_ABI=0"


@pytest.mark.parametrize("variable", ["CMAKE_CXX_FLAGS", "CMAKE_CXX_FLAGS_RELEASE"])
def test_abi_that_torch_does_not_have_is_told(variable: str, tmp_path: Path) -> None:
    """Case 24 of docs/cases.md: before anything is compiled, and until the flag is gone."""
    command = ["cmake", "-G", "Ninja", "-S", str(ROOT), "-B", str(tmp_path), "-DMYOPS_LOADER=OFF"]
    for _ in range(2):
        refused = run([*command, f"-D{variable}={OTHER_ABI}"])
        words = " ".join(refused.stderr.split())
        assert refused.returncode != 0 and "the C++ compiler has _GLIBCXX_USE_CXX11_ABI=0, and torch " in words, refused
        assert f"in {torch_lib()} was built with 1: take that flag out" in words
    mended = run([*command, f"-D{variable}="])
    assert mended.returncode == 0, mended


WRONG_CALLS = {
    "myops_add_plugin(NAME other SCHEMA nothing SOURCES a.cpp)": "SCHEMA nothing is no plugin made before it",
    "myops_add_plugin(NAME other SOURCES a.cpp NOINSTALL)": "NOINSTALL is neither a source file nor an option",
}


@pytest.mark.parametrize("call", WRONG_CALLS)
def test_mistake_in_a_call_is_told_in_words(call: str, tmp_path: Path) -> None:
    script = tmp_path / "mistake.cmake"
    script.write_text(f'include("{ROOT}/cmake/MyopsAddPlugin.cmake")\n{call}\n')
    outcome = run(["cmake", "-P", str(script)])
    assert outcome.returncode != 0
    assert f"myops_add_plugin(other): {WRONG_CALLS[call]}" in " ".join(outcome.stderr.split())
