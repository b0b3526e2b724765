"""The `myops` command as a command: help, version, usage errors, where output goes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from support.build_tree import BUILD
from support.process import run, run_myops

COMMANDS = ["list", "check", "plan", "verify", "table", "doctor", "facts", "stamp", "lock"]


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_helps_with_an_example(command: str) -> None:
    outcome = run_myops(command, "--help")
    assert outcome.returncode == 0
    assert outcome.stderr == ""
    assert f"Example:\n  myops {command}" in outcome.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_help_is_a_command_too(command: str) -> None:
    assert run_myops("help", command) == run_myops(command, "--help")


def test_help_without_a_command_is_the_whole() -> None:
    assert run_myops("help") == run_myops("--help")


def test_help_lists_the_commands_and_the_exit_codes() -> None:
    outcome = run_myops("--help")
    assert outcome.returncode == 0
    listed = [line.split()[0] for line in outcome.stdout.split("Subcommands:\n")[1].split("\n\n")[0].splitlines()]
    assert listed == COMMANDS
    assert "Exit codes: 0 fine, 1 something asked for cannot be loaded, 2 usage." in outcome.stdout


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["list", "-h"]])
def test_help_that_cannot_be_written_is_a_failure(arguments: list[str]) -> None:
    with open("/dev/full", "w") as full:
        outcome = subprocess.run([BUILD / "bin" / "myops", *arguments], stdout=full, stderr=subprocess.PIPE)
    assert outcome.returncode == 1


def test_version() -> None:
    outcome = run_myops("--version")
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (0, "myops 0.1.0\n", "")


@pytest.mark.parametrize(
    ("arguments", "command", "fault"),
    [
        ([], "myops", "A subcommand is required"),
        (["nonsense"], "myops", "there is no command nonsense"),
        (["help", "nonsense"], "myops help", "there is no command nonsense"),
        (["list", "--pth", "/p"], "myops list", "--pth"),
        (["list", "extra"], "myops list", "extra"),
        (["check"], "myops check", "FILE is required"),
        (["plan", "--trust", "blind"], "myops plan", "blind"),
        (["plan", "--host", "/no/such/file"], "myops plan", "/no/such/file cannot be read"),
        (["verify", "--timeout", "0"], "myops verify", "0 not in range 1 to 86400"),
        (["plan", "--torch", ""], "myops plan", "--torch: is empty"),
        (["plan", "--host", ""], "myops plan", "--host: is empty"),
        (["table", ""], "myops table", "OP: is empty"),
        (["stamp", "x.so", "--output", ""], "myops stamp", "--output: is empty"),
        (["doctor", "--html", ""], "myops doctor", "--html: is empty"),
        (["doctor", "--html", "x.html", "--json"], "myops doctor", "--json excludes --html"),
        (["stamp", "x.so", "--schema", "a.so", "--from", "b.so"], "myops stamp", "--schema excludes --from"),
    ],
)
def test_wrong_usage_says_what_and_where_to_look(arguments: list[str], command: str, fault: str) -> None:
    outcome = run_myops(*arguments)
    assert outcome.returncode == 2
    assert outcome.stdout == ""
    first, second = outcome.stderr.splitlines()
    assert first.startswith(f"{command}: ") and fault in first
    assert second == f"Try `{command} --help`."


def test_a_host_file_that_is_none_is_wrong_usage(tmp_path: Path) -> None:
    file = tmp_path / "host.json"
    file.write_text("no JSON")
    outcome = run_myops("plan", "--host", file)
    assert outcome.returncode == 2
    assert f"{file} is no JSON object; `myops facts` writes such a file" in outcome.stderr
    file.write_text('{"arch":' + "[" * 200_000 + "]" * 200_000 + "}")
    outcome = run_myops("plan", "--host", file)
    assert outcome.returncode == 2
    assert "nesting deeper than 32" in outcome.stderr and str(file) in outcome.stderr
    file.write_text('{}, "paths": []')
    assert f"{file} is no JSON object" in run_myops("plan", "--host", file).stderr
    outcome = run_myops("plan", "--host", "/dev/zero")
    assert outcome.returncode == 2
    assert "/dev/zero is larger than 1 MiB" in outcome.stderr
    file.write_text('{"arch": 1}')
    outcome = run_myops("plan", "--host", file, "--json")
    assert outcome.returncode == 2
    assert outcome.json["error"]["code"] == "bad-option"
    assert outcome.json["error"]["subject"] == "host.arch" and str(file) in outcome.json["error"]["hint"]


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("{}", "host.arch is not valid: expected "),
        ('{"arch": "x86_64", "arch": "aarch64", "cpu_level": "x86-64"}', 'the key "arch" twice in one object'),
        ('{"arch": "x86_64", "cpu_level": "x86-65-v9"}', 'found "x86-65-v9"'),
    ],
)
def test_what_is_wrong_in_a_host_file_is_said_with_its_name(tmp_path: Path, content: str, fault: str) -> None:
    file = tmp_path / "host.json"
    file.write_text(content)
    for command in (["list"], ["plan"], ["check", "/no/such/file"]):
        outcome = run_myops(*command, "--host", file)
        assert outcome.returncode == 2 and outcome.stdout == ""
        assert fault in outcome.stderr and f"; in {file}; `myops facts` writes such a file" in outcome.stderr, outcome


@pytest.mark.parametrize("command", ["list", "plan", "verify", "table", "doctor"])
def test_a_torch_that_is_none_is_wrong_usage(tmp_path: Path, command: str) -> None:
    outcome = run_myops(command, "--torch", tmp_path)
    assert outcome.returncode == 2
    assert outcome.stdout == ""
    assert outcome.stderr.startswith("myops: torch-not-found: ")
    told = run_myops(command, "--torch", tmp_path, "--json")
    assert (told.returncode, told.stderr) == (2, "")
    assert told.json["error"]["code"] == "torch-not-found"
    assert told.json["error"]["subject"] == str(tmp_path)


def test_an_answer_that_cannot_be_written_is_no_success() -> None:
    outcome = run(["/bin/sh", "-c", f"exec {BUILD}/bin/myops facts > /dev/full"])
    assert outcome.returncode == 1
    assert "cannot be written: No space left on device" in outcome.stderr


def test_an_argument_that_is_no_utf8_is_wrong_usage() -> None:
    outcome = run(["/bin/sh", "-c", f"exec {BUILD}/bin/myops check \"$(printf 'x\\377.so')\""])
    assert outcome.returncode == 2
    assert "not valid UTF-8" in outcome.stderr


def test_facts_are_json_asked_for_or_not() -> None:
    plain, asked = run_myops("facts"), run_myops("facts", "--json")
    assert plain.returncode == asked.returncode == 0
    assert plain.stdout == asked.stdout
    facts = json.loads(plain.stdout)
    assert "text" not in facts
    assert facts["libc"].startswith("glibc 2.")
