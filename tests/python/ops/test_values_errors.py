"""Every wrong argument is refused alike by all backends, naming operator, argument, expected and got."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from comparison import call_composite
from operators import FLOATING, INTEGERS, OPERATORS, Operator, Sample

OTHER_DTYPES = (*FLOATING, *INTEGERS, torch.bool, torch.complex64)


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


def tensor_arguments(operator: Operator) -> list[str]:
    return [a.name for a in operator.op._schema.arguments if "Tensor" in str(a.type)]


def full_sample(operator: Operator) -> Sample:
    """A sample in which no optional tensor is absent."""
    wanted = len(tensor_arguments(operator))
    for sample in operator.samples(torch.float32):
        tensors = [a for a in (*sample.args, *sample.kwargs.values()) if isinstance(a, torch.Tensor)]
        if len(tensors) == wanted and all(t.dim() > 0 and t.numel() > 0 for t in tensors):
            return sample
    raise AssertionError(operator)


def replaced(operator: Operator, argument: str, change: Callable[[torch.Tensor], torch.Tensor]) -> Sample:
    sample = full_sample(operator)
    names = [a.name for a in operator.op._schema.arguments]
    args = list(sample.args)
    kwargs = dict(sample.kwargs)
    if argument in kwargs:
        kwargs[argument] = change(kwargs[argument])
    else:
        args[names.index(argument)] = change(args[names.index(argument)])
    return Sample(tuple(args), kwargs)


def each_argument() -> list[Any]:
    """Operator and argument index; names need the schema library, which is loaded later."""
    cases = []
    for operator in OPERATORS:
        tensors = sum(isinstance(a, torch.Tensor) or a is None for a in next(operator.samples(torch.float32)).args)
        tensors += len(next(operator.samples(torch.float32)).kwargs)
        for index in range(tensors):
            cases.append(pytest.param(operator, index, id=f"{operator}-{index}"))
    return cases


@pytest.mark.parametrize("operator", OPERATORS, ids=str)
def test_none_for_a_tensor(operator: Operator) -> None:
    for name in tensor_arguments(operator):
        if any(a.name == name and "Optional" in str(a.type) for a in operator.op._schema.arguments):
            continue
        with pytest.raises(RuntimeError, match=rf"^myops::{operator}: {name} must be a tensor, got None"):
            on_cpu(operator, replaced(operator, name, lambda x: None))


@BACKENDS
@pytest.mark.parametrize(("operator", "index"), each_argument())
def test_other_dtypes(operator: Operator, index: int, run: Callable[..., Any]) -> None:
    name = tensor_arguments(operator)[index]
    alone = len(tensor_arguments(operator)) == 1
    for dtype in OTHER_DTYPES:
        if dtype == torch.float32 or operator.name == "diagonal" or (alone and dtype in operator.dtypes):
            continue
        sample = replaced(operator, name, lambda x: x.to(dtype))  # noqa: B023
        with pytest.raises((TypeError, RuntimeError)) as error:
            run(operator, sample)
        message = rf"myops::{operator}: (\w+) must have dtype (.+?)(?: like (\w+))?, got (\w+)$"
        found = re.match(message, str(error.value).splitlines()[0])
        assert found, str(error.value)
        assert name in (found.group(1), found.group(3))  # it is at fault, or the one that the others must be like
        assert str(dtype)[6:] in (found.group(2), found.group(4))


@pytest.mark.parametrize(("operator", "index"), each_argument())
def test_other_devices(operator: Operator, index: int) -> None:
    name = tensor_arguments(operator)[index]
    if len(tensor_arguments(operator)) == 1:
        pytest.skip("one argument cannot disagree")
    sample = replaced(operator, name, lambda x: x.to("meta"))
    with pytest.raises(RuntimeError) as error:
        on_cpu(operator, sample)
    message = rf"myops::{operator}: (\w+) must be on (cpu|meta) like (\w+), got (cpu|meta)"
    found = re.match(message, str(error.value))
    assert found, str(error.value)
    assert name in (found.group(1), found.group(3))
    assert {found.group(2), found.group(4)} == {"cpu", "meta"}


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
]


@BACKENDS
@pytest.mark.parametrize(("name", "args", "message"), WRONG_SIZES)
def test_wrong_sizes(name: str, args: tuple[Any, ...], message: str, run: Callable[..., Any]) -> None:
    with pytest.raises((RuntimeError, IndexError), match=rf"^myops::{name}: {message}"):
        run(named(name), Sample(args))


@BACKENDS
@pytest.mark.parametrize("name", ["sum", "argmax", "rms_norm", "layer_norm", "diagonal"])
def test_more_dimensions_than_64(name: str, run: Callable[..., Any]) -> None:
    absent = {"rms_norm": (None,), "layer_norm": (None, None)}.get(name, ())
    with pytest.raises(RuntimeError, match=rf"^myops::{name}: \w+ must have at most 64 dimensions, got 65"):
        run(named(name), Sample((t(*[1] * 65), *absent)))


@pytest.mark.parametrize("operator", [o for o in OPERATORS if o.kind == "functional"], ids=str)
def test_layouts_that_are_not_dense(operator: Operator) -> None:
    """They have backends of their own, so composite gets them."""
    first = tensor_arguments(operator)[0]
    sparse = replaced(operator, first, lambda x: x.to_sparse())
    with pytest.raises(RuntimeError, match=rf"^myops::{operator}: {first} must be a dense tensor, got layout Sparse"):
        on_cpu(operator, sparse)


@pytest.mark.parametrize("operator", [o for o in OPERATORS if o.kind == "functional"], ids=str)
def test_quantized_tensors(operator: Operator) -> None:
    first = tensor_arguments(operator)[0]
    quantized = replaced(operator, first, lambda x: torch.quantize_per_tensor(x, 0.1, 0, torch.qint8))
    with pytest.raises(TypeError, match=rf"^myops::{operator}: {first} must have dtype .*, got qint8"):
        on_cpu(operator, quantized)


@pytest.mark.parametrize("name", ["sum", "argmax"])
def test_a_dimension_out_of_range_is_an_index_error(name: str) -> None:
    dim = [5] if name == "sum" else 5
    with pytest.raises(IndexError):
        on_cpu(named(name), Sample((t(2, 3), dim)))


OVERLAPPING = {
    "expanded": lambda: torch.zeros(1, 3).expand(4, 3),
    "window": lambda: torch.zeros(10).unfold(0, 3, 1),
    "equal strides": lambda: torch.zeros(10).as_strided((2, 3, 3), (4, 1, 1)),
}


@pytest.mark.parametrize("kind", OVERLAPPING)
@pytest.mark.parametrize("form", ["in-place", "out"])
def test_memory_that_overlaps_itself_is_not_written(kind: str, form: str) -> None:
    target = OVERLAPPING[kind]()
    ones = torch.ones(target.shape)
    argument = "self" if form == "in-place" else "out"
    with pytest.raises(
        RuntimeError, match=rf"{argument} must not overlap itself, got shape \[.*\] with strides \[.*\]"
    ):
        if form == "in-place":
            torch.ops.myops.myadd_(target, ones)
        else:
            torch.ops.myops.myadd(ones, ones, out=target)
    assert target.count_nonzero() == 0


@BACKENDS
@pytest.mark.parametrize("kind", OVERLAPPING)
def test_every_backend_refuses_to_write_into_memory_that_overlaps_itself(kind: str, run: Callable[..., Any]) -> None:
    target = OVERLAPPING[kind]()
    ones = torch.ones(target.shape)
    with pytest.raises(RuntimeError, match=r"^myops::myadd_: self must not overlap itself"):
        run(named("myadd_"), Sample((target, ones)))
    with pytest.raises(RuntimeError, match=r"^myops::myadd.out: out must not overlap itself"):
        run(named("myadd.out"), Sample((ones, ones), {"out": target}))


RESIZED_OVER_AN_INPUT = {
    "the same elements": lambda memory: (memory[:3], memory[:3]),
    "elements before it": lambda memory: (memory[2:5], memory[:2]),
}


@COMPUTING
@pytest.mark.parametrize("kind", RESIZED_OVER_AN_INPUT)
def test_out_is_not_resized_over_an_input(kind: str, run: Callable[..., Any]) -> None:
    """A new size would make it cover elements that are read after they were written."""
    memory = torch.arange(12.0)
    read, out = RESIZED_OVER_AN_INPUT[kind](memory)
    for pair in [(read, t(2, 3)), (t(2, 3), read)]:
        shared = "self" if pair[0] is read else "other"
        with pytest.raises(
            RuntimeError,
            match=rf"^myops::myadd.out: out must have shape \[2, 3\] where it shares memory with {shared}, got \[",
        ):
            run(named("myadd.out"), Sample(pair, {"out": out}))
    assert torch.equal(memory, torch.arange(12.0))


@pytest.mark.parametrize(
    ("form", "written", "read"), [("in-place", "self", "other"), ("out", "out", "self"), ("out", "out", "other")]
)
def test_memory_that_is_also_read_is_not_written(form: str, written: str, read: str) -> None:
    memory = torch.arange(10.0)
    target, source, free = memory[1:], memory[:-1], torch.zeros(9)
    with pytest.raises(RuntimeError, match=rf"{written} must not share memory with {read}"):
        if form == "in-place":
            torch.ops.myops.myadd_(target, source)
        elif read == "self":
            torch.ops.myops.myadd(source, free, out=target)
        else:
            torch.ops.myops.myadd(free, source, out=target)
    assert torch.equal(memory, torch.arange(10.0))


def test_a_transposed_self_is_not_added_in_place() -> None:
    square = torch.arange(4.0).view(2, 2)
    with pytest.raises(RuntimeError, match="self must not share memory with other"):
        torch.ops.myops.myadd_(square, square.t())
    assert square.flatten().tolist() == [0, 1, 2, 3]
