"""Reason codes that a file earns by itself: what it is, what its bytes and its manifest say, who may write it."""

from __future__ import annotations

import errno
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import damage, manifest
from support.build_tree import BUILD, TORCH, fake
from support.loading import SEARCHED_ALONE, Report, ask, check, load
from support.process import environment, run_myops
from support.reasons import produces


@pytest.fixture
def good(tmp_path: Path) -> Path:
    """A plugin with nothing against it: each test spoils it in one way."""
    return manifest.copied(fake("schema"), tmp_path)


def test_unspoilt_plugin_is_usable(good: Path) -> None:
    found = ask("plan", good.parent).file(good)
    assert (found["verdict"], found["loads"], found["reasons"]) == ("usable", True, [])


NO_LIBRARIES: dict[str, tuple[Callable[[Path], Path], str]] = {
    "text": (damage.text_file, "text"),
    "linker script": (damage.linker_script, "a linker script: INPUT ( libmyops_cpu.so.1 )"),
    "empty": (damage.empty_file, "empty"),
    "archive": (damage.static_archive, "archive"),
    "folder": (damage.folder, "folder"),
    "fifo": (damage.fifo, "FIFO"),
}


@produces("not-a-library")
@pytest.mark.parametrize("kind", NO_LIBRARIES)
def test_what_is_no_library(good: Path, kind: str, code: str) -> None:
    make, word = NO_LIBRARIES[kind]
    path = make(good.parent / "libother.so")
    report = ask("plan", good.parent)
    assert word in report.reason(path, code)["found"]
    assert report.file(good)["verdict"] == "usable"
    assert report.file(path)["loads"] is False


def test_entry_of_the_search_path_that_is_no_library(good: Path) -> None:
    """Case 2 of docs/cases.md: one reason against that file, and the folders after it are searched."""
    text = damage.text_file(good.parent / "README")
    for arguments, entries in [([], f"{text}:{good.parent}"), (["--path", str(text)], str(good.parent))]:
        outcome = run_myops("plan", "--json", *arguments, env={SEARCHED_ALONE: entries})
        report = Report(outcome.json)
        assert outcome.returncode == 0 and report.codes(text) == ["not-a-library"] and report.planned == [good.name]
        assert report.json["folder_notes"] == []


@produces("truncated")
@pytest.mark.parametrize("percent", [10, 50, 99])
def test_file_cut_short(good: Path, percent: int, code: str) -> None:
    """The last percent holds section headers, which the dynamic linker does not read: it would take that file."""
    size = damage.cut_to(good, percent).stat().st_size
    report = ask("plan", good.parent)
    assert report.codes(good) == [code] and str(size) in report.reason(good, code)["found"]
    assert report.file(good)["loads"] is (percent == 99)
    assert load(good.parent, raises=True).report.opened == []


@produces("damaged")
def test_headers_that_contradict_themselves(good: Path, code: str) -> None:
    damage.program_headers_misshapen(good)
    reason = ask("plan", good.parent).reason(good, code)
    assert "56" in reason["expected"] and "7" in reason["found"]


@produces("unreadable")
def test_file_that_may_not_be_read(good: Path, code: str) -> None:
    path = damage.unreadable(good.parent / "libother.so")
    if path is None:
        pytest.skip("root can read every file here: no /sys/bus/*/uevent")
    report = ask("plan", good.parent)
    assert report.reason(path, code)["found"] == os.strerror(errno.EACCES)
    assert report.file(good)["verdict"] == "usable" and report.planned == [good.name]


@produces("too-large")
def test_sparse_file_of_any_size(good: Path, code: str) -> None:
    path = damage.sparse_relocations(manifest.copied(fake("cpu"), good.parent))
    report = ask("plan", good.parent)
    assert report.codes(path) == [code] and report.reason(path, code)["found"] == "536870904 bytes"
    file = report.file(path)
    assert (file["verdict"], file["loads"]) == ("rejected", None) and report.planned == [good.name]


def test_link_that_leads_nowhere(good: Path) -> None:
    """A note about the folder: there is no file to judge."""
    loop = damage.link_to_itself(good.parent / "libloop.so")
    dangling = good.parent / "libgone.so"
    dangling.symlink_to("gone.so")
    report = ask("plan", good.parent)
    assert report.planned == [good.name] and len(report.json["files"]) == 1
    notes = {note["subject"]: note["found"] for note in report.json["folder_notes"]}
    assert str(loop) in notes and str(dangling) in notes, notes


@produces("noexec")
def test_mount_that_forbids_execution(good: Path, code: str) -> None:
    mounted = good.parent / "mounted"
    mounted.mkdir()
    script = f"mount -t tmpfs -o noexec none {mounted} && cp {good} {mounted} && {BUILD}/bin/myops plan --json"
    unshare = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script]
    if subprocess.run([*unshare[:-3], "true"], capture_output=True).returncode != 0:
        pytest.skip("this machine does not let a user mount a file system of his own (unshare)")
    answer = subprocess.run(
        unshare, capture_output=True, text=True, env=environment({SEARCHED_ALONE: f"{mounted}:{good.parent}"})
    )
    files = json.loads(answer.stdout)["files"]
    (reason,) = [reason for reason in files[0]["reasons"] if reason["code"] == code]
    assert str(mounted) in reason["found"] + reason["subject"] and "noexec" in reason["found"]
    assert json.loads(answer.stdout)["order"] == [str(good)], "the folder after it is searched"


ARCHITECTURES: dict[str, tuple[Callable[[Path], Path], str]] = {
    "aarch64": (damage.for_aarch64, "aarch64"),
    "32-bit": (damage.of_32_bits, "32"),
    "big-endian": (damage.big_endian, "big"),
}


@produces("wrong-architecture")
@pytest.mark.parametrize("kind", ARCHITECTURES)
def test_file_for_another_machine(good: Path, kind: str, code: str) -> None:
    make, word = ARCHITECTURES[kind]
    report = ask("plan", make(good).parent)
    reason = report.reason(good, code)
    assert "x86_64" in reason["expected"] and word in reason["found"]
    assert report.file(good)["loads"] is False


@produces("foreign")
def test_library_without_a_manifest(tmp_path: Path, code: str) -> None:
    path = manifest.copied(BUILD / "tests" / "fakes" / "stand_in" / "libmyops_stand_in_missing_library.so", tmp_path)
    report = ask("list", tmp_path)
    assert report.file(path)["verdict"] == "foreign" and report.file(path)["loads"] is True
    assert report.codes(path) == [code]
    planned = ask("plan", tmp_path)  # it is not taken in any case, so nobody looks up what it needs
    assert planned.codes(path) == [code] and planned.file(path)["loads"] is None


@produces("unstamped")
def test_manifest_never_written(tmp_path: Path, code: str) -> None:
    path = manifest.copied(fake("static_tls"), tmp_path)
    report = ask("plan", tmp_path)
    assert report.codes(path) == [code] and report.file(path)["verdict"] == "rejected"


@produces("manifest-newer")
def test_manifest_of_a_later_format(good: Path, code: str) -> None:
    manifest.write(good, {**manifest.read(good), "format": 99})
    reason = ask("plan", good.parent).reason(good, code)
    assert (reason["expected"], reason["found"]) == ("1", "99")


# Field → a value of another kind than it must have. Every field that the loader reads is here.
WRONG_FIELDS: dict[str, Any] = {
    "format": "one",
    "name": 7,
    "version": [],
    "namespace": None,
    "set": {},
    "release": 2.15,
    "defines": "myops_fakes::scale",
    "libraries": "myops_fakes",
    "kernels": [],
    "fallbacks": {},
    "torch": "2.15.0",
    "cpu": [],
    "cuda": "13.0",
}


@produces("manifest-damaged")
@pytest.mark.parametrize("field", WRONG_FIELDS)
def test_manifest_with_a_field_of_another_kind(good: Path, field: str, code: str) -> None:
    manifest.write(good, {**manifest.read(good), field: WRONG_FIELDS[field]})
    reason = ask("plan", good.parent).reason(good, code)
    assert field in reason["subject"]


@produces("manifest-damaged")
@pytest.mark.parametrize("field", ["format", "name", "namespace", "set", "release", "kernels", "torch", "cpu"])
def test_manifest_without_a_field(good: Path, field: str, code: str) -> None:
    stamp = manifest.read(good)
    del stamp[field]
    manifest.write(good, stamp)
    assert field in ask("plan", good.parent).reason(good, code)["subject"]


NO_MANIFESTS = {
    "cut": b'{"format": 1, "name": "my',
    "no object": b"[1, 2, 3]",
    "no JSON": b"name = myops_cpu",
    "no UTF-8": b'{"format": 1, "name": "\xff\xfe"}',
    "deeply nested": b"[" * 5000,
}


@produces("manifest-damaged")
@pytest.mark.parametrize("kind", NO_MANIFESTS)
def test_manifest_that_is_none(good: Path, kind: str, code: str) -> None:
    manifest.write(good, NO_MANIFESTS[kind])
    report = ask("plan", good.parent)
    assert report.codes(good) == [code] and report.file(good)["verdict"] == "rejected"


@produces("world-writable")
def test_file_that_anyone_can_write(good: Path, code: str) -> None:
    good.chmod(0o777)
    reason = ask("plan", good.parent).reason(good, code)
    assert str(good) in reason["subject"] and "777" in reason["found"]


@produces("world-writable")
def test_folder_that_anyone_can_write(good: Path, code: str) -> None:
    good.parent.chmod(0o777)
    assert str(good.parent) in str(ask("plan", good.parent).reason(good, code))


@produces("untrusted")
def test_file_that_its_group_can_write(good: Path, code: str) -> None:
    good.chmod(0o775)
    assert load(good.parent).report.opened == [good.name], "a note only, where nothing stricter was asked for"
    strict = load(good.parent, trust="strict", raises=True)
    assert strict.report.opened == [] and strict.report.reason(good, code)["hint"] != ""


@produces("disabled")
def test_file_switched_off(good: Path, code: str) -> None:
    outcome = run_myops("plan", "--json", env={SEARCHED_ALONE: str(good.parent), "MYOPS_DISABLE": "myops_fake_s*"})
    (file,) = outcome.json["files"]
    assert file["verdict"] == "disabled"
    assert [reason["code"] for reason in file["reasons"]] == [code] and "myops_fake_s*" in str(file["reasons"])


@produces("isa-level-missing")
def test_code_for_a_level_that_no_cpu_has(good: Path, code: str) -> None:
    manifest.write(good, {**manifest.read(good), "cpu": {"arch": "x86_64", "level": "x86-64-v5"}})
    reason = ask("plan", good.parent).reason(good, code)
    assert reason["expected"] == "x86-64-v5" and reason["found"].startswith("x86-64")


@produces("dependency-missing")
@pytest.mark.parametrize("case", ["missing_library", "missing_cudart"])
def test_needed_library_that_is_nowhere(case: str, code: str) -> None:
    soname = {"missing_library": "libmyops_gone.so.1", "missing_cudart": "libcudart.so.12"}[case]
    report = check(fake(case), status=1)
    assert report.reason(fake(case), code)["subject"] == soname
    assert report.file(fake(case))["loads"] is False


MISSING_SYMBOLS = {
    "missing_function": "myops_function_of_nobody",
    "missing_torch_symbol": "c10::myops_fake_function()",
    "other_torch_symbol": "torch::autograd::deleteNode(torch::autograd::Node*)"
    if TORCH >= (2, 12)
    else "torch::autograd::fire_node_creation_hooks(c10::intrusive_ptr<torch::autograd::Node",
    "old_abi": "c10::Error::Error(c10::SourceLocation, std::string)",
}


@produces("symbol-missing")
@pytest.mark.parametrize("case", MISSING_SYMBOLS)
def test_needed_symbol_that_nobody_defines(case: str, code: str) -> None:
    report = check(fake(case), status=1)
    assert MISSING_SYMBOLS[case] in report.reason(fake(case), code)["subject"]
    assert report.file(fake(case))["loads"] is False


@produces("symbol-version-missing")
def test_needed_version_that_the_library_has_not(code: str) -> None:
    report = check(fake("missing_version"), status=1)
    reason = report.reason(fake("missing_version"), code)
    assert "TOMORROW_9.9" in str(reason) and "libm.so.6" in str(reason)
    assert report.file(fake("missing_version"))["loads"] is False
