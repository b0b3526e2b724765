"""Samples seen as functions of the tensors that can require a gradient."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import torch
from operators import OPERATORS, Operator
from samples import Sample, make

DIFFERENTIABLE = [operator for operator in OPERATORS if operator.differentiable]

# No call may reach torch's fallback for operators without an autograd kernel, which warns.
NO_FALLBACK = ("error:.*an autograd kernel was not registered.*",)
# Nor warn at all; torch deprecates torch.jit, which its own forward mode uses.
NO_WARNINGS = ("error", "ignore:.*torch.jit.*")

# What an operator takes, where it is not two matrices.
MATRICES_AND_VECTORS = {
    "sum": (1, 0),
    "diagonal": (1, 0),
    "argmax": (1, 0),
    "rms_norm": (1, 1),
    "add_rms_norm": (2, 1),
    "layer_norm": (1, 2),
    "add_layer_norm": (2, 2),
    "silu_and_mul": (1, 0),
    "gelu_and_mul": (1, 0),
}


def tensor_positions(sample: Sample) -> list[int]:
    return [k for k, argument in enumerate(sample.args) if isinstance(argument, torch.Tensor)]


def subsets(items: list[int]) -> Iterator[tuple[int, ...]]:
    """All of them but the empty one."""
    for size in range(1, len(items) + 1):
        yield from combinations(items, size)


def call(operator: Operator, arguments: list[object], sample: Sample) -> object:
    """An in-place operator gets a copy to write into, so that the argument stays a leaf."""
    if operator.kind == "in-place":
        first, *rest = arguments
        assert isinstance(first, torch.Tensor)
        arguments = [first.clone(), *rest]
    return operator.op(*arguments, **sample.kwargs)


def as_function(
    operator: Operator, sample: Sample, positions: tuple[int, ...]
) -> tuple[Callable[..., object], tuple[torch.Tensor, ...]]:
    """The call as a function of the tensors at `positions`, and these tensors, requiring grad."""

    def function(*leaves: torch.Tensor) -> object:
        arguments = list(sample.args)
        for position, leaf in zip(positions, leaves, strict=True):
            arguments[position] = leaf
        return call(operator, arguments, sample)

    return function, tuple(sample.args[position].requires_grad_() for position in positions)


def outputs(result: object) -> tuple[torch.Tensor, ...]:
    return (result,) if isinstance(result, torch.Tensor) else tuple(result)  # type: ignore[call-overload]


def incoming(results: tuple[torch.Tensor, ...], seed: int = 9) -> list[torch.Tensor]:
    """A gradient for each result: normal values, the same on every call."""
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(r.shape, generator=generator, dtype=torch.float64).to(r.dtype) for r in results]


def square_arguments(operator: Operator, requires_grad: bool = True) -> tuple[torch.Tensor, ...]:
    """Arguments that every operator takes: matrices of 4 × 4, vectors of 4 for parameters."""
    matrices, vectors = MATRICES_AND_VECTORS.get(operator.name, (2, 0))
    shapes = [(4, 4)] * matrices + [(4,)] * vectors
    return tuple(make(s, torch.float64, k).requires_grad_(requires_grad) for k, s in enumerate(shapes))


def run(operator: Operator, *arguments: torch.Tensor) -> tuple[torch.Tensor, ...]:
    first, *rest = arguments
    return outputs(operator.op(first.clone() if operator.kind == "in-place" else first, *rest))
