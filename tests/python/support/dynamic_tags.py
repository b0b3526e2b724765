"""The dynamic section of an ELF file, as pyelftools reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile


def dynamic(path: Path) -> dict[str, list[Any]]:
    """Tag ("DT_NEEDED") → its values in order: names where they are names, numbers otherwise."""
    tags: dict[str, list[Any]] = {}
    with path.open("rb") as file:
        for tag in ELFFile(file).get_section_by_name(".dynamic").iter_tags():
            names = [getattr(tag, kind) for kind in ("needed", "runpath", "rpath", "soname") if hasattr(tag, kind)]
            tags.setdefault(tag.entry.d_tag, []).append(names[0] if names else tag.entry.d_val)
    return tags


def binds_at_once(path: Path) -> bool:
    """Linked with -z now: DF_BIND_NOW, or DF_1_NOW."""
    tags = dynamic(path)
    return bool(tags.get("DT_FLAGS", [0])[0] & 0x8 or tags.get("DT_FLAGS_1", [0])[0] & 0x1)
