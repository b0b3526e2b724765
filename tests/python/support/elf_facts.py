"""Facts of an ELF file in the words of `elf_dump`, as other readers see them: the part that those share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

SHN_UNDEF, SHN_ABS = 0, 0xFFF1
STT_TLS = 6
# STT_NOTYPE, OBJECT, FUNC, COMMON, TLS, GNU_IFUNC: what glibc takes for a definition.
DEFINING_TYPES = {0, 1, 2, 5, STT_TLS, 10}
STB_LOCAL, BINDINGS = 0, {1, 2, 10}  # GLOBAL, WEAK, GNU_UNIQUE
HIDDEN = {1, 2}  # STV_INTERNAL, STV_HIDDEN


@dataclass
class Symbol:
    """One entry of the dynamic symbol table."""

    name: str
    version: str  # "" where it has none
    version_file: str  # which library an undefined one's version is wanted from
    type: int
    binding: int
    visibility: int
    section: int
    value: int
    hidden: bool  # its version is not the default one


def imports(symbols: Sequence[Symbol], relocated: Collection[int]) -> list[list[Any]]:
    """Those that a relocation makes the linker look up: [name, version, file, type, binding, visibility]."""
    wanted = [symbols[index] for index in sorted(relocated) if index != 0]
    return [
        [symbol.name, symbol.version, symbol.version_file, symbol.type, symbol.binding, symbol.visibility]
        for symbol in wanted
        if symbol.section == SHN_UNDEF and symbol.binding != STB_LOCAL and symbol.visibility not in HIDDEN
    ]


def exports(symbols: Iterable[Symbol]) -> Counter[tuple[Any, ...]]:
    """Those that a look-up can find, how often: (name, version, type, binding, hidden)."""
    return Counter(
        (symbol.name, symbol.version, symbol.type, symbol.binding, symbol.hidden)
        for symbol in symbols
        if symbol.section != SHN_UNDEF
        and (symbol.value != 0 or symbol.section == SHN_ABS or symbol.type == STT_TLS)
        and symbol.binding in BINDINGS
        and symbol.visibility not in HIDDEN
        and symbol.type in DEFINING_TYPES
    )


def largest_page(loaded: Iterable[tuple[int, int]]) -> int:
    """Of (address, offset in the file) of each segment: the largest page size that all can be mapped with."""
    differences = 1 << 63
    for address, offset in loaded:
        differences |= (address - offset) % (1 << 64)
    return differences & -differences
