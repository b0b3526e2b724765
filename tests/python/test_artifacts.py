"""What the built files say of themselves: needed libraries, exported symbols, flags, no trace of the build machine."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from support.build_tree import LIBRARIES, has_cuda
from support.dynamic_tags import binds_at_once, dynamic

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("MYOPS_BUILD_FOLDER", ROOT / "build" / "cpu"))

SYSTEM = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "ld-linux-x86-64.so.2"}
TORCH = {"libc10.so", "libtorch_cpu.so"}
# Only the CPU kernels start threads, and only through torch's own OpenMP runtime.
OPENMP = {f"libmyops_{part}.so": {"libgomp.so.1"} for part in ("cpu", "cpu.x86-64-v3", "cpu.x86-64-v4")}
EXPORTS = {"libmyops_loader.so": "myops_", "libmyops_bridge.so": "myops_bridge_"}
# The CUDA library finds these with torch: libc10_cuda beside libc10, and the runtime that torch has opened.
CUDA = {"libmyops_cuda.so": {"libc10_cuda.so", "libcudart.so.13"}}
PLUGINS = [*LIBRARIES, *(["cuda"] if has_cuda() else [])]


def built_files() -> list[Path]:
    return sorted(path for path in (BUILD / "lib").rglob("*.so") if not path.is_symlink())


def exported(path: Path) -> list[str]:
    with path.open("rb") as file:
        symbols = ELFFile(file).get_section_by_name(".dynsym").iter_symbols()
        return [s.name for s in symbols if s.name and s.entry.st_shndx != "SHN_UNDEF"]


FILES = built_files()
IDS = [path.name for path in FILES]


def test_every_part_was_built() -> None:
    expected = {f"libmyops_{part}.so" for part in PLUGINS} | {"libmyops_loader.so", "libmyops_bridge.so"}
    assert {path.name for path in FILES} == expected


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_needs_only_what_is_allowed(path: Path) -> None:
    allowed = SYSTEM | OPENMP.get(path.name, set()) | CUDA.get(path.name, set())
    if path.name != "libmyops_loader.so":
        allowed |= TORCH
    assert set(dynamic(path)["DT_NEEDED"]) <= allowed


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_exports_nothing_but_its_c_abi(path: Path) -> None:
    prefix = EXPORTS.get(path.name)
    names = exported(path)
    if prefix is None:
        assert names == []
    else:
        assert names and all(name.startswith(prefix) for name in names), names


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_binds_at_load_and_is_relocatable(path: Path) -> None:
    tags = dynamic(path)
    assert binds_at_once(path), "not linked with -z now"
    assert "DT_TEXTREL" not in tags
    assert "DT_RPATH" not in tags
    # The loader and its bridge have nothing beside them that they need.
    assert tags.get("DT_RUNPATH", []) == ([] if path.name in EXPORTS else ["$ORIGIN"])


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_undefined_function_would_fail_its_link(path: Path) -> None:
    """The flags of that link; tests/install/test_linking.py has a link that fails."""
    rules = (BUILD / "build.ninja").read_text().split("\nbuild ")
    links = [rule for rule in rules if re.match(rf"\S*{re.escape(path.name)}: CXX_\w+_LIBRARY_LINKER", rule)]
    assert len(links) == 1 and "-Wl,-z,defs" in links[0].replace("LINKER:", "-Wl,"), links


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_holds_no_path_of_the_build_machine(path: Path) -> None:
    content = path.read_bytes()
    for folder in (str(ROOT), str(BUILD.resolve()), "/usr/local/cuda"):
        assert folder.encode() not in content
