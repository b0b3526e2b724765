"""CPU variants: each marked for its level, safe to open anywhere, the widest taken, the same bits from all."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import manifest
from support.build_tree import BUILD, ROOT, library
from support.disassembly import functions, reached, run_when_opened
from support.link_lab import Lab
from support.process import run, run_myops

# Level → the name of its file.
LEVELS = {"x86-64": "cpu", "x86-64-v3": "cpu.x86-64-v3", "x86-64-v4": "cpu.x86-64-v4"}
# What torch calls them in ATEN_CPU_CAPABILITY.
CAPABILITIES = {"default": "x86-64", "avx2": "x86-64-v3", "avx512": "x86-64-v4"}
# CPU models of QEMU, and the variant that fits.
MODELS = {"qemu64": "x86-64", "Nehalem": "x86-64", "Haswell": "x86-64-v3"}
REGISTRATIONS = BUILD / "backend_cpu" / "CMakeFiles" / "myops_cpu.registrations.dir" / "register.cpp.o"


def host_level() -> str:
    return json.loads(run_myops("facts").stdout)["cpu_level"]


def file_name(level: str) -> str:
    return f"libmyops_{LEVELS[level]}.so"


def planned(*arguments: str, **variables: str) -> set[str]:
    outcome = run_myops("plan", "--json", *arguments, env=variables)
    assert outcome.returncode == 0, outcome
    return {Path(path).name for path in outcome.json["order"] if "cpu" in Path(path).name}


@pytest.mark.parametrize("level", LEVELS)
def test_file_is_marked_for_its_level(level: str) -> None:
    path = library(LEVELS[level])
    stated = manifest.read(path)
    assert stated["name"] == "myops_cpu" and stated["cpu"]["level"] == level
    notes = subprocess.run(["readelf", "-n", path], capture_output=True, text=True, check=True).stdout
    needed = re.search("x86 ISA needed: (.*)", notes)
    if level == "x86-64":
        assert needed is None or needed[1] == "x86-64-baseline"
    else:
        assert needed is not None and needed[1].split(", ")[-1] == level


def test_variants_promise_the_same() -> None:
    kernels = [manifest.read(library(part))["kernels"] for part in LEVELS.values()]
    assert kernels[0]["CPU"] and all(each == kernels[0] for each in kernels)


@pytest.mark.parametrize("level", LEVELS)
def test_opening_runs_no_wide_instruction(level: str) -> None:
    path = library(LEVELS[level])
    everything = functions(path)
    start = run_when_opened(path)
    opening = reached(start, everything)
    assert len(opening) > len(start) > 2
    assert {function.name: function.wide for function in opening if function.wide} == {}
    # The code of the registrations that is reached through pointers only.
    symbols = subprocess.run(["nm", "--defined-only", REGISTRATIONS], capture_output=True, text=True, check=True).stdout
    own = {name for _, kind, name in map(str.split, symbols.splitlines()) if kind in "tTwW"}
    registering = [function for function in everything if function.name in own]
    assert len(registering) > 20
    assert {function.name: function.wide for function in registering if function.wide} == {}
    # And the kernels are what the level is for.
    wide = sum(len(function.wide) for function in everything)
    assert wide == 0 if level == "x86-64" else wide > 1000


@pytest.mark.parametrize("level", ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"])
def test_widest_that_fits_is_planned(level: str, tmp_path: Path) -> None:
    host = json.loads(run_myops("facts").stdout) | {"cpu_level": level}
    file = tmp_path / "host.json"
    file.write_text(json.dumps(host))
    expected = file_name("x86-64" if level == "x86-64-v2" else level)
    assert planned("--host", str(file)) == {expected}
    listed = run_myops("plan", "--json", "--host", str(file)).json["files"]
    codes = {Path(each["path"]).name: [reason["code"] for reason in each["reasons"]] for each in listed}
    for variant in LEVELS:
        wanted = [] if file_name(variant) == expected else ["isa-level-missing" if variant > level else "superseded"]
        assert codes[file_name(variant)] == wanted, variant


@pytest.mark.parametrize("capability", CAPABILITIES)
def test_torchs_variable_caps_the_level(capability: str) -> None:
    level = min(CAPABILITIES[capability], host_level())
    assert planned(ATEN_CPU_CAPABILITY=capability) == {file_name("x86-64" if level == "x86-64-v2" else level)}
    wider = {file_name(other) for other in LEVELS if CAPABILITIES[capability] < other <= host_level()}
    listed = run_myops("list", "--json", env={"ATEN_CPU_CAPABILITY": capability}).json["files"]
    told = {Path(each["path"]).name: each["reasons"] for each in listed if Path(each["path"]).name in wider}
    assert set(told) == wider
    for reasons in told.values():
        assert [reason["code"] for reason in reasons] == ["superseded"]
        assert reasons[0]["hint"] == f"ATEN_CPU_CAPABILITY allows {CAPABILITIES[capability]} only"


@pytest.mark.parametrize("capability", CAPABILITIES)
def test_table_tells_the_variant_that_is_loaded(capability: str) -> None:
    level = min(CAPABILITIES[capability], host_level())
    level = "x86-64" if level == "x86-64-v2" else level
    settings = {"ATEN_CPU_CAPABILITY": capability}
    kernels = run_myops("table", "rms_norm", "--json", env=settings).json["operators"]["myops::rms_norm"]["kernels"]
    of_cpu = kernels["CPU"]
    assert (of_cpu["library"], of_cpu["level"], Path(of_cpu["path"]).name) == ("myops_cpu", level, file_name(level))
    assert Path(kernels["Meta"]["path"]).name == "libmyops_meta.so"
    lines = run_myops("table", "rms_norm", env=settings).stdout.splitlines()
    words = dict(line.split(maxsplit=1) for line in lines if line.startswith("  "))
    assert words["CPU"] == f"myops_cpu ({level})" and words["Meta"] == "myops_meta"


NARROWEST = {"ATEN_CPU_CAPABILITY": "default"}


def test_torchs_variable_is_nothing_to_a_file_alone() -> None:
    files = [str(library(part)) for level, part in LEVELS.items() if level <= host_level()]
    outcome = run_myops("check", "--json", *files, env=NARROWEST)
    assert outcome.returncode == 0, outcome
    assert [(file["verdict"], file["reasons"]) for file in outcome.json["files"]] == [("usable", [])] * len(files)


def test_torchs_variable_is_nothing_to_another_machine(tmp_path: Path) -> None:
    file = tmp_path / "host.json"
    file.write_text(json.dumps(json.loads(run_myops("facts").stdout) | {"cpu_level": "x86-64-v4"}))
    assert planned("--host", str(file), **NARROWEST) == {file_name("x86-64-v4")}


def test_a_library_without_a_narrower_variant_is_taken(tmp_path: Path) -> None:
    if host_level() < "x86-64-v3":
        pytest.skip(f"this CPU has {host_level()}: no variant that it runs is above a cap")
    for part in ("schema", LEVELS["x86-64-v3"]):
        shutil.copy2(library(part), tmp_path)
    outcome = run_myops(
        "verify",
        "--json",
        "--allow-incomplete",
        "--require",
        "CPU",
        env=NARROWEST | {"MYOPS_SYSTEM_PLUGIN_PATH": str(tmp_path)},
    )
    assert outcome.returncode == 0, outcome
    assert [Path(path).name for path in outcome.json["order"]] == ["libmyops_schema.so", file_name("x86-64-v3")]
    notes = [note for file in outcome.json["files"] for note in file["notes"]]
    assert "taken though ATEN_CPU_CAPABILITY allows x86-64 only: no variant within that can be" in notes


@pytest.mark.parametrize("value", ["", "AVX2", "avx512_vnni", "none"])
def test_what_torch_ignores_is_ignored(value: str) -> None:
    assert planned(ATEN_CPU_CAPABILITY=value) == planned()


def test_every_level_gives_the_same_bits() -> None:
    levels = [capability for capability, level in CAPABILITIES.items() if level <= host_level()]
    if len(levels) == 1:
        pytest.skip(f"this CPU has the one level {host_level()} only; the test under QEMU compares two")
    program = str(ROOT / "tests" / "python" / "ops" / "print_bits.py")
    found = {}
    for capability in levels:
        outcome = run([sys.executable, program], {"ATEN_CPU_CAPABILITY": capability})
        assert outcome.returncode == 0, outcome
        answer = outcome.json
        assert answer.pop("library") == file_name(CAPABILITIES[capability])
        found[capability] = answer
    assert len(found["default"]) > 50
    for capability in levels:
        assert found[capability] == found["default"], capability


@pytest.mark.parametrize("model", MODELS)
def test_host_under_qemu(model: str) -> None:
    qemu = shutil.which("qemu-x86_64")
    if qemu is None:
        pytest.skip("no qemu-x86_64 on PATH: ./dev setup installs qemu-user where it runs as root")
    host = str(BUILD / "examples" / "myops_example_cpp")
    emulated = run([qemu, "-cpu", model, host])
    native = run([host], {"ATEN_CPU_CAPABILITY": "default"})
    assert emulated.returncode == 0 and native.returncode == 0, (emulated, native)
    lines = emulated.stdout.splitlines()
    taken = [line for line in lines if "libmyops_cpu" in line and line.startswith("  opened")]
    assert len(taken) == 1 and file_name(MODELS[model]) in taken[0], emulated
    values = [line for line in lines if " = " in line]
    assert len(values) >= 5
    assert values == [line for line in native.stdout.splitlines() if " = " in line]


OPEN_FIRST = """
#include <dlfcn.h>
#include <stdio.h>
__attribute__((constructor)) static void start(void) {
  fputs(dlopen("LIBRARY", RTLD_NOW | RTLD_GLOBAL) ? "opened" : dlerror(), stderr);
}
"""


def test_widest_variant_opened_for_everyone_under_qemu(tmp_path: Path) -> None:
    """Case 95 of docs/cases.md: on a narrower CPU the dynamic linker itself refuses it, and none of its code serves."""
    qemu = shutil.which("qemu-x86_64")
    if qemu is None:
        pytest.skip("no qemu-x86_64 on PATH: ./dev setup installs qemu-user where it runs as root")
    host = str(BUILD / "examples" / "myops_example_cpp")
    widest = library("cpu.x86-64-v4")
    first = Lab(tmp_path).library("libfirst.so", OPEN_FIRST.replace("LIBRARY", str(widest)))
    preloaded = run([qemu, "-cpu", "Haswell", "-E", f"LD_PRELOAD={first}", host])
    assert preloaded.returncode == 0, preloaded
    assert str(widest) in preloaded.stderr and "CPU ISA level is lower than required" in preloaded.stderr
    native = run([host], {"ATEN_CPU_CAPABILITY": "default"})
    assert [line for line in preloaded.stdout.splitlines() if " = " in line] == [
        line for line in native.stdout.splitlines() if " = " in line
    ]


def test_host_file_has_a_torch_of_its_own(tmp_path: Path) -> None:
    """One that is not here: its release, CUDA and ABI are judged, and no file of it is."""
    host = json.loads(run_myops("facts").stdout)
    file = tmp_path / "host.json"
    file.write_text(json.dumps(host))
    same = run_myops("plan", "--json", "--host", file).json
    assert same["torch"]["lib_dir"] and same["order"]

    other = {**host, "torch": {"version": "2.99.0", "cuda": ""}}
    file.write_text(json.dumps(other))
    answer = run_myops("plan", "--json", "--host", file, "--path", library("schema").parent).json
    assert (answer["torch"]["version"], answer["torch"]["lib_dir"], answer["order"]) == ("2.99.0", "", [])
    codes = [{reason["code"] for reason in each["reasons"]} for each in answer["files"]]
    assert codes and all("torch-version-mismatch" in each for each in codes), answer["files"]

    file.write_text(json.dumps({**host, "gpu": []}))
    assert any('"gpu" is not known' in note for note in run_myops("plan", "--json", "--host", file).json["notes"])
