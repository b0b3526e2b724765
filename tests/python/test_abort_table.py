"""Why there is a loader at all: the first rows of the table in docs/design.md §1, and the in-place row, one test a row.

Each test first shows, in a child process, what a plain `torch.ops.load_library` does: it dies, or it stays silent. Then
that the loader does neither: the process lives, and the report has the reason, what was expected and found, and both
files.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from support import manifest, torches
from support.build_tree import OTHER_TORCH, OTHER_TORCHS_EXTENSION, TORCH, fake, library, torch_version, wheel
from support.loading import Loaded, check, load
from support.process import Outcome, run_myops, run_python

# Loads the libraries in sys.argv[1] as a user would without myops, then runs sys.argv[2].
PLAIN = """
import json, sys, torch
for path in json.loads(sys.argv[1]):
    torch.ops.load_library(path)
print("loaded", flush=True)
exec(sys.argv[2])
"""
# Loads each on its own, and says of each how that went.
TRY = """
import sys, torch
for path in sys.argv[1:]:
    try: torch.ops.load_library(path)
    except OSError as error: print(error)
    else: print("loaded")
"""
SCALE = "print(torch.ops.myops_fakes.scale(torch.zeros(2), 1.0).tolist())"
ANSWER_SCALE = "answer['scale'] = torch.ops.myops_fakes.scale(torch.zeros(2), 1.0).tolist()"


def plain(*paths: Path, then: str = "") -> Outcome:
    return run_python(PLAIN, json.dumps([str(path) for path in paths]), then)


def folder_of(folder: Path, *sources: Path) -> Path:
    for source in sources:
        manifest.copied(source, folder)
    return folder


def names_both(loaded: Loaded, refused: Path, other: Path, code: str) -> None:
    """The reason against `refused` is about `other`, and a person reads both names."""
    reason = loaded.report.reason(refused, code)
    assert str(other) in reason["found"] + reason["expected"] + reason["subject"], reason
    assert str(refused) in loaded.report.json["text"] and str(other) in loaded.report.json["text"]


def test_second_definition_of_a_namespace(tmp_path: Path) -> None:
    """Row 1: two TORCH_LIBRARY blocks of one namespace. Torch throws in a static constructor: terminate, exit 134."""
    died = plain(fake("schema"), fake("other_schema"))
    assert died.signal == "SIGABRT" and "loaded" not in died.stdout
    assert "Only a single TORCH_LIBRARY can be used to register the namespace myops_fakes" in died.stderr

    folder = folder_of(tmp_path, fake("schema"), fake("other_schema"), fake("cpu"))
    first, second = folder / fake("other_schema").name, folder / fake("schema").name
    loaded = load(folder)
    assert set(loaded.report.opened) == {second.name, fake("cpu").name}
    names_both(loaded, first, second, "namespace-taken")


def test_namespace_that_someone_else_defined_before(tmp_path: Path) -> None:
    """Row 1, where the first definition is in the process already and no file of ours."""
    folder = folder_of(tmp_path / "ours", fake("schema"))
    taker = manifest.copied(fake("other_schema"), tmp_path / "theirs")
    loaded = load(folder, first=f"torch.ops.load_library({str(taker)!r})", raises=True)
    assert loaded.report.opened == []
    reason = loaded.report.reason(folder / fake("schema").name, "namespace-taken")
    assert "myops_fakes" in reason["subject"] + reason["expected"]
    assert "operators.cpp" in reason["found"], "the place of the earlier registration, as torch recorded it"


def test_kernel_whose_signature_differs_from_the_schema(tmp_path: Path) -> None:
    """Row 2: int for the schema's float. Torch throws in a static constructor: terminate, exit 134."""
    died = plain(fake("schema"), fake("int_for_float"))
    assert died.signal == "SIGABRT" and "loaded" not in died.stdout
    assert "Type mismatch in argument 2: float vs int" in died.stderr

    def with_int(stamp: manifest.Manifest) -> None:
        stamp["kernels"]["CPU"]["myops_fakes::scale"]["cpp"] = "at::Tensor (at::Tensor const&, long)"

    folder = folder_of(tmp_path, fake("schema"))
    refused = manifest.stamped_like(fake("cpu"), fake("int_for_float"), folder, with_int)
    loaded = load(folder)
    assert loaded.report.opened == [fake("schema").name]
    reason = loaded.report.reason(refused, "signature-mismatch")
    assert reason["subject"] == "myops_fakes::scale"
    assert reason["expected"] == "scale(Tensor self, float factor) -> Tensor"
    assert reason["found"] == "at::Tensor (at::Tensor const&, long)"


OTHER_SIGNATURES = {"by_value": "at::Tensor (at::Tensor, double)", "by_reference": "at::Tensor (at::Tensor&, double)"}


@pytest.mark.parametrize("case", OTHER_SIGNATURES)
def test_kernel_whose_signature_differs_from_another_kernels(case: str, tmp_path: Path) -> None:
    """Row 2: `Tensor`, or `Tensor&`, beside `const Tensor&` is enough to terminate."""
    died = plain(fake("schema"), fake("cpu"), fake(case))
    assert died.signal == "SIGABRT" and "loaded" not in died.stdout
    assert "Mismatch in kernel C++ signatures" in died.stderr

    folder = folder_of(tmp_path, fake("schema"), fake("cpu"), fake(case))
    one, other = folder / fake(case).name, folder / fake("cpu").name
    loaded = load(folder)
    refused = one if loaded.report.codes(one) else other
    taken = other if refused == one else one
    assert sorted(loaded.report.opened) == sorted([fake("schema").name, taken.name])
    reason = loaded.report.reason(refused, "signature-mismatch")
    signatures = ["at::Tensor (at::Tensor const&, double)", OTHER_SIGNATURES[case]]
    assert sorted([reason["expected"], reason["found"]]) == sorted(signatures)
    names_both(loaded, refused, taken, "signature-mismatch")


def test_library_built_for_another_torch_that_fails(tmp_path: Path) -> None:
    """Row 3: torchvision, really built for another torch. Torch says no more than that it could not."""
    name, member, symbol = OTHER_TORCHS_EXTENSION
    with zipfile.ZipFile(wheel(name)) as archive:
        extension = Path(archive.extract(member, tmp_path))
    failed = run_python(TRY, extension)
    assert failed.returncode == 0 and failed.stdout.strip() == f"Could not load this library: {extension}"

    report = check(extension, status=1)
    assert report.file(extension)["loads"] is False and report.file(extension)["verdict"] == "foreign"
    missing = [reason["subject"] for reason in report.file(extension)["reasons"] if reason["code"] == "symbol-missing"]
    assert any(symbol in name for name in missing), missing


# What a plain load of a library of ours, really built for the other torch, does in a process of this one that has this
# torch's schema library: where no symbol is missing, it is taken across the break without a word. Measured, and alike
# for 2.11 under 2.15 and the other way round.
PLAIN_LOAD_OF_ANOTHERS = {
    "schema": "fails",
    "cpu": "fails",
    "meta": "fails",
    "composite": "fails",
    "autograd": "fails",
    "inplace_or_view": "loads",
    "functionalize": "fails",
    "autocast": "loads",
}


@pytest.mark.parametrize("part", PLAIN_LOAD_OF_ANOTHERS)
def test_our_library_built_for_another_torch(part: str, tmp_path: Path) -> None:
    """Row 3: whether a plain load fails or is silent depends on the library; the loader refuses each alike."""
    build = torches.other_build()
    theirs = build.plugins / library(part).name
    tried = run_python(TRY, *([] if part == "schema" else [library("schema")]), theirs)
    assert tried.returncode == 0 and tried.stderr == "", tried
    refused = f"Could not load this library: {theirs}"
    words = {"loads": "loaded", "fails": refused}[PLAIN_LOAD_OF_ANOTHERS[part]]
    assert tried.stdout.splitlines()[-1] == words

    folder = folder_of(tmp_path, theirs, *([] if part == "schema" else [library("schema")]))
    loaded = load(folder, raises=part == "schema")
    assert loaded.report.opened == ([] if part == "schema" else [library("schema").name])
    reason = loaded.report.reason(folder / theirs.name, "torch-version-mismatch")
    assert (reason["expected"], reason["found"]) == (build.version, torch_version())


def test_library_built_for_another_torch_that_loads_silently(tmp_path: Path) -> None:
    """Row 3: no symbol tells (here: a plugin of this torch whose manifest names another), so torch takes it."""
    folder = folder_of(tmp_path, fake("schema"))
    old = manifest.rewritten(
        fake("cpu"), folder, lambda stamp: stamp["torch"].update(version=OTHER_TORCH, build_ids={})
    )
    silent = plain(folder / fake("schema").name, old, then=SCALE)
    assert silent.returncode == 0 and silent.stdout == "loaded\n[1.0, 1.0]\n" and silent.stderr == ""

    loaded = load(folder)
    assert loaded.report.opened == [fake("schema").name]
    reason = loaded.report.reason(old, "torch-version-mismatch")
    assert OTHER_TORCH in reason["expected"] and torch_version() in reason["found"]


def test_kernels_without_their_schema(tmp_path: Path) -> None:
    """Row 4: torch takes them and says nothing; there is just no such operator."""
    asked = "print(hasattr(torch.ops.myops_fakes, 'scale'))"
    silent = plain(fake("cpu"), then=asked)
    assert silent.returncode == 0 and silent.stdout == "loaded\nFalse\n" and silent.stderr == ""

    folder = folder_of(tmp_path, fake("cpu"))
    loaded = load(folder, raises=True)
    assert loaded.report.opened == []
    reason = loaded.report.reason(folder / fake("cpu").name, "schema-missing")
    assert "myops_fakes" in reason["subject"] + reason["expected"]


def test_misspelt_operator(tmp_path: Path) -> None:
    """Row 4, for one operator: a kernel for a name that no schema defines is never called, without a word."""
    silent = plain(fake("schema"), fake("misspelt"))
    assert silent.returncode == 0 and silent.stdout == "loaded\n" and silent.stderr == ""

    def misspelt(stamp: manifest.Manifest) -> None:
        kernels = stamp["kernels"]["CPU"]
        kernels["myops_fakes::scael"] = kernels.pop("myops_fakes::scale")

    folder = folder_of(tmp_path, fake("schema"))
    refused = manifest.stamped_like(fake("cpu"), fake("misspelt"), folder, misspelt)
    loaded = load(folder)
    assert loaded.report.opened == [fake("schema").name]
    assert "myops_fakes::scael" in str(loaded.report.reason(refused, "schema-missing"))


@pytest.mark.parametrize(
    "order", [("cpu", "cpu_other", 2.0), ("cpu_other", "cpu", 1.0)], ids=["other-last", "other-first"]
)
def test_two_kernels_for_one_key(tmp_path: Path, order: tuple[str, str, float]) -> None:
    """Row 5: the later one wins; torch 2.11 warns of it once a process, 2.15 does not say a word."""
    first, last, value = order
    silent = plain(fake("schema"), fake(first), fake(last), then=SCALE)
    assert silent.returncode == 0 and silent.stdout == f"loaded\n[{value}, {value}]\n"
    warned = "Overriding a previously registered kernel for the same operator" in silent.stderr
    assert warned if TORCH[:2] == (2, 11) else silent.stderr == ""

    folder = folder_of(tmp_path, fake("schema"), fake("cpu"), fake("cpu_other"))
    loaded = load(folder, then=ANSWER_SCALE)
    assert loaded.report.opened == [fake("schema").name, fake("cpu").name]
    assert loaded.answers["scale"] == [1.0, 1.0]
    names_both(loaded, folder / fake("cpu_other").name, folder / fake("cpu").name, "kernel-conflict")


def level_above_this_machine() -> tuple[str, str]:
    """This machine's psABI level and one that it has not; above v4 there is none, and yet a manifest can name it."""
    facts = run_myops("facts", "--json").json
    level = facts.get("host", facts)["cpu_level"]
    levels = ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "x86-64-v5"]
    return level, levels[levels.index(level) + 1]


def test_code_for_a_wider_cpu(tmp_path: Path) -> None:
    """Row 6: opened without a murmur, and SIGILL at the first call. The loader never opens it."""
    killed = plain(fake("schema"), fake("illegal_kernel"), then=SCALE)
    assert killed.stdout == "loaded\n" and killed.signal == "SIGILL"

    level, wider = level_above_this_machine()
    folder = folder_of(tmp_path, fake("schema"), fake("cpu"))
    wide = manifest.rewritten(fake("illegal_kernel"), folder, lambda stamp: stamp["cpu"].update(level=wider))
    loaded = load(folder, then=ANSWER_SCALE)
    assert loaded.report.opened == [fake("schema").name, fake("cpu").name]
    assert loaded.answers["scale"] == [1.0, 1.0]
    reason = loaded.report.reason(wide, "isa-level-missing")
    assert (reason["expected"], reason["found"]) == (wider, level)


# y is saved by y * y, then changed in place: backward must refuse, or the gradient 2 * 2 becomes 2 * 3 without a word.
WRITE_OVER_SAVED = """
x = torch.full((3,), 2.0, requires_grad=True)
y = x * 1
z = (y * y).sum()
torch.ops.myops.myadd_(y, torch.ones(3))
found = {"version": y._version}
try:
    z.backward()
    found["grad"] = x.grad.tolist()
except RuntimeError as error:
    found["refused"] = str(error)
"""


def test_in_place_without_its_bookkeeping(tmp_path: Path) -> None:
    """The in-place row: without ADInplaceOrView the version counter stands still and the gradient is wrong."""
    parts = [library(part) for part in ("schema", "cpu", "autograd")]
    silent = plain(*parts, then=WRITE_OVER_SAVED + "print(json.dumps(found))")
    assert silent.returncode == 0 and silent.stderr == ""
    # 4 would be right, and a refusal is what torch promises.
    assert json.loads(silent.stdout.split("\n")[1]) == {"version": 0, "grad": [6.0, 6.0, 6.0]}

    folder = folder_of(tmp_path / "without", *parts)
    refused = load(folder)
    cpu = folder / library("cpu").name
    assert cpu.name not in refused.report.opened
    reason = refused.report.reason(cpu, "inplace-or-view-missing")
    assert "ADInplaceOrView" in reason["expected"] and "myadd_" in reason["subject"] + reason["found"]

    tainted = load(folder, allow_incomplete=True)
    assert tainted.report.json["tainted"] is True and cpu.name in tainted.report.opened

    whole = folder_of(tmp_path / "whole", *parts, library("inplace_or_view"), library("functionalize"))
    loaded = load(whole, then=WRITE_OVER_SAVED + "answer.update(found)")
    assert loaded.report.json["tainted"] is False
    assert loaded.answers["version"] == 1 and "modified by an inplace operation" in loaded.answers["refused"]
