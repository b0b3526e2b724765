"""libmyops_loader.so through ctypes: where it lies, and its calls as JSON text in, JSON text out.

Calls go through CDLL, without the interpreter's lock, as torch.ops.load_library does: it would stop every Python thread
and keep none of them out of an operator, since torch gives it up inside each. Loads are one after the other by the
loader's own lock; a thread that waits for it holds nothing that a log callback may need. Knows nothing of torch or of
what the answers mean.
"""

from __future__ import annotations

import ctypes
import functools
import json
import os
from collections.abc import Mapping
from typing import Any, Final

from ._errors import LoadError

FILE_NAME: Final = "libmyops_loader.so"
ABI: Final = 1
_FUNCTIONS: Final = ("list", "check", "plan", "load", "lock", "missing", "report", "table")


def places(package_file: str) -> tuple[str, ...]:
    """Where the loader library may lie, first choice first, told from the package's own file alone.

    `<package>/lib/` in a wheel, `<prefix>/lib/` where the package is `<prefix>/lib/python/myops` (install and build
    tree). The package folder is taken as it was imported and with links resolved: a build tree links it to the sources,
    and a user may link it into site-packages.
    """
    found: dict[str, None] = {}
    for package in (os.path.dirname(package_file), os.path.dirname(os.path.realpath(package_file))):
        found[os.path.join(package, "lib", FILE_NAME)] = None
        found[os.path.join(os.path.dirname(os.path.dirname(package)), FILE_NAME)] = None
    return tuple(found)


def find() -> str:
    """Path of the loader library. LoadError names every place that was looked in."""
    candidates = places(__file__)
    for path in candidates:
        if os.path.exists(path):
            return path
    looked_in = "".join(f"\n  {path}" for path in candidates)
    raise LoadError(f"{FILE_NAME} was not found; looked for{looked_in}\nInstall the loader and the package together.")


@functools.cache
def library() -> ctypes.CDLL:
    """The opened loader library. LoadError where it is absent, cannot be opened, or speaks another ABI."""
    path = find()
    try:
        opened = ctypes.CDLL(path)
    except OSError as error:
        raise LoadError(f"{path} cannot be opened: {error}") from error
    abi = opened.myops_loader_abi()
    if abi != ABI:
        raise LoadError(f"{path} speaks loader ABI {abi}, this package speaks {ABI}: install both from one release")
    for name in _FUNCTIONS:
        function = getattr(opened, f"myops_{name}", None)
        if function is None:
            raise LoadError(f"{path} has no myops_{name}: install loader and package from one release")
        function.argtypes = (ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p))
        function.restype = ctypes.c_int
    opened.myops_loader_version.restype = ctypes.c_char_p
    opened.myops_free.argtypes = (ctypes.c_void_p,)
    opened.myops_free.restype = None
    return opened


def version() -> str:
    """The release of the loader library, which is that of this package."""
    release: bytes = library().myops_loader_version()
    return release.decode()


def call(function: str, options: Mapping[str, Any]) -> tuple[int, str]:
    """Status (0 fine, 1 something asked for cannot be loaded, 2 the options were wrong) and JSON text."""
    opened = library()
    result = ctypes.c_void_p()
    status: int = getattr(opened, f"myops_{function}")(json.dumps(options).encode(), ctypes.byref(result))
    if not result.value:
        raise MemoryError(f"myops_{function} gave no answer")
    try:
        return status, ctypes.string_at(result.value).decode("utf-8", "replace")
    finally:
        opened.myops_free(result)
