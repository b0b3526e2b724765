"""Every operator against ATen, and the CPU kernels against the composite ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from backends import COMPUTING, named
from comparison import as_tuple, assert_values, call, call_composite, copy, metadata, oracle
from layouts import LAYOUTS, WRITABLE, contiguous
from operators import OPERATORS, Operator
from samples import Sample
from support.build_tree import TORCH

CASES = [pytest.param(o, d, id=f"{o}-{str(d)[6:]}") for o in OPERATORS for d in o.dtypes]
# Strides do not depend on the dtype: one that is computed as it is, one that is not, and one of integers.
STRIDED_CASES = [c for c in CASES if c.values[1] in (torch.float32, torch.bfloat16, torch.int64)]


def written_arguments(operator: Operator) -> list[str]:
    return {"in-place": ["self"], "out": ["out"]}.get(operator.kind, [])


def laid_out(operator: Operator, sample: Sample, layout, only: int | None) -> Sample:
    """The sample with its tensors (or only number `only`) in another layout; what is written stays writable."""
    counter = iter(range(100))

    def change(x: torch.Tensor) -> torch.Tensor:
        position = next(counter)
        is_written = (operator.kind == "in-place" and position == 0) or (operator.kind == "out" and position == 2)
        wanted = only is None or only == position
        return layout(x) if wanted and not (is_written and layout not in WRITABLE) else x.clone()

    return sample.map_tensors(change)


def arguments_to_lay_out(sample: Sample) -> list[int | None]:
    """All together; and where there are strides to speak of, each alone."""
    tensors = [a for a in (*sample.args, *sample.kwargs.values()) if isinstance(a, torch.Tensor)]
    return [None, *range(len(tensors))] if tensors[0].dim() > 1 and tensors[0].numel() > 0 else [None]


def test_the_table_names_every_operator() -> None:
    defined = {n for n in torch._C._dispatch_get_all_op_names() if n.startswith("myops::")}
    assert {f"myops::{o}" for o in OPERATORS} == defined


@pytest.mark.parametrize(("operator", "dtype"), CASES)
def test_matches_aten(operator: Operator, dtype: torch.dtype) -> None:
    for sample in operator.samples(dtype):
        expected = oracle(operator, sample, dtype)
        got = call(operator, copy(sample))
        assert_values(got, expected, dtype)
        native = operator.reference(*sample.args, **sample.kwargs)
        assert [m and m[2] for m in metadata(got)] == [m and m[2] for m in metadata(native)]


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.__name__)
@pytest.mark.parametrize(("operator", "dtype"), STRIDED_CASES)
def test_any_strides_match_aten_and_composite(operator: Operator, dtype: torch.dtype, layout) -> None:
    for sample in operator.samples(dtype):
        for only in arguments_to_lay_out(sample):
            strided = laid_out(operator, sample, layout, only)
            expected = oracle(operator, strided, dtype)
            got = call(operator, copy(strided))
            assert_values(got, expected, dtype)
            composite = call_composite(operator, copy(strided))
            assert_values(composite, expected, dtype)
            assert metadata(got) == metadata(composite), [
                t.stride() for t in strided.args if isinstance(t, torch.Tensor)
            ]


@pytest.mark.parametrize("operator", OPERATORS, ids=str)
def test_writes_only_what_the_schema_marks(operator: Operator) -> None:
    for sample in operator.samples(torch.float32):
        before = copy(sample)
        result = call(operator, sample)
        for name, old, new in zip(
            [a.name for a in operator.op._schema.arguments],
            before.args + tuple(before.kwargs.values()),
            sample.args + tuple(sample.kwargs.values()),
            strict=False,
        ):
            if isinstance(new, torch.Tensor) and name not in written_arguments(operator):
                assert torch.equal(old.nan_to_num(7), new.nan_to_num(7)), name
        if operator.kind in ("functional", "backward"):
            memory = {a.untyped_storage().data_ptr() for a in sample.args if isinstance(a, torch.Tensor) and a.numel()}
            for t in as_tuple(result):
                assert t is None or t.numel() == 0 or t.untyped_storage().data_ptr() not in memory


@pytest.mark.parametrize("name", ["myadd_", "myadd"])
def test_results_written_into_an_argument_are_that_argument(name: str) -> None:
    x, y = torch.ones(3), torch.ones(3)
    if name == "myadd_":
        assert torch.ops.myops.myadd_(x, y) is x
    else:
        out = torch.empty(3)
        assert torch.ops.myops.myadd(x, y, out=out) is out
        assert torch.equal(out, torch.full((3,), 2.0))


@pytest.mark.parametrize("shape", [(0,), (5,), (2, 2), (3, 3)])
@pytest.mark.parametrize("layout", WRITABLE, ids=lambda layout: layout.__name__)
def test_out_is_resized_as_aten_does(shape: tuple[int, ...], layout, capfd: pytest.CaptureFixture[str]) -> None:
    x, y = torch.randn(3, 3).t(), torch.randn(3)
    ours, atens = layout(torch.zeros(shape)), layout(torch.zeros(shape))
    resized = shape != (3, 3)
    if resized and shape != (0,):
        warning = "An output with one or more elements was resized"
        if TORCH[:2] > (2, 11):
            with pytest.warns(UserWarning, match=warning):
                torch.ops.myops.myadd(x, y, out=ours)
        else:  # what an operator of torch.ops warns of does not reach Python
            torch.ops.myops.myadd(x, y, out=ours)
            assert f"Warning: {warning}" in capfd.readouterr().err
        with pytest.warns(UserWarning):
            torch.add(x, y, out=atens)
    else:
        torch.ops.myops.myadd(x, y, out=ours)
        torch.add(x, y, out=atens)
    assert metadata(ours) == metadata(atens)
    assert torch.equal(ours, x + y)


def test_out_may_be_an_input() -> None:
    x, y = torch.randn(300), torch.randn(300)
    expected = x + y
    torch.ops.myops.myadd(x, y, out=x)
    assert torch.equal(x, expected)
    z = torch.randn(300)
    expected = z + z
    torch.ops.myops.myadd(z, z, out=z)
    assert torch.equal(z, expected)


def test_views_share_memory() -> None:
    x = torch.arange(12.0).view(3, 4)
    torch.ops.myops.diagonal(x).fill_(-1)
    assert x.flatten().tolist() == [-1, 1, 2, 3, 4, -1, 6, 7, 8, 9, -1, 11]


def test_expanded_tensors_with_more_elements_than_int32_counts() -> None:
    huge = torch.ones(1, dtype=torch.uint8).expand(2**31 + 7)
    assert torch.ops.myops.sum(huge).item() == 2**31 + 7


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_million_terms_in_low_precision(dtype: torch.dtype) -> None:
    x = torch.full((1_000_000,), 0.01, dtype=dtype)
    exact = x.double().sum()
    assert torch.ops.myops.sum(x).double().sub(exact).abs() <= torch.finfo(dtype).eps / 2 * exact
    rows = contiguous(x.view(2, -1))
    torch.testing.assert_close(torch.ops.myops.rms_norm(rows, None, 0.0), torch.ones_like(rows), rtol=0, atol=0)


def large_rows(dtype: torch.dtype, size: int) -> torch.Tensor:
    """A row whose squares are beyond the range of the dtype that it is computed in, and an ordinary one."""
    signs = torch.tensor([1.0, -1.0], dtype=torch.float64).repeat(size)[:size]
    return torch.stack([signs * (1e160 if dtype == torch.float64 else 1e25), signs]).to(dtype)


@COMPUTING
@pytest.mark.parametrize("size", [2, 3, 8, 17, 1000])  # ATen's own gives NaN or zeros, by the length
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64], ids=str)
def test_a_variance_beyond_the_range_is_nan_in_its_row(dtype: torch.dtype, size: int, run: Callable[..., Any]) -> None:
    x = large_rows(dtype, size)
    weight, bias, grad = torch.ones(size, dtype=dtype), torch.ones(size, dtype=dtype), torch.ones_like(x)
    normalised = run(named("layer_norm"), Sample((x, weight, bias)))
    of_sum, total = run(named("add_layer_norm"), Sample((x, torch.zeros_like(x), weight, bias)))
    dx, dweight, dbias = run(named("layer_norm_backward"), Sample((grad, x, weight, 1e-5, [True] * 3)))
    for rows in (normalised, of_sum, dx):
        assert rows[0].isnan().all() and rows[1].isfinite().all()
    assert dweight.isnan().all() and torch.equal(dbias, torch.full_like(bias, 2)) and torch.equal(total, x)


@COMPUTING
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64], ids=str)
def test_a_mean_square_beyond_the_range_is_zero_in_its_row(dtype: torch.dtype, run: Callable[..., Any]) -> None:
    """As ATen's."""
    x = large_rows(dtype, 17)
    normalised = run(named("rms_norm"), Sample((x, None)))
    assert normalised[0].count_nonzero() == 0
    torch.testing.assert_close(normalised, torch.nn.functional.rms_norm(x, (17,), None, 1e-6))
