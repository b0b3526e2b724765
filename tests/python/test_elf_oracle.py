"""Our ELF reader against pyelftools: the same facts of every library in torch/lib, and of a sample of others."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from elftools.elf.dynamic import DynamicSegment
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerDefSection, GNUVerNeedSection, GNUVerSymSection
from elftools.elf.sections import NoteSection, SymbolTableSection
from support.build_tree import BUILD, torch_lib

ELF_DUMP = BUILD / "tests" / "elf_dump"

SHN_ABS = 0xFFF1
# STT_NOTYPE, OBJECT, FUNC, COMMON, TLS, GNU_IFUNC: what glibc takes for a definition.
DEFINING_TYPES = {0, 1, 2, 5, 6, 10}
STT_TLS = 6
HIDDEN = {1, 2}  # STV_INTERNAL, STV_HIDDEN


def libraries() -> list[Path]:
    """All of torch/lib, and of each other place every so many-th file by name."""
    site_packages = torch_lib().parents[1]
    others = sorted(
        path
        for path in site_packages.rglob("*.so*")
        if path.is_file()
        and not path.is_symlink()
        and torch_lib() not in path.parents
        and path.stat().st_size < 50 << 20
    )
    system = sorted(
        path for path in Path("/usr/lib/x86_64-linux-gnu").glob("*.so.*") if path.is_file() and not path.is_symlink()
    )
    return (
        sorted(torch_lib().glob("*.so*")) + others[:: max(1, len(others) // 40)] + system[:: max(1, len(system) // 40)]
    )


@dataclass
class Symbol:
    name: str
    value: int
    info: int
    other: int
    section: int
    version: int  # the raw entry of .gnu.version, 0 where there is none


def symbols_of(elf: ELFFile) -> list[Symbol]:
    """The dynamic symbol table by its section, decoded at once: pyelftools takes seconds for a hundred thousand."""
    table = elf.get_section_by_name(".dynsym")
    assert isinstance(table, SymbolTableSection)
    kind = np.dtype(
        [("name", "<u4"), ("info", "u1"), ("other", "u1"), ("section", "<u2"), ("value", "<u8"), ("size", "<u8")]
    )
    entries = np.frombuffer(table.data(), dtype=kind)
    strings = elf.get_section(table["sh_link"]).data()
    versions = elf.get_section_by_name(".gnu.version")
    indexes = (
        np.frombuffer(versions.data(), dtype="<u2")
        if isinstance(versions, GNUVerSymSection)
        else np.zeros(len(entries), int)
    )
    return [
        Symbol(
            strings[entry["name"] : strings.index(b"\0", entry["name"])].decode(),
            int(entry["value"]),
            int(entry["info"]),
            int(entry["other"]) & 3,
            int(entry["section"]),
            int(index),
        )
        for entry, index in zip(entries, indexes, strict=True)
    ]


def relocated_symbols(elf: ELFFile) -> set[int]:
    """Indexes of the symbols that any dynamic relocation uses."""
    used: set[int] = set()
    kind = np.dtype([("offset", "<u8"), ("info", "<u8"), ("addend", "<i8")])
    for section in elf.iter_sections("SHT_RELA"):
        if not section["sh_flags"] & 2:  # SHF_ALLOC
            continue
        info = np.frombuffer(section.data(), dtype=kind)["info"]
        used |= set((info[(info & 0xFFFFFFFF) != 0] >> np.uint64(32)).tolist())
    return used - {0}


def versions_of(elf: ELFFile) -> tuple[list[list[Any]], list[str], dict[int, tuple[str, str]]]:
    """What the file needs and defines, and what the indexes stand for: (version, file)."""
    needs: list[list[Any]] = []
    definitions: list[str] = []
    names: dict[int, tuple[str, str]] = {}
    for section in elf.iter_sections():
        if isinstance(section, GNUVerNeedSection):
            for need, versions in section.iter_versions():
                for version in versions:
                    needs.append([need.name, version.name, bool(version["vna_flags"] & 2)])
                    names[version["vna_other"] & 0x7FFF] = (version.name, need.name)
        if isinstance(section, GNUVerDefSection):
            for definition, entries in section.iter_versions():
                if definition["vd_flags"] & 1:
                    continue
                name = next(iter(entries)).name
                definitions.append(name)
                names[definition["vd_ndx"] & 0x7FFF] = (name, "")
    return needs, definitions, names


def expected_imports(elf: ELFFile, symbols: list[Symbol], names: dict[int, tuple[str, str]]) -> list[list[Any]]:
    imports = []
    for index in sorted(relocated_symbols(elf)):
        symbol = symbols[index]
        binding = symbol.info >> 4
        if symbol.section != 0 or binding == 0 or symbol.other in HIDDEN:
            continue
        version, file = names.get(symbol.version & 0x7FFF, ("", ""))
        imports.append([symbol.name, version, file, symbol.info & 15, binding, symbol.other])
    return imports


def expected_exports(symbols: list[Symbol], names: dict[int, tuple[str, str]]) -> Counter[tuple[Any, ...]]:
    exports: Counter[tuple[Any, ...]] = Counter()
    for symbol in symbols:
        kind, binding = symbol.info & 15, symbol.info >> 4
        has_value = symbol.value != 0 or symbol.section == SHN_ABS or kind == STT_TLS
        if symbol.section == 0 or not has_value or binding not in {1, 2, 10} or symbol.other in HIDDEN:
            continue
        if kind in DEFINING_TYPES:
            version = names.get(symbol.version & 0x7FFF, ("", ""))[0]
            exports[(symbol.name, version, kind, binding, bool(symbol.version & 0x8000))] += 1
    return exports


def dynamic_strings(elf: ELFFile) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {"DT_NEEDED": [], "DT_SONAME": [], "DT_RPATH": [], "DT_RUNPATH": []}
    attributes = {"DT_NEEDED": "needed", "DT_SONAME": "soname", "DT_RPATH": "rpath", "DT_RUNPATH": "runpath"}
    for segment in elf.iter_segments("PT_DYNAMIC"):
        assert isinstance(segment, DynamicSegment)
        for tag in segment.iter_tags():
            if tag.entry.d_tag in found:
                found[tag.entry.d_tag].append(getattr(tag, attributes[tag.entry.d_tag]))
    return found


def build_id(elf: ELFFile) -> str:
    for section in elf.iter_sections():
        if isinstance(section, NoteSection):
            for note in section.iter_notes():
                if note["n_type"] == "NT_GNU_BUILD_ID" and note["n_name"] == "GNU":
                    return str(note["n_desc"])
    return ""


def facts_of(path: Path) -> dict[str, Any]:
    run = subprocess.run([ELF_DUMP, path], capture_output=True, check=True, timeout=60)
    facts: dict[str, Any] = json.loads(run.stdout)
    return facts


@pytest.mark.parametrize("path", libraries(), ids=lambda path: path.name)
def test_same_facts_as_pyelftools(path: Path) -> None:
    facts = facts_of(path)
    with path.open("rb") as stream:
        elf = ELFFile(stream)
        if elf.get_section_by_name(".dynsym") is None:
            pytest.skip("no section headers left to compare with")
        strings = dynamic_strings(elf)
        needs, definitions, names = versions_of(elf)
        symbols = symbols_of(elf)
        assert facts["bits"] == elf.elfclass
        assert facts["little_endian"] == elf.little_endian
        assert facts["needed"] == strings["DT_NEEDED"]
        assert [facts["soname"]] == (strings["DT_SONAME"] or [""])
        assert facts["rpath"] == (strings["DT_RPATH"] or [None])[-1]
        assert facts["runpath"] == (strings["DT_RUNPATH"] or [None])[-1]
        assert facts["build_id"] == build_id(elf)
        assert facts["version_needs"] == needs
        assert facts["version_definitions"] == definitions
        assert [symbol[:6] for symbol in facts["imports"]] == expected_imports(elf, symbols, names)
        ours = Counter((s[0], s[1], s[3], s[4], s[6]) for s in facts["exports"])
        assert ours == expected_exports(symbols, names)
        assert facts["section_headers_cut"] is False


def test_the_sample_is_worth_it() -> None:
    names = {path.name for path in libraries()}
    assert {"libc10.so", "libtorch_cpu.so", "libtorch_python.so"} <= names
    assert len(names) > 50


def test_the_running_python_is_read_and_is_an_executable() -> None:
    facts = facts_of(Path(sys.executable).resolve())
    assert facts["pie_executable"] or facts["type"] == 2
    assert "libc.so.6" in facts["needed"]
