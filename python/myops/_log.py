"""Lines at logging.getLogger("myops"), once in a process: libraries left out or not as promised, and notes."""

from __future__ import annotations

import logging
from typing import Final

from ._report import Report

_logger: Final = logging.getLogger("myops")
_told: Final[set[tuple[int, str]]] = set()


def tell(report: Report) -> None:
    """Tells what the report leaves out: a warning where something is wrong, information where it is as it should be.

    A library that is loaded and not what was promised is an error.
    """
    for file in report.files:
        if file.reasons and file.opened:
            _once(logging.ERROR, f"{file.path} is loaded, but {file.reasons[0]}")
        elif file.reasons:
            _once(logging.INFO if file.harmless else logging.WARNING, f"{file.path} is not loaded: {file.reasons[0]}")
    for reason in report.json["folder_notes"]:
        _once(logging.WARNING, f"{reason['subject']} is not searched: {reason['found']}")
    _once(logging.INFO, f"{len(report.opened)} libraries, fingerprint {report.json['fingerprint']}")
    for note in report.notes:
        _once(logging.WARNING, note)


def tell_of_compiled() -> None:
    """Warns that compiled programs keep to what they were compiled with."""
    line = "libraries were loaded after something was compiled: torch.compiler.reset() has it compiled anew"
    _logger.warning("%s", line)


def _once(level: int, line: str) -> None:
    if (level, line) not in _told:
        _told.add((level, line))
        _logger.log(level, "%s", line)
