"""Our ELF reader against two others: the same facts of every library of the Python environment, and of system ones."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import elf_pyelftools, elf_readelf
from support.build_tree import BUILD, torch_lib

ELF_DUMP = BUILD / "tests" / "elf_dump"
SYSTEM = Path("/usr/lib/x86_64-linux-gnu")
READERS = {"pyelftools": elf_pyelftools.facts, "readelf": elf_readelf.facts}


def files(folder: Path) -> list[Path]:
    """Those that are named as libraries are, "libx.so", "libx.so.1", "libx.so1", in all folders below."""
    named = (path for path in folder.rglob("*.so*") if re.search(r"\.so[.0-9]*$", path.name))
    return sorted(path for path in named if path.is_file() and not path.is_symlink() and is_elf(path))


def is_elf(path: Path) -> bool:
    """Some are scripts for the linker."""
    with path.open("rb") as stream:
        return stream.read(4) == b"\x7fELF"


def libraries() -> list[Path]:
    """All of the environment, and of the system's every so many-th by name."""
    system = files(SYSTEM)
    return files(torch_lib().parents[1]) + system[:: max(1, len(system) // 40)]


def facts_of(path: Path) -> dict[str, Any]:
    run = subprocess.run([ELF_DUMP, path], capture_output=True, check=True, timeout=60)
    facts: dict[str, Any] = json.loads(run.stdout)
    return facts


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
@pytest.mark.parametrize("path", libraries(), ids=lambda path: path.name)
def test_same_facts_as_another_reader(path: Path, reader: Callable[[Path], dict[str, Any]]) -> None:
    ours = facts_of(path)
    assert ours.pop("section_headers_cut") is False
    del ours["manifest"]  # readers know nothing of it
    ours["imports"] = [symbol[:6] for symbol in ours["imports"]]
    ours["exports"] = Counter((s[0], s[1], s[3], s[4], s[6]) for s in ours["exports"])
    theirs = reader(path)
    assert ours.keys() == theirs.keys()
    assert {fact: ours[fact] for fact in ours if ours[fact] != theirs[fact]} == {}, {
        fact: theirs[fact] for fact in ours if ours[fact] != theirs[fact]
    }


def test_the_sample_is_worth_it() -> None:
    names = {path.name for path in libraries()}
    assert {"libc10.so", "libtorch_cpu.so", "libtorch_python.so"} <= names
    assert len(names) > 300


def test_the_running_python_is_read_and_is_an_executable() -> None:
    facts = facts_of(Path(sys.executable).resolve())
    assert facts["pie_executable"] or facts["type"] == 2
    assert "libc.so.6" in facts["needed"]
