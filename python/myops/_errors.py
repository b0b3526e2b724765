"""What the package raises. Knows neither torch nor the loader."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._report import Report


class LoadError(ImportError):
    """Something that was asked for cannot be loaded, or the loader itself cannot be found.

    The message is the report's text. `report` is the report itself, None where no loader answered.
    """

    report: Report | None

    def __init__(self, message: str, report: Report | None = None) -> None:
        super().__init__(message, name="myops")
        self.report = report
