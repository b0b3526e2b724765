"""Installs from a build tree, one at a time.

CMake lists what it installed in a file of the build folder for each component, and all workers share that.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from .build_tree import BUILD
from .process import Outcome, run


@contextmanager
def alone(build: Path = BUILD) -> Iterator[None]:
    """While nobody else installs from that build."""
    with (build / "install.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def cmake_install(*arguments: object, build: Path = BUILD, env: Mapping[str, str] | None = None) -> Outcome:
    """`cmake --install BUILD ARGUMENTS`."""
    with alone(build):
        return run(["cmake", "--install", str(build), *map(str, arguments)], env)


def installed_files(component: str, *arguments: object, env: Mapping[str, str] | None = None) -> list[str]:
    """Installs the component; the files that CMake lists then."""
    with alone():
        command = ["cmake", "--install", str(BUILD), "--component", component, *map(str, arguments)]
        outcome = run(command, env)
        assert outcome.returncode == 0, outcome
        return (BUILD / f"install_manifest_{component}.txt").read_text().split()
