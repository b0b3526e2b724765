"""Cases from the field (docs/cases.md) about a CUDA library on a machine without a GPU, in any build.

The CUDA library is one of the others whose manifest says so: its kernels on CUDA, code for two GPUs.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from support import manifest
from support.build_tree import HAS_GPU, fake, library, torch_lib
from support.link_lab import Lab
from support.loading import load
from support.package import ALONE, KEEP_LINES, by_hand, folder_of
from support.process import run_myops, run_python
from test_reasons_of_torch import host_file, plan

NO_GPU = pytest.mark.skipif(HAS_GPU, reason="this machine has a GPU, for which the library is taken")


def for_cuda(stamp: manifest.Manifest) -> None:
    stamp["name"] = stamp["name"].replace("cpu", "cuda")
    stamp["kernels"] = {"CUDA": stamp["kernels"]["CPU"]}
    stamp["cuda"] = {"runtime": stamp["torch"]["cuda"], "sm": ["80", "90"], "ptx": []}


def cuda_library(folder: Path, part: Path) -> Path:
    return manifest.rewritten(part, folder, for_cuda, part.stem.removeprefix("lib").replace("cpu", "cuda"))


TELL = (
    KEEP_LINES
    + """
options = json.loads(sys.argv[1])
for _ in range(2):
    try:
        opened = [path.rsplit("/", 1)[1] for path in myops.load(**options).opened]
    except myops.LoadError as error:
        opened = str(error)
print(json.dumps({"opened": opened, "lines": [line for line in lines if line[1].startswith(sys.argv[2])]}))
"""
)


@NO_GPU
@pytest.mark.parametrize("options", ['{"prefer": ["myops_fake_cuda"]}', "{}"], ids=["preferred", "default"])
def test_library_that_is_preferred_and_cannot_be(options: str, tmp_path: Path) -> None:
    """Case 100: what is preferred is taken before others, not instead of them; the gap is told once."""
    others = [manifest.copied(fake(case), tmp_path).name for case in ("schema", "cpu")]
    path = cuda_library(tmp_path, fake("cpu"))
    answer = by_hand(TELL, options, path, **{ALONE: str(tmp_path)}).json
    assert answer["opened"] == others
    assert [level for level, _ in answer["lines"]] == ["INFO"] and "no-gpu" in answer["lines"][0][1], answer


@NO_GPU
def test_library_that_is_required_and_cannot_be(tmp_path: Path) -> None:
    """Case 100: an error at once, with the reason, and nothing is opened."""
    for case in ("schema", "cpu"):
        manifest.copied(fake(case), tmp_path)
    path = cuda_library(tmp_path, fake("cpu"))
    loaded = load(tmp_path, require=["CUDA"], raises=True)
    assert loaded.report.opened == []
    assert loaded.error and "key-not-served" in loaded.error and f"{path} (no-gpu" in loaded.error, loaded.error


@NO_GPU
def test_cuda_library_that_nobody_asked_for(tmp_path: Path) -> None:
    """Case 102: where only CPU keys are wanted, an import is silent and does not map it."""
    folder = folder_of(tmp_path, "schema", "cpu", "inplace_or_view", "functionalize", "autograd", "meta")
    path = cuda_library(folder, library("cpu"))
    code = """
        import sys, torch, myops
        with open("/proc/self/maps") as file:
            maps = file.read()
        print(sys.argv[1] in maps, "libmyops_cpu.so" in maps, len(myops.report().opened))
    """
    outcome = run_python(code, path, env={ALONE: str(folder), "MYOPS_REQUIRE": "CPU"})
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (0, "False True 6\n", ""), outcome


def test_source_file_that_was_compiled_for_fewer_gpus(tmp_path: Path) -> None:
    """Case 99: the stamp finds it in the file, and a note tells of each GPU that its kernels cannot run on."""
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    if nvcc is None:
        pytest.skip("no nvcc on PATH or in /usr/local/cuda/bin")
    objects = []
    for name, architectures in {"both": ["75", "90"], "one": ["90"]}.items():
        (tmp_path / f"{name}.cu").write_text(
            f"__global__ void {name}() {{}}\nvoid launch_{name}() {{ {name}<<<1, 1>>>(); }}\n"
        )
        codes = [f"-gencode=arch=compute_{number},code=sm_{number}" for number in architectures]
        objects.append(str(tmp_path / f"{name}.o"))
        command = [nvcc, "-c", "-Xcompiler=-fPIC", *codes, "-o", objects[-1], str(tmp_path / f"{name}.cu")]
        subprocess.run(command, check=True, timeout=120)
    path = Lab(tmp_path).plugin("plugins/libparts.so", flags=objects)
    stamped = run_myops("stamp", path, "--torch", torch_lib(), "--from", fake("cpu"), "--cuda-runtime", "13.0")
    assert stamped.returncode == 0, stamped
    stated = manifest.read(path)["cuda"]
    both, one = {"sm": ["75", "90"], "ptx": []}, {"sm": ["90"], "ptx": []}
    assert stated == {"runtime": "13.0", **both, "parts": [both, one]}

    gpus = [{"name": "a T4", "capability": "7.5"}, {"name": "an H100", "capability": "9.0"}]
    report = plan(path.parent, "--host", host_file(tmp_path, gpus=gpus, driver="600.10"))
    assert "gpu-arch-missing" not in report.codes(path)
    told = [note for note in report.file(path)["notes"] if note.startswith("a part of it")]
    assert told == ["a part of it has code for sm_90 only: on a T4 (7.5) its kernels fail, if they are called there"]
