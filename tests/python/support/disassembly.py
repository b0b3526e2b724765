"""Which functions of a shared object can run, and what instructions they are made of; read with objdump."""

from __future__ import annotations

import re
import subprocess
from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path

from elftools.elf.elffile import ELFFile

# Beyond plain x86-64 and without a VEX or EVEX prefix: BMI, LZCNT, MOVBE, POPCNT, SSE3 to SSE4.2. TZCNT is left out: on
# an older CPU its encoding is BSF, which compilers for plain x86-64 rely on.
_UNPREFIXED = re.compile(
    r"andn|bextr|bls(i|msk|r)|bzhi|mulx|p(dep|ext)|rorx|s(ar|hl|hr)x|lzcnt|movbe|popcnt|crc32|pshufb|palignr|pabs[bwd]"
    r"|p(blendvb|blendw|test|cmpeqq|cmpgtq|muldq|mulld|packusdw)|p(min|max)(sb|sd|uw|ud)|pmov[sz]x\w+|p(extr|insr)[bdq]"
    r"|h(add|sub)p[sd]|addsubp[sd]|mov(ddup|shdup|sldup|ntdqa)|round[ps][sd]|blendv?p[sd]|dpp[sd]|insertps|extractps|lddqu"
    r"|ph(add|sub)(w|d|sw)|pmaddubsw|pmulhrsw|psign[bwd]|mpsadbw|phminposuw|pcmp[ei]str[im]"
)
# Every mnemonic in v but these is VEX- or EVEX-encoded; so are the mask instructions (kmovw, kortestb, …).
_OLD_V = {"verr", "verw", "vmcall", "vmlaunch", "vmresume"}
_MASK = re.compile(r"k(mov|and|andn|or|xor|xnor|not|add|ortest|test|shift[lr]|unpck)[a-z]*")

_HEADING = re.compile(r"^([0-9a-f]+) <(.+)>:$")
_INSTRUCTION = re.compile(r"^\s+([0-9a-f]+):\t(.*)$")
_PREFIXES = {"lock", "rep", "repz", "repnz", "bnd", "notrack", "data16", "cs", "ds", "es", "rex.W"}


def is_wide(mnemonic: str) -> bool:
    """Does the instruction need more than plain x86-64?"""
    if mnemonic.startswith("v"):
        return mnemonic not in _OLD_V
    return bool(_MASK.fullmatch(mnemonic) or _UNPREFIXED.fullmatch(mnemonic))


@dataclass
class Function:
    name: str
    address: int
    wide: list[str] = field(default_factory=list)  # instructions, as objdump writes them
    jumps: set[int] = field(default_factory=set)  # targets of direct calls and jumps


def functions(path: Path) -> list[Function]:
    """The functions of a library that was not stripped, by address."""
    command = ["objdump", "--disassemble", "--no-show-raw-insn", "--wide", str(path)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    found: list[Function] = []
    for line in lines:
        if heading := _HEADING.match(line):
            found.append(Function(heading[2], int(heading[1], 16)))
        elif found and (instruction := _INSTRUCTION.match(line)):
            words = instruction[2].split()
            while words and words[0] in _PREFIXES:
                words.pop(0)
            if not words:
                continue
            if is_wide(words[0]):
                found[-1].wide.append(instruction[2])
            elif words[0].startswith(("call", "j")) and len(words) > 1 and re.fullmatch("[0-9a-f]+", words[1]):
                found[-1].jumps.add(int(words[1], 16))
    return found


def run_when_opened(path: Path) -> list[int]:
    """Addresses of what the dynamic linker calls: DT_INIT, DT_FINI and the two arrays."""
    with path.open("rb") as file:
        elf = ELFFile(file)
        tags = {tag.entry.d_tag: tag.entry.d_val for tag in elf.get_section_by_name(".dynamic").iter_tags()}
        arrays = [
            (tags[f"DT_{name}"], tags[f"DT_{name}SZ"]) for name in ("INIT_ARRAY", "FINI_ARRAY") if f"DT_{name}" in tags
        ]
        entries = [tags[name] for name in ("DT_INIT", "DT_FINI") if name in tags]
        for relocation in elf.get_section_by_name(".rela.dyn").iter_relocations():
            if any(start <= relocation["r_offset"] < start + size for start, size in arrays):
                entries.append(relocation["r_addend"])
    return entries


def reached(start: list[int], all_functions: list[Function]) -> list[Function]:
    """What direct calls and jumps lead to, the functions at `start` included."""
    by_address = sorted(all_functions, key=lambda function: function.address)
    addresses = [function.address for function in by_address]

    def containing(address: int) -> Function:
        return by_address[bisect_right(addresses, address) - 1]

    seen: dict[int, Function] = {}
    waiting = [containing(address) for address in start]
    while waiting:
        function = waiting.pop()
        if function.address not in seen:
            seen[function.address] = function
            waiting.extend(containing(target) for target in function.jumps)
    return list(seen.values())
