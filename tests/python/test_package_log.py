"""What the package logs, and that its threads, its log and the loader do not wait for each other."""

from __future__ import annotations

import shutil
from pathlib import Path

from support import manifest
from support.build_tree import BUILD, PARTS, library
from support.damage import cut_to
from support.package import ALONE, by_hand, folder_of
from support.process import run_python


def test_sixteen_threads_get_one_answer() -> None:
    outcome = by_hand("""
import threading
start, reports = threading.Barrier(16), []
def load():
    start.wait()
    reports.append(myops.load())
threads = [threading.Thread(target=load) for _ in range(16)]
for thread in threads: thread.start()
for thread in threads: thread.join()
maps = [line for line in open("/proc/self/maps") if "libmyops_cpu." in line and "r-xp" in line]
print(len(reports), len({report.opened for report in reports}), len(reports[0].opened), len(maps))
print(torch.ops.myops.myadd(torch.ones(1), torch.ones(1)).item())
""")
    assert outcome.stdout.splitlines() == [f"16 1 {len(PARTS)} 1", "2.0"], outcome


def test_copies_of_the_loader_take_turns(tmp_path: Path) -> None:
    """Of two installs say: what one changes in torch's dispatcher the other must not read meanwhile."""
    copy = tmp_path / "lib" / "libmyops_loader.so"
    copy.parent.mkdir()
    shutil.copy2(BUILD / "lib" / "libmyops_loader.so", copy)
    shutil.copytree(BUILD / "lib" / "myops", copy.parent / "myops")
    outcome = run_python(
        """
import ctypes, os, sys, threading, time, torch
one, other = map(ctypes.CDLL, sys.argv[1:])
at_work = threading.Event()
@ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p)
def callback(level, line, user):
    if level == b"debug" and line.startswith(b"opening") and not at_work.is_set():
        at_work.set()
        time.sleep(1)
        ended["pause"] = (time.monotonic(), 0)
one.myops_set_log(callback, None)
ended = {}
def run(name, function):
    answer = ctypes.c_void_p()
    status = function(None, ctypes.byref(answer))
    ended[name] = (time.monotonic(), status)
first = threading.Thread(target=run, args=("load", one.myops_load))
first.start()
at_work.wait()
second = threading.Thread(target=run, args=("plan", other.myops_plan))
second.start()
for thread in (first, second): thread.join()
one.myops_set_log(None, None)
# The child has the lock to itself, whichever copy asks.
child = os.fork()
if child == 0:
    run("child", other.myops_plan)
    run("again", one.myops_plan)
    os._exit(ended["child"][1] + ended["again"][1])
print(ended["pause"] < ended["plan"], ended["load"][1], ended["plan"][1], os.waitpid(child, 0)[1])
""",
        BUILD / "lib" / "libmyops_loader.so",
        copy,
        timeout=120,
    )
    assert (outcome.stdout, outcome.stderr) == ("True 0 0 0\n", ""), outcome


def test_no_thread_waits_for_another_s_load_with_the_interpreter_s_lock() -> None:
    """One thread loads and its log callback, which needs that lock, is at work; others ask the loader meanwhile."""
    outcome = run_python(
        """
import ctypes, sys, threading, time, torch, myops
opened = ctypes.CDLL(sys.argv[1])
at_work = threading.Event()
@ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p)
def callback(level, line, user):
    if not at_work.is_set():
        at_work.set()
        time.sleep(1)
opened.myops_set_log(callback, None)
answer = ctypes.c_void_p()
threads = [threading.Thread(target=lambda: opened.myops_load(None, ctypes.byref(answer)))]
threads[0].start()
at_work.wait()
threads += [threading.Thread(target=ask) for ask in (myops.load, myops.plan, myops.table)]
for thread in threads[1:]: thread.start()
for thread in threads: thread.join()
opened.myops_set_log(None, None)
print(len(myops.report().opened))
""",
        BUILD / "lib" / "libmyops_loader.so",
        env={"MYOPS_AUTOLOAD": "0"},
        timeout=120,
    )
    assert (outcome.stdout, outcome.stderr) == (f"{len(PARTS)}\n", ""), outcome


def test_left_out_libraries_are_one_line_each(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, "schema", "cpu", "inplace_or_view", "autograd")
    bad = cut_to(Path(shutil.copy2(library("meta"), folder)), 50)
    outcome = by_hand(
        """
import logging
logging.basicConfig(format="%(levelname)s %(name)s %(message)s", level=logging.INFO, stream=sys.stdout)
for _ in range(2):
    myops.load(disable=["myops_autograd"])
""",
        **{ALONE: str(folder)},
    )
    lines = outcome.stdout.splitlines()
    about_bad = [line for line in lines if str(bad) in line]
    about_disabled = [
        line for line in lines if line.startswith(f"INFO myops {folder}/libmyops_autograd.so is not loaded")
    ]
    about_gradients = [line for line in lines if line.startswith("WARNING myops gradients would be missing")]
    assert len(about_bad) == 1 and about_bad[0].startswith("WARNING myops ") and "truncated" in about_bad[0], lines
    assert len(about_disabled) == 1 and "disabled" in about_disabled[0], lines
    assert len(about_gradients) == 1 and "libmyops_autograd.so (disabled)" in about_gradients[0], lines


def test_library_that_is_not_as_promised_stops_the_import(tmp_path: Path) -> None:
    """It is in the process, and which of its kernels are right is not known: no optional part that is missing."""

    def promising(stamp: manifest.Manifest) -> None:
        kernels = stamp["kernels"]["AutocastCPU"]
        kernels["myops::argmax"] = {**next(iter(kernels.values())), "schema": "", "cpp": ""}

    folder = folder_of(tmp_path, *(part for part in PARTS if part != "autocast"))
    path = manifest.rewritten(library("autocast"), folder, promising)
    outcome = run_python("import torch, myops", env={ALONE: str(folder)})
    assert outcome.returncode == 1 and "LoadError" in outcome.stderr, outcome
    assert f"{path} is loaded, but kernel-not-registered: myops::argmax on AutocastCPU" in outcome.stderr, outcome


def test_log_handler_may_ask_the_loader(tmp_path: Path) -> None:
    """Lines come after the loader has answered, so a handler that asks again waits for nobody."""
    folder_of(tmp_path, "schema", "cpu", "inplace_or_view", "meta")
    cut_to(tmp_path / "libmyops_meta.so", 50)
    outcome = by_hand(
        """
import logging
class Asks(logging.Handler):
    def emit(self, record):
        print(len(myops.load().opened), len(myops.report().opened))
logging.getLogger("myops").addHandler(Asks())
myops.load()
""",
        **{ALONE: str(tmp_path)},
    )
    assert outcome.stdout.splitlines()[0] == "3 3" and outcome.returncode == 0, outcome
