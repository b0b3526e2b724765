"""The CPU libraries load, verify and compute in a root folder in which no file of CUDA exists.

The root holds the C++ example, what `cmake --install` gives of the CPU libraries, glibc and libstdc++, and of torch
libc10, libtorch_cpu (see torch_without_cuda.py) and libgomp; and beside ours a CUDA library, of which nobody speaks up.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from prefixes import install, surroundings
from projects import Built
from support.build_tree import BUILD, library, torch_lib
from support.process import Outcome, run
from test_field_cuda import cuda_library
from torch_without_cuda import OF_CUDA, take_cuda_out

CPU_SET = ("loader", "schema", "cpu", "cpu.x86-64-v3", "cpu.x86-64-v4", "meta", "autograd", "inplace_or_view")
TORCH = ("libc10.so", "libtorch_cpu.so", "libgomp.so.1")
PREFIX = Path("/opt/myops")
# A /proc, where the loader reads what is mapped, in a mount namespace of its own; then the program in the new root.
ENTER = 'mount --rbind /proc "$0/proc" && exec chroot "$0" "$@"'


def inside(root: Path, *command: str) -> Outcome:
    user = [] if os.geteuid() == 0 else ["--map-root-user"]
    return run(["unshare", "--mount", *user, "sh", "-c", ENTER, str(root), *command], surroundings(PREFIX))


def given_by_the_system(program: Path) -> list[Path]:
    """The dynamic linker and the libraries that are neither torch's, nor CUDA's, nor ours."""
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    paths = [Path(path) for path in re.findall(r"(/\S+) \(0x", listed)]
    others = ("libmyops_", *TORCH)
    return [path for path in paths if not path.name.startswith(others) and not OF_CUDA.search(path.name)]


def copied(path: Path, root: Path, target: Path) -> Path:
    place = root / target.relative_to("/")
    place.parent.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(path, place))


@pytest.fixture
def root(built: Built, tmp_path: Path) -> Iterator[Path]:
    able = inside(Path("/"), "true")
    if able.returncode != 0:
        pytest.skip(f"this user cannot enter a root folder here: {able.stderr.strip()}")
    root = tmp_path / "root"
    (root / "proc").mkdir(parents=True)
    install(root / PREFIX.relative_to("/"), CPU_SET)
    cuda_library(next(root.rglob("libmyops_schema.so")).parent, library("cpu"))
    copied(built.host, root, PREFIX / "bin" / built.host.name)
    for path in given_by_the_system(built.host):
        copied(path, root, path)
    for name in TORCH:
        copied(torch_lib() / name, root, Path("/opt/torch/lib") / name)
    yield root
    shutil.rmtree(root)  # half a gigabyte


def values(outcome: Outcome) -> list[str]:
    assert outcome.returncode == 0, outcome
    return [line for line in outcome.stdout.splitlines() if " = " in line]


def test_root_without_cuda(root: Path, built: Built) -> None:
    host = str(PREFIX / "bin" / built.host.name)
    untouched = inside(root, host)
    removed = take_cuda_out(root / "opt/torch/lib/libtorch_cpu.so")
    if removed:
        # The root is what it says: nothing of CUDA is found in it.
        assert untouched.returncode == 127 and removed[0] in untouched.stderr, untouched
    assert [path.name for path in root.rglob("*") if OF_CUDA.search(path.name)] == ["libmyops_cuda.so"]
    outcome = inside(root, host)
    assert outcome.stderr == "", outcome
    lines = outcome.stdout.splitlines()
    (place,) = (number for number, line in enumerate(lines) if "libmyops_cuda.so" in line)
    assert lines[place].split()[0] == "rejected" and "cuda-not-in-torch" in lines[place + 1], outcome
    opened = {line.split()[1] for line in lines if line.startswith("  opened")}
    assert opened == {f"myops_{name}" for name in ("schema", "cpu", "meta", "autograd", "inplace_or_view")}, outcome
    assert len(values(outcome)) >= 5
    assert values(outcome) == values(run([str(BUILD / "examples" / built.host.name)]))
