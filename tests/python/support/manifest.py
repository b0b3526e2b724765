"""Reads and writes the manifest of a copied plugin: the descriptor of its note .note.myops (docs/design.md §4).

A test takes a file that the build made, copies it, and puts the manifest it wants into the reserved room: most bad
plugins need no compiler. Independent of the loader: pyelftools finds the note.
"""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile

OWNER = b"myops\0"
HEADER_BYTES = 12  # namesz, descsz, type
Manifest = dict[str, Any]


def _descriptor(path: Path) -> tuple[int, int]:
    """File offset and size of the descriptor."""
    with path.open("rb") as file:
        section = ELFFile(file).get_section_by_name(".note.myops")
        assert section is not None, f"{path} has no note .note.myops"
        assert section.data()[HEADER_BYTES : HEADER_BYTES + len(OWNER)] == OWNER
        name_bytes = (len(OWNER) + 3) // 4 * 4
        start = HEADER_BYTES + name_bytes
        size = int.from_bytes(section.data()[4:8], "little")
        return section["sh_offset"] + start, size


def read_text(path: Path) -> str:
    """The manifest as it stands; "" where the room was never written."""
    offset, size = _descriptor(path)
    with path.open("rb") as file:
        file.seek(offset)
        return file.read(size).split(b"\0", 1)[0].decode()


def read(path: Path) -> Manifest:
    text = read_text(path)
    assert text, f"{path} was never stamped"
    manifest: Manifest = json.loads(text)
    return manifest


def write(path: Path, manifest: Manifest | str | bytes) -> Path:
    """Writes in place: an object as JSON, text and bytes as they are."""
    content = json.dumps(manifest, separators=(",", ":")) if isinstance(manifest, dict) else manifest
    data = content.encode() if isinstance(content, str) else content
    offset, size = _descriptor(path)
    assert len(data) <= size, f"{len(data)} bytes for {size}"
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(data.ljust(size, b"\0"))
    return path


def copied(source: Path, folder: Path, name: str | None = None) -> Path:
    """A copy of `source` in `folder`, as lib`name`.so where a name is given."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / (f"lib{name}.so" if name else source.name)
    shutil.copyfile(source, target)
    target.chmod(0o755)
    return target


def rewritten(source: Path, folder: Path, change: Callable[[Manifest], Any], name: str | None = None) -> Path:
    """A copy of a stamped plugin in which `change` was applied to the manifest."""
    target = copied(source, folder, name)
    manifest = copy.deepcopy(read(source))
    change(manifest)
    return write(target, manifest)


def stamped_like(model: Path, source: Path, folder: Path, change: Callable[[Manifest], Any]) -> Path:
    """A copy of `source`, which the build left unstamped, with the manifest of `model`, renamed and changed."""
    target = copied(source, folder)
    manifest = copy.deepcopy(read(model))
    manifest["name"] = source.stem.removeprefix("lib")
    change(manifest)
    return write(target, manifest)
