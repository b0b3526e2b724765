"""Loads the operator libraries once for every test in this folder, through the loader, as users do."""

from __future__ import annotations

import myops
import pytest

KEYS = [
    "CPU",
    "Meta",
    "CompositeExplicitAutograd",
    "Autograd",
    "ADInplaceOrView",
    "Functionalize",
    "AutocastCPU",
    "AutocastCUDA",
]


@pytest.fixture(scope="session", autouse=True)
def libraries() -> None:
    myops.load(require=KEYS)
