"""Marks which test produces which reason code from a real file, so that a test can say that none is without one."""

from __future__ import annotations

import pytest

PRODUCED: set[str] = set()


def produces(*codes: str) -> pytest.MarkDecorator:
    """The test takes `code` and asks the report for exactly that one; it runs once for each of `codes`."""
    PRODUCED.update(codes)
    return pytest.mark.parametrize("code", codes)
