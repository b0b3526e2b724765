"""What torch has to be asked or told about operators. This file and `_missing` alone touch torch's private parts."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TypeVar

import torch
from torch._ops import OpOverload, OpOverloadPacket, _OpNamespace

Kind = TypeVar("Kind")


def defined(operator: str) -> bool:
    """Whether the dispatcher knows a schema of this name ("myops::rms_norm")."""
    return bool(torch._C._jit_get_schemas_for_operator(operator))


def has_kernel(operator: str, key: str) -> bool:
    """Whether a kernel stands on exactly this key. False for an unknown operator, ValueError for an unknown key."""
    try:
        torch._C._dispatch_key_parse(key)
    except RuntimeError as error:
        raise ValueError(f"{key!r} is no dispatch key of torch {torch.__version__}") from error
    try:
        return bool(torch._C._dispatch_has_kernel_for_dispatch_key(operator, key)) and not _is_stand_in(operator, key)
    except RuntimeError:  # "operator … does not exist"
        return False


def _is_stand_in(operator: str, key: str) -> bool:
    # As loader/bridge/stand_in.cpp registers them.
    words = ("myops tells here", f"{key}: ", f"{key}[alias]: ")
    return any(
        words[0] in line and line.startswith(words[1:]) for line in torch._C._dispatch_dump(operator).split("\n")
    )


def announce(opened: Iterable[str]) -> bool:
    """Lets torch's Python side know of opened files: as torch.ops.load_library does, and a little more.

    True where some are new, and programs were compiled before they came.
    """
    new = set(opened) - torch.ops.loaded_libraries
    if not new:
        return False
    torch.ops.loaded_libraries.update(new)
    _forget_resolved_kernels()
    return _has_compiled()


def _has_compiled() -> bool:
    counters = getattr(sys.modules.get("torch._dynamo.utils"), "counters", {})
    return bool(counters) and counters["stats"]["unique_graphs"] > 0


def _forget_resolved_kernels() -> None:
    # A Python overload remembers the kernel that a key resolved to. Left so, an autograd library that comes later stays
    # unseen by whatever is traced or compiled from the overload. A plugin may serve any namespace, so all are told.
    for namespace in _values(torch.ops, _OpNamespace):
        for packet in _values(namespace, OpOverloadPacket):
            for overload in _values(packet, OpOverload):
                overload._dispatch_cache.clear()


def _values(owner: object, kind: type[Kind]) -> list[Kind]:
    return [value for value in list(vars(owner).values()) if isinstance(value, kind)]
