"""The CUDA library on a machine that may have no GPU: judged, stamped, opened on request, registered, never run."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from elftools.elf.elffile import ELFFile
from support import manifest
from support.build_tree import BUILD, HAS_GPU, ROOT, has_cuda, library, torch_lib
from support.loading import Report, ask, load
from support.process import run, run_myops, run_python

pytestmark = pytest.mark.skipif(
    not has_cuda(), reason=f"{BUILD} was built without CUDA: nvcc was not found when it was configured"
)
NO_GPU = pytest.mark.skipif(HAS_GPU, reason="this machine has a GPU, and the library is taken as it is")
PLUGINS = BUILD / "lib" / "myops" / "plugins"


def needed(path: Path) -> list[str]:
    with path.open("rb") as file:
        tags = ELFFile(file).get_section_by_name(".dynamic").iter_tags("DT_NEEDED")
        return [tag.needed for tag in tags]


@NO_GPU
def test_without_a_gpu_it_is_left_out_and_nothing_of_cuda_is_opened() -> None:
    plan = ask("plan", PLUGINS)
    assert plan.codes(library("cuda")) == ["no-gpu"]
    assert "libmyops_cuda.so" not in plan.planned
    loaded = load(PLUGINS, then="answer['maps'] = open('/proc/self/maps').read()")
    assert "libmyops_cpu." in loaded.answers["maps"] and "libmyops_cuda.so" not in loaded.answers["maps"]


@NO_GPU
def test_on_request_it_is_opened_and_its_kernels_are_where_they_belong() -> None:
    stated = manifest.read(library("cuda"))["kernels"]
    assert list(stated) == ["CUDA"]
    code = "answer['held'] = {op: torch._C._dispatch_has_kernel_for_dispatch_key(op, 'CUDA') for op in %s}"
    loaded = load(PLUGINS, allow_no_gpu=True, then=code % json.dumps(sorted(stated["CUDA"])))
    assert "libmyops_cuda.so" in loaded.report.opened
    assert loaded.report.codes(library("cuda")) == []
    notes = loaded.report.file(library("cuda"))["notes"]
    assert any("none of its kernels can run" in note for note in notes), notes
    assert not loaded.report.json["tainted"]
    assert all(loaded.answers["held"].values()) and loaded.answers["held"]
    # What the CPU library serves, this one serves.
    assert set(stated["CUDA"]) == set(manifest.read(library("cpu"))["kernels"]["CPU"])


@NO_GPU
def test_the_command_line_takes_the_option_too() -> None:
    search = {"MYOPS_SYSTEM_PLUGIN_PATH": str(PLUGINS)}
    assert run_myops("plan", "--require", "CUDA", env=search).returncode == 1
    assert run_myops("plan", "--require", "CUDA", "--allow-no-gpu", env=search).returncode == 0
    verified = run_myops("verify", "--require", "CUDA", "--allow-no-gpu", "--json", env=search)
    assert verified.returncode == 0, verified
    assert str(library("cuda")) in verified.json["opened"]


@NO_GPU
def test_verify_and_load_say_the_same() -> None:
    """The process of `verify` opens its torch itself."""
    verified = run_myops("verify", "--json", env={"MYOPS_SYSTEM_PLUGIN_PATH": str(PLUGINS)})
    codes = Report(verified.json).codes(library("cuda"))
    assert codes == load(PLUGINS).report.codes(library("cuda")) == ["no-gpu"]


def test_importing_torch_maps_what_it_needs() -> None:
    """libtorch_cuda is in every process that imports a CUDA build of torch: no torch-cuda-not-loaded there."""
    code = """
        import json, re
        import torch
        print(json.dumps("libtorch_cuda.so" in open("/proc/self/maps").read()))
    """
    assert run_python(code).json is True
    assert "torch-cuda-not-loaded" not in load(PLUGINS).report.codes(library("cuda"))


def test_its_manifest_states_what_is_in_the_file() -> None:
    stated = manifest.read(library("cuda"))["cuda"]
    cache = (BUILD / "CMakeCache.txt").read_text()
    asked = re.search(r"^MYOPS_CUDA_ARCH:STRING=(.*)$", cache, re.MULTILINE)
    assert asked is not None
    if asked[1] != "all-release":
        assert stated["sm"] == sorted(asked[1].split(";"), key=int)
    assert stated["ptx"] == sorted({stated["sm"][0], stated["sm"][-1]}, key=int)
    assert re.fullmatch(r"13\.\d+", stated["runtime"])


def test_its_manifest_agrees_with_cuobjdump() -> None:
    cuobjdump = shutil.which("cuobjdump", path="/usr/local/cuda/bin:" + str(run(["printenv", "PATH"]).stdout).strip())
    if cuobjdump is None:
        pytest.skip("no cuobjdump on PATH or in /usr/local/cuda/bin to compare with")
    stated = manifest.read(library("cuda"))["cuda"]
    for option, kind in [("--list-elf", "sm"), ("--list-ptx", "ptx")]:
        outcome = run([cuobjdump, option, str(library("cuda"))])
        assert outcome.returncode == 0, outcome
        assert set(re.findall(r"\.sm_(\d+[af]?)\.", outcome.stdout)) == set(stated[kind]), kind


def test_a_runtime_that_contradicts_the_file_fails_the_stamp(tmp_path: Path) -> None:
    copy = manifest.copied(library("cuda"), tmp_path)
    outcome = run_myops("stamp", copy, "--torch", torch_lib(), "--from", copy, "--cuda-runtime", "12.8", "--json")
    assert outcome.returncode == 1, outcome
    assert outcome.json["error"]["code"] == "bad-option"
    assert outcome.json["error"]["expected"] == "version 13, as it needs libcudart.so.13"


def test_no_other_library_names_a_file_of_cuda() -> None:
    others = sorted(path for path in PLUGINS.rglob("*.so") if path != library("cuda"))
    assert len(others) >= 8
    for path in others:
        assert "cuda" not in manifest.read(path), path
    for path in [*others, *(BUILD / "lib").rglob("libmyops_loader.so"), *(BUILD / "lib").rglob("libmyops_bridge.so")]:
        assert not [name for name in needed(path) if "cuda" in name], path
    assert "libtorch_cuda.so" not in needed(library("cuda"))


FAKE = """
import json, sys
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
op = torch.ops.myops
answer["shapes"] = {}
def shape(name, result):
    results = result if isinstance(result, tuple) else (result,)
    assert all(t.device.type == "cuda" for t in results), (name, results)
    answer["shapes"][name] = [[list(t.shape), str(t.dtype)] for t in results]
with FakeTensorMode():
    x = torch.empty(4, 6, device="cuda")
    w = torch.empty(6, device="cuda")
    shape("myadd", op.myadd(x, w))
    shape("myadd_", op.myadd_(x.clone(), w))
    shape("myadd.out", op.myadd.out(x, w, out=torch.empty(4, 6, device="cuda")))
    shape("my_multiple_input_op", op.my_multiple_input_op(x, w))
    shape("mymatmul", op.mymatmul(x, x.t()))
    shape("sum", op.sum(x, [1], True))
    shape("argmax", op.argmax(x, 0))
    shape("diagonal", op.diagonal(x))
    shape("rms_norm", op.rms_norm(x, w))
    shape("rms_norm_backward", op.rms_norm_backward(x, x, w, 1e-6, [True, True]))
    shape("layer_norm", op.layer_norm(x, w, w))
    shape("layer_norm_backward", op.layer_norm_backward(x, x, w, 1e-5, [True, True, True]))
    shape("add_layer_norm", op.add_layer_norm(x, x, w, w))
    shape("add_rms_norm", op.add_rms_norm(x, x, w))
    half = torch.empty(4, 3, device="cuda")
    shape("silu_and_mul", op.silu_and_mul(x))
    shape("silu_and_mul_backward", op.silu_and_mul_backward(half, x))
    shape("gelu_and_mul", op.gelu_and_mul(x, approximate="tanh"))
    shape("gelu_and_mul_backward", op.gelu_and_mul_backward(half, x))
"""


@NO_GPU
def test_fake_cuda_tensors_get_their_shapes() -> None:
    shapes: dict[str, Any] = load(PLUGINS, allow_no_gpu=True, then=FAKE).answers["shapes"]
    half = [[4, 3], "torch.float32"]
    row, whole = [[6], "torch.float32"], [[4, 6], "torch.float32"]
    assert shapes == {
        "myadd": [whole],
        "myadd_": [whole],
        "myadd.out": [whole],
        "my_multiple_input_op": [whole],
        "mymatmul": [[[4, 4], "torch.float32"]],
        "sum": [[[4, 1], "torch.float32"]],
        "argmax": [[[6], "torch.int64"]],
        "diagonal": [[[4], "torch.float32"]],
        "rms_norm": [whole],
        "rms_norm_backward": [whole, row],
        "layer_norm": [whole],
        "layer_norm_backward": [whole, row, row],
        "add_layer_norm": [whole, whole],
        "add_rms_norm": [whole, whole],
        "silu_and_mul": [half],
        "silu_and_mul_backward": [whole],
        "gelu_and_mul": [half],
        "gelu_and_mul_backward": [whole],
    }
    assert {f"myops::{name}" for name in shapes} == set(manifest.read(library("cuda"))["kernels"]["CUDA"])


def architectures(given: str, tmp_path: Path) -> str:
    script = tmp_path / "architectures.cmake"
    script.write_text(
        f'include("{ROOT}/cmake/MyopsCuda.cmake")\n'
        f'myops_cuda_architectures(out {given})\nmessage(STATUS "got ${{out}}")\n'
    )
    outcome = run(["cmake", "-P", str(script)])
    return outcome.stdout if outcome.returncode == 0 else " ".join(outcome.stderr.split())


def test_architectures_become_machine_code_for_each_and_ptx_of_the_ends(tmp_path: Path) -> None:
    assert "got 75-real;120-real;75-virtual;120-virtual\n" in architectures("75 120", tmp_path)
    assert "got 75-real;120-real;75-virtual;120-virtual\n" in architectures("120 75", tmp_path)
    assert "got 90-real;90-virtual\n" in architectures("90", tmp_path)
    assert "got 80-real;90a-real;80-virtual\n" in architectures("80 90a", tmp_path)
    release = "75-real;80-real;86-real;90-real;100-real;120-real;75-virtual;120-virtual"
    assert f"got {release}\n" in architectures("all-release", tmp_path)
    assert "expected numbers like 75;120, or all-release" in architectures("sm_75", tmp_path)


# Capabilities that a build has code for, by what its manifest states; docs/packaging.md has the same as a table.
RELEASE = ["75", "80", "86", "90", "100", "120"]
CAPABILITIES = ["7.0", "7.5", "8.0", "8.6", "8.7", "8.9", "9.0", "10.0", "10.3", "11.0", "12.0", "12.1", "13.0"]
RUNS: dict[str, tuple[list[str], list[str], list[str]]] = {
    "release": (RELEASE, ["75", "120"], CAPABILITIES[1:]),
    "default": (["75", "120"], ["75", "120"], CAPABILITIES[1:]),
    "hopper": (["90"], ["90"], CAPABILITIES[CAPABILITIES.index("9.0") :]),
    "machine code": (RELEASE, [], [c for c in CAPABILITIES[1:-1] if c != "11.0"]),
}


@pytest.mark.parametrize("build", RUNS)
def test_a_gpu_that_a_build_has_no_code_for_is_told_so(build: str, tmp_path: Path) -> None:
    """PTX runs from its own capability on, and no machine code crosses a major one."""
    sm, ptx, runs = RUNS[build]
    path = manifest.rewritten(library("cuda"), tmp_path, lambda stamp: stamp["cuda"].update(sm=sm, ptx=ptx))
    facts = run_myops("facts", "--json").json
    found = []
    for capability in CAPABILITIES:
        host = tmp_path / "host.json"
        gpu = {"name": "a GPU", "capability": capability}
        host.write_text(json.dumps({**facts, "gpus": [gpu], "driver": "600.10"}))
        report = Report(run_myops("list", "--json", "--path", tmp_path, "--host", host).json)
        codes = report.codes(path)
        assert codes in ([], ["gpu-arch-missing"]), (capability, codes)
        if codes:
            assert capability in report.reason(path, "gpu-arch-missing")["found"]
        else:
            found.append(capability)
    assert found == runs


def test_the_release_list_is_the_documented_one() -> None:
    text = (ROOT / "cmake" / "MyopsCuda.cmake").read_text()
    assert f"set(MYOPS_CUDA_RELEASE_ARCH {' '.join(RELEASE)})" in text
    rows = re.findall(r"^\| (\d+\.\d[\d., ]*) \|[^|]*\| ([^|]*) \|", (ROOT / "docs" / "packaging.md").read_text(), re.M)
    covered = [capability for names, code in rows if code.startswith("sm_") for capability in names.split(", ")]
    assert sorted(covered, key=float) == RUNS["machine code"][2]
