"""What has to hold between the model on myops and the unmodified one.

Values in, facts out; ComparisonError where something does not hold. Runs no model.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

SMALLEST_COSINE = 0.9999

# Both models run the step in bfloat16, and each is off from the float32 gradient by rounding alone; ours may be off no
# more than the unmodified one is. Rounding errors are random, hence the factors: over the whole gradient (22 million
# numbers) they average out, in a single parameter of 384 numbers less so. The last is for parameters whose gradient is
# zero but for rounding, like the bias of attention keys: softmax does not change when all its inputs shift.
WHOLE_FACTOR = 1.25
PARAMETER_FACTOR = 1.5
PARAMETER_SHARE = 0.02


class ComparisonError(Exception):
    """A comparison did not hold; the message says which, with both numbers."""


@dataclass(frozen=True)
class EmbeddingComparison:
    """How far two sets of embeddings are apart."""

    largest_difference: float
    smallest_cosine: float


def embeddings(ours: Tensor, theirs: Tensor) -> EmbeddingComparison:
    """Compares row by row; both have shape (sentences, features)."""
    if ours.shape != theirs.shape:
        raise ComparisonError(
            f"embeddings have shape {tuple(ours.shape)}, the unmodified model's {tuple(theirs.shape)}"
        )
    ours, theirs = ours.double(), theirs.double()
    found = EmbeddingComparison(
        largest_difference=(ours - theirs).abs().max().item(),
        smallest_cosine=torch.cosine_similarity(ours, theirs, dim=-1).min().item(),
    )
    if not found.smallest_cosine >= SMALLEST_COSINE:  # "not >=": NaN fails too
        raise ComparisonError(
            f"smallest cosine of two embeddings is {found.smallest_cosine}, not {SMALLEST_COSINE} or more"
        )
    return found


@dataclass(frozen=True)
class CallCounts:
    """Calls that a profiled pass made."""

    layer_norm: int
    add_layer_norm: int
    residual_adds_gone: int


def calls(ours: Mapping[str, int], theirs: Mapping[str, int]) -> CallCounts:
    """Compares the profiler's event counts of one pass: every LayerNorm and every residual addition became ours."""
    left = {name: ours[name] for name in ("aten::layer_norm", "aten::native_layer_norm") if ours.get(name)}
    if left:
        raise ComparisonError(f"the model on myops still ran original LayerNorms: {left}")
    found = CallCounts(
        layer_norm=ours.get("myops::layer_norm", 0),
        add_layer_norm=ours.get("myops::add_layer_norm", 0),
        residual_adds_gone=theirs.get("aten::add", 0) - ours.get("aten::add", 0),
    )
    expected = theirs.get("aten::layer_norm", 0)
    if expected == 0 or found.layer_norm + found.add_layer_norm != expected:
        raise ComparisonError(
            f"the unmodified model ran {expected} LayerNorms, and myops served "
            f"{found.layer_norm} + {found.add_layer_norm} of them"
        )
    if found.residual_adds_gone != found.add_layer_norm:
        raise ComparisonError(
            f"{found.add_layer_norm} residual additions went to myops, but {found.residual_adds_gone} left aten::add"
        )
    return found


Gradients = Mapping[str, Tensor]


@dataclass(frozen=True)
class GradientComparison:
    """Errors against the float32 gradient, relative to its norm, and where our share of it is largest."""

    our_error: float
    their_error: float
    worst_ratio: float
    worst_parameter: str
    smallest_cosine: float


def gradients(ours: Gradients, theirs: Gradients, reference: Gradients) -> GradientComparison:
    """Compares parameter by parameter and over the whole. `reference` is the unmodified model's float32 gradient."""
    if not ours.keys() == theirs.keys() == reference.keys():
        different = (ours.keys() ^ reference.keys()) | (theirs.keys() ^ reference.keys())
        raise ComparisonError(f"gradients exist in one model and not in the other: {sorted(different)[:5]}")
    our_errors = _errors(ours, reference)
    their_errors = _errors(theirs, reference)
    whole = _norm(reference.values())
    our_whole, their_whole = _length(our_errors.values()), _length(their_errors.values())
    if not our_whole <= WHOLE_FACTOR * their_whole:
        raise ComparisonError(
            f"the gradient is off from float32 by {our_whole / whole:.4f}, the unmodified model's by "
            f"{their_whole / whole:.4f}: more than {WHOLE_FACTOR} times"
        )
    floor = PARAMETER_SHARE * their_whole
    ratios = {name: error / (their_errors[name] + floor) for name, error in our_errors.items()}
    worst = max(ratios, key=lambda name: ratios[name])
    if not ratios[worst] <= PARAMETER_FACTOR:
        raise ComparisonError(
            f"the gradient of {worst} is off from float32 by {our_errors[worst]:.3g}, the unmodified model's by "
            f"{their_errors[worst]:.3g}: more than {PARAMETER_FACTOR} times that and {floor:.3g}"
        )
    cosine = min(
        torch.cosine_similarity(ours[name].flatten(), theirs[name].flatten(), dim=0).item()
        for name in reference
        if their_errors[name] < 0.5 * _norm([reference[name]])  # else the gradient is rounding and has no direction
    )
    return GradientComparison(our_whole / whole, their_whole / whole, ratios[worst], worst, cosine)


def losses(our_before: float, our_after: float, their_before: float, their_after: float) -> None:
    """The step has to do for our model what it does for the unmodified one."""
    if their_after < their_before and not our_after < our_before:
        raise ComparisonError(
            f"the step took the unmodified model's loss from {their_before} to {their_after}, "
            f"and the loss on myops from {our_before} to {our_after}"
        )


def _errors(gradient: Gradients, reference: Gradients) -> dict[str, float]:
    return {name: _norm([gradient[name] - reference[name]]) for name in reference}


def _norm(tensors: Iterable[Tensor]) -> float:
    return _length(tensor.double().norm().item() for tensor in tensors)


def _length(numbers: Iterable[float]) -> float:
    return math.sqrt(math.fsum(number * number for number in numbers))
