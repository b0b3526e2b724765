"""One table of calls: every operator, and each form that has kernels of its own.

What is checked for all of them (bits, streams, graphs, devices) walks it; `names_every_operator` compares it with what
is registered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from gpu_check_cases import Check, Outcome, make
from torch import Tensor


@dataclass(frozen=True)
class Call:
    """`function` takes `inputs`, and writes into none of them."""

    operator: str  # as the dispatcher spells it, without the namespace
    inputs: list[Tensor]
    function: Callable[..., object]
    form: str = ""

    def __str__(self) -> str:
        return f"{self.operator} {self.form}".strip()

    def __call__(self) -> object:
        return self.function(*self.inputs)


def calls(device: str, rows: int = 300, dtype: torch.dtype = torch.bfloat16) -> list[Call]:
    op = torch.ops.myops
    x, y = make((rows, 1000), dtype, device), make((rows, 1000), dtype, device, 1)
    w, g = make((1000,), dtype, device, 2), make((rows, 500), dtype, device, 3)
    tanh = {"approximate": "tanh"}
    return [
        Call("myadd", [x, y], op.myadd),
        Call("myadd_", [x, y], lambda a, b: op.myadd_(a.clone(), b)),
        Call("myadd.out", [x, y], lambda a, b: op.myadd.out(a, b, out=torch.empty_like(a))),
        Call("my_multiple_input_op", [x, y], op.my_multiple_input_op),
        Call("mymatmul", [x, w], op.mymatmul),
        Call("diagonal", [x], op.diagonal),
        Call("sum", [x], op.sum, "of all"),
        Call("sum", [x], lambda a: op.sum(a, [0]), "of columns"),
        Call("sum", [x], lambda a: op.sum(a, [1]), "of rows"),
        Call("argmax", [x], lambda a: op.argmax(a.view(-1), 0), "of all"),
        Call("argmax", [x], lambda a: op.argmax(a, 0), "of columns"),
        Call("argmax", [x], lambda a: op.argmax(a, 1), "of rows"),
        Call("rms_norm", [x, w], op.rms_norm),
        Call("add_rms_norm", [x, y, w], op.add_rms_norm),
        Call("layer_norm", [x, w], lambda a, b: op.layer_norm(a, b, b)),
        Call("add_layer_norm", [x, y, w], lambda a, b, c: op.add_layer_norm(a, b, c, c)),
        Call("rms_norm_backward", [x, y, w], lambda a, b, c: op.rms_norm_backward(a, b, c, 1e-6, [True] * 2)),
        Call("layer_norm_backward", [x, y, w], lambda a, b, c: op.layer_norm_backward(a, b, c, 1e-5, [True] * 3)),
        Call("silu_and_mul", [x], op.silu_and_mul),
        Call("silu_and_mul_backward", [g, x], op.silu_and_mul_backward),
        Call("gelu_and_mul", [x], op.gelu_and_mul),
        Call("gelu_and_mul", [x], lambda a: op.gelu_and_mul(a, **tanh), "by tanh"),
        Call("gelu_and_mul_backward", [g, x], op.gelu_and_mul_backward),
        Call("gelu_and_mul_backward", [g, x], lambda a, b: op.gelu_and_mul_backward(a, b, **tanh), "by tanh"),
    ]


def same(got: object, expected: object) -> bool:
    if isinstance(got, Tensor):
        assert isinstance(expected, Tensor)
        return torch.equal(got, expected)
    assert isinstance(got, (tuple, list)) and isinstance(expected, (tuple, list))
    return all(same(g, e) for g, e in zip(got, expected, strict=True))


def names_every_operator(device: str) -> str | None:
    registered = {name[7:] for name in torch._C._dispatch_get_all_op_names() if name.startswith("myops::")}
    called = {call.operator for call in calls(device, rows=1)}
    return None if called == registered else f"the table of calls and the operators differ: {called ^ registered}"


def same_bits(device: str, quick: bool) -> Iterator[Outcome]:
    """Twice the same: no result depends on the order in which threads run."""
    yield "every operator", names_every_operator(device)
    for call in calls(device, 300 if quick else 20000, torch.float32):
        first = call()
        for _ in range(5):
            yield str(call), None if same(call(), first) else "other bits than the first time"


CHECKS: dict[str, Check] = {"same bits": same_bits}
