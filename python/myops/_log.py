"""One line at logging.getLogger("myops") for each library that was left out, once in a process."""

from __future__ import annotations

import logging
from typing import Final

from ._report import Report

_logger: Final = logging.getLogger("myops")
_told: Final[set[tuple[int, str]]] = set()

# What a healthy machine shows too: parts for other hardware, other variants, files that are not ours or not wanted.
_EXPECTED: Final = frozenset(
    (
        "foreign",
        "superseded",
        "disabled",
        "duplicate",
        "no-gpu",
        "cuda-not-in-torch",
        "torch-is-rocm",
        "isa-level-missing",
        "wrong-architecture",
    )
)


def tell(report: Report) -> None:
    """Tells what the report leaves out: a warning where something is wrong, information where it is as it should be."""
    for file in report.files:
        if file.reasons:
            level = logging.INFO if _EXPECTED.issuperset(file.codes) else logging.WARNING
            _once(level, f"{file.path} is not loaded: {file.reasons[0]}")
    for reason in report.json["folder_notes"]:
        _once(logging.WARNING, f"{reason['subject']} is not searched: {reason['found']}")
    for note in report.notes:
        _once(logging.WARNING, note)


def _once(level: int, line: str) -> None:
    if (level, line) not in _told:
        _told.add((level, line))
        _logger.log(level, "%s", line)
