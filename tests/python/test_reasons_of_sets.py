"""Reason codes that a file earns beside others (the plan), and those that only a real load can show."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import manifest
from support.build_tree import fake
from support.loading import SEARCHED_ALONE, Report, ask, load
from support.process import run_myops
from support.reasons import produces

Manifest = manifest.Manifest
SCALE = "myops_fakes::scale"


def folder_of(folder: Path, *cases: str) -> dict[str, Path]:
    """Copies of fakes, by case."""
    return {case: manifest.copied(fake(case), folder) for case in cases}


@produces("schema-missing")
def test_kernels_without_the_library_that_defines_their_operators(tmp_path: Path, code: str) -> None:
    files = folder_of(tmp_path, "cpu")
    report = ask("plan", tmp_path)
    assert report.planned == []
    assert "myops_fakes" in str(report.reason(files["cpu"], code))


@produces("schema-mismatch")
def test_kernels_made_for_another_schema(tmp_path: Path, code: str) -> None:
    def for_two_factors(stamp: Manifest) -> None:
        stamp["kernels"]["CPU"][SCALE]["schema"] = "scale(Tensor self, float factor, float other) -> Tensor"

    files = folder_of(tmp_path, "schema")
    path = manifest.rewritten(fake("cpu"), tmp_path, for_two_factors)
    report = ask("plan", tmp_path)
    assert report.planned == [files["schema"].name]
    reason = report.reason(path, code)
    assert reason["subject"] == SCALE
    assert reason["expected"] == "scale(Tensor self, float factor, float other) -> Tensor"
    assert reason["found"] == "scale(Tensor self, float factor) -> Tensor"


@produces("signature-mismatch")
def test_kernel_with_another_signature_than_the_others(tmp_path: Path, code: str) -> None:
    def by_value(stamp: Manifest) -> None:
        record = {**stamp["kernels"]["CPU"][SCALE], "cpp": "at::Tensor (at::Tensor, double)"}
        stamp["kernels"] = {"Meta": {SCALE: record}}

    files = folder_of(tmp_path, "schema", "cpu")
    path = manifest.stamped_like(fake("cpu"), fake("by_value"), tmp_path, by_value)
    report = ask("plan", tmp_path)
    refused = [file for file in (path, files["cpu"]) if report.codes(file)]
    assert len(refused) == 1 and len(report.planned) == 2
    reason = report.reason(refused[0], code)
    signatures = ["at::Tensor (at::Tensor const&, double)", "at::Tensor (at::Tensor, double)"]
    assert sorted([reason["expected"], reason["found"]]) == signatures


@produces("inplace-or-view-missing")
def test_kernel_that_writes_without_its_bookkeeping(tmp_path: Path, code: str) -> None:
    files = folder_of(tmp_path, "schema", "mutates")
    report = ask("plan", tmp_path)
    assert report.planned == [files["schema"].name]
    assert "myops_fakes::bump_" in str(report.reason(files["mutates"], code))
    let_through = load(tmp_path, allow_incomplete=True).report
    assert let_through.json["tainted"] is True and files["mutates"].name in let_through.opened


@produces("namespace-taken")
def test_second_library_that_defines_the_namespace(tmp_path: Path, code: str) -> None:
    files = folder_of(tmp_path, "schema", "other_schema")
    report = ask("plan", tmp_path)
    (taken,) = report.planned
    (refused,) = (path for path in files.values() if path.name != taken)
    assert "myops_fakes" in str(report.reason(refused, code)) and taken in str(report.reason(refused, code))


def test_fragment_stands_beside_the_library(tmp_path: Path) -> None:
    """TORCH_LIBRARY_FRAGMENT: any number of them may add to a namespace, before its TORCH_LIBRARY or after."""
    files = folder_of(tmp_path, "schema", "fragment")
    assert manifest.read(files["schema"])["libraries"] == ["myops_fakes"]
    assert manifest.read(files["fragment"])["libraries"] == []
    there = "answer['there'] = hasattr(torch.ops.myops_fakes, 'fragment') and hasattr(torch.ops.myops_fakes, 'scale')"
    loaded = load(tmp_path, then=there)
    assert set(loaded.report.opened) == {path.name for path in files.values()}
    assert loaded.answers["there"] is True


def test_operator_of_the_user_comes_before_the_library(tmp_path: Path) -> None:
    """Python's custom_op adds a fragment to the namespace: it takes nothing away."""
    files = folder_of(tmp_path, "schema", "cpu")
    custom = (
        "@torch.library.custom_op('myops_fakes::mine', mutates_args=())\n"
        "def mine(x: torch.Tensor) -> torch.Tensor:\n"
        "    return x.clone()\n"
    )
    value = "answer['scale'] = torch.ops.myops_fakes.scale(torch.zeros(1), 1.0).item()"
    loaded = load(tmp_path, first=custom, then=value)
    assert set(loaded.report.opened) == {path.name for path in files.values()}
    assert loaded.answers["scale"] == 1.0


@pytest.mark.parametrize("case", ["schema", "two_namespaces"])
def test_second_library_of_a_namespace_in_this_process(tmp_path: Path, case: str) -> None:
    """Whichever namespace the block is of, the manifest's own or another: opening it would end the process."""
    (namespace,) = manifest.read(fake(case))["libraries"]
    files = folder_of(tmp_path, case)
    theirs = f"library = torch.library.Library({namespace!r}, 'DEF')\nlibrary.define('theirs() -> ()')"
    loaded = load(tmp_path, first=theirs, raises=True)
    assert loaded.report.opened == []
    reason = loaded.report.reason(files[case], "namespace-taken")
    assert reason["subject"] == namespace and reason["found"].startswith("registered at ")


@produces("operator-conflict")
def test_two_libraries_that_define_one_operator(tmp_path: Path, code: str) -> None:
    def same_operator(stamp: Manifest) -> None:
        stamp["defines"] = manifest.read(fake("schema"))["defines"]

    files = folder_of(tmp_path, "schema")
    path = manifest.rewritten(fake("other_schema"), tmp_path, same_operator)
    report = ask("plan", tmp_path)
    refused, taken = sorted((path, files["schema"]), key=lambda file: not report.codes(file))
    assert report.planned == [taken.name]
    reasons = report.file(refused)["reasons"]
    assert {(reason["code"], reason["subject"], reason["found"]) for reason in reasons} == {
        (code, SCALE, str(taken)),
        (code, "myops_fakes::bump_", str(taken)),
    }


@produces("kernel-conflict")
def test_two_kernels_for_one_key(tmp_path: Path, code: str) -> None:
    files = folder_of(tmp_path, "schema", "cpu", "cpu_other")
    report = ask("plan", tmp_path)
    assert report.planned == [files["schema"].name, files["cpu"].name]
    reason = report.reason(files["cpu_other"], code)
    assert (reason["subject"], reason["found"]) == (f"{SCALE} on CPU", str(files["cpu"]))


@produces("duplicate")
def test_copy_in_a_second_folder(tmp_path: Path, code: str) -> None:
    first = manifest.copied(fake("schema"), tmp_path / "first")
    second = manifest.copied(fake("schema"), tmp_path / "second")
    outcome = run_myops("plan", "--json", env={SEARCHED_ALONE: f"{first.parent}:{second.parent}"})
    report = Report(outcome.json)
    assert report.planned == [first.name] and report.codes(first) == []
    assert str(first) in str(report.reason(second, code))


@produces("superseded")
def test_narrower_variant_of_a_library(tmp_path: Path, code: str) -> None:
    level = run_myops("facts", "--json").json["cpu_level"]

    def wider(stamp: Manifest) -> None:
        stamp["name"] = "myops_fake_cpu"
        stamp["cpu"]["level"] = level

    files = folder_of(tmp_path, "schema", "cpu")
    wide = manifest.rewritten(fake("cpu_other"), tmp_path, wider)
    report = ask("plan", tmp_path)
    assert report.planned == [files["schema"].name, wide.name]
    assert report.file(files["cpu"])["verdict"] == "superseded"
    assert wide.name in str(report.reason(files["cpu"], code)) or level in str(report.reason(files["cpu"], code))


@produces("mixed-release")
def test_library_of_another_release(tmp_path: Path, code: str) -> None:
    files = folder_of(tmp_path, "schema")
    release = manifest.read(fake("schema"))["release"]
    path = manifest.rewritten(fake("cpu"), tmp_path, lambda stamp: stamp.update(release="0.0.1+old"))
    report = ask("plan", tmp_path)
    assert report.planned == [files["schema"].name]
    reason = report.reason(path, code)
    assert (reason["expected"], reason["found"]) == (release, "0.0.1+old")


@produces("key-not-served")
def test_required_key_that_nobody_serves(tmp_path: Path, code: str) -> None:
    folder_of(tmp_path, "schema", "cpu")
    outcome = run_myops("plan", "--json", "--require", "CPU", "--require", "CUDA", env={SEARCHED_ALONE: str(tmp_path)})
    assert outcome.returncode == 1
    (missing,) = outcome.json["missing"]
    assert (missing["code"], missing["subject"]) == (code, "CUDA")


@produces("open-failed")
def test_file_that_the_dynamic_linker_refuses(tmp_path: Path, code: str) -> None:
    def nothing(stamp: Manifest) -> None:
        stamp.update(defines=[], libraries=[])

    path = manifest.stamped_like(fake("schema"), fake("static_tls"), tmp_path, nothing)
    loaded = load(tmp_path, raises=True)
    assert loaded.report.opened == []
    assert "static TLS" in loaded.report.reason(path, code)["found"]


@produces("kernel-not-registered")
def test_promise_that_the_code_does_not_keep(tmp_path: Path, code: str) -> None:
    def promising(stamp: Manifest) -> None:
        kernels = stamp["kernels"]["CPU"]
        kernels["myops_fakes::bump_"] = {**kernels[SCALE], "schema": "bump_(Tensor(a!) self) -> Tensor(a!)", "cpp": ""}

    folder_of(tmp_path, "schema")
    path = manifest.rewritten(fake("cpu"), tmp_path, promising)
    loaded = load(tmp_path, allow_incomplete=True, raises=True)
    finding = loaded.report.reason(path, code)
    assert finding["subject"] == "myops_fakes::bump_ on CPU" and finding["found"] == "nothing"


@produces("changed-while-loading")
def test_file_changed_between_verdict_and_opening(tmp_path: Path, code: str) -> None:
    """A library that is opened before it sets its time back, as an upgrade in the same moment would."""

    def opened_before(stamp: Manifest) -> None:  # as all that define operators are
        stamp.update(namespace="a_first", set="a_first", defines=["a_first::op(Tensor self) -> Tensor"], libraries=[])

    changer = manifest.stamped_like(fake("schema"), fake("changes_a_file"), tmp_path, opened_before)
    files = folder_of(tmp_path, "schema", "cpu")
    loaded = load(tmp_path, env={"MYOPS_FAKE_CHANGES": str(files["cpu"])}, raises=True)
    assert set(loaded.report.opened) == {changer.name, files["schema"].name}
    assert loaded.report.reason(files["cpu"], code)["hint"] != ""


def test_second_set_of_libraries_is_refused_as_a_whole(tmp_path: Path) -> None:
    """Other libraries with the same operators come while the first are in use: none of them gets in."""

    def rival(stamp: Manifest) -> None:
        stamp.update(name=stamp["name"].replace("fake", "rival"), set="rivals", release="2.0")

    first, second = tmp_path / "first", tmp_path / "second"
    folder_of(first, "schema", "cpu")
    schema = manifest.rewritten(fake("schema"), second, rival)
    cpu = manifest.rewritten(fake("cpu_other"), second, rival)
    again = f"answer['second'] = myops.load(paths=[{str(second)!r}]).json\n"
    value = "answer['scale'] = torch.ops.myops_fakes.scale(torch.zeros(1), 1.0).item()"
    loaded = load(first, then=again + value)
    report = Report(loaded.answers["second"])
    assert loaded.answers["scale"] == 1.0 and report.opened == loaded.report.opened
    assert set(report.codes(schema)) == {"operator-conflict"}
    assert str(schema) in report.reason(cpu, "schema-missing")["found"]


@pytest.mark.parametrize("name", ["first", "zz_last"])
def test_order_does_not_hang_on_names(tmp_path: Path, name: str) -> None:
    """The schema library is opened first, whatever its file is called."""
    schema = manifest.copied(fake("schema"), tmp_path, name)
    cpu = manifest.copied(fake("cpu"), tmp_path, "mm_middle")
    assert ask("plan", tmp_path).planned == [schema.name, cpu.name]
