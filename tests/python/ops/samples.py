"""Inputs for each operator: shapes, dtypes and options that differ in what they ask of a kernel.

It knows no operator; operators.py says which samples are whose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch


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


GATED_SHAPES = [(8,), (2,), (3, 10), (2, 3, 34), (2, 3, 4, 66), (5, 2), (2, 4100), (0,), (0, 6), (3, 0), (2, 0, 4)]


def gated_samples(dtype: torch.dtype) -> Iterator[Sample]:
    for shape in GATED_SHAPES:
        yield Sample((make(shape, dtype),))
    # Beyond where exp underflows and overflows in float32.
    steps = torch.linspace(-150, 150, 61, dtype=torch.float64)
    yield Sample((torch.cat((steps, torch.ones(61))).to(dtype),))


def gelu_samples(dtype: torch.dtype) -> Iterator[Sample]:
    yield from gated_samples(dtype)
    for approximate in ("tanh", "none"):
        for sample in gated_samples(dtype):
            yield Sample(sample.args, {"approximate": approximate})


def gated_backward_samples(forward: Callable[[torch.dtype], Iterator[Sample]]) -> Callable[..., Any]:
    def samples(dtype: torch.dtype) -> Iterator[Sample]:
        for sample in forward(dtype):
            (x,) = sample.args
            yield Sample((make((*x.shape[:-1], x.shape[-1] // 2), dtype, 6), x), sample.kwargs)

    return samples


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
