"""Damaged copies of shared objects: each function writes one kind of file that must never reach the dynamic linker."""

from __future__ import annotations

import os
import struct
import subprocess
from pathlib import Path

from elftools.elf.elffile import ELFFile

# Offsets in the ELF header (gABI, chapter 4), for 64-bit files.
EI_CLASS, EI_DATA, E_MACHINE, E_PHOFF, E_PHENTSIZE, E_PHNUM = 4, 5, 18, 32, 54, 56
# Types of program headers, and tags of the dynamic section.
PT_LOAD, PT_DYNAMIC = 1, 2
DT_RELA, DT_RELASZ, DT_RELACOUNT = 7, 8, 0x6FFFFFF9
EM_AARCH64 = 183


def patched(path: Path, offset: int, data: bytes) -> Path:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(data)
    return path


def for_aarch64(path: Path) -> Path:
    return patched(path, E_MACHINE, struct.pack("<H", EM_AARCH64))


def of_32_bits(path: Path) -> Path:
    return patched(path, EI_CLASS, b"\x01")


def big_endian(path: Path) -> Path:
    return patched(path, EI_DATA, b"\x02")


def program_headers_outside(path: Path) -> Path:
    """The program header table is said to begin beyond any file's end."""
    return patched(path, E_PHOFF, struct.pack("<Q", 2**63))


def program_headers_misshapen(path: Path) -> Path:
    """An entry of the program header table is said to have a size that no such entry has."""
    return patched(path, E_PHENTSIZE, struct.pack("<H", 7))


def sparse_relocations(path: Path) -> Path:
    """A gigabyte that no disk holds: the last segment maps all of it, and half of it are said to be relocations."""
    data = bytearray(path.read_bytes())
    (table,) = struct.unpack_from("<Q", data, E_PHOFF)
    size, count = struct.unpack_from("<HH", data, E_PHENTSIZE)
    headers = [table + index * size for index in range(count)]
    load = max(at for at in headers if struct.unpack_from("<I", data, at) == (PT_LOAD,))
    dynamic = next(at for at in headers if struct.unpack_from("<I", data, at) == (PT_DYNAMIC,))
    offset, address = struct.unpack_from("<QQ", data, load + 8)
    struct.pack_into("<QQ", data, load + 32, 2**30 - offset, 2**30 - offset)
    values = {DT_RELA: address + len(data) - offset, DT_RELASZ: 2**29 // 24 * 24, DT_RELACOUNT: 0}
    start, _, _, length = struct.unpack_from("<QQQQ", data, dynamic + 8)
    for at in range(start, start + length, 16):
        (tag,) = struct.unpack_from("<q", data, at)
        if tag in values:
            struct.pack_into("<Q", data, at + 8, values[tag])
    path.write_bytes(data)
    os.truncate(path, 2**30)
    return path


def cut_to(path: Path, percent: int) -> Path:
    os.truncate(path, path.stat().st_size * percent // 100)
    return path


def linker_script(path: Path) -> Path:
    path.write_text("/* GNU ld script */\nINPUT ( libmyops_cpu.so.1 )\n")
    return path


def text_file(path: Path) -> Path:
    path.write_text("Read me first.\n")
    return path


def empty_file(path: Path) -> Path:
    path.write_bytes(b"")
    return path


def static_archive(path: Path) -> Path:
    member = path.with_suffix(".txt")
    member.write_text("a member\n")
    subprocess.run(["ar", "rc", str(path), str(member)], check=True)
    member.unlink()
    return path


def folder(path: Path) -> Path:
    path.mkdir()
    return path


def fifo(path: Path) -> Path:
    os.mkfifo(path)
    return path


def version_hash(path: Path) -> Path:
    """The hash of the first needed version: the dynamic linker compares it before the name, and finds none such."""
    with path.open("rb") as file:
        needs = ELFFile(file).get_section_by_name(".gnu.version_r")
        offset = needs["sh_offset"] + int.from_bytes(needs.data()[8:12], "little")  # vn_aux of the first Verneed
    return patched(path, offset, b"\x01\x02\x03\x04")


def link_to_itself(path: Path) -> Path:
    path.symlink_to(path.name)
    return path


def unreadable(path: Path) -> Path | None:
    """A file that this user may not read. Root may read everything but a control file of sysfs; None without any."""
    if os.geteuid() != 0:
        path.write_bytes(b"\x7fELF")
        path.chmod(0)
        return path
    write_only = sorted(Path("/sys/bus").glob("*/uevent"))
    if not write_only:
        return None
    path.symlink_to(write_only[0])
    return path
