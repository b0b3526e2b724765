"""Three libraries that must not be loaded, made from real files, and the loader's word on each."""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from compare import ComparisonError
from myops import FileVerdict, Report

# Built for torch 2.11, and for the stable ABI of a later release: one of the two is not for the torch that runs.
OLD_TORCHVISION, NEW_TORCHVISION = "torchvision-0.26.0-*.whl", "torchvision-0.29.2-*.whl"
BUILD_ID_NOTE = b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0"  # gABI note: 4 bytes of name, 20 of SHA-1, type NT_GNU_BUILD_ID


@dataclass(frozen=True)
class Unwanted:
    """A file, what it is, and the codes of which one must be among the reasons against it."""

    path: Path
    what: str
    codes: frozenset[str]


def make(folder: Path, schema_library: Path, cpu_library: Path, wheel: Path) -> list[Unwanted]:
    """Writes the three files into an empty folder."""
    return [_damaged(folder, cpu_library), _other_abi(folder, wheel), _second_schema(folder, schema_library)]


def find_wheel(repository: Path) -> Path:
    """A torchvision for another torch, from MYOPS_WHEELS or .cache/wheels, where ./dev puts it. FileNotFoundError."""
    folder = Path(os.environ.get("MYOPS_WHEELS") or repository / ".cache" / "wheels")
    name = NEW_TORCHVISION if torch.__version__.startswith("2.11.") else OLD_TORCHVISION
    wheels = sorted(folder.glob(name))
    if not wheels:
        raise FileNotFoundError(f"no {name} in {folder}: ./dev setup fetches it")
    return wheels[0]


def check(unwanted: Sequence[Unwanted], looked: Report, loaded: Report) -> list[FileVerdict]:
    """The verdict on each, in order. ComparisonError where one was taken, or refused for another reason.

    `looked` is what the loader says of all files of the folder; `loaded` what a load did with them.
    """
    return [_verdict(item, looked, loaded) for item in unwanted]


def _verdict(item: Unwanted, looked: Report, loaded: Report) -> FileVerdict:
    real_path = str(item.path.resolve())
    found = [file for file in looked.files if file.real_path == real_path]
    if len(found) != 1:
        raise ComparisonError(f"the report names {item.path.name} ({item.what}) {len(found)} times, not once")
    if found[0].verdict == "usable" or real_path in loaded.opened:
        raise ComparisonError(f"{item.path.name} ({item.what}) was not refused: {found[0].verdict}")
    if not item.codes.intersection(found[0].codes):
        raise ComparisonError(
            f"{item.path.name} ({item.what}) was refused for {found[0].codes}, not for {sorted(item.codes)}"
        )
    return found[0]


def _damaged(folder: Path, library: Path) -> Unwanted:
    path = folder / "libmyops_damaged.so"
    content = library.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    return Unwanted(path, "the first half of our CPU library", frozenset({"truncated", "damaged"}))


def _other_abi(folder: Path, wheel: Path) -> Unwanted:
    path = folder / "libtorchvision_C.so"
    with zipfile.ZipFile(wheel) as archive, path.open("wb") as target:
        member = next(name for name in archive.namelist() if name in ("torchvision/_C.so", "torchvision/_C_stable.so"))
        with archive.open(member) as source:
            shutil.copyfileobj(source, target)
    return Unwanted(path, f"the extension of {wheel.name}", frozenset({"symbol-missing"}))


def _second_schema(folder: Path, library: Path) -> Unwanted:
    path = folder / "libmyops_schema_again.so"
    content = bytearray(library.read_bytes())
    start = content.index(BUILD_ID_NOTE) + len(BUILD_ID_NOTE)
    for at in range(start, start + 20):
        content[at] ^= 0xFF  # another build of the same source
    path.write_bytes(content)
    return Unwanted(
        path,
        "another build of our schema library",
        frozenset({"operator-conflict", "namespace-taken", "duplicate"}),
    )
