"""Every wrong argument is refused alike by all backends, naming operator, argument, expected and got."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from backends import BACKENDS, COMPUTING, named, on_cpu
from operators import FLOATING, INTEGERS, OPERATORS, Operator
from samples import Sample

OTHER_DTYPES = (*FLOATING, *INTEGERS, torch.bool, torch.complex64)


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


@BACKENDS
@pytest.mark.parametrize("approximate", ["", "Tanh", "erf", "none "])
@pytest.mark.parametrize(
    ("name", "args"), [("gelu_and_mul", (t(2, 4),)), ("gelu_and_mul_backward", (t(2, 2), t(2, 4)))]
)
def test_unknown_approximations(name: str, args: tuple[Any, ...], approximate: str, run: Callable[..., Any]) -> None:
    message = re.escape(f"myops::{name}: approximate must be 'none' or 'tanh', got '{approximate}'")
    with pytest.raises(RuntimeError, match=f"^{message}"):
        run(named(name), Sample(args, {"approximate": approximate}))


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
    "three dimensions": lambda: torch.zeros(13).as_strided((2, 2, 2), (4, 6, 2)),
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


# What is written and what is read, of memory of 6 x 8 elements.
PARTLY_SHARED = {
    "elements": lambda memory: (memory.flatten()[1:], memory.flatten()[:-1]),
    "columns": lambda memory: (memory[:, 1:], memory[:, :-1]),
    "rows of columns": lambda memory: (memory[1:, :5], memory[:-1, :5]),
    "steps": lambda memory: (memory[:, ::2], memory[:, 2:6]),
    "transposed": lambda memory: (memory[:, :6], memory[:, :6].t()),
    "a column for all": lambda memory: (memory[:, 1:5], memory[:, 4:5]),
    "three dimensions": lambda memory: (memory.view(2, 3, 8)[:, :, 1:], memory.view(2, 3, 8)[:, :, :-1]),
}
APART = {
    "every other column": lambda memory: (memory[:, ::2], memory[:, 1::2]),
    "halves": lambda memory: (memory[:, :4], memory[:, 4:]),
    "a column for all": lambda memory: (memory[:, 1:5], memory[:, 5:6]),
    "the same columns": lambda memory: (memory[:, 1:5], memory[:, 1:5]),
}


@COMPUTING
@pytest.mark.parametrize("kind", PARTLY_SHARED)
def test_memory_that_is_also_read_is_not_written(kind: str, run: Callable[..., Any]) -> None:
    memory = torch.arange(48.0).view(6, 8)
    target, source = PARTLY_SHARED[kind](memory)
    free = torch.zeros(target.shape)
    with pytest.raises(RuntimeError, match=r"^myops::myadd_: self must not share memory with other"):
        run(named("myadd_"), Sample((target, source)))
    with pytest.raises(RuntimeError, match=r"^myops::myadd.out: out must not share memory with self"):
        run(named("myadd.out"), Sample((source, free), {"out": target}))
    with pytest.raises(RuntimeError, match=r"^myops::myadd.out: out must not share memory with other"):
        run(named("myadd.out"), Sample((free, source), {"out": target}))
    assert torch.equal(memory, torch.arange(48.0).view(6, 8))


@COMPUTING
@pytest.mark.parametrize("kind", APART)
def test_memory_of_one_storage_that_is_apart_is_written(kind: str, run: Callable[..., Any]) -> None:
    memory = torch.arange(48.0).view(6, 8)
    target, source = APART[kind](memory)
    expected = target + source
    run(named("myadd_"), Sample((target, source)))
    assert torch.equal(target, expected)
