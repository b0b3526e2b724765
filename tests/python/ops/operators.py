"""The table of operators that the tests walk: samples of inputs, and what ATen says about them.

It knows nothing about which libraries are loaded. Add an operator here once it is in myops/ops.h; test_values.py
compares the two lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.nn import functional

FLOATING = (torch.float32, torch.float64, torch.bfloat16, torch.float16)
INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


@dataclass(frozen=True)
class Sample:
    """One call: positional and keyword arguments. Tensors are fresh for each sample; nothing requires grad."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)

    def map_tensors(self, change: Callable[[torch.Tensor], torch.Tensor]) -> Sample:
        """The same call with `change` applied to each tensor."""
        return Sample(
            tuple(change(a) if isinstance(a, torch.Tensor) else a for a in self.args),
            {k: change(v) if isinstance(v, torch.Tensor) else v for k, v in self.kwargs.items()},
        )


@dataclass(frozen=True)
class Operator:
    """One overload of torch.ops.myops.

    `reference` takes the same arguments and gives ATen's answer, never writing into them; call it with float64 tensors
    for an oracle. `differentiable` says that every floating tensor argument has a gradient. `kind` is functional,
    in-place, out, view or backward.
    """

    name: str
    reference: Callable[..., Any]
    samples: Callable[[torch.dtype], Iterator[Sample]]
    overload: str = "default"
    dtypes: tuple[torch.dtype, ...] = FLOATING
    kind: str = "functional"
    differentiable: bool = True

    @property
    def op(self) -> torch._ops.OpOverload:
        """Looked up late: the libraries must be loaded first."""
        return getattr(getattr(torch.ops.myops, self.name), self.overload)

    def __str__(self) -> str:
        return self.name if self.overload == "default" else f"{self.name}.{self.overload}"


def make(shape: tuple[int, ...], dtype: torch.dtype, seed: int = 0) -> torch.Tensor:
    """Normal values of standard deviation 1, or integers from 0 to 9; the same on every call."""
    generator = torch.Generator().manual_seed(seed + sum(shape))
    if dtype == torch.bool or not (dtype.is_floating_point or dtype.is_complex):
        return torch.randint(0, 10, shape, generator=generator).to(dtype)
    return torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype)


BROADCAST_SHAPES = [
    ((4,), (4,)),
    ((3, 5), (3, 5)),
    ((3, 5), (5,)),
    ((3, 1), (1, 5)),
    ((2, 3, 4), (3, 1)),
    ((2, 3, 4, 5), (2, 3, 4, 5)),
    ((3, 5), ()),
    ((), ()),
    ((0,), (0,)),
    ((2, 0, 4), (4,)),
    ((0, 3), (1, 3)),
    ((3, 0), (3, 1)),
]


def binary_samples(dtype: torch.dtype) -> Iterator[Sample]:
    for left, right in BROADCAST_SHAPES:
        yield Sample((make(left, dtype, 1), make(right, dtype, 2)))
        if left != right:
            yield Sample((make(right, dtype, 1), make(left, dtype, 2)))


def inplace_samples(dtype: torch.dtype) -> Iterator[Sample]:
    for left, right in BROADCAST_SHAPES:
        if torch.broadcast_shapes(left, right) == torch.Size(left):
            yield Sample((make(left, dtype, 1), make(right, dtype, 2)))


def out_samples(dtype: torch.dtype) -> Iterator[Sample]:
    for left, right in BROADCAST_SHAPES:
        out = torch.full(torch.broadcast_shapes(left, right), 7, dtype=dtype)
        yield Sample((make(left, dtype, 1), make(right, dtype, 2)), {"out": out})


def matmul_samples(dtype: torch.dtype) -> Iterator[Sample]:
    shapes = [
        ((3, 4), (4, 5)),
        ((4,), (4,)),
        ((3, 4), (4,)),
        ((4,), (4, 5)),
        ((2, 3, 4), (4, 5)),
        ((2, 3, 4), (2, 4, 5)),
        ((2, 1, 3, 4), (5, 4, 2)),
        ((0, 4), (4, 5)),
        ((3, 0), (0, 5)),
    ]
    for left, right in shapes:
        yield Sample((make(left, dtype, 1), make(right, dtype, 2)))


def sum_samples(dtype: torch.dtype) -> Iterator[Sample]:
    for shape in [(4,), (3, 5), (2, 3, 4), (2, 3, 4, 5)]:
        yield Sample((make(shape, dtype),))
        for dim in range(-len(shape), len(shape)):
            yield Sample((make(shape, dtype), [dim], dim % 2 == 0))
    yield Sample((make((2, 3, 4), dtype), [0, -1]), {"keepdim": True})
    yield Sample((make((2, 3, 4), dtype), [1, 0, 2]))
    yield Sample((make((2, 3, 4), dtype), []))
    yield Sample((make((2, 3, 4), dtype), None, True))
    yield Sample((make((), dtype),))
    yield Sample((make((), dtype), [-1], True))
    for shape in [(0,), (0, 3), (3, 0), (2, 0, 4)]:
        yield Sample((make(shape, dtype),))
        yield Sample((make(shape, dtype), [0]))
        yield Sample((make(shape, dtype), [-1], True))


def diagonal_samples(dtype: torch.dtype) -> Iterator[Sample]:
    for shape in [(3, 3), (3, 5), (5, 3), (2, 3, 4), (1, 1), (0, 3), (3, 0), (2, 0, 4)]:
        yield Sample((make(shape, dtype),))


def argmax_samples(dtype: torch.dtype) -> Iterator[Sample]:
    for shape in [(4,), (3, 5), (2, 3, 4), (2, 3, 4, 5)]:
        yield Sample((make(shape, dtype),))
        for dim in range(-len(shape), len(shape)):
            yield Sample((make(shape, dtype), dim))
    yield Sample((make((), dtype),))
    yield Sample((make((), dtype), 0))
    yield Sample((torch.zeros(3, 7).to(dtype), 1))
    yield Sample((make((0, 3), dtype), -1))
    yield Sample((make((3, 0), dtype), 0))
    if dtype.is_floating_point:
        values = torch.tensor([[1.0, float("nan"), 3.0, float("nan")], [-float("inf")] * 4])
        yield Sample((values.to(dtype), 1))


NORM_SHAPES = [(4,), (1,), (3, 5), (2, 3, 17), (2, 3, 4, 33), (5, 1), (0,), (0, 3), (3, 0), (2, 0, 4)]


def rms_norm_samples(dtype: torch.dtype) -> Iterator[Sample]:
    for shape in NORM_SHAPES:
        for weight in (None, make(shape[-1:], dtype, 3)):
            yield Sample((make(shape, dtype), weight))
    yield Sample((make((3, 5), dtype), make((5,), dtype, 3), 0.5))


def add_rms_norm_samples(dtype: torch.dtype) -> Iterator[Sample]:
    # Seed 7: no row of one element has a sum near 0, where its gradient is a difference of equals.
    for sample in rms_norm_samples(dtype):
        x, *rest = sample.args
        yield Sample((x, make(tuple(x.shape), dtype, 7), *rest))


def layer_norm_samples(dtype: torch.dtype) -> Iterator[Sample]:
    for shape in NORM_SHAPES:
        weight, bias = make(shape[-1:], dtype, 3), make(shape[-1:], dtype, 4)
        for pair in ((None, None), (weight, None), (None, bias), (weight, bias)):
            yield Sample((make(shape, dtype), *pair))
    yield Sample((make((3, 5), dtype), make((5,), dtype, 3), make((5,), dtype, 4), 0.5))


def add_layer_norm_samples(dtype: torch.dtype) -> Iterator[Sample]:
    for sample in layer_norm_samples(dtype):
        x, *rest = sample.args
        yield Sample((x, make(tuple(x.shape), dtype, 5), *rest))


def backward_samples(forward: Callable[[torch.dtype], Iterator[Sample]], outputs: int) -> Callable[..., Any]:
    def samples(dtype: torch.dtype) -> Iterator[Sample]:
        for number, sample in enumerate(forward(dtype)):
            x, weight = sample.args[:2]
            eps = sample.args[-1] if isinstance(sample.args[-1], float) else 1e-5
            everything = [True] * outputs
            one_missing = [k != number % outputs for k in range(outputs)]
            for mask in (everything, one_missing):
                yield Sample((make(tuple(x.shape), dtype, 6), x, weight, eps, mask))

    return samples


def rms_norm(x: torch.Tensor, weight: torch.Tensor | None = None, eps: float = 1e-6) -> torch.Tensor:
    return functional.rms_norm(x, x.shape[-1:], weight, eps)


def add_rms_norm(
    x: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor | None = None, eps: float = 1e-6
) -> tuple[torch.Tensor, torch.Tensor]:
    return rms_norm(x + residual, weight, eps), x + residual


def layer_norm(
    x: torch.Tensor,
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    eps: float = 1e-5,
) -> torch.Tensor:
    return functional.layer_norm(x, x.shape[-1:], weight, bias, eps)


def add_layer_norm(
    x: torch.Tensor,
    residual: torch.Tensor,
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    eps: float = 1e-5,
) -> tuple[torch.Tensor, torch.Tensor]:
    return layer_norm(x + residual, weight, bias, eps), x + residual


def gradients(norm: Callable[..., torch.Tensor], parameters: int) -> Callable[..., Any]:
    """What autograd says about `norm`, in the form of the backward operators: None where the mask is false."""

    def backward(grad: torch.Tensor, x: torch.Tensor, weight: torch.Tensor | None, eps: float, mask: list[bool]) -> Any:
        leaves = [x.detach().clone()]
        leaves.append(torch.ones(x.shape[-1:], dtype=x.dtype) if weight is None else weight.detach().clone())
        leaves += [torch.zeros(x.shape[-1:], dtype=x.dtype)] * (parameters - 1)
        with torch.enable_grad():
            leaves = [leaf.requires_grad_() for leaf in leaves]
            found = torch.autograd.grad(norm(*leaves, eps), leaves, grad)
        return tuple(value if wanted else None for value, wanted in zip(found, mask, strict=True))

    return backward


OPERATORS = [
    Operator("myadd", torch.add, binary_samples, dtypes=FLOATING + INTEGERS),
    Operator("myadd_", torch.add, inplace_samples, dtypes=FLOATING + INTEGERS, kind="in-place"),
    Operator(
        "myadd",
        lambda x, y, out: torch.add(x, y),
        out_samples,
        overload="out",
        dtypes=FLOATING + INTEGERS,
        kind="out",
        differentiable=False,
    ),
    Operator("mymatmul", torch.matmul, matmul_samples),
    Operator("my_multiple_input_op", lambda x, y: torch.addcmul(x, x, y), binary_samples, dtypes=FLOATING + INTEGERS),
    Operator(
        "sum",
        lambda x, dim=None, keepdim=False: torch.sum(x, dim, keepdim),
        sum_samples,
        dtypes=(*FLOATING, *INTEGERS, torch.bool),
    ),
    Operator("diagonal", torch.diagonal, diagonal_samples, dtypes=(*FLOATING, *INTEGERS, torch.bool), kind="view"),
    Operator(
        "argmax",
        lambda x, dim=-1: torch.argmax(x, dim),
        argmax_samples,
        dtypes=FLOATING + INTEGERS,
        differentiable=False,
    ),
    Operator("rms_norm", rms_norm, rms_norm_samples),
    Operator("add_rms_norm", add_rms_norm, add_rms_norm_samples),
    Operator("layer_norm", layer_norm, layer_norm_samples),
    Operator("add_layer_norm", add_layer_norm, add_layer_norm_samples),
    Operator(
        "rms_norm_backward",
        gradients(rms_norm, 1),
        backward_samples(rms_norm_samples, 2),
        kind="backward",
        differentiable=False,
    ),
    Operator(
        "layer_norm_backward",
        gradients(layer_norm, 2),
        backward_samples(layer_norm_samples, 3),
        kind="backward",
        differentiable=False,
    ),
]
