"""Cases from the field (docs/cases.md) that belong to no single part: each provoked whole, in processes of its own."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest
from support import damage, manifest
from support.build_tree import fake, has_cuda, library
from support.link_lab import Lab
from support.loading import Report, ask, load
from support.package import ALONE, KEEP_LINES, by_hand, folder_of
from support.process import run_myops
from test_abort_table import level_above_this_machine


def plan_of(*folders: Path) -> Report:
    paths = [argument for folder in folders for argument in ("--path", str(folder))]
    outcome = run_myops("plan", "--json", *paths, env={ALONE: "/nowhere"})
    assert outcome.returncode == 0, outcome
    return Report(outcome.json)


def test_right_library_in_a_later_folder_is_taken(tmp_path: Path) -> None:
    """Case 8."""
    first, second = folder_of(tmp_path / "first", "meta"), folder_of(tmp_path / "second", "meta", "inplace_or_view")
    shutil.copy2(library("schema"), second)
    wrong = damage.for_aarch64(first / library("meta").name)
    report = plan_of(first, second)
    assert report.codes(wrong) == ["wrong-architecture"]
    assert str(second / library("meta").name) in report.json["order"]


def test_copy_that_grows_while_it_is_looked_at(tmp_path: Path) -> None:
    """Case 11: whatever of it is there, it is refused as incomplete or taken whole, and nothing is disturbed."""
    folder = folder_of(tmp_path, "schema", "inplace_or_view")
    whole, growing = library("meta").read_bytes(), folder / library("meta").name
    looked = threading.Event()

    def copy() -> None:
        with growing.open("wb", buffering=0) as file:
            for start in range(0, len(whole), len(whole) // 40 + 1):
                file.write(whole[start : start + len(whole) // 40 + 1])
                looked.wait(0.05)

    writer = threading.Thread(target=copy)
    writer.start()
    seen: set[str] = set()
    while writer.is_alive():
        report = ask("plan", folder)
        if growing.name in {Path(file["path"]).name for file in report.json["files"]}:
            seen.update(report.codes(growing) or ["whole"])
        assert library("schema").name in report.planned
    writer.join()
    looked.set()
    assert ask("plan", folder).codes(growing) == []
    assert seen - {"whole"} and seen <= {"whole", "truncated", "damaged", "not-a-library"}, seen


def test_schema_library_that_links_to_the_older_of_two(tmp_path: Path) -> None:
    """Case 12: what is named .so.2 is no candidate, and the set is refused by name."""
    folder = folder_of(tmp_path, "meta", "inplace_or_view")
    name = library("schema").name
    shutil.copy2(library("schema"), folder / f"{name}.2")
    old = manifest.rewritten(library("schema"), tmp_path / "old", lambda stamp: stamp.update(release="0.0.9"))
    shutil.copy2(old, folder / f"{name}.1")
    (folder / name).symlink_to(f"{name}.1")
    report = ask("plan", folder)
    assert report.planned == [name]
    reason = report.reason(folder / library("meta").name, "mixed-release")
    assert (reason["expected"], reason["found"]) == ("0.0.9", manifest.read(library("meta"))["release"])
    assert "remove one of the two or rebuild" in reason["hint"]


def test_needed_library_that_comes_later(tmp_path: Path) -> None:
    """Case 19: nothing keeps the first answer, in this process or for another."""
    lab = Lab(tmp_path)
    dependency = lab.library("libdep.so", "int dep(void) { return 1; }")
    plugin = lab.plugin("plugins/libplugin.so", "int dep(void); int (*kept)(void) = dep;", needs=["libdep.so"])
    outcome = by_hand(
        """
import os
codes = lambda: [file.codes for file in myops.plan().files]
before = codes()
os.rename(sys.argv[1], sys.argv[2])
print(json.dumps([before, codes()]))
""",
        dependency,
        plugin.parent / "libdep.so",
        **{ALONE: str(plugin.parent)},
    )
    # In the end libdep.so is a candidate itself, and nobody's plugin.
    assert outcome.json == [[["dependency-missing"]], [["foreign"], []]]
    assert ask("plan", plugin.parent).planned == [plugin.name]


def test_variants_that_fail_each_in_its_own_way(tmp_path: Path) -> None:
    """Case 21."""
    folder = folder_of(tmp_path, "schema", "inplace_or_view")
    cut = damage.cut_to(manifest.copied(library("meta"), folder, "cut"), 50)
    other = damage.for_aarch64(manifest.copied(library("meta"), folder, "aarch64"))
    older = manifest.rewritten(
        library("meta"), folder, lambda stamp: stamp["torch"].update(version="2.9.0", build_ids={}), "older"
    )
    text = damage.text_file(folder / "libtext.so")
    report = ask("plan", folder, "--require", "Meta", status=1)
    expected = {cut: "truncated", other: "wrong-architecture", older: "torch-version-mismatch", text: "not-a-library"}
    assert {path: report.codes(path)[0] for path in expected} == expected
    (missing,) = report.json["missing"]
    assert missing["code"] == "key-not-served" and str(older) in missing["found"]


def test_copy_and_links_are_opened_once(tmp_path: Path) -> None:
    """Case 38: the second TORCH_LIBRARY block of a namespace would end the process."""
    folder = folder_of(tmp_path / "plugins", "schema", "composite")
    name = library("schema").name
    shutil.copy2(library("schema"), folder / "libcopy.so")
    (folder / "liblink.so").symlink_to(name)
    (folder / "libother.so").symlink_to(folder / name)
    loaded = load(folder)
    assert loaded.report.opened[0] in (name, "libcopy.so") and len(loaded.report.opened) == 2
    codes = [loaded.report.codes(folder / each) for each in (name, "libcopy.so", "liblink.so", "libother.so")]
    assert sorted(codes) == [[], ["duplicate"], ["duplicate"], ["duplicate"]]


ENDS = {
    "return": ("pass", 0),
    "sys.exit": ("sys.exit(0)", 0),
    "os._exit": ("import os; os._exit(0)", 0),
    "quick_exit": ("import ctypes; ctypes.CDLL(None).quick_exit(0)", 0),
    "exit of C": ("import ctypes; ctypes.CDLL(None).exit(0)", 0),
    "exception": ("raise ValueError('on purpose')", 1),
}


@pytest.mark.parametrize("end", ENDS)
def test_process_ends_as_it_should(end: str) -> None:
    """Case 48: with operators loaded, called and differentiated."""
    code, status = ENDS[end]
    outcome = by_hand(f"""
myops.load()
x = torch.randn(64, 64, requires_grad=True)
torch.ops.myops.rms_norm(x, None, 1e-6).sum().backward()
{code}
""")
    assert outcome.returncode == status and outcome.signal is None, outcome
    assert (outcome.stderr == "") is (status == 0), outcome


def test_loads_and_calls_of_many_threads() -> None:
    """Case 51: what is loaded is called all the while; every load gives the same."""
    outcome = by_hand("""
import threading
myops.load()
x, stop, wrong = torch.randn(8, 64), threading.Event(), []
expected = torch.ops.myops.rms_norm(x, None, 1e-6)
def call():
    while not stop.is_set():
        if not torch.equal(torch.ops.myops.rms_norm(x, None, 1e-6), expected):
            wrong.append(1)
callers = [threading.Thread(target=call) for _ in range(4)]
answers = []
def load():
    answers.extend(tuple(myops.load().opened) for _ in range(4))
loaders = [threading.Thread(target=load) for _ in range(16)]
for thread in (*callers, *loaders):
    thread.start()
for thread in loaders:
    thread.join()
stop.set()
for thread in callers:
    thread.join()
print(len(answers), len(set(answers)), wrong)
""")
    assert outcome.stdout == "64 1 []\n", outcome


def test_opening_only_registers() -> None:
    """Case 52: no thread is started, no operator called and no tensor's memory taken, no library of CUDA mapped.

    A thread that looks symbols up is not in the way.
    """
    outcome = by_hand("""
import ctypes, os, threading
stop = threading.Event()
def look_up():
    while not stop.is_set():
        ctypes.CDLL(None).malloc
searching = threading.Thread(target=look_up)
searching.start()
def mapped():
    paths = {line.split()[-1] for line in open("/proc/self/maps")}
    return {path for path in paths if path.rsplit("/", 1)[-1].startswith("libcuda")}
from torch.profiler import ProfilerActivity, profile
def recorded(work):
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as record:
        work()
    return [event.name for event in record.events() if not event.name.startswith("Profiler")]
assert recorded(lambda: torch.ones(1)), "it would see that"
threads, libraries = len(os.listdir("/proc/self/task")), mapped()
events = recorded(myops.load)
print(len(os.listdir("/proc/self/task")) - threads, mapped() - libraries, events, len(myops.report().opened) > 5)
stop.set()
searching.join()
""")
    assert outcome.stdout == "0 set() [] True\n", outcome


def test_workers_of_a_data_loader() -> None:
    """Case 53: forked after the operator ran in the parent, with all its threads."""
    outcome = by_hand(
        """
from torch.utils.data import DataLoader
myops.load()
norm = lambda rows: torch.ops.myops.rms_norm(torch.ones(rows, 256), None, 1e-6).sum().item()
norm(4096)
class Rows(torch.utils.data.Dataset):
    def __len__(self): return 4
    def __getitem__(self, i): return norm(1024)
print([round(value / 1024) for value in DataLoader(Rows(), batch_size=None, num_workers=2, timeout=60)])
"""
    )
    assert outcome.stdout == "[256, 256, 256, 256]\n", outcome


def test_constructor_for_a_wider_cpu_never_runs(tmp_path: Path) -> None:
    """Case 98: it would raise SIGILL; the level in the file keeps it closed, and the others load."""
    _, wider = level_above_this_machine()
    folder = tmp_path / "plugins"
    for part in ("schema", "cpu"):
        manifest.copied(fake(part), folder)
    wide = manifest.stamped_like(
        fake("illegal_kernel"), fake("illegal_instruction"), folder, lambda stamp: stamp["cpu"].update(level=wider)
    )
    loaded = load(folder)
    assert loaded.report.opened == [fake("schema").name, fake("cpu").name]
    assert "isa-level-missing" in loaded.report.codes(wide)


def test_gap_is_told_once() -> None:
    """Case 100: a library for hardware that is not there is one line of information, however often one loads."""
    outcome = by_hand(f"""{KEEP_LINES}
myops.load()
myops.load()
print(json.dumps([line for line in lines if "libmyops_cuda" in line[1]]))
""")
    lines = outcome.json
    if not has_cuda():
        pytest.skip("this build has no CUDA library: nvcc was not found when it was configured")
    if Path("/proc/driver/nvidia/version").exists():
        pytest.skip("this machine has a GPU: nothing is left out for want of one")
    assert [level for level, _ in lines] == ["INFO"] and "no-gpu" in lines[0][1], lines


CUDA_VARIABLES = [
    {"CUDA_PATH": "/opt/cuda", "CUDA_HOME": "/opt/cuda"},
    {"CUDA_VISIBLE_DEVICES": ""},
    {"CUDA_VISIBLE_DEVICES": "-1"},
    {"CUDA_VISIBLE_DEVICES": "7"},
]


@pytest.mark.parametrize("variables", CUDA_VARIABLES, ids=str)
def test_variables_of_cuda_change_no_word(variables: dict[str, str]) -> None:
    """Case 101, on a machine without a GPU."""
    plain, changed = run_myops("plan"), run_myops("plan", env=variables)
    assert plain.returncode == changed.returncode == 0
    if "no GPU" not in plain.stdout:
        pytest.skip("this machine has a GPU")
    assert changed.stdout == plain.stdout


def test_nothing_opens_the_driver(tmp_path: Path) -> None:
    """Case 103: a driver's library that would end the process stays closed, whatever is asked."""
    lab = Lab(tmp_path)
    code = "#include <stdlib.h>\n__attribute__((constructor)) static void start(void) { abort(); }"
    for name in ("libcuda.so.1", "libnvidia-ml.so.1"):
        lab.library(name, code)
    variables = {"LD_LIBRARY_PATH": str(tmp_path)}
    for command in ("plan", "list", "doctor", "facts"):
        assert run_myops(command, env=variables).returncode == 0
    # Torch itself asks for libcuda here and there: the load has a C++ host's way, in a child of the command.
    assert run_myops("verify", "--require", "CPU", env=variables).returncode == 0
