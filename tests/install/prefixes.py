"""Installs components of the build into a prefix, runs what is there, and takes it away again. Knows no test."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from support.build_tree import BUILD, LIBRARIES
from support.installing import cmake_install
from support.process import Outcome, run, run_python

# The component of each library is myops_<name>.
COMPONENTS = (*LIBRARIES, "loader", "cli", "headers", "python", "cmake")
# Folders that other software shares: an uninstall leaves them.
SHARED = {"bin", "include", "lib", "lib/cmake", "lib/python", "share", "share/doc"}

ADD = """
import json, sys, torch, myops
answer = {"package": myops.__file__, "error": None, "sum": None}
try:
    report = myops.load(**json.loads(sys.argv[1]))
except myops.LoadError as error:
    report, answer["error"] = error.report, str(error)
answer["report"] = report.json
try:
    answer["sum"] = torch.ops.myops.myadd(torch.ones(2), torch.ones(2)).tolist()
except (AttributeError, NotImplementedError) as error:
    answer["call"] = str(error)
print(json.dumps(answer))
"""


def install(prefix: Path, components: Iterable[str] = (), **variables: str) -> Path:
    """Installs these components, or everything, into `prefix`."""
    wanted = [["--component", f"myops_{name}"] for name in components] or [[]]
    for arguments in wanted:
        outcome = cmake_install("--prefix", prefix, *arguments, env=variables)
        assert outcome.returncode == 0, outcome
    return prefix


def uninstall(prefix: Path, component: str = "") -> Outcome:
    named = [f"-DCOMPONENT=myops_{component}"] if component else []
    outcome = run(["cmake", f"-DPREFIX={prefix}", *named, "-P", str(BUILD / "uninstall.cmake")])
    assert outcome.returncode == 0, outcome
    return outcome


def moved(prefix: Path, target: Path) -> Path:
    shutil.move(prefix, target)
    return target


def files(prefix: Path) -> list[Path]:
    return sorted(path for path in prefix.rglob("*") if not path.is_dir())


def surroundings(prefix: Path, libdir: str = "lib") -> dict[str, str]:
    """What a user of the prefix sets: the folder of the Python package, and no library path."""
    return {
        "PYTHONPATH": str(prefix / libdir / "python"),
        "LD_LIBRARY_PATH": "",
        "MYOPS_AUTOLOAD": "0",
        "PYTHONDONTWRITEBYTECODE": "",
    }


def add(prefix: Path, libdir: str = "lib", env: Mapping[str, str] | None = None, **options: Any) -> dict[str, Any]:
    """Loads in a child with the package of the prefix, and calls myadd."""
    outcome = run_python(ADD, json.dumps(options), env={**surroundings(prefix, libdir), **(env or {})})
    assert outcome.returncode == 0, outcome
    answer: dict[str, Any] = outcome.json
    assert Path(answer["package"]).is_relative_to(prefix), answer["package"]
    return answer


def opened(answer: Mapping[str, Any]) -> set[str]:
    """Names of the plugins that are in the process: "cpu" for libmyops_cpu.so."""
    return {Path(path).name.removeprefix("libmyops_").removesuffix(".so") for path in answer["report"]["opened"]}


def codes(answer: Mapping[str, Any]) -> dict[str, list[str]]:
    """Plugin → its reasons."""
    return {
        Path(file["path"]).name.removeprefix("libmyops_").removesuffix(".so"): [r["code"] for r in file["reasons"]]
        for file in answer["report"]["files"]
    }
