"""`myops stamp`, as the build and third parties run it; and its work on our libraries, against the dispatcher."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support import manifest
from support.build_tree import BUILD, PARTS, ROOT, fake, has_cuda, library, torch_lib
from support.process import run_myops, run_python

STAMPED = [*PARTS, *(["cuda"] if has_cuda() else [])]


def stamp(file: Path, *arguments: object) -> Any:
    """The answer of a stamp that must go well."""
    outcome = run_myops("stamp", file, "--torch", torch_lib(), "--json", *arguments)
    assert outcome.returncode == 0, outcome
    return outcome.json


def refusal(file: Path, *arguments: object) -> dict[str, str]:
    """The reason of a stamp that must fail, and must leave the file as it is."""
    before = file.read_bytes()
    outcome = run_myops("stamp", file, "--torch", torch_lib(), "--json", *arguments)
    assert outcome.returncode == 1, outcome
    assert file.read_bytes() == before
    reason: dict[str, str] = outcome.json["error"]
    return reason


def test_gives_the_bytes_that_the_build_gave(tmp_path: Path) -> None:
    built = fake("cpu")
    copy = manifest.write(manifest.copied(built, tmp_path), "")
    assert copy.read_bytes() != built.read_bytes()
    stated = manifest.read(built)
    answer = stamp(copy, "--schema", fake("schema"), "--version", stated["version"], "--namespace", stated["namespace"])
    assert answer["file"] == str(copy)
    assert answer["bytes"] == len(manifest.read_text(copy))
    assert copy.read_bytes() == built.read_bytes()


def test_its_words_move_no_terminal(tmp_path: Path) -> None:
    path = manifest.copied(fake("cpu"), tmp_path, "odd\x1b[2J\n")
    outcome = run_myops("stamp", path, "--torch", torch_lib(), "--from", fake("cpu"))
    assert outcome.returncode == 0 and "\x1b" not in outcome.stdout, outcome
    assert outcome.stdout.startswith(f"{tmp_path}/libodd\\x1b[2J\\x0a.so: manifest of "), outcome


def test_writes_elsewhere_and_leaves_the_file_alone(tmp_path: Path) -> None:
    source = manifest.copied(fake("int_for_float"), tmp_path)
    before = source.read_bytes()
    target = tmp_path / "stamped.so"
    stamp(source, "--from", fake("cpu"), "--output", target)
    assert source.read_bytes() == before
    assert manifest.read(target)["kernels"] == manifest.read(fake("cpu"))["kernels"]
    assert sorted(path.name for path in tmp_path.iterdir()) == [source.name, target.name]


def test_a_kernel_of_the_wrong_type_fails_the_stamp_with_torchs_words(tmp_path: Path) -> None:
    reason = refusal(manifest.copied(fake("int_for_float"), tmp_path), "--schema", fake("schema"))
    assert reason["code"] == "open-failed"
    assert reason["found"].startswith("killed by signal 6 (Aborted): ")
    assert "scale(Tensor self, float factor) -> Tensor" in reason["found"]
    assert "frame #" not in reason["found"]


def test_a_second_definition_of_a_namespace_fails_the_stamp(tmp_path: Path) -> None:
    reason = refusal(manifest.copied(fake("other_schema"), tmp_path), "--schema", fake("schema"))
    assert reason["code"] == "open-failed"
    assert "Only a single TORCH_LIBRARY can be used to register the namespace myops_fakes" in reason["found"]


def test_namespace_that_is_a_compile_definition(tmp_path: Path) -> None:
    """Case 47 of docs/cases.md: TORCH_LIBRARY(NAME, m), where NAME is a macro. What counts is what is registered."""
    names = "sorted(n for n in torch._C._dispatch_get_all_op_names() if n.lower().startswith(('myops', 'fake')))"
    code = f"import json, sys, torch; torch.ops.load_library(sys.argv[1]); print(json.dumps({names}))"
    assert run_python(code, fake("defined_namespace")).json == ["myops_fakes_defined::scale"]
    path = manifest.copied(fake("defined_namespace"), tmp_path)
    reason = refusal(path, "--namespace", "FAKE_NAMESPACE")
    assert reason["found"] == "operators in myops_fakes_defined"
    stamp(path, "--version", "1.0")
    stated = manifest.read(path)
    assert stated["defines"] == ["myops_fakes_defined::scale(Tensor self, float factor) -> Tensor"]
    assert (stated["namespace"], stated["libraries"]) == ("myops_fakes_defined", ["myops_fakes_defined"])


@pytest.mark.parametrize("schema", [[], ["--schema", "schema"]], ids=["alone", "with-schema"])
def test_operators_that_nothing_defines_are_named(tmp_path: Path, schema: list[str]) -> None:
    arguments = [fake(word) if word == "schema" else word for word in schema]
    reason = refusal(manifest.copied(fake("misspelt"), tmp_path), *arguments)
    assert reason["code"] == "schema-missing"
    assert reason["subject"] == "myops_fakes::scael"


@pytest.mark.parametrize(
    ("case", "found"),
    [
        ("aborts", "killed by signal 6 (Aborted)"),
        ("illegal_instruction", "killed by signal 4 (Illegal instruction)"),
        ("exits", "exit code 7"),
    ],
)
def test_a_constructor_that_ends_the_process_ends_the_child_only(tmp_path: Path, case: str, found: str) -> None:
    reason = refusal(manifest.copied(fake(case), tmp_path), "--namespace", "any")
    assert reason["code"] == "open-failed"
    assert reason["found"].startswith(found)


def test_a_library_that_does_not_link_is_refused_with_the_linkers_words(tmp_path: Path) -> None:
    reason = refusal(manifest.copied(fake("missing_library"), tmp_path), "--namespace", "any")
    assert reason["code"] == "open-failed"
    assert "libmyops_gone.so.1" in reason["found"]


def test_registrations_are_taken_from_another_file_without_opening_this_one(tmp_path: Path) -> None:
    path = manifest.copied(fake("aborts"), tmp_path)
    stamp(path, "--from", fake("cpu"), "--level", "x86-64-v4")
    wide, baseline = manifest.read(path), manifest.read(fake("cpu"))
    assert wide["cpu"]["level"] == "x86-64-v4"
    for field in (
        "name",
        "kernels",
        "defines",
        "libraries",
        "fallbacks",
        "namespace",
        "set",
        "release",
        "version",
        "torch",
    ):
        assert wide[field] == baseline[field], field


def test_a_namespace_that_it_registers_nothing_in_is_refused(tmp_path: Path) -> None:
    reason = refusal(manifest.copied(fake("cpu"), tmp_path), "--from", fake("cpu"), "--namespace", "myops")
    assert reason["code"] == "bad-option"
    assert reason["expected"] == "operators in myops, the namespace named"
    assert reason["found"] == f"operators in {manifest.read(fake('cpu'))['namespace']}"


def test_a_level_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    reason = refusal(manifest.copied(fake("cpu"), tmp_path), "--from", fake("cpu"), "--level", "x86-64-v9")
    assert (reason["code"], reason["subject"], reason["found"]) == ("bad-option", "--level", "x86-64-v9")


def test_an_output_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    reason = refusal(fake("cpu"), "--from", fake("cpu"), "--output", tmp_path / "absent" / "x.so")
    assert reason["code"] == "bad-option"
    assert reason["subject"] == str(tmp_path / "absent" / "x.so")
    assert reason["found"] == "No such file or directory"


@pytest.mark.parametrize("part", STAMPED)
def test_our_manifests_name_no_path_of_the_build_machine(part: str) -> None:
    text = manifest.read_text(library(part))
    for folder in (ROOT, BUILD, torch_lib()):
        assert str(folder) not in text


def test_our_libraries_are_of_one_release() -> None:
    releases = {manifest.read(library(part))["release"] for part in STAMPED}
    assert len(releases) == 1


def test_our_manifests_say_what_the_dispatcher_holds() -> None:
    """Torch's own dump of each operator, in a process that opened our libraries without the loader."""
    code = """
        import json, sys, torch
        for path in sys.argv[2:]:
            torch.ops.load_library(path)
        print(json.dumps({op: torch._C._dispatch_dump(op) for op in json.loads(sys.argv[1])}))
    """
    manifests = {part: manifest.read(library(part)) for part in STAMPED}
    records = [
        (op, key, record)
        for stated in manifests.values()
        for key, operators in stated["kernels"].items()
        for op, record in operators.items()
    ]
    schemas = manifests["schema"]["defines"]
    assert len(records) > len(schemas) > 10
    names = sorted({op for op, _, _ in records} | {schema.split("(")[0] for schema in schemas})
    outcome = run_python(code, json.dumps(names), *(library(part) for part in STAMPED))
    assert outcome.returncode == 0, outcome
    dumps: dict[str, str] = outcome.json
    for schema in schemas:
        assert f"\nschema: {schema}\n" in dumps[schema.split("(")[0]]
    for op, key, record in records:
        lines = dumps[op].splitlines()
        assert any(
            line in (f"{key}: {record['registered']}", f"{key}[alias]: {record['registered']}") for line in lines
        )
        assert f"schema: myops::{record['schema']}" in lines


def test_our_manifests_state_a_signature_for_every_typed_kernel() -> None:
    for part in STAMPED:
        for operators in manifest.read(library(part))["kernels"].values():
            for op, record in operators.items():
                typed = record["cpp"] or record["cpp_symint"]
                assert bool(typed) == (":: (none) [" not in record["registered"]), (part, op, record)
