"""Meta kernels answer with the shape, strides and dtype of the real ones; sizes stay symbolic."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import torch
from comparison import as_tuple, call, copy, metadata
from layouts import LAYOUTS, WRITABLE
from operators import OPERATORS, Operator
from samples import Sample
from torch._dispatch.python import enable_python_dispatcher
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv, free_symbols


def samples(operator: Operator) -> Iterator[Sample]:
    """Every layout of every sample, and one sample in each of the other dtypes."""
    for layout in LAYOUTS if operator.kind in ("functional", "view", "backward") else WRITABLE:
        for sample in operator.samples(torch.float32):
            yield sample.map_tensors(layout)
    for dtype in operator.dtypes:
        yield next(operator.samples(dtype))


@contextmanager
def fake(dynamic: bool) -> Iterator[FakeTensorMode]:
    mode = FakeTensorMode(shape_env=ShapeEnv() if dynamic else None)
    with mode, enable_python_dispatcher():
        yield mode


@pytest.mark.parametrize("operator", OPERATORS, ids=str)
def test_meta_tensors(operator: Operator) -> None:
    for sample in samples(operator):
        on_meta = copy(sample).map_tensors(to_meta)
        assert metadata(call(operator, on_meta)) == metadata(call(operator, copy(sample)))


def to_meta(x: torch.Tensor) -> torch.Tensor:
    """`.to("meta")` does not keep every stride."""
    return torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device="meta")


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("operator", OPERATORS, ids=str)
def test_fake_tensors(operator: Operator, dynamic: bool) -> None:
    calls = [(sample, metadata(call(operator, copy(sample)))) for sample in samples(operator)]
    with fake(dynamic) as mode:
        for sample, expected in calls:
            converted = sample.map_tensors(lambda x: mode.from_tensor(x, static_shapes=not dynamic))
            result = call(operator, converted)
            assert metadata(result) == expected
            assert all(t is None or t.device.type == "cpu" for t in as_tuple(result))


SIZES_FIXED_BY_NO_ONE = {
    "myadd": lambda o, x, y, w: o.myadd(x, y),
    "my_multiple_input_op": lambda o, x, y, w: o.my_multiple_input_op(x, y),
    "mymatmul": lambda o, x, y, w: o.mymatmul(x, y.t()),
    "sum": lambda o, x, y, w: o.sum(x, [0]),
    "diagonal": lambda o, x, y, w: o.diagonal(x),
    "argmax": lambda o, x, y, w: o.argmax(x, 0),
    "rms_norm": lambda o, x, y, w: o.rms_norm(x, w),
    "add_rms_norm": lambda o, x, y, w: o.add_rms_norm(x, y, w),
    "layer_norm": lambda o, x, y, w: o.layer_norm(x, w, w),
    "add_layer_norm": lambda o, x, y, w: o.add_layer_norm(x, y, w, w),
    "rms_norm_backward": lambda o, x, y, w: o.rms_norm_backward(x, y, w, 1e-6, [True, True]),
    "layer_norm_backward": lambda o, x, y, w: o.layer_norm_backward(x, y, w, 1e-6, [True, True, True]),
    "silu_and_mul": lambda o, x, y, w: o.silu_and_mul(torch.cat((x, x), -1)),
    "silu_and_mul_backward": lambda o, x, y, w: o.silu_and_mul_backward(x, torch.cat((x, y), -1)),
    "gelu_and_mul": lambda o, x, y, w: o.gelu_and_mul(torch.cat((x, x), -1)),
    "gelu_and_mul_backward": lambda o, x, y, w: o.gelu_and_mul_backward(x, torch.cat((x, y), -1), approximate="tanh"),
}


@pytest.mark.parametrize("name", SIZES_FIXED_BY_NO_ONE)
def test_no_size_becomes_a_constant(name: str) -> None:
    real = (torch.randn(5, 7), torch.randn(5, 7), torch.randn(7))
    with fake(dynamic=True) as mode:
        x, y, w = (mode.from_tensor(t, static_shapes=False) for t in real)
        result = SIZES_FIXED_BY_NO_ONE[name](torch.ops.myops, x, y, w)
    sizes = [size for t in as_tuple(result) for size in t.shape]
    assert sizes
    assert all(free_symbols(size) for size in sizes)
    assert not [s for s in mode.shape_env.var_to_range.values() if s.is_singleton()]
