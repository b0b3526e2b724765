"""Folders of plugins to plan with: ten libraries, and 20,000 files of which four are ours."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

FILES = 20_000
OURS = ("schema", "cpu", "autograd", "meta")


def ten_libraries(plugins: Path, folder: Path) -> Path:
    """The libraries of the set, ten of them, the schema library first."""
    folder.mkdir()
    for path in sorted(plugins.glob("lib*.so"), key=lambda path: ("schema" not in path.name, path.name))[:10]:
        shutil.copy2(path, folder)
    return folder


def many_files(plugins: Path, folder: Path) -> Path:
    """Half of them libraries that are nobody's plugin, each a file of its own; the others of any name."""
    folder.mkdir()
    source, foreign = folder / "foreign.c", folder / "foreign"
    source.write_text("int answer(void) { return 42; }\n")
    subprocess.run(["cc", "-shared", "-fPIC", "-nostdlib", "-s", "-o", foreign, source], check=True)
    content = foreign.read_bytes()
    source.unlink()
    foreign.unlink()
    for part in OURS:
        shutil.copy2(plugins / f"libmyops_{part}.so", folder)
    for number in range(FILES // 2 - len(OURS)):
        (folder / f"libforeign_{number:05}.so").write_bytes(content)
    for number in range(FILES // 2):
        (folder / f"notes_{number:05}.txt").write_bytes(b"nothing\n")
    os.sync()  # what is still to be written is not what is measured
    return folder
