"""The package `myops` in processes of its own, on plugin folders of the test's own."""

from __future__ import annotations

import shutil
from pathlib import Path

from support.build_tree import library
from support.process import Outcome, run_python

ALONE = "MYOPS_SYSTEM_PLUGIN_PATH"  # this folder instead of the default ones

# Code after which `lines` has (level, words) of what the package logs.
KEEP_LINES = """
import logging
lines = []
class Kept(logging.Handler):
    def emit(self, record): lines.append((record.levelname, record.getMessage()))
logger = logging.getLogger("myops")
logger.addHandler(Kept())
logger.setLevel(logging.DEBUG)
"""


def folder_of(folder: Path, *parts: str) -> Path:
    """A plugin folder with copies of some of our libraries."""
    folder.mkdir(parents=True, exist_ok=True)
    for part in parts:
        shutil.copy2(library(part), folder)
    return folder


def by_hand(code: str, *arguments: object, **env: str) -> Outcome:
    """Runs code after `import json, sys, torch, myops`, with nothing loaded yet."""
    return run_python(f"import json, sys, torch, myops\n{code}", *arguments, env={"MYOPS_AUTOLOAD": "0", **env})
