"""Equal build-ids of torch prove torch's symbols. Those of any other library are looked up all the same."""

from __future__ import annotations

from pathlib import Path

from support import manifest
from support.build_tree import fake
from support.link_lab import Lab
from support.loading import check

CODE = "int dep(void); int (*kept)(void) = dep;"


def test_symbol_that_a_dependency_lost_is_missed(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    lab.library("libdep.so", "int dep(void) { return 1; }")
    plugin = lab.plugin("libplugin.so", CODE, needs=["libdep.so"], stamp=manifest.read(fake("schema")))
    found = check(plugin, status=0).file(plugin)
    assert (found["loads"], found["reasons"]) == (True, [])
    lab.library("libdep.so", "int other(void) { return 1; }")
    reason = check(plugin, status=1).reason(plugin, "symbol-missing")
    assert reason["subject"] == "dep"
