"""Loads, in a child process, what lies in one folder, and gives back the report as the child saw it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .process import Outcome, run_myops, run_python

# Search this folder, and neither the libraries of the build tree nor anything else.
SEARCHED_ALONE = "MYOPS_SYSTEM_PLUGIN_PATH"

PROGRAM = """
import json, sys
import torch, myops
options, first, then = json.loads(sys.argv[1])
answer = {"error": None}
exec(first)
try:
    report = myops.load(**options)
except myops.LoadError as error:
    report, answer["error"] = error.report, str(error)
answer["report"] = report.json
exec(then)
print(json.dumps(answer))
"""


@dataclass(frozen=True)
class Report:
    """The loader's JSON, and the questions that tests ask of it."""

    json: Mapping[str, Any]

    def file(self, path: Path) -> Mapping[str, Any]:
        found = [file for file in self.json["files"] if file["path"] == str(path)]
        assert len(found) == 1, f"{path} stands {len(found)} times in {self.json['files']}"
        return found[0]

    def codes(self, path: Path) -> list[str]:
        return [reason["code"] for reason in self.file(path)["reasons"]]

    def reason(self, path: Path, code: str) -> Mapping[str, str]:
        """The one reason of this code against this file."""
        found = [reason for reason in self.file(path)["reasons"] if reason["code"] == code]
        assert len(found) == 1, f"{code} stands {len(found)} times in {self.file(path)}"
        return found[0]

    @property
    def planned(self) -> list[str]:
        """Names of the files that a load would open, in order."""
        return [Path(path).name for path in self.json["order"]]

    @property
    def opened(self) -> list[str]:
        """Names of the files that the process has, in the order they were opened."""
        return [Path(path).name for path in self.json["opened"]]


@dataclass(frozen=True)
class Loaded:
    """What a child saw: `error` is the text of the LoadError or None, `answers` what its own questions gave."""

    report: Report
    error: str | None
    answers: Mapping[str, Any]
    process: Outcome


def load(
    folder: Path,
    *,
    raises: bool = False,
    first: str = "",
    then: str = "",
    env: Mapping[str, str] | None = None,
    **options: Any,
) -> Loaded:
    """`myops.load(**options)` in a child that searches `folder` alone; it ends with exit code 0, LoadError or not.

    `raises`: a LoadError is expected. `first` and `then` are statements that run before and after; they may put what
    they find into the dict `answer`.
    """
    variables = {"MYOPS_AUTOLOAD": "0", SEARCHED_ALONE: str(folder), **(env or {})}
    process = run_python(PROGRAM, json.dumps([options, first, then]), env=variables)
    assert process.returncode == 0, process
    answers = process.json
    loaded = Loaded(Report(answers.pop("report")), answers.pop("error"), answers, process)
    assert (loaded.error is not None) == raises, loaded.error
    return loaded


def ask(command: str, folder: Path, *arguments: object, status: int = 0) -> Report:
    """`myops list` or `plan` over `folder` alone, as the command line answers."""
    outcome = run_myops(command, *arguments, "--json", env={SEARCHED_ALONE: str(folder)})
    assert outcome.returncode == status, outcome
    return Report(outcome.json)


def check(*files: object, status: int) -> Report:
    """`myops check` of single files."""
    outcome = run_myops("check", *files, "--json")
    assert outcome.returncode == status, outcome
    return Report(outcome.json)
