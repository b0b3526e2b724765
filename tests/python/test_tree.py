"""The tree keeps its shape: tools/check_tree.py finds no fault, and finds the faults it is there for."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def load_checker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_tree", ROOT / "tools" / "check_tree.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_tree_has_no_faults(capsys: pytest.CaptureFixture[str]) -> None:
    assert load_checker().main() == 0, capsys.readouterr().out


@pytest.mark.parametrize(
    "line",
    ["#include <torch/library.h>", '#include "c10/core/Device.h"', "#include <dlfcn.h>", "#include <filesystem>"],
)
def test_impure_include_is_seen(line: str) -> None:
    assert load_checker().IMPURE_INCLUDE.search(line)
