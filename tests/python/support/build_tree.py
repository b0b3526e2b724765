"""Where the built files lie. ./dev sets MYOPS_BUILD_FOLDER, the build tree, and MYOPS_WHEELS, the judged wheels."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("MYOPS_BUILD_FOLDER", ROOT / "build" / "cpu")).resolve()
WHEELS = Path(os.environ.get("MYOPS_WHEELS", ROOT / ".cache" / "wheels")).resolve()


# Every library of a build without CUDA: libmyops_<name>.so. Those with a level are variants of "cpu".
LIBRARIES = (
    "schema",
    "cpu",
    "cpu.x86-64-v3",
    "cpu.x86-64-v4",
    "meta",
    "composite",
    "autograd",
    "inplace_or_view",
    "functionalize",
    "autocast",
)
# One of each.
PARTS = tuple(name for name in LIBRARIES if "." not in name)


def torch_lib() -> Path:
    """The folder of libc10.so and libtorch_cpu.so of the installed torch, found without importing it."""
    spec = importlib.util.find_spec("torch")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent / "lib"


def torch_version() -> str:
    """The release of the installed torch ("2.15.0"), read from its files."""
    version = re.search(r"^__version__ = '(\d+\.\d+\.\d+)", (torch_lib().parent / "version.py").read_text(), re.M)
    assert version is not None
    return version[1]


# For what torch itself does otherwise in another release: tests compare with this, and say what differs.
TORCH = tuple(int(number) for number in torch_version().split("."))
# A release that the installed torch is not.
OTHER_TORCH = "2.11.0" if TORCH[:2] != (2, 11) else "2.15.0"

# An extension that does not open under the installed torch: its wheel, its path there, and a symbol that it misses. The
# second is on torch's stable ABI, of a later release.
OTHER_TORCHS_EXTENSION = (
    ("torchvision-0.26.0", "torchvision/_C.so", "torch::autograd::deleteNode(torch::autograd::Node*)")
    if TORCH[:2] > (2, 11)
    else ("torchvision-0.29.2", "torchvision/_C_stable.so", "torch_new_stable_ivalue")
)


HAS_GPU = (any(Path("/dev").glob("nvidia[0-9]*")) and Path("/dev/nvidiactl").exists()) or Path("/dev/dxg").exists()


def has_cuda() -> bool:
    """Whether this build has the CUDA library: ./dev turns it on where nvcc is found."""
    return "\nMYOPS_CUDA:BOOL=ON\n" in (BUILD / "CMakeCache.txt").read_text()


def library(part: str) -> Path:
    """The finished file of one of our libraries: library("cpu") is libmyops_cpu.so."""
    found = sorted((BUILD / "lib" / "myops" / "plugins").rglob(f"libmyops_{part}.so"))
    assert len(found) == 1, f"libmyops_{part}.so in {BUILD}: {found}"
    return found[0]


def cpu_library() -> Path:
    """The variant of the CPU library that this machine takes."""
    host = json.loads(subprocess.check_output([BUILD / "bin" / "myops", "facts"]))["cpu_level"]
    fits = [level for level in ("x86-64-v4", "x86-64-v3") if level <= host]
    return library(f"cpu.{fits[0]}" if fits else "cpu")


def fake(case: str) -> Path:
    """The file that tests/fakes builds for one case."""
    path = BUILD / "tests" / "fakes" / case / f"libmyops_fake_{case}.so"
    assert path.is_file(), f"{path} is not built"
    return path


def wheel(name: str) -> Path:
    """A wheel that ./dev fetched to be judged, never installed; skips where there is none."""
    found = sorted(WHEELS.glob(f"{name}-*.whl"))
    if not found:
        pytest.skip(f"no wheel {name} in MYOPS_WHEELS={WHEELS}: ./dev setup fetches it where PyPI can be reached")
    return found[0]
