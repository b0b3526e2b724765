"""docs/cases.md is true of the tests: numbers in order, and every test that it names is in the file that it names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "cases.md").read_text()
SECTIONS = ["Discovery", "Identification", "Registration and lifetime", "Hardware selection"]
HEAD = ["| number | case | tests |", "|---|---|---|"]
REMARK = re.compile(r"(?:^|; )(?=(?:needs a GPU|measured by `\./dev bench`|not tested yet): )")
PYTEST = re.compile(r"(?P<path>[\w/]+\.py)::(?P<name>test_\w+)")
GOOGLE_TEST = re.compile(r"(?P<path>[\w/]+_test\.cpp): (?P<suite>\w+)\.(?P<name>\w+)")


@dataclass(frozen=True)
class Case:
    """One row: `tests` as they are named, `gap` what has no test and why, "" where nothing is missing."""

    number: int
    words: str
    tests: tuple[str, ...]
    gap: str


def case_of(row: str) -> Case:
    cells = re.fullmatch(r"\| (\d+) \| ([^|]+) \| ([^|]+) \|", row)
    assert cells, f"no row of a table of cases: {row}"
    named, *remarks = REMARK.split(cells[3])
    assert not named or re.fullmatch(r"`[^`]+`(, `[^`]+`)*", named), f"case {cells[1]}: not a list of tests: {named}"
    return Case(int(cells[1]), cells[2], tuple(re.findall(r"`([^`]+)`", named)), "; ".join(remarks))


def tables(page: str) -> dict[str, list[Case]]:
    """The cases of each section."""
    found = {}
    for section in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        title, *lines = section.splitlines()
        rows = [line for line in lines if line.startswith("|")]
        assert rows[:2] == HEAD, title
        found[title] = [case_of(row) for row in rows[2:]]
    return found


def fault_of(test: str) -> str:
    """Why this is the name of no test; "" where it is."""
    if match := PYTEST.fullmatch(test):
        wanted = rf"^def {match['name']}\("
    elif match := GOOGLE_TEST.fullmatch(test):
        wanted = rf"^TEST(_F|_P)?\({match['suite']}, {match['name']}\)"
    else:
        return f"{test} is neither FILE.py::NAME nor FILE_test.cpp: SUITE.NAME"
    path = ROOT / match["path"]
    if not path.is_file():
        return f"there is no file {match['path']}"
    return "" if re.search(wanted, path.read_text(), re.MULTILINE) else f"{match['path']} has no {match['name']}"


def test_page_has_its_sections() -> None:
    assert list(tables(PAGE)) == SECTIONS
    assert all(cases for cases in tables(PAGE).values())


def test_numbers_are_in_order_and_stand_once() -> None:
    for section, cases in tables(PAGE).items():
        numbers = [case.number for case in cases]
        assert numbers == sorted(set(numbers)), section


def test_every_case_has_a_test_or_says_what_is_missing() -> None:
    for cases in tables(PAGE).values():
        assert [case.number for case in cases if not case.tests and not case.gap] == []


def test_every_named_test_exists() -> None:
    named = [test for cases in tables(PAGE).values() for case in cases for test in case.tests]
    assert len(named) > 100
    assert [fault for test in named if (fault := fault_of(test))] == []


THIS = "tests/python/test_cases.py"
GATHER = "tests/loader/system/files_test.cpp"
WRONG_NAMES = {
    f"{THIS}::test_every_named_test_exist": f"{THIS} has no test_every_named_test_exist",
    "tests/python/test_case.py::test_page_has_its_sections": "there is no file tests/python/test_case.py",
    f"{GATHER}: Gather.DanglingLinksAndLoops": f"{GATHER} has no DanglingLinksAndLoops",
    f"{GATHER}: Gathers.DanglingLinksAndLoopsAreNotes": f"{GATHER} has no DanglingLinksAndLoopsAreNotes",
    f"{GATHER}::DanglingLinksAndLoopsAreNotes": "is neither",
    f"{THIS}: test_page_has_its_sections": "is neither",
}


@pytest.mark.parametrize("test", WRONG_NAMES)
def test_misspelt_name_is_found(test: str) -> None:
    assert WRONG_NAMES[test] in fault_of(test)


WRONG_ROWS = {
    "no number": "| x | words | `tests/a.py::test_a` |",
    "two cells": "| 1 | words |",
    "words among the tests": "| 1 | words | `tests/a.py::test_a` and others |",
    "a name without its quotes": "| 1 | words | tests/a.py::test_a |",
    "a gap without its reason": "| 1 | words | `tests/a.py::test_a`; the rest |",
}


@pytest.mark.parametrize("row", WRONG_ROWS)
def test_misshapen_row_is_found(row: str) -> None:
    with pytest.raises(AssertionError):
        case_of(WRONG_ROWS[row])
