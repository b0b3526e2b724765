"""Cases from the field (docs/cases.md) about what the dynamic linker makes of a file: which build of a library it
takes, when it binds, and whose code runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import manifest
from support.build_tree import fake, torch_lib
from support.dynamic_tags import binds_at_once, dynamic
from support.link_lab import ORIGIN, Lab
from support.loading import check, load
from support.process import Outcome, run_python

# What a build of a library answers, and leaves behind when it is opened.
BUILD_NUMBER = "int build(void) {{ return {0}; }}"
ANSWER = """
import ctypes
answer["build"] = ctypes.CDLL({0!r}).build()
answer["mapped"] = sorted({{line.split()[-1] for line in open("/proc/self/maps") if "libsame.so" in line}})
"""


def test_two_builds_with_one_soname(tmp_path: Path) -> None:
    """Case 13: one is in the process through a run path; the judged one of the plugin folder is opened beside it."""
    lab = Lab(tmp_path)
    other = lab.library("runpath/libsame.so", BUILD_NUMBER.format(1))
    user = lab.library("runpath/libuser.so", needs=["runpath/libsame.so"], flags=[ORIGIN])
    plugin = lab.plugin("plugins/libsame.so", BUILD_NUMBER.format(2))
    assert dynamic(other)["DT_SONAME"] == dynamic(plugin)["DT_SONAME"]
    loaded = load(plugin.parent, first=f"import ctypes; ctypes.CDLL({str(user)!r})", then=ANSWER.format(str(plugin)))
    assert loaded.report.opened == [plugin.name] and loaded.report.codes(plugin) == []
    assert loaded.answers == {"build": 2, "mapped": [str(plugin), str(other)]}


def test_needed_library_of_which_another_build_is_there(tmp_path: Path) -> None:
    """Case 13: by its SONAME the linker takes the one in the process, which lacks what the one in the folder has."""
    lab = Lab(tmp_path)
    lab.library("plugins/libdep.so", "int of_new(void) { return 1; }")
    plugin = lab.plugin(
        "plugins/libplugin.so", "int of_new(void); int (*kept)(void) = of_new;", needs=["plugins/libdep.so"]
    )
    old = lab.library("old/libdep.so", "int of_old(void) { return 1; }")
    assert load(plugin.parent).report.opened == [plugin.name]
    loaded = load(plugin.parent, first=f"import ctypes; ctypes.CDLL({str(old)!r})", raises=True)
    assert loaded.report.opened == []
    assert loaded.report.reason(plugin, "symbol-missing")["subject"] == "of_new"


def test_library_that_bears_the_path_of_another(tmp_path: Path) -> None:
    """Case 13: a SONAME that is a path is what the linker knows a library by; it gives that one out for the other."""
    lab = Lab(tmp_path)
    plugin = lab.plugin("plugins/libsame.so", BUILD_NUMBER.format(2))
    taker = lab.library("taker/libsame.so", BUILD_NUMBER.format(1), flags=[f"-Wl,-soname,{plugin}"])
    first = f"import ctypes; ctypes.CDLL({str(taker)!r})"
    loaded = load(plugin.parent, first=first, then=ANSWER.format(str(plugin)), raises=True)
    assert loaded.answers == {"build": 1, "mapped": [str(taker)]}, "what the linker does"
    assert loaded.report.opened == []
    assert str(taker) in loaded.report.reason(plugin, "open-failed")["found"]


REPLACE_ITSELF = """
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void start(void) {
  if (getenv("MYOPS_TEST_NEW")) rename(getenv("MYOPS_TEST_NEW"), getenv("MYOPS_TEST_OLD"));
}
"""


def test_file_that_is_replaced_while_it_is_opened(tmp_path: Path) -> None:
    """Case 13: it is told, since nobody knows which of the two is in the process, and nothing relies on it."""
    lab = Lab(tmp_path)
    plugin = lab.plugin("plugins/libschema.so", REPLACE_ITSELF, stamp=manifest.read(fake("schema")))
    new = lab.plugin("new/libschema.so", REPLACE_ITSELF, stamp=manifest.read(fake("schema")))
    kernels = manifest.copied(fake("cpu"), plugin.parent)
    env = {"MYOPS_TEST_NEW": str(new), "MYOPS_TEST_OLD": str(plugin)}
    report = load(plugin.parent, env=env, raises=True).report
    assert report.opened == [] and report.codes(kernels) == ["schema-missing"]
    reason = report.reason(plugin, "changed-while-loading")
    assert reason["expected"] != reason["found"] and "start the process again" in reason["hint"]


# For old and new the C++ ABI of 2011; the compiler's own is whatever its builders chose.
STRING = """
#include <string>
namespace c10::detail { void torchCheckFail(const char*, const char*, unsigned, const std::string&); }
void fail() { c10::detail::torchCheckFail("function", "file", 1, std::string("text")); }
"""


@pytest.mark.parametrize(("switch", "loads"), [(0, False), (1, True)], ids=["old", "new"])
def test_compiled_for_the_other_abi(switch: int, loads: bool, tmp_path: Path) -> None:
    """Case 24: whatever a manifest says, a std::string of the other C++ ABI is another symbol."""
    flags = ["-xc++", f"-D_GLIBCXX_USE_CXX11_ABI={switch}"]
    libraries = ["-xnone", str(torch_lib() / "libc10.so"), "-lstdc++"]
    path = Lab(tmp_path).library("libcompiled.so", STRING, needs=libraries, flags=flags)
    report = check(path, status=0 if loads else 1)
    missing = [reason for reason in report.file(path)["reasons"] if reason["code"] == "symbol-missing"]
    assert report.file(path)["loads"] is loads and len(missing) == (0 if loads else 1), report.file(path)
    for reason in missing:
        assert "c10::detail::torchCheckFail" in reason["subject"] and "_GLIBCXX_USE_CXX11_ABI=1" in reason["hint"]
    code = "import sys, ctypes, torch; ctypes.CDLL(sys.argv[1]); print('opened')"
    opened = run_python(code, path)
    assert (opened.returncode == 0, "undefined symbol" in opened.stderr) == (loads, not loads), opened


CALL_LAZILY = """
import ctypes, os, sys
library = ctypes.CDLL(sys.argv[1], os.RTLD_LAZY)
print("opened", flush=True)
library.call()
"""


def call_lazily(path: Path) -> Outcome:
    return run_python(CALL_LAZILY, path)


def test_lazily_bound_function_that_nobody_defines(tmp_path: Path) -> None:
    """Case 27: a plain opening goes well, and the first call ends the process. The loader binds everything at once."""
    code = "int of_nobody(void); int call(void) { return of_nobody(); }"
    plugin = Lab(tmp_path).plugin("plugins/liblazy.so", code, flags=["-fplt", "-Wl,-z,lazy"])
    assert "DT_JMPREL" in dynamic(plugin) and not binds_at_once(plugin)
    ended = call_lazily(plugin)
    assert (ended.returncode, ended.stdout) == (127, "opened\n") and "of_nobody" in ended.stderr, ended

    refused = load(plugin.parent, raises=True).report
    assert refused.codes(plugin) == ["symbol-missing"] and refused.opened == []
    unchecked = load(plugin.parent, env={"MYOPS_SKIP_CHECK": "symbol-missing"}, raises=True).report
    assert unchecked.opened == []
    assert "undefined symbol: of_nobody" in unchecked.reason(plugin, "open-failed")["found"]


OPEN_FOR_ALL = """
import ctypes, sys, torch
for path in sys.argv[1:]:
    ctypes.CDLL(path, ctypes.RTLD_GLOBAL)
    print(torch.ops.myops_fakes.scale(torch.zeros(1), 1.0).item() if "schema" not in path else "opened")
"""


@pytest.mark.parametrize("order", [("cpu", "cpu_other"), ("cpu_other", "cpu")], ids=["plain-first", "other-first"])
def test_variants_with_the_same_inner_names_run_their_own_code(order: tuple[str, str]) -> None:
    """Cases 56 and 95: compiled from one source, opened for everyone to bind to; the later kernel is the one called."""
    value = {"cpu": "1.0", "cpu_other": "2.0"}
    outcome = run_python(OPEN_FOR_ALL, fake("schema"), *map(fake, order))
    assert outcome.stdout.split() == ["opened", *(value[case] for case in order)], outcome


def test_manifest_promises_nothing(tmp_path: Path) -> None:
    """What the libraries above carry: it is read, and the library taken."""
    plugin = Lab(tmp_path).plugin("plugins/libsame.so")
    assert manifest.read(plugin)["name"] == "same"
    assert load(plugin.parent).report.opened == [plugin.name]
