"""What a call is told for which no kernel is there: which library would have it, in place of a list of dispatch keys.

Torch asks a callback of the operator for the words; its dispatch table stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Final, NoReturn

import torch

from . import _loader
from ._report import Answer

_explained: Final[set[str]] = set()


def explain(operators: Iterable[str]) -> None:
    """From now on, calls of these operators ("myops::myadd.out") that find no kernel raise with the loader's reason."""
    for operator in operators:
        if operator in _explained:
            continue
        name, _, overload = operator.partition(".")
        try:
            handle = torch._C._dispatch_find_schema_or_throw(name, overload)
        except RuntimeError:  # promised by a library that did not keep it: the report says so
            continue
        torch._C._dispatch_set_report_error_callback(handle, partial(_raise, operator))
        _explained.add(operator)


def _raise(operator: str, key: str) -> NoReturn:
    if key == "Undefined":
        raise NotImplementedError(f"{operator} was called without a tensor: nothing says for which device")
    status, source = _loader.call("missing", {"op": operator, "key": key})
    text = Answer(source).text
    raise NotImplementedError(text if status == 0 else f"{operator} has no {key} kernel, and why is not known: {text}")
