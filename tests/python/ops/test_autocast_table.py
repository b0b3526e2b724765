"""The dtype in which each operator runs under autocast: the table of autocast/README.md, written out by hand."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from autograd_samples import NO_WARNINGS, outputs
from operators import OPERATORS
from samples import make

pytestmark = [pytest.mark.filterwarnings(f) for f in NO_WARNINGS]

F16, BF16, F32, F64, I64 = torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int64
REGION = "the region's dtype"

myops = torch.ops.myops

POLICY = {
    "myadd": "promote",
    "myadd_": "fallthrough",
    "myadd.out": "fallthrough",
    "mymatmul": "lower precision",
    "my_multiple_input_op": "promote",
    "sum": "float32",
    "diagonal": "fallthrough",
    "argmax": "fallthrough",
    "rms_norm": "float32",
    "rms_norm_backward": "fallthrough",
    "add_rms_norm": "float32",
    "layer_norm": "float32",
    "layer_norm_backward": "fallthrough",
    "add_layer_norm": "float32",
    "silu_and_mul": "fallthrough",
    "silu_and_mul_backward": "fallthrough",
    "gelu_and_mul": "fallthrough",
    "gelu_and_mul_backward": "fallthrough",
}

# Dtypes of the tensor arguments, None for an absent one -> dtype of each output.
CASES: list[tuple[str, tuple[torch.dtype | None, ...], Any]] = [
    ("mymatmul", (F32, F32), REGION),
    ("mymatmul", (BF16, F16), REGION),
    ("mymatmul", (F32, BF16), REGION),
    ("mymatmul", (F64, F64), F64),
    ("myadd", (F32, F32), F32),
    ("myadd", (BF16, BF16), BF16),
    ("myadd", (F16, F16), F16),
    ("myadd", (F16, BF16), F32),
    ("myadd", (BF16, F16), F32),
    ("myadd", (BF16, F32), F32),
    ("myadd", (F32, F16), F32),
    ("myadd", (F64, F64), F64),
    ("myadd", (I64, I64), I64),
    ("my_multiple_input_op", (F16, BF16), F32),
    ("my_multiple_input_op", (F32, BF16), F32),
    ("my_multiple_input_op", (BF16, BF16), BF16),
    ("my_multiple_input_op", (F64, F64), F64),
    ("my_multiple_input_op", (I64, I64), I64),
    ("sum", (BF16,), F32),
    ("sum", (F16,), F32),
    ("sum", (F32,), F32),
    ("sum", (F64,), F64),
    ("sum", (I64,), I64),
    ("diagonal", (BF16,), BF16),
    ("diagonal", (F32,), F32),
    ("argmax", (BF16,), I64),
    ("rms_norm", (BF16, None), F32),
    ("rms_norm", (BF16, F32), F32),
    ("rms_norm", (F32, F16), F32),
    ("rms_norm", (F16, BF16), F32),
    ("rms_norm", (F64, F64), F64),
    ("rms_norm", (F64, None), F64),
    ("add_rms_norm", (BF16, F32, None), (F32, F32)),
    ("add_rms_norm", (F16, BF16, F32), (F32, F32)),
    ("add_rms_norm", (F64, F64, F64), (F64, F64)),
    ("layer_norm", (BF16, None, None), F32),
    ("layer_norm", (BF16, F32, None), F32),
    ("layer_norm", (F16, None, F32), F32),
    ("layer_norm", (BF16, F16, F32), F32),
    ("layer_norm", (F64, F64, F64), F64),
    ("add_layer_norm", (BF16, F32, None, None), (F32, F32)),
    ("add_layer_norm", (BF16, F16, F32, BF16), (F32, F32)),
    ("add_layer_norm", (F64, F64, F64, None), (F64, F64)),
    ("silu_and_mul", (BF16,), BF16),
    ("silu_and_mul", (F16,), F16),
    ("silu_and_mul", (F32,), F32),
    ("silu_and_mul", (F64,), F64),
    ("gelu_and_mul", (BF16,), BF16),
    ("gelu_and_mul", (F16,), F16),
    ("gelu_and_mul", (F32,), F32),
    ("gelu_and_mul", (F64,), F64),
]

# What stays an error: autocast leaves these dtypes alone, and the operators do not mix.
MIXED_WITH_FLOAT64 = [
    ("myadd", (F64, BF16)),
    ("my_multiple_input_op", (F32, F64)),
    ("mymatmul", (F64, F32)),
    ("rms_norm", (F64, F32)),
    ("add_rms_norm", (F64, F32, None)),
    ("myadd_", (F32, BF16)),
    ("myadd_", (BF16, F32)),
]

region = pytest.mark.parametrize("region", [BF16, F16], ids=str)


def arguments(name: str, dtypes: tuple[torch.dtype | None, ...]) -> list[torch.Tensor | None]:
    """Matrices of 4 × 4; the parameters of norms are vectors of 4."""
    first_parameter = {"rms_norm": 1, "layer_norm": 1, "add_rms_norm": 2, "add_layer_norm": 2}.get(name, 9)
    shapes = [(4,) if k >= first_parameter else (4, 4) for k in range(len(dtypes))]
    return [None if d is None else make(s, d, k) for k, (s, d) in enumerate(zip(shapes, dtypes, strict=True))]


def test_table_names_every_operator() -> None:
    defined = {n.removeprefix("myops::") for n in torch._C._dispatch_get_all_op_names() if n.startswith("myops::")}
    assert set(POLICY) == defined == {str(operator) for operator in OPERATORS}
    cast = {name for name, policy in POLICY.items() if policy != "fallthrough"}
    assert cast | {"diagonal", "argmax", "silu_and_mul", "gelu_and_mul"} == {name for name, _, _ in CASES}


@pytest.mark.parametrize("key", ["AutocastCPU", "AutocastCUDA"])
@pytest.mark.parametrize("name", POLICY)
def test_every_operator_has_a_stated_policy(name: str, key: str) -> None:
    assert torch._C._dispatch_has_kernel_for_dispatch_key(f"myops::{name}", key)
    (line,) = [x for x in torch._C._dispatch_dump(f"myops::{name}").splitlines() if x.startswith(f"{key}:")]
    assert ("fallthrough" in line) == (POLICY[name] == "fallthrough"), line


@region
@pytest.mark.parametrize(("name", "dtypes", "expected"), CASES, ids=str)
def test_dtype_and_value(name: str, dtypes: tuple[Any, ...], expected: Any, region: torch.dtype) -> None:
    op, given = getattr(myops, name), arguments(name, dtypes)
    before = [None if a is None else a.clone() for a in given]
    with torch.autocast("cpu", dtype=region):
        results = outputs(op(*given))
    wanted = expected if isinstance(expected, tuple) else (expected,)
    assert [r.dtype for r in results] == [region if w is REGION else w for w in wanted]
    runs_in = region if wanted[0] is REGION else wanted[0]
    cast = [None if a is None else a.to(runs_in) for a in given] if runs_in.is_floating_point else given
    assert all(torch.equal(r, w) for r, w in zip(results, outputs(op(*cast)), strict=True))
    assert all(a is b is None or torch.equal(a, b) for a, b in zip(given, before, strict=True))


@region
@pytest.mark.parametrize(("name", "dtypes"), MIXED_WITH_FLOAT64, ids=str)
def test_mixtures_that_stay_errors(name: str, dtypes: tuple[Any, ...], region: torch.dtype) -> None:
    given = arguments(name, dtypes)
    messages = []
    for enabled in (True, False):
        before = given[0].clone()
        with pytest.raises((RuntimeError, TypeError)) as caught, torch.autocast("cpu", dtype=region, enabled=enabled):
            getattr(myops, name)(*given)
        messages.append(str(caught.value))
        assert torch.equal(given[0], before)
    if region not in dtypes and F64 not in dtypes:
        assert messages[0] == messages[1]
    assert name in messages[0] or name == "mymatmul"


@region
@pytest.mark.parametrize("name", ["myadd_", "myadd.out"])
def test_targets_keep_their_dtype(name: str, region: torch.dtype) -> None:
    target = torch.ones(4)
    with torch.autocast("cpu", dtype=region):
        result = myops.myadd_(target, target) if name == "myadd_" else myops.myadd.out(target, target, out=target)
    assert result is target
    assert target.dtype == F32
    assert torch.equal(target, torch.full((4,), 2.0))
