"""myops.ops: every function has the parameters of its operator's schema, and calls that operator."""

from __future__ import annotations

from typing import Any

import pytest
from support.process import run_python

# One child answers all: the schemas as torch has them, beside the signatures.
QUESTIONS = """
import inspect, json, torch, myops

def overload(name):
    packet = name.removesuffix("_out")
    return getattr(getattr(torch.ops.myops, packet), "default" if packet == name else "out")

def of_schema(schema):
    return {
        "arguments": [
            [a.name, str(a.type), a.kwarg_only, a.default_value if a.has_default_value() else "none given"]
            for a in schema.arguments
        ],
        "returns": [str(r.type) for r in schema.returns],
    }

def of_function(function):
    signature = inspect.signature(function)
    return {
        "arguments": [
            [p.name, p.annotation, p.kind is p.KEYWORD_ONLY, "none given" if p.default is p.empty else p.default]
            for p in signature.parameters.values()
        ],
        "returns": signature.return_annotation,
        "documented": bool(function.__doc__),
    }

defined = [name for name in torch._C._dispatch_get_all_op_names() if name.startswith("myops::")]
print(json.dumps({
    "names": myops.ops.__all__,
    "defined": sorted(name.removeprefix("myops::").replace(".", "_") for name in defined if "_backward" not in name),
    "schemas": {name: of_schema(overload(name)._schema) for name in myops.ops.__all__},
    "functions": {name: of_function(getattr(myops.ops, name)) for name in myops.ops.__all__},
}))
"""

# The Python annotation of each type of the schema language that our operators use.
ANNOTATIONS = {
    "Tensor": "Tensor",
    "Optional[Tensor]": "Tensor | None",
    "float": "float",
    "int": "int",
    "bool": "bool",
    "str": "str",
    "Optional[List[int]]": "int | Sequence[int] | None",
}

# Each function beside what torch makes of the same arguments.
CALLS = """
import json, torch, myops
from torch.nn import functional as F
torch.manual_seed(0)
a, b, w, v = torch.randn(3, 4), torch.randn(3, 4), torch.randn(4), torch.randn(4)
def added_in_place():
    x = a.clone()
    return x if myops.ops.myadd_(x, b) is x else None
def added_to_out():
    out = torch.empty(0)
    return out if myops.ops.myadd_out(a, b, out=out) is out else None
pairs = {
    "myadd": (myops.ops.myadd(a, b), a + b),
    "myadd_": (added_in_place(), a + b),
    "myadd_out": (added_to_out(), a + b),
    "mymatmul": (myops.ops.mymatmul(a, b.T), a @ b.T),
    "my_multiple_input_op": (myops.ops.my_multiple_input_op(a, b), a * b + a),
    "sum": (myops.ops.sum(a, dim=(0,), keepdim=True), a.sum(0, keepdim=True)),
    "diagonal": (myops.ops.diagonal(a), a.diagonal()),
    "argmax": (myops.ops.argmax(a, dim=0), a.argmax(0)),
    "rms_norm": (myops.ops.rms_norm(a, w), F.rms_norm(a, (4,), w, 1e-6)),
    "add_rms_norm": (myops.ops.add_rms_norm(a, b, w, eps=1e-3)[0], F.rms_norm(a + b, (4,), w, 1e-3)),
    "layer_norm": (myops.ops.layer_norm(a, w, v), F.layer_norm(a, (4,), w, v)),
    "add_layer_norm": (myops.ops.add_layer_norm(a, b, w, v, eps=1e-3)[0], F.layer_norm(a + b, (4,), w, v, 1e-3)),
    "silu_and_mul": (myops.ops.silu_and_mul(a), F.silu(a[:, :2]) * a[:, 2:]),
    "gelu_and_mul": (myops.ops.gelu_and_mul(a, approximate="tanh"), F.gelu(a[:, :2], approximate="tanh") * a[:, 2:]),
}
for ours, theirs in pairs.values():
    torch.testing.assert_close(ours, theirs)
print(json.dumps(sorted(pairs)))
"""


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    answer: dict[str, Any] = run_python(QUESTIONS).json
    return answer


def test_every_operator_has_a_function(answers: dict[str, Any]) -> None:
    assert sorted(answers["names"]) == answers["defined"]


def test_signatures_are_those_of_the_schemas(answers: dict[str, Any]) -> None:
    for name, schema in answers["schemas"].items():
        expected = [[argument, ANNOTATIONS[kind], *rest] for argument, kind, *rest in schema["arguments"]]
        assert answers["functions"][name]["arguments"] == expected, name


def test_results_and_documentation(answers: dict[str, Any]) -> None:
    for name, function in answers["functions"].items():
        tensors = answers["schemas"][name]["returns"]
        assert set(tensors) == {"Tensor"}
        assert function["returns"] == ("Tensor" if len(tensors) == 1 else f"tuple[{', '.join(tensors)}]"), name
        assert function["documented"], name


def test_functions_call_their_operators(answers: dict[str, Any]) -> None:
    assert run_python(CALLS).json == sorted(answers["names"])


def test_no_rows_of_any_length_need_no_memory() -> None:
    outcome = run_python(
        """
import torch, myops
rows = torch.empty(0, 2**45)
assert myops.ops.rms_norm(rows, None).shape == rows.shape
assert myops.ops.layer_norm(rows, None, None).shape == rows.shape
assert all(out.shape == rows.shape for out in myops.ops.add_rms_norm(rows, rows, None))
"""
    )
    assert outcome.returncode == 0, outcome.stderr
