"""Gradients against finite differences in float64: each sample, each set of arguments that require grad."""

from __future__ import annotations

import pytest
import torch
from autograd_samples import DIFFERENTIABLE, NO_WARNINGS, as_function, subsets, tensor_positions
from layouts import channels_last, offset, stepped, transposed
from operators import OPERATORS, Operator
from samples import Sample, make
from torch.autograd import gradcheck, gradgradcheck

pytestmark = [pytest.mark.filterwarnings(f) for f in NO_WARNINGS]

TWICE = {"myadd", "myadd_", "mymatmul", "my_multiple_input_op", "sum", "diagonal"}
# Those that refuse to be differentiated twice, with the backward operator that the refusal names.
ONCE = {
    "rms_norm": "rms_norm_backward",
    "add_rms_norm": "rms_norm_backward",
    "layer_norm": "layer_norm_backward",
    "add_layer_norm": "layer_norm_backward",
    "silu_and_mul": "silu_and_mul_backward",
    "gelu_and_mul": "gelu_and_mul_backward",
}


def fast(sample: Sample) -> bool:
    """For larger inputs torch compares the product with a random vector instead of the whole Jacobian."""
    return max(sample.args[k].numel() for k in tensor_positions(sample)) > 200


@pytest.mark.parametrize("operator", DIFFERENTIABLE, ids=str)
def test_gradcheck(operator: Operator) -> None:
    checked = 0
    for sample in operator.samples(torch.float64):
        for positions in subsets(tensor_positions(sample)):
            copy = sample.map_tensors(torch.clone)
            function, leaves = as_function(operator, copy, positions)
            assert gradcheck(function, leaves, fast_mode=fast(copy)), (copy, positions)
            checked += 1
    assert checked > 0


@pytest.mark.parametrize("operator", DIFFERENTIABLE, ids=str)
def test_gradcheck_of_non_contiguous_inputs(operator: Operator) -> None:
    shapes = [sample for sample in operator.samples(torch.float64) if sample.args[0].dim() >= 2][:12]
    for sample in shapes:
        for position in tensor_positions(sample):
            for layout in (transposed, stepped, offset, channels_last):
                arguments = list(sample.args)
                arguments[position] = layout(sample.args[position])
                changed = Sample(tuple(arguments), sample.kwargs)
                function, leaves = as_function(operator, changed, (position,))
                assert gradcheck(function, leaves, fast_mode=fast(changed)), (layout, position, sample)


@pytest.mark.parametrize("operator", [o for o in DIFFERENTIABLE if o.name in TWICE], ids=str)
def test_gradgradcheck(operator: Operator) -> None:
    for sample in operator.samples(torch.float64):
        positions = tuple(tensor_positions(sample))
        function, leaves = as_function(operator, sample, positions)
        assert gradgradcheck(function, leaves, fast_mode=fast(sample)), sample


def test_every_differentiable_operator_is_checked_twice_or_refused() -> None:
    assert {operator.name for operator in OPERATORS if operator.differentiable} == TWICE | set(ONCE)


@pytest.mark.parametrize("operator", [o for o in DIFFERENTIABLE if o.name in ONCE], ids=str)
def test_the_others_refuse_to_be_differentiated_twice(operator: Operator) -> None:
    for sample in operator.samples(torch.float64):
        positions = tuple(tensor_positions(sample))
        function, leaves = as_function(operator, sample, positions)
        result = function(*leaves)
        first = result if isinstance(result, torch.Tensor) else result[0]  # type: ignore[index]
        of_input = torch.autograd.grad(first, leaves[0], torch.ones_like(first), create_graph=True)[0]
        both = rf"myops::{ONCE[operator.name]}, the gradient of .*\b{operator.op.name()}\b.*,"
        with pytest.raises(RuntimeError, match=f"^derivative for {both} is not implemented$"):
            torch.autograd.grad(of_input.sum(), leaves[0])


@pytest.mark.parametrize("seed", range(3))
def test_product_of_expanded_inputs(seed: int) -> None:
    row = make((1, 4), torch.float64, seed).requires_grad_()
    for name in ("myadd", "my_multiple_input_op"):
        operator = getattr(torch.ops.myops, name)
        assert gradcheck(lambda x, f=operator: f(x.expand(3, 4), x.expand(3, 4)), (row,))
