"""Operator libraries for PyTorch, split by dispatch key, and the loader that takes what fits this machine.

    import torch, myops                # loads what fits; MYOPS_AUTOLOAD=0 to call myops.load() by hand
    y = torch.ops.myops.rms_norm(x, w, 1e-6)
    y = myops.ops.rms_norm(x, w)       # the same, typed
    print(myops.report())

Importing raises LoadError (an ImportError) with the report where the operators themselves cannot be defined. A missing
optional part is one line at logging.getLogger("myops").
"""

from __future__ import annotations

import torch as _torch  # noqa: F401  first: the loader takes the torch that this process runs and never opens one itself

from . import ops
from ._api import autoload as _autoload_now
from ._api import check, has_kernel, list, load, lock, plan, report, table
from ._autoload import wanted as _wanted
from ._errors import LoadError
from ._report import Answer, FileVerdict, Reason, Report

__all__ = [
    "Answer",
    "FileVerdict",
    "LoadError",
    "Reason",
    "Report",
    "check",
    "has_kernel",
    "list",
    "load",
    "lock",
    "ops",
    "plan",
    "report",
    "table",
]


def __getattr__(name: str) -> str:
    if name == "__version__":
        from ._loader import version  # of the loader library, which may be absent: asked for when it is wanted

        return version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


if _wanted():
    _autoload_now()
del annotations
