"""Wrong sizes are refused alike by all backends, naming operator, argument, expected and got."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from backends import BACKENDS, named
from samples import Sample


def t(*shape: int) -> torch.Tensor:
    return torch.zeros(shape)


WRONG_SIZES = [
    ("myadd", (t(3, 4), t(5)), r"other must have a shape that broadcasts with self's \[3, 4\], got \[5\]"),
    ("myadd", (t(3, 4), t(4, 3)), r"other must have a shape that broadcasts with self's \[3, 4\], got \[4, 3\]"),
    ("myadd", (t(2, 3), t(0)), r"other must have a shape that broadcasts with self's \[2, 3\], got \[0\]"),
    ("myadd_", (t(3, 1), t(3, 4)), r"other must have a shape that broadcasts to self's \[3, 1\], got \[3, 4\]"),
    ("myadd_", (t(4), t(3, 4)), r"other must have a shape that broadcasts to self's \[4\], got \[3, 4\]"),
    ("my_multiple_input_op", (t(2), t(3)), r"t1 must have a shape that broadcasts with t0's \[2\], got \[3\]"),
    (
        "mymatmul",
        (t(3, 4), t(5, 6)),
        r"other must have 4 rows to be multiplied by self of shape \[3, 4\], got shape \[5, 6\]",
    ),
    (
        "mymatmul",
        (t(3, 4), t(5)),
        r"other must have 4 rows to be multiplied by self of shape \[3, 4\], got shape \[5\]",
    ),
    ("mymatmul", (t(), t(1)), r"self must have at least 1 dimension, got shape \[\]"),
    ("mymatmul", (t(1), t()), r"other must have at least 1 dimension, got shape \[\]"),
    (
        "mymatmul",
        (t(2, 3, 4), t(5, 4, 2)),
        r"other must have batch dimensions that broadcast with those of self's shape \[2, 3, 4\], got shape \[5, 4,",
    ),
    ("diagonal", (t(3),), r"self must have at least 2 dimensions, got shape \[3\]"),
    ("sum", (t(2, 3), [0, -2]), r"dim must name each dimension once, got \[0, -2\]"),
    ("sum", (t(2, 3), [2]), r"dim must be from -2 to 1, got 2"),
    ("sum", (t(2, 3), [-(2**62)]), r"dim must be from -2 to 1, got -4611686018427387904"),
    ("sum", (t(), [1]), r"dim must be from -1 to 0, got 1"),
    ("argmax", (t(2, 3), 2), r"dim must be from -2 to 1, got 2"),
    ("argmax", (t(2, 3), 2**62), r"dim must be from -2 to 1, got 4611686018427387904"),
    ("argmax", (t(3, 0), 1), r"dim must name a dimension that is not empty, got 1 of shape \[3, 0\]"),
    ("rms_norm", (t(), None), r"input must have at least 1 dimension, got shape \[\]"),
    ("rms_norm", (t(2, 384), t(128)), r"weight must have shape \[384\], got \[128\]"),
    ("rms_norm", (t(2, 3), t(1, 3)), r"weight must have shape \[3\], got \[1, 3\]"),
    ("rms_norm", (t(2, 3), t()), r"weight must have shape \[3\], got \[\]"),
    ("add_rms_norm", (t(), t(), None), r"input must have at least 1 dimension, got shape \[\]"),
    ("add_rms_norm", (t(2, 3), t(3), None), r"residual must have shape \[2, 3\] like input, got \[3\]"),
    ("add_rms_norm", (t(2, 3), t(2, 3), t(4)), r"weight must have shape \[3\], got \[4\]"),
    ("layer_norm", (t(2, 3), t(2), None), r"weight must have shape \[3\], got \[2\]"),
    ("layer_norm", (t(2, 3), None, t(1)), r"bias must have shape \[3\], got \[1\]"),
    ("layer_norm", (t(), None, None), r"input must have at least 1 dimension, got shape \[\]"),
    ("add_layer_norm", (t(2, 3), t(3), None, None), r"residual must have shape \[2, 3\] like input, got \[3\]"),
    ("add_layer_norm", (t(2, 3), t(2, 3), t(4), None), r"weight must have shape \[3\], got \[4\]"),
    ("add_layer_norm", (t(2, 3), t(2, 3), None, t(4)), r"bias must have shape \[3\], got \[4\]"),
    (
        "rms_norm_backward",
        (t(3, 2), t(2, 3), None, 1e-6, [True] * 2),
        r"grad must have shape \[2, 3\] like input, got \[3, 2\]",
    ),
    ("rms_norm_backward", (t(2, 3), t(2, 3), t(2), 1e-6, [True] * 2), r"weight must have shape \[3\], got \[2\]"),
    (
        "layer_norm_backward",
        (t(2), t(2, 3), None, 1e-6, [True] * 3),
        r"grad must have shape \[2, 3\] like input, got \[2\]",
    ),
    ("layer_norm_backward", (t(2, 3), t(2, 3), t(2), 1e-6, [True] * 3), r"weight must have shape \[3\], got \[2\]"),
    ("silu_and_mul", (t(),), r"input must have at least 1 dimension, got shape \[\]"),
    ("silu_and_mul", (t(4, 3),), r"input must have an even last dimension, got shape \[4, 3\]"),
    ("silu_and_mul_backward", (t(2, 2), t(2, 5)), r"input must have an even last dimension, got shape \[2, 5\]"),
    ("silu_and_mul_backward", (t(2, 4), t(2, 4)), r"grad must have shape \[2, 2\] like the result, got \[2, 4\]"),
    ("silu_and_mul_backward", (t(2), t(1, 4)), r"grad must have shape \[1, 2\] like the result, got \[2\]"),
    ("gelu_and_mul", (t(),), r"input must have at least 1 dimension, got shape \[\]"),
    ("gelu_and_mul", (t(4, 3),), r"input must have an even last dimension, got shape \[4, 3\]"),
    ("gelu_and_mul_backward", (t(2, 2), t(2, 5)), r"input must have an even last dimension, got shape \[2, 5\]"),
    ("gelu_and_mul_backward", (t(2, 4), t(2, 4)), r"grad must have shape \[2, 2\] like the result, got \[2, 4\]"),
]


@BACKENDS
@pytest.mark.parametrize(("name", "args", "message"), WRONG_SIZES)
def test_wrong_sizes(name: str, args: tuple[Any, ...], message: str, run: Callable[..., Any]) -> None:
    with pytest.raises((RuntimeError, IndexError), match=rf"^myops::{name}: {message}"):
        run(named(name), Sample(args))


@BACKENDS
@pytest.mark.parametrize(
    "name", ["sum", "argmax", "rms_norm", "layer_norm", "diagonal", "silu_and_mul", "gelu_and_mul"]
)
def test_more_dimensions_than_64(name: str, run: Callable[..., Any]) -> None:
    absent = {"rms_norm": (None,), "layer_norm": (None, None)}.get(name, ())
    with pytest.raises(RuntimeError, match=rf"^myops::{name}: \w+ must have at most 64 dimensions, got 65"):
        run(named(name), Sample((t(*[1] * 64, 2), *absent)))
