"""Runs something that may die, hang or change the dispatcher in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .build_tree import BUILD

# Enough for `import torch` on a machine that does ten other things; what hangs is ended by it.
LIMIT_SECONDS = 300


@dataclass(frozen=True)
class Outcome:
    """How a child process ended. `signal` is a name such as "SIGABRT", None where it ended by itself."""

    returncode: int | None
    stdout: str
    stderr: str

    @property
    def timed_out(self) -> bool:
        return self.returncode is None

    @property
    def signal(self) -> str | None:
        if self.returncode is None or self.returncode >= 0:
            return None
        return signal.Signals(-self.returncode).name

    @property
    def json(self) -> Any:
        """Standard output as JSON; the failure shows what the process said instead."""
        try:
            return json.loads(self.stdout)
        except json.JSONDecodeError:
            raise AssertionError(f"no JSON from the child process: {self}") from None


def environment(extra: Mapping[str, str]) -> dict[str, str]:
    """This Python environment, activated, with the built package and no MYOPS_ variable but those in `extra`."""
    set_apart = ("MYOPS_", "ATEN_CPU_CAPABILITY")  # what decides which libraries are taken
    kept = {name: value for name, value in os.environ.items() if not name.startswith(set_apart)}
    path = os.pathsep.join([os.path.dirname(sys.executable), kept.get("PATH", os.defpath)])
    python_path = os.pathsep.join([str(BUILD / "lib" / "python"), *filter(None, [kept.get("PYTHONPATH")])])
    settings = {"PATH": path, "VIRTUAL_ENV": sys.prefix, "PYTHONPATH": python_path}
    # What a child computes is small, and threads that wait for each other cost much where many tests share few cores.
    return {**kept, **settings, "OMP_NUM_THREADS": "1", **extra}


def run(command: Sequence[str], env: Mapping[str, str] | None = None, timeout: float = LIMIT_SECONDS) -> Outcome:
    """Runs a command. A process that outlives `timeout` is killed, with returncode None."""
    process = subprocess.Popen(
        list(command),
        env=environment(env or {}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        stdout, stderr = process.communicate(timeout=timeout)
        return Outcome(process.returncode, stdout, stderr)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        stdout, stderr = process.communicate()
        return Outcome(None, stdout, stderr)


def run_python(
    code: str, *arguments: object, env: Mapping[str, str] | None = None, timeout: float = LIMIT_SECONDS
) -> Outcome:
    """Runs a Python snippet with `arguments` in sys.argv[1:], warnings shown always."""
    program = [sys.executable, "-W", "always", "-c", textwrap.dedent(code), *map(str, arguments)]
    return run(program, env, timeout)


def run_myops(*arguments: object, env: Mapping[str, str] | None = None, timeout: float = LIMIT_SECONDS) -> Outcome:
    """Runs the built `myops` command."""
    return run([str(BUILD / "bin" / "myops"), *map(str, arguments)], env, timeout)
