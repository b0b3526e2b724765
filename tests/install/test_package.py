"""find_package(myops): both examples against an install that was moved, and what is said where something is missing."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from prefixes import install, moved, surroundings, uninstall
from projects import Built, build_project, cmake_options
from support import manifest
from support.build_tree import BUILD, ROOT, torch_lib
from support.process import Outcome, run, run_python

ALL_CPU = ("loader", "schema", "cpu", "meta", "composite", "autograd", "inplace_or_view", "functionalize", "autocast")

SHOW = """
cmake_minimum_required(VERSION 3.25)
project(show LANGUAGES CXX)
find_package(myops 0.1 REQUIRED {components})
foreach(name IN ITEMS ops loader cli schema)
  if(TARGET myops::${{name}})
    message(STATUS "there: ${{name}}")
  endif()
endforeach()
foreach(name IN ITEMS loader cli schema)
  if(TARGET myops::${{name}})
    get_target_property(file myops::${{name}} IMPORTED_LOCATION)
    message(STATUS "file: ${{file}}")
  endif()
endforeach()
{more}
"""

OF_MYOPS = """
cmake_minimum_required(VERSION 3.25)
project(other VERSION 2.0.0 LANGUAGES CXX ASM)
find_package(myops REQUIRED COMPONENTS cli ops schema)
myops_add_plugin(NAME other_xpu KEY XPU SCHEMA myops::schema SET other SOURCES xpu.cpp
  LIBRARIES myops::ops TorchCore::c10 TorchCore::torch_cpu OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/plugins")
"""
XPU = """
#include <ATen/ops/add.h>
#include <myops/impl.h>
#include <myops/ops.h>
#include <torch/library.h>
namespace {
at::Tensor myadd(const at::Tensor& self, const at::Tensor& other) { return at::add(self, other); }
}  // namespace
TORCH_LIBRARY_IMPL(myops, XPU, m) { myops::impl<myops::ops::myadd>(m, myadd); }
"""

TWO_FOLDERS = """
cmake_minimum_required(VERSION 3.25)
project(two VERSION 1.0 LANGUAGES CXX ASM)
add_subdirectory(a)
add_subdirectory(b)
"""
ONE_FOLDER = """
find_package(myops REQUIRED COMPONENTS cli)
myops_add_plugin(NAME {name}_schema NAMESPACE {name} SOURCES code.cpp)
"""


def configure(folder: Path, prefix: Path, components: str = "", more: str = "", *options: str) -> Outcome:
    folder.mkdir()
    (folder / "CMakeLists.txt").write_text(SHOW.format(components=components, more=more))
    return run(["cmake", "-S", str(folder), "-B", str(folder / "build"), *cmake_options(prefix), *options])


def test_a_build_folder_is_no_package(tmp_path: Path) -> None:
    """CMake looks beside each folder of PATH, where a build has `myops` too."""
    text = "cmake_minimum_required(VERSION 3.25)\nproject(none LANGUAGES NONE)\nfind_package(myops QUIET)\n"
    (tmp_path / "CMakeLists.txt").write_text(text + 'message(STATUS "found: ${myops_FOUND} ${myops_DIR}")\n')
    env = {"PATH": f"{BUILD / 'bin'}:{os.environ['PATH']}"}
    outcome = run(["cmake", "-S", str(tmp_path), "-B", str(tmp_path / "build")], env)
    assert shown(outcome, "found") == ["0 myops_DIR-NOTFOUND"], outcome


def shown(outcome: Outcome, word: str) -> list[str]:
    assert outcome.returncode == 0, outcome
    return [line.split(": ")[1] for line in outcome.stdout.splitlines() if line.startswith(f"-- {word}: ")]


def folded(text: str) -> str:
    return " ".join(text.split())


def test_host_finds_its_libraries_in_any_prefix(built: Built, tmp_path: Path) -> None:
    prefix = moved(install(tmp_path / "first", ALL_CPU), tmp_path / "second")
    (prefix / "bin").mkdir()
    host = shutil.copy(built.host, prefix / "bin")
    outcome = run([host], surroundings(prefix))
    assert outcome.returncode == 0, outcome
    lines = outcome.stdout.splitlines()
    opened = [line for line in lines if line.startswith("  opened")]
    assert len(opened) == len(ALL_CPU) - 1, outcome
    assert "myops::rms_norm" in lines and any(line.split() == ["CPU", "myops_cpu"] for line in lines)
    assert "sum(x) = 1178880" in lines
    uninstall(prefix, "autograd")
    refused = run([host], surroundings(prefix))
    assert refused.returncode == 1 and "key-not-served" in refused.stderr, refused


def test_third_party_loads_beside_ours(built: Built) -> None:
    assert sorted(path.name for path in built.plugins.iterdir()) == ["libacme_cpu.so", "libacme_schema.so"]
    code = """
        import json, torch, myops
        report = myops.load(require=["CPU"])
        print(json.dumps([torch.ops.acme.scale(torch.arange(3.0), 2.0).tolist(), report.opened]))
    """
    variables = {**surroundings(built.prefix), "MYOPS_PLUGIN_PATH": str(built.plugins)}
    values, opened = run_python(code, env=variables).json
    assert values == [0.0, 2.0, 4.0]
    assert {Path(path).name for path in opened} >= {"libacme_schema.so", "libacme_cpu.so", "libmyops_schema.so"}
    stated = manifest.read(built.plugins / "libacme_cpu.so")
    assert (stated["namespace"], stated["set"], stated["version"]) == ("acme", "acme", "1.0.0")


def test_third_party_holds_no_path_of_its_build(built: Built) -> None:
    for path in built.plugins.iterdir():
        content = path.read_bytes()
        for folder in (built.prefix, built.plugins, ROOT, torch_lib()):
            assert str(folder).encode() not in content, (path, folder)


def test_third_party_is_installed_where_the_loader_looks(built: Built, tmp_path: Path) -> None:
    folder = built.plugins.parent
    outcome = run(["cmake", "--install", str(folder), "--prefix", str(tmp_path), "--component", "acme_cpu"])
    assert outcome.returncode == 0, outcome
    (path,) = tmp_path.rglob("*.so")
    ours = next((built.prefix / "lib").rglob("libmyops_cpu.so"))
    assert path.parent.relative_to(tmp_path) == ours.parent.relative_to(built.prefix)


def test_kernels_for_the_operators_of_myops(built: Built, tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(OF_MYOPS)
    (tmp_path / "xpu.cpp").write_text(XPU)
    build_project(tmp_path, tmp_path / "build", built.prefix)
    stated = manifest.read(tmp_path / "build" / "plugins" / "libother_xpu.so")
    assert list(stated["kernels"]) == ["XPU"] and list(stated["kernels"]["XPU"]) == ["myops::myadd"]
    assert stated["kernels"]["XPU"]["myops::myadd"]["schema"].startswith("myadd(Tensor self, Tensor other)")


def test_everything_is_offered_from_where_it_lies(built: Built, tmp_path: Path) -> None:
    outcome = configure(tmp_path / "show", built.prefix, "COMPONENTS ops loader cli schema")
    assert shown(outcome, "there") == ["ops", "loader", "cli", "schema"]
    files = shown(outcome, "file")
    assert len(files) == 3 and all(Path(file).is_relative_to(built.prefix) and Path(file).is_file() for file in files)


def test_two_folders_of_one_project_may_look_for_it(built: Built, tmp_path: Path) -> None:
    names = ("a", "b")
    (tmp_path / "CMakeLists.txt").write_text(TWO_FOLDERS)
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "CMakeLists.txt").write_text(ONE_FOLDER.format(name=name))
        (tmp_path / name / "code.cpp").touch()
    outcome = run(["cmake", "-S", str(tmp_path), "-B", str(tmp_path / "build"), *cmake_options(built.prefix)])
    assert outcome.returncode == 0, outcome
    rules = (tmp_path / "build" / "build.ninja").read_text()
    for name in names:
        assert f"{built.prefix}/bin/myops stamp {tmp_path}/build/{name}/unstamped/lib{name}_schema.so" in rules


def test_what_is_there_is_offered(tmp_path: Path) -> None:
    prefix = install(tmp_path / "prefix", ["cmake", "headers"])
    outcome = configure(tmp_path / "show", prefix)
    assert shown(outcome, "there") == ["ops"]
    assert f"myops: {prefix}/bin/myops is not installed, so plugins made here are left unstamped" in outcome.stdout
    asked = configure(tmp_path / "ask", prefix, "COMPONENTS loader")
    assert asked.returncode != 0
    assert f"loader is asked for, and {prefix}/lib/libmyops_loader.so is not installed" in folded(asked.stderr)


def test_unknown_component_is_told(tmp_path: Path) -> None:
    prefix = install(tmp_path / "prefix", ["cmake"])
    outcome = configure(tmp_path / "show", prefix, "COMPONENTS lodaer")
    assert outcome.returncode != 0 and "no component is called lodaer" in folded(outcome.stderr)


def test_missing_torch_is_told(tmp_path: Path) -> None:
    prefix = install(tmp_path / "prefix", ["cmake"])
    outcome = configure(tmp_path / "show", prefix, "", "", "-DTorchCore_ROOT=/nowhere")
    assert outcome.returncode != 0
    assert 'no torch was found (TorchCore_ROOT is "/nowhere"): set TorchCore_ROOT to' in folded(outcome.stderr)


def test_missing_language_is_told(tmp_path: Path) -> None:
    prefix = install(tmp_path / "prefix", ["cmake"])
    outcome = configure(tmp_path / "show", prefix, "", "myops_add_plugin(NAME a SOURCES a.cpp)")
    assert outcome.returncode != 0 and "project(… LANGUAGES CXX ASM)" in folded(outcome.stderr)


def test_missing_version_is_told(tmp_path: Path) -> None:
    prefix = install(tmp_path / "prefix", ["cmake", "loader", "cli"])
    outcome = configure(tmp_path / "show", prefix, "", "myops_add_plugin(NAME a SOURCES a.cpp)")
    assert outcome.returncode != 0 and "its manifest tells a version: project(… VERSION 1.0)" in folded(outcome.stderr)


@pytest.mark.parametrize("libdir", ["lib64", "lib/x86_64-linux-gnu"])
def test_library_folder_of_other_systems(libdir: str, built: Built, tmp_path: Path) -> None:
    """Configured for another library folder; the files themselves are those of the build, put where Ninja would."""
    folder = tmp_path / "build"
    options = ["-DMYOPS_TESTS=OFF", f"-DCMAKE_INSTALL_LIBDIR={libdir}"]
    configured = run(["cmake", "-S", str(ROOT), "-B", str(folder), *cmake_options(built.prefix), *options])
    assert configured.returncode == 0, configured
    ignored = shutil.ignore_patterns("python")
    shutil.copytree(BUILD / "lib", folder / libdir, ignore=ignored, dirs_exist_ok=True)
    shutil.copytree(BUILD / "bin", folder / "bin", dirs_exist_ok=True)
    prefix = tmp_path / "first"
    installed = run(["cmake", "--install", str(folder), "--prefix", str(prefix)])
    assert installed.returncode == 0, installed
    prefix = moved(prefix, tmp_path / "second")
    assert not (prefix / "lib/libmyops_loader.so").exists()
    assert f'-rpath,"\\$$ORIGIN/../{libdir}"' in (folder / "build.ninja").read_text().replace("'", '"')
    outcome = run_python(
        "import torch, myops; print(torch.ops.myops.myadd(torch.ones(1), torch.ones(1)))",
        env={**surroundings(prefix, libdir), "MYOPS_AUTOLOAD": "1"},
    )
    assert outcome.returncode == 0 and "tensor([2.])" in outcome.stdout, outcome
    # CMake itself does not look into lib64 on Debian, nor into lib/<architecture> elsewhere.
    offered = configure(tmp_path / "show", prefix, "", "", f"-Dmyops_DIR={prefix}/{libdir}/cmake/myops")
    assert shown(offered, "there") == ["ops", "loader", "cli", "schema"]


def test_absolute_library_folder_is_refused(tmp_path: Path) -> None:
    options = ["-DMYOPS_TESTS=OFF", "-DCMAKE_INSTALL_LIBDIR=/opt/lib"]
    outcome = run(["cmake", "-S", str(ROOT), "-B", str(tmp_path), *cmake_options(tmp_path), *options])
    assert outcome.returncode != 0
    assert "CMAKE_INSTALL_LIBDIR is /opt/lib: an install finds its parts from one another" in folded(outcome.stderr)
