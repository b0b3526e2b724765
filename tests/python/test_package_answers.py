"""What the package answers once libraries are loaded: the dispatch table, single kernels, the report."""

from __future__ import annotations

import re

from support.process import run_python


def test_table_and_kernels() -> None:
    outcome = run_python("""
import torch, myops
myops.load()
for table in (myops.table("rms_norm"), myops.table("myops::rms_norm"), myops.table()):
    kernels = table.json["operators"]["myops::rms_norm"]["kernels"]
    libraries = [kernels[key]["library"] for key in ("CPU", "Autograd")]
    print(len(table.json["operators"]) == 1, *libraries, "myops_cpu" in str(table))
print(*(myops.has_kernel(op, "CPU") for op in ("myops::rms_norm", "myadd.out", "aten::add.Tensor", "nothing")))
try:
    myops.has_kernel("rms_norm", "Nonsense")
except ValueError as error:
    print(error)
""")
    *tables, kernels, unknown = outcome.stdout.splitlines()
    assert tables == [f"{alone} myops_cpu myops_autograd True" for alone in (True, True, False)], outcome
    assert kernels == "True True True False"
    assert unknown.startswith("'Nonsense' is no dispatch key of torch 2")


def test_report_cannot_be_changed() -> None:
    outcome = run_python("""
import torch, myops
report = myops.load()
report.json["files"].clear()
print(len(report.files) > 0, hash(report) == hash(myops.report()))
for name in ("source", "text", "opened", "files"):
    try:
        setattr(report, name, "")
    except AttributeError as error:
        print(type(error).__name__)
""")
    assert outcome.stdout.splitlines() == ["True True", *["FrozenInstanceError"] * 4], outcome


def test_report_is_short_in_an_interpreter() -> None:
    outcome = run_python("import torch, myops; print(repr(myops.load()), repr(myops.table('myadd')))")
    assert re.fullmatch(r"<Report: \d+ files, \d+ opened, 0 missing> Answer\(\)\n", outcome.stdout), outcome


def test_options_that_are_no_utf8_are_named() -> None:
    outcome = run_python("""
import torch, myops
for ask in (lambda: myops.plan(paths=["/odd\\udcff"]), lambda: myops.load(paths=[b"/odd\\xff"]),
            lambda: myops.check(b"/odd\\xff"), lambda: myops.plan(disable=["\\ud800"])):
    try:
        ask()
    except ValueError as error:
        print(error)
print(myops.check(b"/no/such/library.so").files[0].path)
""")
    odd = "'/odd\\udcff' is not UTF-8, which the loader's options must be"
    lone = odd.replace("/odd\\udcff", "\\ud800")
    assert outcome.stdout.splitlines() == [odd, odd, odd, lone, "/no/such/library.so"], outcome
