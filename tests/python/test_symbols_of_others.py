"""Equal build-ids of torch prove torch's symbols. Those of any other library are looked up all the same."""

from __future__ import annotations

from pathlib import Path

from support import manifest
from support.build_tree import ROOT, fake
from support.link_lab import Lab
from support.loading import check

CODE = "int dep(void); int (*kept)(void) = dep;"


def plugin_that_needs(lab: Lab, dependency: str) -> Path:
    """A library with the manifest of one that was built for this very torch, and a dependency of its own."""
    room = (ROOT / "cmake" / "manifest_note.S.in").read_text().replace("@MYOPS_NOTE_BYTES@", "32768")
    (lab.root / "note.S").write_text(room)
    flags = [str(lab.root / "note.S"), "-Wl,-rpath,$ORIGIN"]
    return manifest.write(
        lab.library("libplugin.so", CODE, needs=[dependency], flags=flags), manifest.read(fake("schema"))
    )


def test_symbol_that_a_dependency_lost_is_missed(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    lab.library("libdep.so", "int dep(void) { return 1; }")
    plugin = plugin_that_needs(lab, "libdep.so")
    found = check(plugin, status=0).file(plugin)
    assert (found["loads"], found["reasons"]) == (True, [])
    lab.library("libdep.so", "int other(void) { return 1; }")
    reason = check(plugin, status=1).reason(plugin, "symbol-missing")
    assert reason["subject"] == "dep"
