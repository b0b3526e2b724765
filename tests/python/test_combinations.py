"""Every subset of the key libraries, in a process of its own, does what tests/combinations/expectations.py says."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import expectations
import pytest
from support.build_tree import HAS_GPU, ROOT, has_cuda, library
from support.fork_server import ForkServer
from support.loading import SEARCHED_ALONE, Report

QUESTIONS = ROOT / "tests" / "combinations" / "questions.py"
SUBSETS = [
    frozenset(parts)
    for size in range(len(expectations.PARTS) + 1)
    for parts in itertools.combinations(expectations.PARTS, size)
]


def name(subset: expectations.Subset) -> str:
    return "+".join(part for part in expectations.PARTS if part in subset) or "schema alone"


def differences(expected: Any, found: Any, where: str = "") -> list[str]:
    """One line for each answer that is another."""
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        keys = [*expected, *(key for key in found if key not in expected)]
        return [line for key in keys for line in differences(expected.get(key), found.get(key), f"{where}/{key}")]
    return [] if expected == found else [f"{where}: expected {expected!r}, found {found!r}"]


def check_first_report(subset: expectations.Subset, report: Report, paths: Mapping[str, Path]) -> None:
    """Everything is loaded but what would write without telling autograd, or has no GPU, and that is said."""
    refused = expectations.refused(subset)
    assert set(report.opened) == {path.name for part, path in paths.items() if part not in refused}
    for part, path in paths.items():
        assert report.codes(path) == ([refused[part]] if part in refused else []), part
        assert report.file(path)["verdict"] == ("rejected" if part in refused else "usable")
    for part in (part for part, code in refused.items() if code == "inplace-or-view-missing"):
        reason = report.reason(paths[part], "inplace-or-view-missing")
        assert (reason["expected"], reason["found"]) == ("ADInplaceOrView", "")
        assert all(f"myops::{op}" in reason["subject"] for op in ("myadd_", "myadd.out", "diagonal"))
    assert report.json["tainted"] is False


def check_whole_report(subset: expectations.Subset, report: Report, paths: Mapping[str, Path]) -> None:
    """Everything is loaded, and what can go wrong with it is said."""
    assert set(report.opened) == {path.name for path in paths.values()}
    assert report.opened[0] == paths["schema"].name
    assert all(report.codes(path) == [] for path in paths.values())
    assert report.json["tainted"] is bool(expectations.incomplete(subset))
    begins = expectations.notes(subset)
    notes = sorted(report.json["notes"])
    assert len(notes) == len(begins), notes
    assert all(note.startswith(begin) for note, begin in zip(notes, begins, strict=True)), notes


@pytest.fixture(scope="module")
def questions() -> Iterator[ForkServer]:
    """Has imported torch, and runs the questions about a set in a fork."""
    with ForkServer(QUESTIONS, {"MYOPS_AUTOLOAD": "0"}) as server:
        yield server


@pytest.mark.parametrize("subset", SUBSETS, ids=name)
def test_subset(subset: expectations.Subset, questions: ForkServer, tmp_path: Path) -> None:
    if "cuda" in subset and not has_cuda():
        pytest.skip("this build has no CUDA library: nvcc was not found when it was configured")
    if "cuda" in subset and HAS_GPU:
        pytest.skip("this machine has a GPU, and the table is for one that has none")
    folder, empty = tmp_path / "plugins", tmp_path / "empty"
    folder.mkdir()
    empty.mkdir()
    paths = {}
    for part in sorted(expectations.libraries(subset)):
        paths[part] = folder / library(part).name
        paths[part].symlink_to(library(part))
    process = questions.run([str(folder)], {SEARCHED_ALONE: str(empty)})
    assert process.returncode == 0, process
    reports = process.json["reports"]
    check_first_report(subset, Report(reports["first"]), paths)
    check_whole_report(subset, Report(reports["whole"]), paths)
    assert differences(expectations.answers(subset), process.json["answers"]) == []
