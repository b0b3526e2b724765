"""The functions of the package, thin over the loader's C ABI. What they look at and decide is the loader's."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from . import _dispatch, _loader, _log, _missing, ops
from ._entry_points import is_utf8, plugin_folders
from ._errors import LoadError
from ._report import Answer, Report

AnyPath = str | bytes | os.PathLike[str] | os.PathLike[bytes]


def _request(
    require: Iterable[str] = (),
    prefer: Iterable[str] = (),
    disable: Iterable[str] = (),
    paths: Iterable[AnyPath] = (),
    allow_incomplete: bool = False,
    allow_unstamped: bool = False,
    allow_no_gpu: bool = False,
    trust: str = "normal",
    lock: AnyPath | None = None,
) -> dict[str, Any]:
    return {
        "require": _strings(require),
        "prefer": _strings(prefer),
        "disable": _strings(disable),
        "paths": _strings(paths),
        "late_paths": plugin_folders(),
        "allow_incomplete": allow_incomplete,
        "allow_unstamped": allow_unstamped,
        "allow_no_gpu": allow_no_gpu,
        "trust": trust,
        "lock": "" if lock is None else _text(lock),
    }


def _strings(given: AnyPath | Iterable[AnyPath]) -> tuple[str, ...]:
    # One name or path stands for itself: a string is iterable too, but nobody means its letters.
    items = (given,) if isinstance(given, (str, bytes, os.PathLike)) else given
    return tuple(_text(item) for item in items)


def _text(item: AnyPath) -> str:
    text = os.fsdecode(item)
    if not is_utf8(text):
        raise ValueError(f"{text!r} is not UTF-8, which the loader's options must be")
    return text


def _qualified(op: str) -> str:
    return op if "::" in op else f"myops::{op}"


def _ask(function: str, options: Mapping[str, Any]) -> tuple[int, Report]:
    """Status and answer. ValueError where the options were wrong, LoadError where there is a fault and no answer."""
    status, source = _loader.call(function, options)
    answer = Report(source)
    if status == 2:
        raise ValueError(answer.text)
    if "error" in answer.json:
        raise LoadError(answer.text, answer)
    return status, answer


def load(
    *,
    require: Iterable[str] = (),
    prefer: Iterable[str] = (),
    disable: Iterable[str] = (),
    paths: Iterable[AnyPath] = (),
    allow_incomplete: bool = False,
    allow_unstamped: bool = False,
    allow_no_gpu: bool = False,
    explain_missing: bool = True,
    quiescent: bool = False,
    trust: Literal["normal", "strict"] = "normal",
    lock: AnyPath | None = None,
) -> Report:
    """Loads every operator library that fits this machine and this torch, and verifies what they registered.

    `require` names dispatch keys that must be served ("CPU", "Autograd"); `prefer` and `disable` are globs on library
    names; `paths` are folders or files searched before the default ones. `allow_incomplete` lets a mutating backend
    load without the ADInplaceOrView library: gradients can then be wrong, and the report is `tainted`.
    `allow_unstamped` takes libraries whose manifest was never written: what they register is not checked, and the
    report is `tainted`. `allow_no_gpu` opens CUDA libraries on a machine without a GPU, to look at what they register.
    `explain_missing`: a call for which a kernel is missing is told which library would have it and why that was not
    loaded, and without the autograd library a gradient is an error and not silently absent; torch's own words and
    behaviour where it is False. `quiescent=True` says that no operator runs meanwhile, so that an autograd library may
    replace what stands in for it; without, such a library is refused ("not-quiescent").
    `trust="strict"` refuses files that others can write. `lock` names a file that `myops lock` wrote: what it does not
    list, or lists with another content, is refused, and trust is strict; MYOPS_LOCK stands in for it.

    Idempotent and safe from any thread: a library that is in the process stays and is not opened again, one installed
    since is picked up. Load before the operators are first called or compiled: torch itself cannot take a kernel on a
    key that another thread is calling.

    Raises LoadError, with the report, where something required is missing, something planned could not be opened or is
    not as promised, or no library could be loaded at all; ValueError for a wrong option (an empty key, a path that is
    not UTF-8); MemoryError.
    """
    options = _request(require, prefer, disable, paths, allow_incomplete, allow_unstamped, allow_no_gpu, trust, lock)
    options |= {"explain_missing": "gradients" if explain_missing else "nothing", "quiescent": quiescent}
    status, report = _ask("load", options)
    if _dispatch.announce(report.opened):
        _log.tell_of_compiled()
    if explain_missing:
        _missing.explain(report.json["defined"])
    _log.tell(report)
    if status != 0:
        raise LoadError(report.text, report)
    return report


def autoload() -> None:
    """What `import myops` does: load(). An optional library that is missing or cannot be opened stops nothing.

    LoadError where what MYOPS_REQUIRE names or torch.ops.myops is missing, or a loaded library is not as promised.
    """
    try:
        loaded = load()
    except LoadError as error:
        if error.report is None or "error" in error.report.json or error.report.missing:
            raise
        loaded = error.report
        if any(file.opened and file.reasons for file in loaded.files):
            raise
    if not any(_dispatch.defined(f"myops::{name}") for name in ops.__all__):
        raise LoadError(f"no library that defines torch.ops.myops.* is loaded\n\n{loaded.text}", loaded)


def report() -> Report:
    """The report of the last load in this process. LoadError before the first, and where that was a fault."""
    return _ask("report", {})[1]


def list(*, paths: Iterable[AnyPath] = ()) -> Report:
    """Every candidate in the search folders and its verdict. Opens nothing. ValueError for a path that is not UTF-8."""
    return _ask("list", _request(paths=paths))[1]


def check(files: AnyPath | Iterable[AnyPath]) -> Report:
    """Whether these files would load here and, if not, every reason. Any PyTorch extension will do. Opens nothing.

    ValueError where no file is named, or one that is not UTF-8; what is no library is a verdict like any other.
    """
    return _ask("check", {"files": _strings(files)})[1]


def plan(
    *,
    require: Iterable[str] = (),
    prefer: Iterable[str] = (),
    disable: Iterable[str] = (),
    paths: Iterable[AnyPath] = (),
    allow_incomplete: bool = False,
    allow_unstamped: bool = False,
    allow_no_gpu: bool = False,
    trust: Literal["normal", "strict"] = "normal",
    lock: AnyPath | None = None,
) -> Report:
    """What `load` with the same arguments would open, in order, and why each other file is left out. Opens nothing.

    What is required and missing is in the report's `missing`. ValueError as for `load`.
    """
    options = _request(require, prefer, disable, paths, allow_incomplete, allow_unstamped, allow_no_gpu, trust, lock)
    return _ask("plan", options)[1]


def lock(output: AnyPath, *, paths: Iterable[AnyPath] = ()) -> Answer:
    """Writes a lock file: every library in the search folders, for every torch, and the hash of its content.

    `load(lock=output)` then takes no other. What could not be looked at is in the answer's "left_out". LoadError where
    there is no library, or the file cannot be written.
    """
    options = {"output": _text(output), "paths": _strings(paths), "late_paths": plugin_folders()}
    return Answer(_ask("lock", options)[1].source)


def table(op: str | None = None, *, paths: Iterable[AnyPath] = ()) -> Answer:
    """Operators x dispatch keys of this process, with the library that provides each kernel; all, or only `op`.

    Of the namespaces, and with the libraries, that are found in the search folders: `paths` are those of the load.
    LoadError where there is no such operator.
    """
    options: dict[str, Any] = {"paths": _strings(paths), "late_paths": plugin_folders()}
    if op is not None:
        options["op"] = _qualified(_text(op))
    return Answer(_ask("table", options)[1].source)


def has_kernel(op: str, key: str) -> bool:
    """Whether a kernel of `op` ("rms_norm", "myadd.out", "other::op") is registered on exactly this dispatch key.

    A key that is served through an alias is not its member: ask "Autograd", not "AutogradCPU". False for an operator
    that is not defined, and where only a stand-in tells what is missing; ValueError for a key that torch does not know.
    """
    return _dispatch.has_kernel(_qualified(op), key)
