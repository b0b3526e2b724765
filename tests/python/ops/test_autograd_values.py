"""Gradients in each dtype against ATen's in float64; incoming gradients of any layout, or none."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from autograd_samples import DIFFERENTIABLE, NO_WARNINGS, as_function, incoming, outputs, tensor_positions
from layouts import LAYOUTS, contiguous
from operators import Operator
from samples import Sample, make

pytestmark = [pytest.mark.filterwarnings(f) for f in NO_WARNINGS]

# Of the largest gradient: the incoming gradient, the saved tensors and the result are each rounded once to the dtype.
TOLERANCE = {torch.float64: 1e-12, torch.float32: 2e-6, torch.float16: 4e-3, torch.bfloat16: 3e-2}


def gradients(operator: Operator, sample: Sample) -> tuple[torch.Tensor, ...]:
    function, leaves = as_function(operator, sample, tuple(tensor_positions(sample)))
    results = outputs(function(*leaves))
    return torch.autograd.grad(results, leaves, incoming(results))


def reference_gradients(operator: Operator, sample: Sample) -> tuple[torch.Tensor, ...]:
    """ATen's, computed in float64 from the same rounded values."""
    dtype = sample.args[0].dtype
    exact = sample.map_tensors(lambda t: t.detach().double())
    leaves = [exact.args[k].requires_grad_() for k in tensor_positions(exact)]
    results = outputs(operator.reference(*exact.args, **exact.kwargs))
    grads = [g.to(dtype).double() for g in incoming(results)]
    return torch.autograd.grad(results, leaves, grads)


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("operator", DIFFERENTIABLE, ids=str)
def test_gradients_equal_those_of_aten(operator: Operator, dtype: torch.dtype) -> None:
    for sample in operator.samples(dtype):
        expected = reference_gradients(operator, sample.map_tensors(torch.clone))
        found = gradients(operator, sample)
        for have, want, position in zip(found, expected, tensor_positions(sample), strict=True):
            assert have.dtype == dtype, (position, sample)
            assert have.shape == want.shape == sample.args[position].shape
            scale = max(1.0, float(want.abs().max())) if want.numel() else 1.0
            torch.testing.assert_close(have.double(), want, rtol=0, atol=TOLERANCE[dtype] * scale)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("operator", DIFFERENTIABLE, ids=str)
def test_layout_of_the_incoming_gradient_does_not_matter(
    operator: Operator, layout: Callable[[torch.Tensor], torch.Tensor]
) -> None:
    for sample in operator.samples(torch.float64):
        function, leaves = as_function(operator, sample, tuple(tensor_positions(sample)))
        results = outputs(function(*leaves))
        grads = [layout(g) for g in incoming(results)]
        expected = torch.autograd.grad(results, leaves, [contiguous(g) for g in grads], retain_graph=True)
        found = torch.autograd.grad(results, leaves, grads)
        torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["add_rms_norm", "add_layer_norm"])
@pytest.mark.parametrize("used", [(0,), (1,), (0, 1)], ids=str)
def test_outputs_of_an_addition_and_norm_may_go_unused(name: str, used: tuple[int, ...]) -> None:
    operator = next(o for o in DIFFERENTIABLE if o.name == name)
    summands = [make((3, 5), torch.float64, k).requires_grad_() for k in (1, 2)]
    parameters = [make((5,), torch.float64, k).requires_grad_() for k in (3, 4)[: 1 + (name == "add_layer_norm")]]
    leaves = summands + parameters
    ours = operator.op(*leaves)
    theirs = operator.reference(*leaves)
    grads = incoming(ours)
    chosen = [grads[k] for k in used]
    found = torch.autograd.grad([ours[k] for k in used], leaves, chosen, allow_unused=True)
    expected = torch.autograd.grad([theirs[k] for k in used], leaves, chosen, allow_unused=True)
    unused = [False, False] + [used == (1,)] * len(parameters)
    assert [g is None for g in found] == [g is None for g in expected] == unused
    torch.testing.assert_close([g for g in found if g is not None], [g for g in expected if g is not None])


def test_no_incoming_gradient_at_all() -> None:
    x = make((3, 5), torch.float64).requires_grad_()
    for result in (torch.ops.myops.rms_norm(x, None), torch.ops.myops.myadd(x, x), torch.ops.myops.sum(x)):
        assert result.grad_fn(None) in (None, (None, None))


@pytest.mark.parametrize("operator", [o for o in DIFFERENTIABLE if o.name.endswith("norm")], ids=str)
def test_large_batch_adds_up_in_wider_precision(operator: Operator) -> None:
    """Gradients of weights are sums over all rows; in bfloat16 such a sum would stop growing at 256."""
    rows, columns = 5000, 8
    x = torch.ones(rows, columns, dtype=torch.bfloat16)
    x[:, ::2] = -1
    weight = torch.ones(columns, dtype=torch.bfloat16, requires_grad=True)
    arguments = (x, torch.zeros_like(x), weight) if operator.name.startswith("add") else (x, weight)
    rest = () if "rms_norm" in operator.name else (None,)
    (found,) = torch.autograd.grad(outputs(operator.op(*arguments, *rest))[0].abs().sum(), weight)
    torch.testing.assert_close(found, torch.full_like(found, rows), rtol=1e-2, atol=0)
