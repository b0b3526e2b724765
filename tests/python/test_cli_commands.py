"""What each subcommand answers over real plugins: JSON of the documented shape, exit code, silence on stderr."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from support import manifest
from support.build_tree import BUILD, fake, torch_lib
from support.loading import SEARCHED_ALONE
from support.process import environment, run, run_myops
from support.report_shape import assert_report


def ask(*arguments: object, status: int = 0, env: dict[str, str] | None = None) -> Any:
    outcome = run_myops(*arguments, "--torch", torch_lib(), "--json", env=env)
    assert outcome.returncode == status, outcome
    assert outcome.stderr == ""
    return outcome.json


@pytest.fixture
def alone(tmp_path: Path) -> dict[str, str]:
    """Variables that make the loader search one folder, which is empty yet."""
    folder = tmp_path / "plugins"
    folder.mkdir()
    return {SEARCHED_ALONE: str(folder)}


def place(alone: dict[str, str], *cases: str) -> list[Path]:
    folder = Path(alone[SEARCHED_ALONE])
    return [Path(shutil.copy(fake(case), folder)) for case in cases]


def test_list_gives_every_candidate_its_verdict(alone: dict[str, str]) -> None:
    schema, cpu, missing = place(alone, "schema", "cpu", "missing_library")
    report = ask("list", env=alone)
    assert_report(report)
    verdicts = {file["path"]: (file["verdict"], file["loads"]) for file in report["files"]}
    assert verdicts == {
        str(schema): ("usable", True),
        str(cpu): ("usable", True),
        str(missing): ("rejected", False),
    }
    assert report["torch"]["lib_dir"] == str(torch_lib())


def test_list_in_text_names_every_folder_where_nothing_is_found(alone: dict[str, str]) -> None:
    outcome = run_myops("list", "--torch", torch_lib(), env=alone)
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert "no library found; looked in:\n" in outcome.stdout
    assert f"  {alone[SEARCHED_ALONE]}\n" in outcome.stdout


def test_paths_come_first_and_in_their_order(alone: dict[str, str], tmp_path: Path) -> None:
    (in_system,) = place(alone, "schema")
    first, second = tmp_path / "b", tmp_path / "a"
    for folder in (first, second):
        folder.mkdir()
        shutil.copy(fake("cpu"), folder)
    report = ask("list", "--path", first, "--path", second, env=alone)
    assert [file["path"] for file in report["files"]] == [
        str(first / fake("cpu").name),
        str(second / fake("cpu").name),
        str(in_system),
    ]
    searched = [folder for folder in report["folders"] if "torch-" not in folder]
    assert searched == [str(first), str(second), alone[SEARCHED_ALONE]]


def test_check_tells_what_would_load_and_why_the_rest_would_not(tmp_path: Path) -> None:
    assert_report(ask("check", fake("cpu")))
    report = ask("check", fake("cpu"), fake("missing_library"), tmp_path / "gone.so", status=1)
    assert_report(report)
    assert [file["loads"] for file in report["files"]] == [True, False, False]
    codes = [[reason["code"] for reason in file["reasons"]] for file in report["files"]]
    assert codes[0] == []
    assert "dependency-missing" in codes[1]
    assert codes[2] == ["unreadable"]
    assert report["files"][2]["reasons"][0]["found"] == "No such file or directory"


def test_check_in_text_ends_with_what_was_asked() -> None:
    outcome = run_myops("check", fake("cpu"), fake("missing_library"), fake("aborts"), "--torch", torch_lib())
    assert (outcome.returncode, outcome.stderr) == (1, "")
    assert outcome.stdout.endswith(
        f"\ncould be opened, but is refused:\n  {fake('aborts')}\n"
        f"\nwould load:\n  {fake('cpu')}\n"
        f"\nwould not load:\n  {fake('missing_library')}\n"
    )


def test_check_takes_any_library() -> None:
    """One without a manifest, which is no plugin of ours: fine if it would load."""
    with open("/proc/self/maps") as maps:
        libc = next(line.split()[-1] for line in maps if line.rstrip().endswith("/libc.so.6"))
    report = ask("check", libc)
    assert report["files"][0]["verdict"] == "foreign"
    assert report["files"][0]["loads"] is True


def test_plan_is_in_order_and_says_why_others_are_left_out(alone: dict[str, str]) -> None:
    schema, cpu, missing = place(alone, "schema", "cpu", "missing_library")
    report = ask("plan", env=alone)
    assert_report(report)
    assert report["order"] == [str(schema), str(cpu)]
    assert [file["path"] for file in report["files"] if file["reasons"]] == [str(missing)]
    assert report["missing"] == []


def test_plan_fails_where_a_required_key_is_not_served(alone: dict[str, str]) -> None:
    place(alone, "schema", "cpu")
    assert ask("plan", "--require", "CPU", env=alone)["missing"] == []
    report = ask("plan", "--require", "CPU", "--require", "CUDA", status=1, env=alone)
    assert [(reason["code"], reason["subject"]) for reason in report["missing"]] == [("key-not-served", "CUDA")]
    assert ask("plan", status=1, env={**alone, "MYOPS_REQUIRE": "CUDA"})["missing"] == report["missing"]


def test_plan_for_another_machine(alone: dict[str, str], tmp_path: Path) -> None:
    _, cpu = place(alone, "schema", "cpu")
    stamp = manifest.read(cpu)
    manifest.write(cpu, {**stamp, "cpu": {**stamp["cpu"], "level": "x86-64-v2"}})
    host = run_myops("facts").json
    for level, verdict in (("x86-64-v2", "usable"), ("x86-64", "rejected")):
        file = tmp_path / "host.json"
        file.write_text(json.dumps({**host, "cpu_level": level}))
        report = ask("plan", "--host", file, env=alone)
        assert report["host"]["cpu_level"] == level
        found = next(entry for entry in report["files"] if entry["path"] == str(cpu))
        assert found["verdict"] == verdict
    assert found["reasons"][0]["code"] == "isa-level-missing"
    assert (found["reasons"][0]["expected"], found["reasons"][0]["found"]) == ("x86-64-v2", "x86-64")


def test_disabled_libraries_are_left_out(alone: dict[str, str]) -> None:
    schema, _ = place(alone, "schema", "cpu")
    assert ask("plan", "--disable", "*_cpu", env=alone)["order"] == [str(schema)]
    assert ask("plan", env={**alone, "MYOPS_DISABLE": "*_cpu"})["order"] == [str(schema)]


def test_verify_loads_for_real(alone: dict[str, str]) -> None:
    schema, cpu = place(alone, "schema", "cpu")
    report = ask("verify", "--require", "CPU", env=alone)
    assert_report(report)
    assert report["applied"] is True
    assert report["opened"] == [str(schema), str(cpu)]
    assert report["torch"]["mapped"] is True


def test_verify_survives_a_plugin_that_kills_its_process(alone: dict[str, str]) -> None:
    schema, bad = place(alone, "schema", "aborts")
    stamp = manifest.read(schema)
    of_bad = {"name": "bad", "namespace": "bad", "set": "bad", "defines": ["bad::f() -> ()"], "libraries": ["bad"]}
    manifest.write(bad, {**stamp, **of_bad})
    outcome = run_myops("verify", "--torch", torch_lib(), "--json", env=alone)
    assert (outcome.returncode, outcome.stderr) == (1, "")
    error = outcome.json["error"]
    assert error["code"] == "open-failed"
    assert error["subject"] == str(bad)
    assert error["found"].startswith("killed by signal 6 (Aborted)")
    text = run_myops("verify", "--torch", torch_lib(), env=alone)
    assert (text.returncode, text.stdout) == (1, "")
    assert f"{bad}: it could not be opened: killed by signal 6 (Aborted)" in text.stderr


def test_table_shows_who_provides_each_kernel(alone: dict[str, str]) -> None:
    place(alone, "schema", "cpu")
    table = ask("table", env=alone)
    stamp = manifest.read(fake("cpu"))
    operators = {op for ops in stamp["kernels"].values() for op in ops}
    assert operators <= set(table["operators"])
    for key, ops in stamp["kernels"].items():
        for op in ops:
            kernel = table["operators"][op]["kernels"][key]
            assert kernel["library"] == stamp["name"] and Path(kernel["path"]).name == fake("cpu").name
            assert table["operators"][op]["schema"]
    operator = sorted(operators)[0]
    for asked in (operator, operator.split("::")[1]):
        assert list(ask("table", asked, env=alone)["operators"]) == [operator]


def test_table_of_an_operator_that_is_not_there(alone: dict[str, str]) -> None:
    place(alone, "schema", "cpu")
    report = ask("table", "nothing_of_the_kind", status=1, env=alone)
    assert report["error"]["subject"] == "operator nothing_of_the_kind"


def test_doctor_has_what_a_bug_report_needs(alone: dict[str, str]) -> None:
    (schema,) = place(alone, "schema")
    report = ask("doctor", env=alone)
    assert_report(report)
    assert report["version"] == "0.1.0"
    assert report["bridge"] == str(BUILD / "lib/myops/bridge" / bridge_folder() / "libmyops_bridge.so")
    assert report["environment"][SEARCHED_ALONE] == alone[SEARCHED_ALONE]
    assert report["table"]["operators"].keys() == {line.split("(")[0] for line in manifest.read(schema)["defines"]}
    assert "no-gpu" in {entry["code"] for check in report["checks"] for entry in check["codes"]}
    text = run_myops("doctor", "--torch", torch_lib(), env=alone)
    assert (text.returncode, text.stderr) == (0, "")
    assert f"searched:\n  {alone[SEARCHED_ALONE]}\n" in text.stdout and "  PATH=" in text.stdout
    for part in ("myops 0.1.0", str(torch_lib()), str(schema), f"{SEARCHED_ALONE}={alone[SEARCHED_ALONE]}"):
        assert part in text.stdout


def bridge_folder() -> str:
    (folder,) = (BUILD / "lib" / "myops" / "bridge").iterdir()
    return folder.name


def test_default_folders_lie_beside_the_loader_however_it_is_called(tmp_path: Path) -> None:
    link = tmp_path / "some-name"
    link.symlink_to(BUILD / "bin" / "myops")
    wanted = [str(BUILD / "lib" / "plugins"), str(BUILD / "lib" / "myops" / "plugins")]
    for program, folder in ((BUILD / "bin" / "myops", Path("/")), (link, tmp_path)):
        outcome = run(["/bin/sh", "-c", 'cd "$1" && exec "$2" list --json', "sh", str(folder), str(program)])
        assert outcome.returncode == 0, outcome
        folders = outcome.json["folders"]
        assert [path for path in folders if not Path(path).name.startswith("torch-")] == wanted


def test_a_working_folder_that_is_gone_does_no_harm(alone: dict[str, str], tmp_path: Path) -> None:
    (schema,) = place(alone, "schema")
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f'cd "{gone}" && rmdir "{gone}" && exec "{BUILD}/bin/myops" list --json --path relative'
    outcome = run(["/bin/sh", "-c", script], alone)
    assert outcome.returncode == 0, outcome
    assert [file["path"] for file in outcome.json["files"]] == [str(schema)]
    assert [(note["code"], note["subject"]) for note in outcome.json["folder_notes"]] == [("unreadable", "relative")]


def test_torch_is_found_by_each_of_its_names(alone: dict[str, str]) -> None:
    lib = torch_lib()
    for name in (lib, lib.parent):
        assert ask_torch({**alone, "MYOPS_TORCH": str(name)}) == str(lib)
    prefix = Path(os.environ.get("VIRTUAL_ENV") or lib.parents[4])
    if (prefix / "bin" / "python3").exists():
        assert ask_torch({**alone, "VIRTUAL_ENV": str(prefix)}) == str(lib)
        assert ask_torch({**alone, "VIRTUAL_ENV": "", "PATH": f"{prefix}/bin:/usr/bin:/bin"}) == str(lib)


def ask_torch(env: dict[str, str]) -> str:
    outcome = run_myops("list", "--json", env=env)
    assert outcome.returncode == 0, outcome
    assert outcome.json["torch"] is not None, environment(env).get("PATH")
    lib_dir: str = outcome.json["torch"]["lib_dir"]
    return lib_dir


def test_no_torch_is_said_and_nothing_is_called_loadable(alone: dict[str, str]) -> None:
    place(alone, "schema")
    env = {**alone, "VIRTUAL_ENV": "", "PATH": "/no/such/folder", "PYTHONPATH": ""}
    outcome = run_myops("plan", "--json", env=env)
    assert outcome.returncode == 0, outcome
    report = outcome.json
    assert report["torch"] is None
    assert report["order"] == []
    assert report["files"][0]["loads"] is None
    assert [reason["code"] for reason in report["files"][0]["reasons"]] == ["torch-not-found"]
    assert any("MYOPS_TORCH" in note for note in report["notes"])
