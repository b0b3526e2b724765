"""The resolver against the real dynamic linker: libraries made with the compiler, one rule each."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.damage import for_aarch64, of_32_bits
from support.link_lab import Lab


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def without(path: Path) -> None:
    """Removes a library that was there to link against."""
    path.unlink()


def test_everything_there(lab: Lab) -> None:
    lab.library("deps/liba.so", "int a(void) { return 1; }")
    target = lab.library(
        "libx.so", "int a(void); int x(void) { return a(); }", needs=["deps/liba.so"], flags=["-Wl,-rpath,$ORIGIN/deps"]
    )
    assert lab.check(target).opened


def test_missing_library(lab: Lab) -> None:
    dependency = lab.library("liba.so")
    target = lab.library("libx.so", needs=["liba.so"])
    without(dependency)
    outcome = lab.check(target)
    assert [(entry["kind"], entry["name"], entry["needed_by"]) for entry in outcome.missing] == [
        ("library", "liba.so", str(target))
    ]
    assert "liba.so: cannot open shared object file" in outcome.message


def chain(lab: Lab, tag: str, middle: list[str]) -> Path:
    """libx → liba → libb, both in deps; libx has the folder in `tag`, liba has `middle`."""
    lab.library("deps/libb.so", "int b(void) { return 1; }")
    lab.library("deps/liba.so", "int b(void); int a(void) { return b(); }", needs=["deps/libb.so"], flags=middle)
    return lab.library(
        "libx.so",
        "int a(void); int x(void) { return a(); }",
        needs=["deps/liba.so"],
        flags=["-Wl,-rpath,$ORIGIN/deps", f"-Wl,{tag}", "-Wl,-rpath-link," + str(lab.root / "deps")],
    )


def test_rpath_is_inherited(lab: Lab) -> None:
    assert lab.check(chain(lab, "--disable-new-dtags", [])).opened


def test_runpath_is_not_inherited(lab: Lab) -> None:
    outcome = lab.check(chain(lab, "--enable-new-dtags", []))
    assert outcome.names() == ["libb.so"]
    assert outcome.missing[0]["needed_by"].endswith("deps/liba.so")


def test_runpath_of_the_middle_switches_inheritance_off(lab: Lab) -> None:
    outcome = lab.check(chain(lab, "--disable-new-dtags", ["-Wl,-rpath,/nowhere", "-Wl,--enable-new-dtags"]))
    assert outcome.names() == ["libb.so"]


def test_rpath_of_the_middle_adds_to_what_it_inherits(lab: Lab) -> None:
    assert lab.check(chain(lab, "--disable-new-dtags", ["-Wl,-rpath,/nowhere", "-Wl,--disable-new-dtags"])).opened


def two_places(lab: Lab, tag: str, spoil: Callable[[Path], object]) -> Path:
    """liba in first (spoiled) and in second; libx searches both."""
    lab.library("second/liba.so", "int a(void) { return 1; }")
    target = lab.library(
        "libx.so",
        "int a(void); int x(void) { return a(); }",
        needs=["second/liba.so"],
        flags=["-Wl,-rpath,$ORIGIN/first:$ORIGIN/second", f"-Wl,{tag}"],
    )
    first = lab.root / "first" / "liba.so"
    first.parent.mkdir()
    shutil.copy(lab.root / "second" / "liba.so", first)
    spoil(first)
    return target


@pytest.mark.parametrize(
    "spoil", [for_aarch64, of_32_bits, lambda path: path.chmod(0)], ids=["aarch64", "32-bit", "unreadable"]
)
@pytest.mark.parametrize("tag", ["--enable-new-dtags", "--disable-new-dtags"])
def test_candidates_that_are_passed_over(lab: Lab, tag: str, spoil: Callable[[Path], object]) -> None:
    assert lab.check(two_places(lab, tag, spoil)).opened


def executable(path: Path) -> None:
    source = path.with_suffix(".c")
    source.write_text("int main(void) { return 0; }")
    subprocess.run(["gcc", "-pie", "-fPIE", "-o", path, source], check=True, timeout=60)


SPOILERS: dict[str, Callable[[Path], object]] = {
    "text": lambda path: path.write_text("INPUT ( liba.so.1 )\n"),
    "empty": lambda path: path.write_bytes(b""),
    "cut in the header": lambda path: os.truncate(path, 40),
    "executable": executable,
}


@pytest.mark.parametrize("spoil", SPOILERS.values(), ids=SPOILERS.keys())
def test_candidates_that_end_the_search(lab: Lab, spoil: Callable[[Path], object]) -> None:
    outcome = lab.check(two_places(lab, "--enable-new-dtags", spoil))
    assert outcome.names() == ["liba.so"]
    assert outcome.missing[0]["found"].startswith(str(lab.root / "first" / "liba.so"))


def test_library_path_comes_before_runpath(lab: Lab) -> None:
    target = two_places(lab, "--enable-new-dtags", lambda path: None)
    lab.library("env/liba.so", "int other;")
    lab.environment["LD_LIBRARY_PATH"] = str(lab.root / "env")
    assert lab.check(target).names() == ["a"]


def test_library_path_comes_after_rpath(lab: Lab) -> None:
    target = two_places(lab, "--disable-new-dtags", lambda path: None)
    lab.library("env/liba.so", "int other;")
    lab.environment["LD_LIBRARY_PATH"] = str(lab.root / "env")
    assert lab.check(target).opened


def test_empty_elements_are_the_working_folder(lab: Lab) -> None:
    lab.library("liba.so")
    target = lab.library("sub/libx.so", needs=["liba.so"], flags=["-Wl,-rpath,/nowhere:"])
    assert lab.check(target).opened


def test_loaded_libraries_answer_by_soname(lab: Lab) -> None:
    loaded = lab.library("elsewhere/liba.so", "int a(void) { return 1; }")
    target = lab.library("libx.so", "int a(void); int x(void) { return a(); }", needs=["elsewhere/liba.so"])
    assert lab.check(target).names() == ["liba.so"]
    assert lab.check(target, "--local", str(loaded)).opened


def test_only_the_global_scope_serves_everyone(lab: Lab) -> None:
    provider = lab.library("libp.so", "int p(void) { return 1; }")
    target = lab.library("libx.so", "int p(void); int x(void) { return p(); }")
    assert lab.check(target).names() == ["p"]
    assert lab.check(target, "--local", str(provider)).names() == ["p"]
    assert lab.check(target, "--global", str(provider)).opened


def test_what_loaded_libraries_need_is_in_scope(lab: Lab) -> None:
    lab.library("libdeep.so", "int deep(void) { return 1; }")
    middle = lab.library("libmiddle.so", needs=["libdeep.so"], flags=["-Wl,-rpath,$ORIGIN"])
    target = lab.library("libx.so", "int deep(void); int x(void) { return deep(); }", needs=["libmiddle.so"])
    assert lab.check(target, "--local", str(middle)).opened


def test_needed_names_with_a_slash(lab: Lab) -> None:
    part = lab.library("parts/liba.so", flags=["-Wl,-soname,$ORIGIN/parts/liba.so"])
    target = lab.library("libx.so", needs=["parts/liba.so"])
    assert lab.check(target).opened
    without(part)
    outcome = lab.check(target)
    assert outcome.names() == ["$ORIGIN/parts/liba.so"]
    assert outcome.missing[0]["searched"] == [str(part.parent)]


def test_default_folders(lab: Lab) -> None:
    target = lab.library("libx.so", needs=["-lresolv"])
    assert lab.check(target).opened


def test_missing_symbols_of_every_kind(lab: Lab) -> None:
    target = lab.library(
        "libx.so",
        """
        extern int data; int function(void); extern __thread int local;
        __attribute__((weak)) int perhaps(void);
        int *x(void) { return perhaps ? 0 : function() ? &data : &local; }
        """,
    )
    assert sorted(lab.check(target).names()) == ["data", "function", "local"]


def test_weak_references_need_no_definition(lab: Lab) -> None:
    target = lab.library(
        "libx.so", "__attribute__((weak)) int perhaps(void); int x(void) { return perhaps ? perhaps() : 0; }"
    )
    assert lab.check(target).opened


def test_missing_symbols_of_a_dependency(lab: Lab) -> None:
    lab.library("liba.so", "int gone(void); int a(void) { return gone(); }")
    target = lab.library("libx.so", needs=["liba.so"], flags=["-Wl,-rpath,$ORIGIN"])
    outcome = lab.check(target)
    assert [(entry["name"], entry["needed_by"]) for entry in outcome.missing] == [("gone", str(lab.root / "liba.so"))]


def replaced(lab: Lab, link_with: dict[str, Any], run_with: dict[str, Any], call: str = "f") -> Path:
    """libx calls a function of liba; liba is another one when it runs."""
    lab.library("liba.so", **link_with)
    target = lab.library(
        "libx.so",
        f"int {call}(void); int x(void) {{ return {call}(); }}",
        needs=["liba.so"],
        flags=["-Wl,-rpath,$ORIGIN"],
    )
    lab.library("liba.so", **run_with)
    return target


F = "int f(void) { return 1; }"


def test_hidden_definitions_do_not_count(lab: Lab) -> None:
    hidden = {"code": '__attribute__((visibility("hidden"))) int f(void) { return 1; } int g(void) { return f(); }'}
    assert lab.check(replaced(lab, {"code": F}, hidden)).names() == ["f"]


def test_missing_version(lab: Lab) -> None:
    target = replaced(lab, {"code": F, "versions": "V_2 { f; };"}, {"code": F, "versions": "V_1 { f; };"})
    outcome = lab.check(target)
    assert outcome.missing[0]["kind"] == "version"
    assert outcome.missing[0]["name"] == "V_2"
    assert outcome.missing[0]["expected_in"] == "liba.so"
    assert outcome.missing[0]["found"].endswith("liba.so has V_1")
    assert "version `V_2' not found" in outcome.message


def test_the_version_is_there_and_the_symbol_has_another(lab: Lab) -> None:
    target = replaced(
        lab,
        {"code": F, "versions": "V_1 { f; };"},
        {"code": F + " int old(void) { return 2; }", "versions": "V_1 { old; }; V_2 { f; };"},
    )
    assert lab.check(target).names() == ["f"]


def test_unversioned_libraries_take_a_default_version(lab: Lab) -> None:
    versions = "V_1 { one; }; V_2 { two; }; V_3 { f; };"
    code = F + " int one(void) { return 1; } int two(void) { return 2; }"
    assert lab.check(replaced(lab, {"code": F}, {"code": code, "versions": versions})).opened


def test_unversioned_libraries_do_not_take_a_hidden_version(lab: Lab) -> None:
    code = """
        int one(void) { return 1; } int two(void) { return 2; } int f_3(void) { return 3; }
        __asm__(".symver f_3, f@V_3");
        """
    versions = "V_1 { one; }; V_2 { two; }; V_3 { f; };"
    assert lab.check(replaced(lab, {"code": F}, {"code": code, "versions": versions})).names() == ["f"]


def test_a_provider_that_lost_its_versions_kills_the_process(lab: Lab) -> None:
    outcome = lab.check(replaced(lab, {"code": F, "versions": "V_1 { f; };"}, {"code": F, "flags": ["-nostdlib"]}))
    assert outcome.message.startswith("died")
    assert outcome.names() == ["f"]
    assert "the dynamic linker ends the process" in outcome.missing[0]["found"]


def test_a_version_of_a_library_that_no_longer_is_needed_kills_the_process(lab: Lab) -> None:
    target = replaced(lab, {"code": F, "versions": "V_1 { f; };"}, {"code": F, "versions": "V_1 { f; };"})
    forget_needed(target)
    outcome = lab.check(target)
    assert outcome.message.startswith("died")
    assert outcome.names()[0] == "liba.so"


def forget_needed(path: Path) -> None:
    """Makes the first DT_NEEDED a DT_DEBUG, as `patchelf --remove-needed` leaves the versions behind."""
    data = bytearray(path.read_bytes())
    (offset, count, size) = (*struct.unpack_from("<Q", data, 32), struct.unpack_from("<H", data, 56)[0], 56)
    for i in range(count):
        kind, _, start, _, _, length = struct.unpack_from("<IIQQQQ", data, offset + i * size)
        if kind != 2:  # PT_DYNAMIC
            continue
        for entry in range(start, start + length, 16):
            if struct.unpack_from("<Q", data, entry)[0] == 1:  # DT_NEEDED
                struct.pack_into("<Q", data, entry, 21)  # DT_DEBUG
                path.write_bytes(data)
                return
    raise AssertionError("no DT_NEEDED")
