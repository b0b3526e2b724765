"""Reason codes about torch, CUDA and GPUs: a plugin's manifest against the torch and the host it is judged for.

Another torch is a folder with links to the real libraries and a version.py of its own; another host is a `--host` file.
A CUDA plugin is a CPU plugin whose manifest has a `cuda` part: nothing here needs a GPU or CUDA.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support import manifest
from support.build_tree import BUILD, OTHER_TORCH, fake, torch_lib, torch_version
from support.loading import SEARCHED_ALONE, Report, load
from support.process import run_myops, run_python
from support.reasons import produces


def cuda_plugin(folder: Path, runtime: str = "13.0") -> Path:
    def with_cuda(stamp: manifest.Manifest) -> None:
        stamp["cuda"] = {"runtime": runtime, "sm": ["80", "90"], "ptx": []}

    return manifest.rewritten(fake("schema"), folder, with_cuda)


def other_torch(folder: Path, *, cuda: str | None = None, hip: str | None = None) -> Path:
    """A `torch` folder as a wheel installs it, of another build."""
    (folder / "torch" / "lib").mkdir(parents=True)
    for name in ("libc10.so", "libtorch_cpu.so"):
        (folder / "torch" / "lib" / name).symlink_to(torch_lib() / name)
    lines = {"__version__": torch_version(), "git_version": "0" * 40, "cuda": cuda, "hip": hip}
    (folder / "torch" / "version.py").write_text("".join(f"{name} = {value!r}\n" for name, value in lines.items()))
    return folder / "torch"


def host_file(folder: Path, **changes: Any) -> Path:
    """This machine's facts with `changes`, for --host."""
    facts = run_myops("facts", "--json").json
    path = folder / "host.json"
    path.write_text(json.dumps({**facts, **changes}))
    return path


def plan(folder: Path, *arguments: object, env: Mapping[str, str] | None = None) -> Report:
    outcome = run_myops("plan", "--json", *arguments, env={SEARCHED_ALONE: str(folder), **(env or {})})
    assert outcome.returncode == 0, outcome
    return Report(outcome.json)


GPU = {"gpus": [{"name": "a GPU", "capability": "9.0"}], "driver": "580.65.06"}


@produces("torch-not-found")
def test_no_torch_anywhere(tmp_path: Path, code: str) -> None:
    path = manifest.copied(fake("schema"), tmp_path)
    report = plan(tmp_path, env={"PATH": str(tmp_path), "VIRTUAL_ENV": ""})
    assert report.file(path)["loads"] is None and report.codes(path) == [code]


@produces("torch-version-mismatch")
def test_built_for_another_minor_version(tmp_path: Path, code: str) -> None:
    path = manifest.rewritten(
        fake("schema"), tmp_path, lambda stamp: stamp["torch"].update(version=OTHER_TORCH, build_ids={})
    )
    reason = plan(tmp_path).reason(path, code)
    assert OTHER_TORCH in reason["expected"] and torch_version() in reason["found"]


@produces("torch-too-old")
def test_needs_a_later_torch(tmp_path: Path, code: str) -> None:
    path = manifest.rewritten(
        fake("schema"), tmp_path, lambda stamp: stamp["torch"].update(abi="stable>=9.9", build_ids={})
    )
    reason = plan(tmp_path).reason(path, code)
    assert "9.9" in reason["expected"] and torch_version() in reason["found"]


@produces("abi-mismatch")
def test_built_with_the_other_abi(tmp_path: Path, code: str) -> None:
    path = manifest.rewritten(
        fake("schema"), tmp_path, lambda stamp: stamp["torch"].update(cxx11_abi="old", build_ids={})
    )
    reason = plan(tmp_path).reason(path, code)
    assert "old" in reason["expected"] and "new" in reason["found"]


@produces("torch-is-rocm")
def test_cuda_plugin_and_a_rocm_torch(tmp_path: Path, code: str) -> None:
    path = cuda_plugin(tmp_path / "plugins")
    torch = other_torch(tmp_path, hip="6.4")
    assert "6.4" in plan(tmp_path / "plugins", env={"MYOPS_TORCH": str(torch)}).reason(path, code)["found"]


@produces("cuda-not-in-torch")
def test_cuda_plugin_and_a_cpu_torch(tmp_path: Path, code: str) -> None:
    path = cuda_plugin(tmp_path / "plugins")
    torch = other_torch(tmp_path)
    assert "13" in plan(tmp_path / "plugins", env={"MYOPS_TORCH": str(torch)}).reason(path, code)["expected"]


@produces("cuda-version-mismatch")
def test_cuda_of_another_major_version(tmp_path: Path, code: str) -> None:
    path = cuda_plugin(tmp_path / "plugins", runtime="11.8")
    reason = plan(tmp_path / "plugins", env={"MYOPS_TORCH": str(other_torch(tmp_path, cuda="12.8"))}).reason(path, code)
    assert "11.8" in reason["expected"] and "12.8" in reason["found"]


def test_cuda_plugin_without_its_runtime_does_not_disturb_the_others(tmp_path: Path) -> None:
    def with_cuda(stamp: manifest.Manifest) -> None:
        stamp.update(defines=[], kernels={}, cuda={"runtime": "12.8", "sm": ["80"], "ptx": []})

    path = manifest.stamped_like(fake("cpu"), fake("missing_cudart"), tmp_path, with_cuda)
    others = [manifest.copied(fake(case), tmp_path).name for case in ("schema", "cpu")]
    report = load(tmp_path).report
    assert report.opened == others
    assert report.reason(path, "dependency-missing")["subject"] == "libcudart.so.12"


def test_cuda_of_another_minor_version_is_fine(tmp_path: Path) -> None:
    path = cuda_plugin(tmp_path / "plugins", runtime="12.6")
    host = host_file(tmp_path, **GPU)
    report = plan(tmp_path / "plugins", "--host", host, "--torch", other_torch(tmp_path, cuda="12.8"))
    assert report.codes(path) == []


HOSTS: dict[str, tuple[dict[str, Any], str]] = {
    "no-gpu": ({"gpus": [], "driver": ""}, ""),
    "driver-too-old": (
        {"gpus": [{"name": "NVIDIA GeForce RTX 4090", "capability": "8.9"}], "driver": "450.80.02"},
        "450.80.02",
    ),
    "gpu-arch-missing": ({**GPU, "gpus": [{"name": "an old GPU", "capability": "5.0"}]}, "5.0"),
}


@produces(*HOSTS)
def test_cuda_plugin_and_a_host_that_cannot(tmp_path: Path, code: str) -> None:
    path = cuda_plugin(tmp_path / "plugins")
    facts, found = HOSTS[code]
    report = plan(tmp_path / "plugins", "--host", host_file(tmp_path, **facts))
    assert found in report.reason(path, code)["found"] and report.codes(path) == [code]


# A process with torch's CPU part alone, as a C++ program that links only libtorch_cpu.
ASK_WITHOUT_CUDA = """
import ctypes, sys
ctypes.CDLL(sys.argv[1] + "/libtorch_cpu.so")
loader = ctypes.CDLL(sys.argv[2])
answer = ctypes.c_char_p()
loader.myops_plan(sys.argv[3].encode(), ctypes.byref(answer))
print(answer.value.decode())
"""


@produces("torch-cuda-not-loaded")
def test_cuda_plugin_where_only_the_cpu_part_is_mapped(tmp_path: Path, code: str) -> None:
    path = cuda_plugin(tmp_path / "plugins")
    options = {"allow_no_gpu": True}
    loader = BUILD / "lib" / "libmyops_loader.so"
    env = {SEARCHED_ALONE: str(tmp_path / "plugins")}
    outcome = run_python(ASK_WITHOUT_CUDA, torch_lib(), loader, json.dumps(options), env=env)
    assert "libtorch_cuda" in str(Report(outcome.json).reason(path, code))


@produces("bad-option")
def test_host_file_with_a_field_of_another_kind(tmp_path: Path, code: str) -> None:
    outcome = run_myops("plan", "--json", "--host", host_file(tmp_path, gpus=7))
    assert outcome.returncode == 2
    error = outcome.json["error"]
    assert error["code"] == code and "gpus" in error["subject"] and "7" in error["found"]


@pytest.mark.parametrize("content", ["no JSON", "[]"])
def test_host_file_that_is_none(tmp_path: Path, content: str) -> None:
    host = tmp_path / "host.json"
    host.write_text(content)
    outcome = run_myops("plan", "--json", "--host", host)
    assert outcome.returncode == 2 and str(host) in outcome.stderr
