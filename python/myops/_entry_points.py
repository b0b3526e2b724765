"""Plugin folders that installed packages announce, read from their metadata: no package is imported.

A package that carries operator libraries says so in its entry points:

    [project.entry-points."myops.plugins"]
    anything = "mypackage:plugins.cpu"

The value is `package` or `package:folder.folder`: a top-level package and a path of folders below its own folder, here
`mypackage/plugins/cpu`. `/` separates folders too (`mypackage:plugins/cpu`), but setuptools takes only the dotted form.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import logging
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

GROUP: Final = "myops.plugins"
_VALUE: Final = re.compile(r"(?P<package>\w+)(?:\s*:\s*(?P<folders>\w[\w-]*(?:[./]\w[\w-]*)*))?")

_log: Final = logging.getLogger("myops")


def plugin_folders() -> tuple[str, ...]:
    """The announced folders, ordered by entry point name and value.

    An entry that names none, or one whose path is not UTF-8, is a line in the log.
    """
    folders: dict[str, None] = {}
    for entry in sorted(_entries(), key=lambda entry: (entry.name, entry.value)):
        resolved = resolve(entry.value)
        found = tuple(folder for folder in resolved if is_utf8(folder))
        if not found or found != resolved:
            _log.warning("entry point %s = %r names no folder of an installed package", entry.name, entry.value)
        folders.update(dict.fromkeys(found))
    return tuple(folders)


def _entries() -> Iterable[importlib.metadata.EntryPoint]:
    try:
        return importlib.metadata.entry_points(group=GROUP)
    except Exception as error:  # of any package, and of any kind: what cannot be read is parsed all the same
        _log.warning("the entry points of a package cannot be read (%s: %s)", type(error).__name__, error)
    readable: list[importlib.metadata.EntryPoint] = []
    for distribution in importlib.metadata.distributions():
        with suppress(Exception):  # told above
            readable += distribution.entry_points.select(group=GROUP)
    return readable


def is_utf8(text: str) -> bool:
    """Whether the loader can be told of it: its options are JSON text, which has no place for Python's surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def resolve(value: str) -> tuple[str, ...]:
    """The folders a value stands for: none, one, or one for each part of a namespace package."""
    match = _VALUE.fullmatch(value.strip())
    if match is None:
        return ()
    below = re.split(r"[./]", match["folders"]) if match["folders"] else []
    return tuple(os.path.join(folder, *below) for folder in _package_folders(match["package"]))


def _package_folders(package: str) -> tuple[str, ...]:
    # A dotted name would make find_spec import the parent; the pattern lets only top-level names through.
    try:
        spec = importlib.util.find_spec(package)
    except Exception:  # ValueError: a module that put itself into sys.modules without a spec; a finder's own
        return ()
    return tuple(spec.submodule_search_locations or ()) if spec else ()
