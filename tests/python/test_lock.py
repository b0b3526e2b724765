"""Lock files: written by `myops lock`, kept by `list`, `plan` and loads."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path

import pytest
from support.build_tree import cpu_library, library
from support.package import ALONE, by_hand, folder_of
from support.process import Outcome, run_myops
from support.reasons import produces


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return folder_of(tmp_path / "plugins", "schema", "inplace_or_view", "composite")


def locked(folder: Path) -> Path:
    lock = folder.parent / "myops.lock"
    outcome = run_myops("lock", "--output", lock, env={ALONE: str(folder)})
    assert (outcome.returncode, outcome.stderr) == (0, ""), outcome
    return lock


def plan(folder: Path, lock: Path, *arguments: object) -> Outcome:
    return run_myops("plan", "--json", "--lock", lock, *arguments, env={ALONE: str(folder)})


def codes(outcome: Outcome) -> dict[str, list[str]]:
    return {file["name"]: [reason["code"] for reason in file["reasons"]] for file in outcome.json["files"]}


def test_lock_has_path_hash_and_build_id_of_every_library(folder: Path) -> None:
    content = json.loads(locked(folder).read_text())
    assert content["format"] == 1
    files = content["files"]
    plugins = {path: entry for path, entry in files.items() if path.startswith("plugins/")}
    assert sorted(plugins) == [f"plugins/libmyops_{part}.so" for part in ("composite", "inplace_or_view", "schema")]
    for path, entry in plugins.items():
        assert entry["sha256"] == hashlib.sha256((folder.parent / path).read_bytes()).hexdigest()
        assert len(entry["build_id"]) == 40
    assert any(path.endswith("libmyops_bridge.so") for path in files), "without it nothing can be loaded"


def test_what_is_listed_is_planned_after_a_move_too(folder: Path, tmp_path: Path) -> None:
    lock = locked(folder)
    assert codes(plan(folder, lock)) == {"myops_schema": [], "myops_inplace_or_view": [], "myops_composite": []}
    moved = tmp_path / "elsewhere"
    shutil.copytree(folder.parent, moved, ignore=shutil.ignore_patterns("elsewhere"))
    assert codes(plan(moved / "plugins", moved / "myops.lock")) == codes(plan(folder, lock))


def test_machine_may_have_less(folder: Path) -> None:
    lock = locked(folder)
    (folder / "libmyops_composite.so").unlink()
    assert codes(plan(folder, lock)) == {"myops_schema": [], "myops_inplace_or_view": []}


@produces("not-in-lock")
def test_library_that_is_not_listed_is_refused(folder: Path, code: str) -> None:
    lock = locked(folder)
    shutil.copy2(library("autograd"), folder)
    outcome = plan(folder, lock)
    assert codes(outcome)["myops_autograd"] == [code]
    (reason,) = next(file for file in outcome.json["files"] if file["name"] == "myops_autograd")["reasons"]
    assert reason["expected"] == str(lock) and "myops lock" in reason["hint"]


@produces("hash-mismatch")
def test_library_of_another_content_is_refused(folder: Path, code: str) -> None:
    lock = locked(folder)
    changed = folder / "libmyops_inplace_or_view.so"
    with changed.open("ab") as file:
        file.write(b" ")
    assert codes(plan(folder, lock))["myops_inplace_or_view"] == [code]


def test_what_the_group_can_write_is_refused_under_a_lock(folder: Path) -> None:
    lock = locked(folder)
    (folder / "libmyops_inplace_or_view.so").chmod(0o664)
    assert codes(plan(folder, lock))["myops_inplace_or_view"] == ["untrusted"]


def test_variable_and_argument_hold_a_load_to_it(folder: Path) -> None:
    lock = locked(folder)
    shutil.copy2(library("autograd"), folder)
    code = "print(sorted(os.path.basename(path) for path in myops.load({}).opened))"
    expected = "['libmyops_composite.so', 'libmyops_inplace_or_view.so', 'libmyops_schema.so']\n"
    by_variable = by_hand("import os\n" + code.format(""), **{ALONE: str(folder), "MYOPS_LOCK": str(lock)})
    by_argument = by_hand("import os\n" + code.format(f"lock={str(lock)!r}"), **{ALONE: str(folder)})
    assert by_variable.stdout == by_argument.stdout == expected, (by_variable, by_argument)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "No such file or directory"),
        ("", "JSON"),
        ("[]", "a JSON object"),
        ('{"format": 2, "files": {}}', "format"),
        ('{"format": 1, "files": {"/abs.so": {}}}', "relative"),
        ('{"format": 1, "files": {"a.so": {"sha256": "x"}}}', "sha256"),
    ],
)
def test_lock_that_is_none_refuses_everything(folder: Path, content: str | None, words: str) -> None:
    lock = folder.parent / "broken.lock"
    if content is not None:
        lock.write_text(content)
    outcome = plan(folder, lock)
    assert outcome.returncode == 2
    assert words in outcome.json["error"]["text"] if "text" in outcome.json["error"] else words in outcome.stdout


def test_lock_of_nothing_is_an_error(tmp_path: Path) -> None:
    """The bridges alone are nothing to load."""
    (tmp_path / "empty").mkdir()
    outcome = run_myops("lock", "--output", tmp_path / "my.lock", env={ALONE: str(tmp_path / "empty")})
    assert outcome.returncode == 1 and "libraries to list" in outcome.stderr
    assert not (tmp_path / "my.lock").exists()


def test_folder_that_is_not_there_is_an_error(folder: Path) -> None:
    outcome = run_myops("lock", "--output", folder / "no" / "my.lock", env={ALONE: str(folder)})
    assert outcome.returncode == 2 and "No such file" in outcome.stderr


def test_what_cannot_be_looked_at_is_named(folder: Path) -> None:
    (folder / "libgone.so").symlink_to("nowhere.so")
    outcome = run_myops("lock", "--json", "--output", folder.parent / "my.lock", env={ALONE: str(folder)})
    assert outcome.returncode == 1
    assert ["libgone.so" in line for line in outcome.json["left_out"]] == [True]
    assert len(outcome.json["files"]) >= 4, "the others are listed"


def test_lock_that_is_not_there_stops_what_judges_and_nothing_else(folder: Path) -> None:
    variables = {ALONE: str(folder), "MYOPS_LOCK": str(folder.parent / "later.lock")}
    assert run_myops("plan", env=variables).returncode == 2
    assert run_myops("lock", "--output", folder.parent / "later.lock", env=variables).returncode == 0
    assert run_myops("plan", env=variables).returncode == 0


def test_package_writes_one_too(folder: Path) -> None:
    lock = folder.parent / "my.lock"
    outcome = by_hand("print(len(myops.lock(sys.argv[1]).json['files']))", lock, **{ALONE: str(folder)})
    assert int(outcome.stdout) >= 4, outcome
    assert codes(plan(folder, lock))["myops_schema"] == []


def test_read_only_roots_can_be_locked_elsewhere(folder: Path, tmp_path: Path) -> None:
    folder.chmod(0o555)
    lock = tmp_path / "locks" / "my.lock"
    lock.parent.mkdir()
    assert run_myops("lock", "--output", lock, env={ALONE: str(folder)}).returncode == 0
    assert "../plugins/libmyops_schema.so" in json.loads(lock.read_text())["files"]
    assert codes(plan(folder, lock))["myops_schema"] == []


def test_whole_build_is_locked_and_verified(tmp_path: Path) -> None:
    """Every variant and torch is listed; this machine loads some of them."""
    lock = tmp_path / "all.lock"
    assert run_myops("lock", "--output", lock).returncode == 0
    listed = json.loads(lock.read_text())["files"]
    assert os.path.relpath(cpu_library(), tmp_path) in listed
    assert any("x86-64-v4" in path for path in listed)
    outcome = run_myops("verify", "--lock", lock)
    assert outcome.returncode == 0, outcome
