"""What the loader takes from the process it is in: its dispatcher, its symbols, and the files that it runs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from support import manifest
from support.build_tree import BUILD, fake
from support.link_lab import Lab
from support.loading import SEARCHED_ALONE, Report, load
from support.process import run_python

# Asks a loader library of the test's own, in a process that has torch: [[function, options]…] → [[status, answer]…].
ASK = """
import ctypes, json, sys
import torch
loader = ctypes.PyDLL(sys.argv[1])
def ask(function, options):
    result = ctypes.c_void_p()
    status = getattr(loader, "myops_" + function)(json.dumps(options).encode(), ctypes.byref(result))
    return status, json.loads(ctypes.string_at(result.value))
answers = [ask(function, options) for function, options in json.loads(sys.argv[2])]
print(json.dumps([answers, hasattr(torch.ops.myops_fakes, "scale")]))
"""


def install(folder: Path, *, with_bridge: bool) -> Path:
    """The loader library alone, and its bridge where it should have one."""
    folder.mkdir()
    loader = Path(shutil.copy(BUILD / "lib" / "libmyops_loader.so", folder))
    if with_bridge:
        shutil.copytree(BUILD / "lib" / "myops" / "bridge", folder / "myops" / "bridge")
    return loader


def ask(loader: Path, plugins: Path, *calls: tuple[str, dict[str, Any]]) -> tuple[list[Any], bool]:
    outcome = run_python(ASK, loader, json.dumps(calls), env={SEARCHED_ALONE: str(plugins)})
    assert outcome.returncode == 0, outcome
    answers, defined = outcome.json
    return answers, defined


def test_nothing_is_opened_that_could_not_be_verified(tmp_path: Path) -> None:
    """Without a bridge no conflict can be foreseen, and nothing proven afterwards."""
    plugins, empty = tmp_path / "plugins", tmp_path / "empty"
    empty.mkdir()
    for case in ("schema", "cpu"):
        manifest.copied(fake(case), plugins)
    loader = install(tmp_path / "lib", with_bridge=False)
    answers, defined = ask(loader, plugins, ("load", {}), ("plan", {}))
    for status, report in answers:
        (missing,) = report["missing"]
        assert (status, report["succeeded"], report["opened"]) == (1, False, [])
        assert (missing["code"], missing["subject"]) == ("dependency-missing", "libmyops_bridge.so")
        # In folders that are named once each: the loader stands in a folder called lib itself.
        assert missing["found"] == str(tmp_path / "lib" / "myops" / "bridge")
    assert not defined
    answers, _ = ask(loader, empty, ("load", {}))
    assert (answers[0][0], answers[0][1]["missing"]) == (1, []), "nothing is there that would have to be verified"


def test_bridge_is_trusted_as_plugins_are(tmp_path: Path) -> None:
    plugins = tmp_path / "plugins"
    manifest.copied(fake("schema"), plugins)
    loader = install(tmp_path / "lib", with_bridge=True)
    (bridge,) = (tmp_path / "lib").rglob("libmyops_bridge.so")
    bridge.chmod(0o775)
    ((status, refused),), defined = ask(loader, plugins, ("load", {"trust": "strict"}))
    assert (status, [reason["code"] for reason in refused["missing"]]) == (1, ["untrusted"])
    assert str(bridge) in refused["missing"][0]["subject"] and not defined
    ((status, _),), defined = ask(loader, plugins, ("load", {"trust": "normal"}))
    assert status == 0 and defined


def test_file_that_was_replaced_since_it_was_opened(tmp_path: Path) -> None:
    """An upgrade under a running process: what runs is held to nothing that the new file says."""

    def newer(stamp: manifest.Manifest) -> None:
        stamp["version"] = "2.0"
        stamp["kernels"]["CPU"]["myops_fakes::scale"]["registered"] = "registered at another line"

    plugins = tmp_path / "plugins"
    manifest.copied(fake("schema"), plugins)
    path = manifest.copied(fake("cpu"), plugins)
    new = manifest.rewritten(fake("cpu"), tmp_path / "new", newer)
    again = f"import os; os.rename({str(new)!r}, {str(path)!r}); answer['second'] = myops.load().json"
    loaded = load(plugins, then=again)
    second = Report(loaded.answers["second"])
    assert second.json["succeeded"] is True and second.codes(path) == []
    assert any("replaced on disk since it was opened" in note for note in second.file(path)["notes"])


CHECK = """
import ctypes, json, sys
import torch, myops
for path in sys.argv[2:]:
    ctypes.CDLL(path, ctypes.RTLD_GLOBAL)
print(json.dumps(myops.check([sys.argv[1]]).json["files"][0]))
"""


def check_beside(target: Path, *opened: Path) -> Any:
    """The verdict on `target` in a process that has opened the others into its global scope."""
    outcome = run_python(CHECK, target, *opened, env={"MYOPS_AUTOLOAD": "0"})
    assert outcome.returncode == 0, outcome
    return outcome.json


def test_symbols_of_the_loader_serve_nobody_else(tmp_path: Path) -> None:
    target = Lab(tmp_path).library("libneeds.so", "int myops_load(void); int call(void) { return myops_load(); }")
    verdict = check_beside(target)
    assert verdict["loads"] is False
    assert "symbol-missing" in [reason["code"] for reason in verdict["reasons"]]


def test_symbol_of_the_global_scope_is_found(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    other = lab.library("libother.so", "int of_other(void) { return 1; }")
    target = lab.library("libneeds.so", "int of_other(void); int call(void) { return of_other(); }")
    assert check_beside(target)["loads"] is False
    assert check_beside(target, other)["loads"] is True


def test_version_that_would_end_the_process_stays_a_finding(tmp_path: Path) -> None:
    """The symbol is there, without the version that is needed of that very file: ld.so asserts."""
    lab = Lab(tmp_path)
    code = "int of_dep(void) { return 1; }"
    lab.library("libdep.so", code, versions="V1 { global: of_dep; };")
    target = lab.library(
        "libneeds.so",
        "int of_dep(void); int call(void) { return of_dep(); }",
        needs=["libdep.so"],
        flags=["-Wl,-rpath,$ORIGIN"],
    )
    dep = lab.library("libdep.so", code, flags=["-nostdlib"])  # libc would bring versions of its own
    verdict = check_beside(target, dep)
    assert verdict["loads"] is False
    assert any("ends the process" in reason["found"] for reason in verdict["reasons"]), verdict
