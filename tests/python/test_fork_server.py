"""What happens in one run of a script is told, and leaves the next run alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.fork_server import ForkServer

SCRIPT = """
import os, sys, time

runs = 0

def main(arguments):
    global runs
    runs += 1
    print(runs, *arguments, os.environ.get("ASKED"), os.environ["ALWAYS"])
    print("seen", file=sys.stderr)
    {"return": lambda: None, "raise": lambda: 1 / 0, "abort": os.abort, "hang": lambda: time.sleep(600)}[arguments[0]]()
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkServer]:
    script: Path = tmp_path_factory.mktemp("server") / "script.py"
    script.write_text(SCRIPT)
    with ForkServer(script, {"ALWAYS": "yes"}) as server:
        yield server


@pytest.mark.parametrize("time", ["first", "second"])
def test_each_run_begins_anew(server: ForkServer, time: str) -> None:
    outcome = server.run(["return", time], {"ASKED": time})
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (0, f"1 return {time} {time} yes\n", "seen\n")
    assert server.run(["return"], {}).stdout == "1 return None yes\n"


def test_an_exception_is_its_end(server: ForkServer) -> None:
    outcome = server.run(["raise"], {})
    assert outcome.returncode == 1
    assert "ZeroDivisionError" in outcome.stderr


def test_a_crash_is_told_by_its_signal(server: ForkServer) -> None:
    assert server.run(["abort"], {}).signal == "SIGABRT"


def test_what_hangs_is_ended(server: ForkServer) -> None:
    outcome = server.run(["hang"], {}, timeout=0.5)
    assert outcome.timed_out
    assert server.run(["return"], {}).returncode == 0
