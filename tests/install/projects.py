"""The two example projects, configured and built against an install."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from support.build_tree import torch_lib
from support.process import run


@dataclass(frozen=True)
class Built:
    """`prefix` holds everything; `host` finds the loader in ../lib of its own folder; `plugins` are those of acme."""

    prefix: Path
    host: Path
    plugins: Path


def cmake_options(prefix: Path) -> list[str]:
    launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    torch = ["-DTorchCore_ROOT=" + str(torch_lib().parent)]
    return ["-G", "Ninja", f"-Dmyops_ROOT={prefix}", "-DCMAKE_BUILD_TYPE=Release", *torch, *launcher]


def build_project(source: Path, folder: Path, prefix: Path, *options: str) -> Path:
    for command in (
        ["cmake", "-S", str(source), "-B", str(folder), *cmake_options(prefix), *options],
        ["cmake", "--build", str(folder)],
    ):
        outcome = run(command, timeout=600)
        assert outcome.returncode == 0, outcome
    return folder
