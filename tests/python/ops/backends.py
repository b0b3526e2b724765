"""The kernels of each backend, called with the same sample, so that a test can ask all of them."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from comparison import call_composite
from operators import OPERATORS, Operator
from samples import Sample


def on_cpu(operator: Operator, sample: Sample) -> Any:
    return operator.op(*sample.args, **sample.kwargs)


def on_meta(operator: Operator, sample: Sample) -> Any:
    moved = sample.map_tensors(lambda x: torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device="meta"))
    return operator.op(*moved.args, **moved.kwargs)


def functionalized(operator: Operator, sample: Sample) -> Any:
    def run(*args: Any, **kwargs: Any) -> Any:
        return on_cpu(operator, Sample(args, kwargs))

    return torch.func.functionalize(run)(*sample.args, **sample.kwargs)


COMPUTING = pytest.mark.parametrize("run", [on_cpu, call_composite], ids=["cpu", "composite"])
BACKENDS = pytest.mark.parametrize(
    "run",
    [on_cpu, on_meta, call_composite, functionalized],
    ids=["cpu", "meta", "composite", "functionalize"],
)


def named(name: str) -> Operator:
    return next(o for o in OPERATORS if str(o) == name)
