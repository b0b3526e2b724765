"""What `import myops` and myops.load() do, each in a process of its own: the dispatcher is one per process."""

from __future__ import annotations

import shutil
from pathlib import Path

from support.build_tree import PARTS, cpu_library, fake, library
from support.damage import version_hash
from support.package import ALONE, by_hand, folder_of
from support.process import run_python

# What an install with everything gives a machine without a GPU.
EVERYTHING = sorted(str(cpu_library() if part == "cpu" else library(part)) for part in PARTS)


def test_import_loads_what_fits_and_says_nothing() -> None:
    outcome = run_python(
        """
        import warnings
        warnings.simplefilter("error")
        import json, sys, torch, myops
        x = torch.ones(2, requires_grad=True)
        torch.ops.myops.myadd(x, x).sum().backward()
        print(json.dumps({
            "gradient": x.grad.tolist(),
            "opened": myops.report().opened,
            "announced": sorted(torch.ops.loaded_libraries),
            "kernels": [key for key in sys.argv[1:] if myops.has_kernel("rms_norm", key)],
        }))
    """,
        "CPU",
        "Meta",
        "Autograd",
        "AutocastCPU",
        "CUDA",
    )
    assert (outcome.returncode, outcome.stderr) == (0, "")
    answer = outcome.json
    assert answer["gradient"] == [2.0, 2.0]
    assert sorted(answer["opened"]) == answer["announced"] == EVERYTHING
    assert answer["opened"][0] == str(library("schema"))
    assert answer["kernels"] == ["CPU", "Meta", "Autograd", "AutocastCPU"]


def test_module_has_its_public_names_and_a_version() -> None:
    outcome = by_hand("print(sorted(n for n in dir(myops) if n[0] != '_') == sorted(myops.__all__), myops.__version__)")
    assert outcome.stdout == "True 0.1.0\n", outcome


def test_what_autoload_may_be_is_told() -> None:
    outcome = run_python("import myops, torch; print(hasattr(torch.ops.myops, 'myadd'))", env={"MYOPS_AUTOLOAD": "no"})
    assert outcome.stdout == "True\n"
    assert outcome.stderr == "MYOPS_AUTOLOAD=no is neither 0 nor 1: libraries are loaded\n"


def test_folder_that_is_not_there_is_told() -> None:
    outcome = by_hand("myops.load(paths=['/nowhere/at/all'])")
    assert outcome.returncode == 0
    assert outcome.stderr == "/nowhere/at/all is not searched: No such file or directory\n"


def test_autoload_can_be_turned_off() -> None:
    outcome = by_hand("""
print(hasattr(torch.ops.myops, "myadd"), torch.ops.loaded_libraries)
try:
    myops.report()
except myops.LoadError as error:
    print(error)
report = myops.load()
print(len(report.opened), torch.ops.myops.myadd(torch.ones(1), torch.ones(1)).item(), myops.report() == report)
""")
    nothing, no_report, loaded = outcome.stdout.splitlines()
    assert nothing == "False set()", outcome
    assert "none in this process yet" in no_report
    assert loaded == f"{len(PARTS)} 2.0 True"


def test_looking_opens_nothing() -> None:
    outcome = by_hand(
        """
answers = {"list": myops.list(), "plan": myops.plan(require=["CPU"]), "check": myops.check(sys.argv[1])}
for name, report in answers.items():
    print(name, [file.verdict for file in report.files if file.path == sys.argv[1]], report.opened)
print("libmyops_cpu" in open("/proc/self/maps").read(), hasattr(torch.ops.myops, "myadd"))
""",
        cpu_library(),
    )
    assert outcome.stdout.splitlines() == [
        "list ['usable'] ()",
        "plan ['usable'] ()",
        "check ['usable'] ()",
        "False False",
    ], outcome


def test_import_fails_with_the_report_where_the_schema_is_missing(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, "cpu", "autograd")
    outcome = run_python(
        """
        import json, torch
        try:
            import myops
        except ImportError as error:
            print(json.dumps({
                "type": type(error).__name__, "text": str(error), "same": str(error).endswith(str(error.report)),
                "codes": {file.name: file.codes for file in error.report.files}, "opened": error.report.opened}))
    """,
        env={ALONE: str(folder)},
    )
    answer = outcome.json
    assert answer["type"] == "LoadError" and answer["same"] and "schema-missing" in answer["text"]
    assert answer["text"].startswith("no library that defines torch.ops.myops.* is loaded\n")
    assert set(answer["codes"]) == {"myops_cpu", "myops_autograd"} and answer["opened"] == []
    assert all("schema-missing" in codes for codes in answer["codes"].values())


def test_import_goes_on_without_an_optional_library_that_does_not_open(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, *PARTS)
    version_hash(folder / library("autocast").name)
    code = "import torch, myops; print(torch.ops.myops.myadd(torch.ones(1), torch.ones(1)).item())"
    outcome = run_python(code, env={ALONE: str(folder)})
    assert (outcome.returncode, outcome.stdout) == (0, "2.0\n"), outcome
    (line,) = outcome.stderr.splitlines()
    assert "libmyops_autocast.so is not loaded: open-failed" in line and "version" in line
    assert by_hand("myops.load()", **{ALONE: str(folder)}).returncode == 1, "by hand it is an error"


def test_backends_that_write_are_not_opened_without_their_guard(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, *PARTS)
    version_hash(folder / library("inplace_or_view").name)
    code = """
        import json, torch, myops
        report = myops.report()
        print(json.dumps({"codes": {file.name: file.codes for file in report.files}, "tainted": report.tainted,
            "cpu": myops.has_kernel("myadd_", "CPU"), "notes": report.notes}))
    """
    answer = run_python(code, env={ALONE: str(folder)}).json
    assert answer["codes"]["myops_inplace_or_view"] == ["open-failed"]
    assert answer["codes"]["myops_cpu"] == answer["codes"]["myops_meta"] == ["inplace-or-view-missing"]
    assert answer["codes"]["myops_composite"] == [] and not answer["cpu"] and not answer["tainted"], answer
    wanted = by_hand(
        """
try:
    myops.load(allow_incomplete=True)
except myops.LoadError as error:
    print(error.report.tainted, myops.has_kernel("myadd_", "CPU"))
""",
        **{ALONE: str(folder)},
    )
    assert wanted.stdout == "True True\n", wanted


def test_import_fails_where_there_is_no_library(tmp_path: Path) -> None:
    outcome = run_python("import torch, myops", env={ALONE: str(tmp_path)})
    assert outcome.returncode == 1
    assert "LoadError" in outcome.stderr and str(tmp_path) in outcome.stderr


def test_import_fails_where_only_other_operators_are_loaded(tmp_path: Path) -> None:
    shutil.copy2(fake("schema"), tmp_path)
    outcome = run_python("import torch, myops", env={ALONE: str(tmp_path)})
    assert outcome.returncode == 1 and "LoadError" in outcome.stderr, outcome
    code = "print(len(myops.load().opened), torch.ops.myops_fakes.scale is not None)"
    assert by_hand(code, **{ALONE: str(tmp_path)}).stdout == "1 True\n", "by hand it is what was asked for"


def test_required_key_that_nothing_serves() -> None:
    outcome = by_hand("""
try:
    myops.load(require=["CPU", "PrivateUse1"])
except myops.LoadError as error:
    print([reason.subject for reason in error.report.missing], "PrivateUse1" in str(error))
print(len(myops.load(require="CPU").opened))
""")
    assert outcome.stdout.splitlines() == ["['PrivateUse1'] True", str(len(PARTS))], outcome


def test_wrong_option_is_a_value_error() -> None:
    outcome = by_hand("""
try:
    myops.load(trust="blind")
except ValueError as error:
    print("ValueError", error)
""")
    assert outcome.stdout.startswith("ValueError") and "trust" in outcome.stdout, outcome


def test_loading_again_opens_nothing_twice_and_picks_up_what_came_since(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "plugins", "schema", "cpu", "inplace_or_view")
    later = folder_of(tmp_path / "later", "autograd")
    outcome = by_hand(
        """
import os
first, again = myops.load(), myops.load()
names = lambda report: sorted(os.path.basename(path) for path in report.opened)
maps = open("/proc/self/maps").read()
overload = torch.ops.myops.rms_norm.default
overload._dispatch_cache["stale"] = None
torch.ops.aten.add.Tensor._dispatch_cache["stale"] = None
kept = myops.load() and "stale" in overload._dispatch_cache
before = myops.has_kernel("rms_norm", "Autograd")
os.rename(sys.argv[1] + "/libmyops_autograd.so", sys.argv[2] + "/libmyops_autograd.so")
more = myops.load(quiescent=True)  # nothing runs: the library may replace what stands in for it
print(json.dumps({"first": names(first), "again": names(again), "more": names(more), "kept": kept,
    "before": before, "after": myops.has_kernel("rms_norm", "Autograd"),
    "stale": ["stale" in known._dispatch_cache for known in (overload, torch.ops.aten.add.Tensor)],
    "mapped": sum("libmyops_cpu.so" in line and "r-xp" in line for line in maps.splitlines())}))
""",
        later,
        folder,
        **{ALONE: str(folder)},
    )
    answer = outcome.json
    three = ["libmyops_cpu.so", "libmyops_inplace_or_view.so", "libmyops_schema.so"]
    assert answer["first"] == answer["again"] == three
    assert answer["mapped"] == 1
    assert answer["kept"], "a load that opens nothing leaves torch's memory alone"
    assert answer["more"] == sorted([*three, "libmyops_autograd.so"])
    assert (answer["before"], answer["after"]) == (False, True)
    assert answer["stale"] == [False, False], "what was resolved before is forgotten"


def test_incomplete_set_is_tainted_and_says_so(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, "schema", "cpu")
    outcome = by_hand(
        """
try:
    refused = myops.load().opened
except myops.LoadError as error:
    refused = error.report.opened
report = myops.load(allow_incomplete=True)
print([path.rsplit("/", 1)[1] for path in refused], report.tainted, len(report.opened))
""",
        **{ALONE: str(folder)},
    )
    assert outcome.stdout == "['libmyops_schema.so'] True 2\n", outcome


def test_deleted_working_directory(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    outcome = run_python(
        """
        import os, sys
        import torch  # before: MKL, which comes with torch, ends the process where there is no working directory
        os.chdir(sys.argv[1])
        os.rmdir(sys.argv[1])
        import myops
        print(len(myops.report().opened))
    """,
        gone,
    )
    assert (outcome.stdout, outcome.stderr) == (f"{len(PARTS)}\n", ""), outcome
