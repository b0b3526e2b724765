"""What is linked against an install, and how: undefined functions, libraries beside a plugin, --as-needed."""

from __future__ import annotations

from pathlib import Path

import pytest
from prefixes import add, install, moved, opened, surroundings
from projects import Built, build_project
from support.build_tree import library
from support.dynamic_tags import dynamic
from support.link_lab import Lab
from support.process import run

PLUGIN = """
cmake_minimum_required(VERSION 3.25)
project(calls VERSION 1.0 LANGUAGES CXX ASM)
find_package(myops REQUIRED)
myops_add_plugin(NAME calls SOURCES code.cpp NO_STAMP)
"""
CALL = "int of_nobody(); int call() { return of_nobody(); }\n"


def test_undefined_function_fails_the_link(tmp_path: Path) -> None:
    """Case 27 of docs/cases.md: a plugin is never made that would end a process at its first call."""
    prefix = install(tmp_path / "prefix", ["cmake"])
    (tmp_path / "CMakeLists.txt").write_text(PLUGIN)
    (tmp_path / "code.cpp").write_text(CALL + "int of_nobody() { return 1; }\n")
    folder = build_project(tmp_path, tmp_path / "build", prefix)
    (tmp_path / "code.cpp").write_text(CALL)
    refused = run(["cmake", "--build", str(folder)])
    assert refused.returncode != 0 and "undefined reference to `of_nobody()'" in refused.stdout, refused


def test_plugin_finds_the_library_beside_it_in_a_moved_tree(tmp_path: Path) -> None:
    """Case 29: through its own run path, without a library path."""
    first = install(tmp_path / "first", ("loader", "schema", "composite", "python"))
    folder = next(first.rglob(library("schema").name)).parent
    lab = Lab(folder)
    lab.library("libhelper.so", "int helper(void) { return 1; }")
    lab.plugin("libplugin.so", "int helper(void); int (*kept)(void) = helper;", needs=["libhelper.so"])
    prefix = moved(first, tmp_path / "second")
    answer = add(prefix)
    assert answer["error"] is None and answer["sum"] == [2.0, 2.0]
    assert opened(answer) == {"schema", "composite", "libplugin"}


def test_plugins_of_others_have_their_folder_as_run_path(built: Built) -> None:
    for path in built.plugins.iterdir():
        assert dynamic(path)["DT_RUNPATH"] == ["$ORIGIN"], path


HOST = """
cmake_minimum_required(VERSION 3.25)
project(host LANGUAGES CXX)
find_package(myops REQUIRED COMPONENTS loader schema)
add_executable(host main.cpp)
target_link_libraries(host PRIVATE myops::loader TorchCore::torch_cpu TorchCore::c10 {more})
target_link_options(host PRIVATE "LINKER:{flag}" "LINKER:--allow-shlib-undefined")
"""
LOADS = """
#include <myops/loader.h>
#include <iostream>
int main(int count, char**) {
  try {
    std::cout << myops::load({.require = {"CompositeExplicitAutograd"}, .open_torch = count > 1}).text();
  } catch (const myops::LoadError& error) {
    std::cout << error.what();
    return 1;
  }
}
"""


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """The sources of a program that uses no function of torch, beside `prefix`, what it is built against."""
    install(tmp_path / "prefix", ("loader", "schema", "composite", "headers", "cmake"))
    (tmp_path / "CMakeLists.txt").write_text(HOST.format(more="", flag="--as-needed"))
    (tmp_path / "main.cpp").write_text(LOADS)
    return tmp_path


def test_program_linked_as_needed(host: Path) -> None:
    """Case 55: its call of load() keeps the loader; a torch of which it calls nothing it has to ask for."""
    program = build_project(host, host / "build", host / "prefix") / "host"
    needed = dynamic(program)["DT_NEEDED"]
    assert "libmyops_loader.so" in needed and not [name for name in needed if "torch" in name or "c10" in name]
    without = run([str(program)], surroundings(host / "prefix"))
    assert without.returncode == 1 and "torch-not-found" in without.stdout, without
    assert "link libtorch (--as-needed drops it where nothing of it is called), or set open_torch" in without.stdout
    asked = run([str(program), "open_torch"], surroundings(host / "prefix"))
    assert asked.returncode == 0 and "opened myops_composite" in " ".join(asked.stdout.split()), asked


@pytest.mark.parametrize(("flag", "kept"), [("--as-needed", False), ("--no-as-needed", True)])
def test_operator_libraries_are_not_for_linking(flag: str, kept: bool, host: Path) -> None:
    """Case 55: they export nothing, so --as-needed drops them. One that was linked all the same is taken as it is."""
    (host / "CMakeLists.txt").write_text(HOST.format(more="myops::schema", flag=flag))
    program = build_project(host, host / "build", host / "prefix") / "host"
    needed = {Path(name).name for name in dynamic(program)["DT_NEEDED"]}
    assert ({"libmyops_schema.so", "libtorch_cpu.so"} <= needed) is kept, needed
    outcome = run([str(program), "open_torch"], surroundings(host / "prefix"))
    words = " ".join(outcome.stdout.split())
    assert outcome.returncode == 0 and "opened myops_composite" in words, outcome
    assert ("opened myops_schema" in words) is not kept, outcome
