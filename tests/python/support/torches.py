"""The finished builds of this tree for several torches, as ./dev leaves them, and the environment of each."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from .build_tree import BUILD, ROOT


@dataclass(frozen=True)
class Build:
    """A build folder, the release of its torch ("2.11.0"), and the Python environment that holds that torch."""

    folder: Path
    version: str
    environment: Path

    @property
    def minor(self) -> str:
        return self.version.rpartition(".")[0]

    @property
    def plugins(self) -> Path:
        return self.folder / "lib" / "myops" / "plugins" / f"torch-{self.minor}"

    def variables(self, prefix: Path) -> dict[str, str]:
        """For a process with this torch and what is installed in `prefix`, and no other Python environment."""
        path = f"{prefix / 'bin'}:{self.environment / 'bin'}:/usr/bin:/bin"
        return {"VIRTUAL_ENV": str(self.environment), "PATH": path, "PYTHONPATH": str(prefix / "lib" / "python")}


def builds() -> list[Build]:
    """This build and those beside it. Skips where there is no other, or one is older than the sources it installs."""
    found = [_build(cache.parent) for cache in sorted(BUILD.parent.glob("cpu*/CMakeCache.txt"))]
    if BUILD.parent != ROOT / "build" or len(found) < 2:
        pytest.skip(f"{BUILD.parent} holds a build for one torch only: ./dev build --torch VERSION makes another")
    for build in found:
        told = subprocess.run(
            [build.environment / "bin" / "ninja", "-n", "-C", build.folder, "myops_libraries"],
            capture_output=True,
            text=True,
        ).stdout
        if not told.endswith("ninja: no work to do.\n"):
            pytest.skip(f"{build.folder} is not up to date: ./dev build --torch {build.version}")
    return found


def other_build() -> Build:
    """A build for another torch than that of this environment; skips where there is none."""
    return next(build for build in builds() if build.folder != BUILD)


def _build(folder: Path) -> Build:
    line = re.search(r"^TorchCore_BUILT_FOR:INTERNAL=(\S+) in (.+)$", (folder / "CMakeCache.txt").read_text(), re.M)
    assert line is not None, folder
    return Build(folder, line[1], Path(line[2]).parents[3])
