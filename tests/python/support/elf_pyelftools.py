"""Facts of an ELF file as pyelftools reads them, in the words of `elf_dump`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from elftools.elf.dynamic import DynamicSegment
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerDefSection, GNUVerNeedSection, GNUVerSymSection
from elftools.elf.sections import NoteSection, SymbolTableSection

from support import elf_facts

ISA_NEEDED = 0xC0008002  # GNU_PROPERTY_X86_ISA_1_NEEDED
DF_TEXTREL, DF_STATIC_TLS = 4, 0x10
DF_1_NOOPEN, DF_1_NODEFLIB, DF_1_PIE = 0x40, 0x800, 0x8000000
ENTRY = np.dtype(
    [("name", "<u4"), ("info", "u1"), ("other", "u1"), ("section", "<u2"), ("value", "<u8"), ("size", "<u8")]
)
RELOCATION = np.dtype([("offset", "<u8"), ("info", "<u8"), ("addend", "<i8")])
TEXTS = {"DT_SONAME": "soname", "DT_RPATH": "rpath", "DT_RUNPATH": "runpath"}
Names = dict[int, tuple[str, str]]  # what a version index stands for: (version, file)


def facts(path: Path) -> dict[str, Any]:
    """Those of a file for x86_64 with section headers."""
    with path.open("rb") as stream:
        elf = ELFFile(stream)
        versions, names = _versions(elf)
        symbols = _symbols(elf, names)
        return {
            "bits": elf.elfclass,
            "little_endian": elf.little_endian,
            "os_abi": elf.e_ident_raw[7],
            "type": {"ET_EXEC": 2, "ET_DYN": 3}[elf.header.e_type],
            "machine": {"EM_386": 3, "EM_X86_64": 62}[elf.header.e_machine],
            **_segments(elf),
            **_dynamic(elf),
            **_notes(elf),
            **versions,
            "imports": elf_facts.imports(symbols, _relocated(elf)),
            "exports": elf_facts.exports(symbols),
        }


def _segments(elf: ELFFile) -> dict[str, Any]:
    stack = [segment.header.p_flags for segment in elf.iter_segments("PT_GNU_STACK")]
    loaded = [(segment.header.p_vaddr, segment.header.p_offset) for segment in elf.iter_segments("PT_LOAD")]
    return {
        "executable_stack": bool(stack[-1] & 1) if stack else True,
        "load_alignment": elf_facts.largest_page(loaded),
    }


def _dynamic(elf: ELFFile) -> dict[str, Any]:
    found: dict[str, Any] = {"soname": "", "needed": [], "rpath": None, "runpath": None}
    flags = flags_1 = 0
    has_textrel = False
    for segment in elf.iter_segments("PT_DYNAMIC"):
        assert isinstance(segment, DynamicSegment)
        for tag in segment.iter_tags():
            kind = tag.entry.d_tag
            if kind == "DT_NEEDED":
                found["needed"].append(tag.needed)
            elif kind in TEXTS:
                found[TEXTS[kind]] = getattr(tag, TEXTS[kind])
            elif kind == "DT_FLAGS":
                flags = tag.entry.d_val
            elif kind == "DT_FLAGS_1":
                flags_1 = tag.entry.d_val
            has_textrel |= kind == "DT_TEXTREL"
    return found | {
        "pie_executable": bool(flags_1 & DF_1_PIE),
        "no_open": bool(flags_1 & DF_1_NOOPEN),
        "no_default_folders": bool(flags_1 & DF_1_NODEFLIB),
        "static_tls": bool(flags & DF_STATIC_TLS),
        "text_relocations": has_textrel or bool(flags & DF_TEXTREL),
    }


def _notes(elf: ELFFile) -> dict[str, Any]:
    found = {"build_id": "", "isa_needed": 0}
    for section in elf.iter_sections():
        if not isinstance(section, NoteSection):
            continue
        for note in section.iter_notes():
            if note["n_type"] == "NT_GNU_BUILD_ID" and note["n_name"] == "GNU":
                found["build_id"] = str(note["n_desc"])
            if note["n_type"] == "NT_GNU_PROPERTY_TYPE_0":
                data = note["n_descdata"]
                while len(data) >= 8:
                    kind, size = (int.from_bytes(data[at : at + 4], "little") for at in (0, 4))
                    if kind == ISA_NEEDED:
                        found["isa_needed"] = int.from_bytes(data[8 : 8 + size], "little")
                    data = data[8 + (size + 7) // 8 * 8 :]
    return found


def _versions(elf: ELFFile) -> tuple[dict[str, Any], Names]:
    needs: list[list[Any]] = []
    definitions: list[str] = []
    base = ""
    names: Names = {}
    for section in elf.iter_sections():
        if isinstance(section, GNUVerNeedSection):
            for need, versions in section.iter_versions():
                for version in versions:
                    needs.append([need.name, version.name, bool(version["vna_flags"] & 2)])
                    names[version["vna_other"] & 0x7FFF] = (version.name, need.name)
        if isinstance(section, GNUVerDefSection):
            for definition, entries in section.iter_versions():
                name = next(iter(entries)).name
                if definition["vd_flags"] & 1:
                    base = name
                    continue
                definitions.append(name)
                names[definition["vd_ndx"] & 0x7FFF] = (name, "")
    return {"version_needs": needs, "version_definitions": definitions, "base_version": base}, names


def _symbols(elf: ELFFile, names: Names) -> list[elf_facts.Symbol]:
    """The table by its section, decoded at once: pyelftools takes seconds for a hundred thousand."""
    table = elf.get_section_by_name(".dynsym")
    assert isinstance(table, SymbolTableSection)
    entries = np.frombuffer(table.data(), dtype=ENTRY)
    strings = elf.get_section(table["sh_link"]).data()
    section = elf.get_section_by_name(".gnu.version")
    has_versions = isinstance(section, GNUVerSymSection)
    indexes = np.frombuffer(section.data(), dtype="<u2") if has_versions else np.zeros(len(entries), dtype="<u2")
    symbols = []
    for (name, info, other, place, value, _), index in zip(entries.tolist(), indexes.tolist(), strict=True):
        text = strings[name : strings.index(b"\0", name)].decode()
        version, file = names.get(index & 0x7FFF, ("", ""))
        hidden = bool(index & 0x8000)
        symbols.append(elf_facts.Symbol(text, version, file, info & 15, info >> 4, other & 3, place, value, hidden))
    return symbols


def _relocated(elf: ELFFile) -> set[int]:
    """Indexes of the symbols that any dynamic relocation uses."""
    used: set[int] = set()
    for section in elf.iter_sections("SHT_RELA"):
        if section["sh_flags"] & 2:  # SHF_ALLOC
            used |= set((np.frombuffer(section.data(), dtype=RELOCATION)["info"] >> np.uint64(32)).tolist())
    return used
