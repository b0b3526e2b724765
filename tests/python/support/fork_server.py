"""Runs one script many times, each time in a process of its own that has done the script's imports already.

`import torch` takes most of the time of a short child process. A server imports the script once, and does nothing else;
for each run it forks a child that calls the script's `main(arguments)`. What a run does, dying included, happens to
that child alone.
"""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

from .process import LIMIT_SECONDS, Outcome, environment


class ForkServer:
    """A context: the server lives from its beginning to its end."""

    def __init__(self, script: Path, env: Mapping[str, str]) -> None:
        """`env`: added to what the children have in common (support.process.environment)."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "support.fork_server", str(script)],
            cwd=Path(__file__).parents[1],
            env=environment(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._answer()  # it has imported the script

    def __enter__(self) -> ForkServer:
        return self

    def __exit__(self, *exception: type[BaseException] | BaseException | TracebackType | None) -> None:
        try:
            self._process.communicate(timeout=LIMIT_SECONDS)  # the end of its questions ends it
        finally:
            self._process.kill()

    def run(self, arguments: Sequence[str], env: Mapping[str, str], timeout: float = LIMIT_SECONDS) -> Outcome:
        """One run of the script, with `env` added to its environment. One that outlives `timeout` is killed."""
        assert self._process.stdin
        request = {"arguments": list(arguments), "env": dict(env), "timeout": timeout}
        print(json.dumps(request), file=self._process.stdin, flush=True)
        return Outcome(**self._answer())

    def _answer(self) -> dict[str, Any]:
        """The next line. Whatever keeps it from being read ends the server: a later run would get this answer."""
        assert self._process.stdout
        line = ""
        try:
            line = self._process.stdout.readline()
        finally:
            if not line:
                self._process.kill()
        assert line, f"the server ended with {self._process.wait()}"
        answer: dict[str, Any] = json.loads(line)
        return answer


def _import(script: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(Path(script).stem, script)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _wait(child: int, timeout: float) -> int | None:
    """The return code as subprocess gives it; None where the child had to be killed."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _run_forked(module: ModuleType, arguments: list[str], env: dict[str, str], timeout: float) -> Outcome:
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.setsid()
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
                os.dup2(stdout.fileno(), 1)
                os.dup2(stderr.fileno(), 2)
                os.environ.update(env)
                module.main(arguments)
                status = 0
            except BaseException:  # it ends here, whatever it is
                traceback.print_exc()
            sys.exit(status)  # with all that an interpreter does at its end
        returncode = _wait(child, timeout)
        texts = []
        for file in (stdout, stderr):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
        return Outcome(returncode, *texts)


def main() -> None:
    """Answers each line of questions with one line: the outcome."""
    answers = os.fdopen(os.dup(1), "w")  # of its own: standard output is the script's
    os.dup2(2, 1)  # what the script prints while it is imported is no answer
    module = _import(sys.argv[1])
    print("{}", file=answers, flush=True)
    for line in sys.stdin:
        outcome = _run_forked(module, **json.loads(line))
        print(json.dumps(vars(outcome)), file=answers, flush=True)


if __name__ == "__main__":
    main()
