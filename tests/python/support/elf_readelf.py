"""Facts of an ELF file as GNU readelf prints them, in the words of `elf_dump`."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

from support import elf_facts

TYPES = {"NOTYPE": 0, "OBJECT": 1, "FUNC": 2, "SECTION": 3, "FILE": 4, "COMMON": 5, "TLS": 6, "IFUNC": 10}
BINDINGS = {"LOCAL": 0, "GLOBAL": 1, "WEAK": 2, "UNIQUE": 10}
VISIBILITIES = {"DEFAULT": 0, "INTERNAL": 1, "HIDDEN": 2, "PROTECTED": 3}
SECTIONS = {"UND": elf_facts.SHN_UNDEF, "ABS": elf_facts.SHN_ABS, "COM": 0xFFF2}
LEVELS = {"x86-64-baseline": 1, "x86-64-v2": 2, "x86-64-v3": 4, "x86-64-v4": 8}
DYNAMIC = re.compile(r" 0x[0-9a-f]+ \((\w+)\) +(.*)")
SEGMENT = re.compile(r"  (\w+) +(0x[0-9a-f]+) (0x[0-9a-f]+) 0x[0-9a-f]+ 0x[0-9a-f]+ 0x[0-9a-f]+ (.{3}) [0-9a-fx]+$")
NEEDED_FILE = re.compile(r" +[0-9a-fx]+: Version: \d+  File: (.*)  Cnt: \d+$")
NEEDED_VERSION = re.compile(r" +[0-9a-fx]+: +Name: (.*)  Flags: (.*)  Version: (\d+)$")
DEFINITION = re.compile(r" +[0-9a-fx]+: Rev: \d+  Flags: (.*?) +Index: (\d+)  Cnt: \d+  Name: (.*)$")
# Where the header does not say GNU, readelf names GNU's own types and bindings by their numbers.
NAME = r"(\w+|<OS specific>: \d+)"
SYMBOL = re.compile(rf" *(\d+): ([0-9a-f]+) +\w+ {NAME} +{NAME} +(\w+) +(\w+)(?: (.*))?$")
RELOCATION = re.compile(r"[0-9a-f]{16}  ([0-9a-f]{8})[0-9a-f]{8} ")
Lines = list[str]


def facts(path: Path) -> dict[str, Any]:
    """Those of a file for x86_64 with section headers."""
    lines = _output(path, "--file-header", "--segments", "--dynamic", "--notes", "--version-info", "--dyn-syms")
    header = dict(re.match(r" *(.*?): +(.*)", line).groups() for line in lines[1:20] if ":" in line)  # type: ignore[union-attr]
    versions, names = _versions(lines)
    symbols = _symbols(lines, names, set(versions["version_definitions"]))
    return {
        "bits": {"ELF64": 64, "ELF32": 32}[header["Class"]],
        "little_endian": "little" in header["Data"],
        "os_abi": {"UNIX - System V": 0, "UNIX - GNU": 3}[header["OS/ABI"]],
        "type": {"EXEC": 2, "DYN": 3}[header["Type"].split()[0]],
        "machine": {"Advanced Micro Devices X86-64": 62, "Intel 80386": 3}[header["Machine"]],
        **_segments(lines),
        **_dynamic(lines),
        **_notes(lines),
        **versions,
        "imports": elf_facts.imports(symbols, _relocated(path)),
        "exports": elf_facts.exports(symbols),
    }


def _output(path: Path, *what: str) -> Lines:
    run = subprocess.run(
        ["readelf", "--wide", *what, path],
        capture_output=True,
        check=True,
        timeout=120,
        env=os.environ | {"LC_ALL": "C"},
    )
    return run.stdout.decode(errors="replace").split("\n")


def _segments(lines: Lines) -> dict[str, Any]:
    found = [match.groups() for line in lines if (match := SEGMENT.match(line))]
    stack = ["E" in flags for kind, _, _, flags in found if kind == "GNU_STACK"]
    loaded = [(int(address, 16), int(offset, 16)) for kind, offset, address, _ in found if kind == "LOAD"]
    return {"executable_stack": stack[-1] if stack else True, "load_alignment": elf_facts.largest_page(loaded)}


def _dynamic(lines: Lines) -> dict[str, Any]:
    entries = [match.groups() for line in lines if (match := DYNAMIC.match(line))]

    def texts(kind: str) -> list[str]:
        return [re.search(r"\[(.*)\]", value).group(1) for name, value in entries if name == kind]  # type: ignore[union-attr]

    flags = {word for name, value in entries if name == "FLAGS" for word in value.split()}
    flags_1 = {word for name, value in entries if name == "FLAGS_1" for word in value.split()}
    return {
        "needed": texts("NEEDED"),
        "soname": (texts("SONAME") or [""])[-1],
        "rpath": (texts("RPATH") or [None])[-1],  # type: ignore[list-item]
        "runpath": (texts("RUNPATH") or [None])[-1],  # type: ignore[list-item]
        "pie_executable": "PIE" in flags_1,
        "no_open": "NOOPEN" in flags_1,
        "no_default_folders": "NODEFLIB" in flags_1,
        "static_tls": "STATIC_TLS" in flags,
        "text_relocations": "TEXTREL" in flags or any(name == "TEXTREL" for name, _ in entries),
    }


def _notes(lines: Lines) -> dict[str, Any]:
    build_ids = [line.split("Build ID: ")[1] for line in lines if "Build ID: " in line]
    needed = [line.split("x86 ISA needed: ")[1] for line in lines if "x86 ISA needed: " in line]
    levels = [LEVELS[word] for text in needed for word in text.split(", ")]
    return {"build_id": (build_ids or [""])[-1], "isa_needed": sum(levels)}


def _versions(lines: Lines) -> tuple[dict[str, Any], dict[str, tuple[str, str]]]:
    """And what the index in brackets behind a symbol stands for: (version, file)."""
    needs: list[list[Any]] = []
    names: dict[str, tuple[str, str]] = {}
    definitions, base, file = [], "", ""
    for line in lines:
        if match := NEEDED_FILE.match(line):
            file = match[1]
        elif match := NEEDED_VERSION.match(line):
            needs.append([file, match[1], "WEAK" in match[2]])
            names[match[3]] = (match[1], file)
        elif match := DEFINITION.match(line):
            if "BASE" in match[1]:
                base = match[3]
            else:
                definitions.append(match[3])
    return {"version_needs": needs, "version_definitions": definitions, "base_version": base}, names


def _symbols(lines: Lines, names: dict[str, tuple[str, str]], versions: set[str]) -> list[elf_facts.Symbol]:
    start = next(number for number, line in enumerate(lines) if line.startswith("Symbol table '.dynsym'"))
    count = int(lines[start].split()[-2])
    symbols = []
    for line in lines[start + 2 : start + 2 + count]:
        match = SYMBOL.match(line)
        assert match is not None, line
        _, value, kind, binding, visibility, place, shown = match.groups()
        section = SECTIONS.get(place, 1)
        name, version, file, hidden = shown or "", "", "", False
        if section == elf_facts.SHN_UNDEF and name.endswith(")"):
            name, index = name[:-1].rsplit(" (", 1)
            version, file = names[index]
            name = name.removesuffix(f"@{version}")
        elif "@" in name:
            name, version = name.split("@", 1)
            hidden, version = not version.startswith("@"), version.removeprefix("@")
        elif name in versions:  # stands for a version, which is then not printed behind it
            version = name
        symbols.append(
            elf_facts.Symbol(
                name,
                version,
                file,
                _number(kind, TYPES),
                _number(binding, BINDINGS),
                VISIBILITIES[visibility],
                section,
                int(value, 16),
                hidden,
            )
        )
    return symbols


def _number(name: str, numbers: dict[str, int]) -> int:
    return int(name.rsplit(" ", 1)[1]) if name.startswith("<") else numbers[name]


def _relocated(path: Path) -> set[int]:
    """Indexes of the symbols that any relocation uses."""
    return {int(match[1], 16) for line in _output(path, "--relocs") if (match := RELOCATION.match(line))}
