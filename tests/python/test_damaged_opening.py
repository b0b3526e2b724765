"""Libraries whose headers read well and whose opening ends the process: each is refused, by the field at fault.

The dynamic linker is the oracle: what it dies of in a child process must not be said to load.
"""

from __future__ import annotations

import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from support.process import run, run_myops

SOURCE = """
#include <stdio.h>
#include <string.h>
static int value = 5;
static int *where;
int *table[3] = {&value, 0, &value};
char copy[64];
__attribute__((constructor)) static void begin(void) { where = &value; }
__attribute__((destructor)) static void end(void) { where = 0; }
int work(const char *text, unsigned long size) { memcpy(copy, text, size); return puts(copy) + *where; }
"""
OPEN = "import ctypes, os, sys; ctypes.CDLL(sys.argv[1], os.RTLD_NOW)"

NOWHERE = 1 << 40  # beyond all addresses that a process has
UNUSED_TAG = 0x6FFFFD00
IRELATIVE, UNKNOWN = 37, 200


class Library:
    """The bytes of one, and where its parts lie."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.data = bytearray(path.read_bytes())
        with path.open("rb") as file:
            elf = ELFFile(file)
            self.sections = {section.name: section["sh_offset"] for section in elf.iter_sections()}
            self.counts = {
                section.name: section.num_relocations() for section in elf.iter_sections() if "rela" in section.name
            }
            table, size = elf["e_phoff"], elf["e_phentsize"]
            self.loads = [
                table + index * size
                for index, segment in enumerate(elf.iter_segments())
                if segment["p_type"] == "PT_LOAD"
            ]
            dynamic = next(segment for segment in elf.iter_segments() if segment["p_type"] == "PT_DYNAMIC")
            self.tags = {
                tag.entry.d_tag if isinstance(tag.entry.d_tag, int) else tag.entry.d_tag[3:]: dynamic["p_offset"]
                + index * 16
                for index, tag in enumerate(dynamic.iter_tags())
            }
            self.data_address = elf.get_section_by_name(".data")["sh_addr"]
            self.array_address = elf.get_section_by_name(".init_array")["sh_addr"]

    def put(self, at: int, value: int, form: str = "<Q") -> None:
        struct.pack_into(form, self.data, at, value)

    def put_tag(self, tag: str, value: int) -> None:
        self.put(self.tags[tag] + 8, value)

    def add_to_tag(self, tag: str, number: int) -> None:
        (value,) = struct.unpack_from("<Q", self.data, self.tags[tag] + 8)
        self.put_tag(tag, value + number)

    def drop_tag(self, tag: str) -> None:
        self.put(self.tags[tag], UNUSED_TAG)

    def relocation(self, table: str, index: int) -> int:
        return self.sections[table] + index % self.counts[table] * 24

    def put_target(self, table: str, index: int, value: int) -> None:
        self.put(self.relocation(table, index), value)

    def put_type(self, table: str, index: int, value: int) -> None:
        self.put(self.relocation(table, index) + 8, value, "<I")

    def put_initialiser(self, value: int) -> None:
        """The addend of the relocation that fills the first entry of DT_INIT_ARRAY."""
        for index in range(self.counts[".rela.dyn"]):
            at = self.relocation(".rela.dyn", index)
            if struct.unpack_from("<Q", self.data, at) == (self.array_address,):
                self.put(at + 16, value)
                return
        raise AssertionError("no relocation fills DT_INIT_ARRAY")

    def put_segment(self, index: int, field: int, value: int, form: str = "<I") -> None:
        self.put(self.loads[index] + field, value, form)


P_TYPE, P_FLAGS = 0, 4
R = 4


CASES: dict[str, Callable[[Library], object]] = {
    "target-nowhere": lambda x: x.put_target(".rela.dyn", 0, NOWHERE),
    "target-read-only": lambda x: x.put_target(".rela.dyn", 0, 0),
    "last-target-nowhere": lambda x: x.put_target(".rela.dyn", -1, NOWHERE),
    "plt-target-nowhere": lambda x: x.put_target(".rela.plt", 0, NOWHERE),
    "counted-is-none": lambda x: x.put_type(".rela.dyn", 0, 0),
    "counted-is-indirect": lambda x: x.put_type(".rela.dyn", 0, IRELATIVE),
    "last-type-unknown": lambda x: x.put_type(".rela.dyn", -1, UNKNOWN),
    "plt-is-indirect": lambda x: x.put_type(".rela.plt", 0, IRELATIVE),
    "count-too-high": lambda x: x.add_to_tag("RELACOUNT", 1),
    "count-beyond-the-table": lambda x: x.put_tag("RELACOUNT", NOWHERE),
    "init-nowhere": lambda x: x.put_tag("INIT", NOWHERE),
    "init-is-the-header": lambda x: x.put_tag("INIT", 0),
    "fini-nowhere": lambda x: x.put_tag("FINI", NOWHERE),
    "init-array-nowhere": lambda x: x.put_tag("INIT_ARRAY", NOWHERE),
    "init-array-is-the-header": lambda x: x.put_tag("INIT_ARRAY", 0),
    "fini-array-is-the-header": lambda x: x.put_tag("FINI_ARRAY", 0),
    "initialiser-nowhere": lambda x: x.put_initialiser(NOWHERE),
    "initialiser-is-data": lambda x: x.put_initialiser(x.data_address),
    "versions-are-the-header": lambda x: x.put_tag("VERSYM", 0),
    "versions-of-no-record": lambda x: [x.put(x.sections[".gnu.version"] + at, 0x7000, "<H") for at in range(2, 12, 2)],
    "without-rela": lambda x: x.drop_tag("RELA"),
    "without-relasz": lambda x: x.drop_tag("RELASZ"),
    "without-jmprel": lambda x: x.drop_tag("JMPREL"),
    "without-pltrelsz": lambda x: x.drop_tag("PLTRELSZ"),
    "without-verneed": lambda x: x.drop_tag("VERNEED"),
    "text-is-nothing": lambda x: x.put_segment(1, P_FLAGS, 0),
    "text-is-data": lambda x: x.put_segment(1, P_FLAGS, R),
    "data-is-nothing": lambda x: x.put_segment(-1, P_FLAGS, 0),
    "data-is-read-only": lambda x: x.put_segment(-1, P_FLAGS, R),
    "head-is-nothing": lambda x: x.put_segment(0, P_FLAGS, 0),
    "text-is-not-mapped": lambda x: x.put_segment(1, P_TYPE, 0),
}  # fmt: skip


# What the linker does with these depends on what lies in its memory.
UNCERTAIN = {"versions-are-the-header", "versions-of-no-record"}

# Of a library whose relative relocations are packed (DT_RELR).
PACKED_CASES: dict[str, Callable[[Library], object]] = {
    "word-nowhere": lambda x: x.put(x.sections[".relr.dyn"], NOWHERE),
    "word-read-only": lambda x: x.put(x.sections[".relr.dyn"], 0),
    "initialiser-nowhere": lambda x: x.put(x.sections[".init_array"], NOWHERE),
    "initialiser-is-data": lambda x: x.put(x.sections[".init_array"], x.data_address),
}


def built(folder: Path, *options: str) -> Path:
    source, library = folder / "sound.c", folder / "libsound.so"
    source.write_text(SOURCE)
    command = ["cc", "-shared", "-fPIC", "-O1", "-Wl,-z,now", *options, "-o", str(library), str(source)]
    subprocess.run(command, check=True)
    return library


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("sound"))


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("packed"), "-Wl,-z,pack-relative-relocs")


def opens(path: Path) -> bool:
    return run([sys.executable, "-c", OPEN, str(path)]).returncode == 0


@pytest.mark.parametrize("form", ["sound", "packed"])
def test_undamaged_ones_load(form: str, request: pytest.FixtureRequest) -> None:
    path = request.getfixturevalue(form)
    assert opens(path)
    (file,) = run_myops("check", "--json", str(path)).json["files"]
    assert file["loads"] is True, file


@pytest.mark.parametrize("case", CASES)
def test_what_ends_the_process_is_not_said_to_load(case: str, sound: Path, tmp_path: Path) -> None:
    check_refused(sound, CASES[case], tmp_path, case in UNCERTAIN)


@pytest.mark.parametrize("case", PACKED_CASES)
def test_packed_relocations_too(case: str, packed: Path, tmp_path: Path) -> None:
    check_refused(packed, PACKED_CASES[case], tmp_path)


def check_refused(sound: Path, damage: Callable[[Library], object], folder: Path, uncertain: bool = False) -> None:
    library = Library(sound)
    damage(library)
    path = folder / "libdamaged.so"
    path.write_bytes(library.data)
    assert path.read_bytes() != sound.read_bytes()
    (file,) = run_myops("check", "--json", str(path)).json["files"]
    assert uncertain or not opens(path), "the linker takes it: this case shows nothing"
    assert file["loads"] is False, file
    (reason,) = file["reasons"]
    assert reason["code"] == "damaged" and reason["subject"] and reason["expected"] and reason["found"]
