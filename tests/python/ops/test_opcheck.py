"""torch.library.opcheck, all its tests, over every operator and sample."""

from __future__ import annotations

import pytest
import torch
from autograd_samples import NO_FALLBACK, tensor_positions
from layouts import channels_last, stepped, transposed
from operators import OPERATORS, Operator
from samples import Sample

pytestmark = [pytest.mark.filterwarnings(f) for f in NO_FALLBACK]

TESTS = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")


def requiring_grad(operator: Operator, sample: Sample) -> Sample:
    """Every argument that may: all of a functional operator; of one that writes, those it does not write into."""
    positions = tensor_positions(sample)[1 if operator.kind == "in-place" else 0 :]
    arguments = list(sample.args)
    for position in positions:
        arguments[position] = arguments[position].clone().requires_grad_()
    return Sample(tuple(arguments), sample.kwargs)


@pytest.mark.parametrize("operator", OPERATORS, ids=str)
def test_opcheck(operator: Operator) -> None:
    for sample in operator.samples(torch.float32):
        passed = torch.library.opcheck(operator.op, sample.args, sample.kwargs, test_utils=TESTS)
        assert passed == dict.fromkeys(TESTS, "SUCCESS"), sample


@pytest.mark.parametrize("operator", [o for o in OPERATORS if o.differentiable], ids=str)
def test_opcheck_with_gradients(operator: Operator) -> None:
    for sample in operator.samples(torch.float32):
        differentiable = requiring_grad(operator, sample)
        passed = torch.library.opcheck(operator.op, differentiable.args, differentiable.kwargs, test_utils=TESTS)
        assert passed == dict.fromkeys(TESTS, "SUCCESS"), sample


@pytest.mark.parametrize("operator", OPERATORS, ids=str)
def test_opcheck_of_other_layouts(operator: Operator) -> None:
    largest = max(operator.samples(torch.float32), key=lambda s: s.args[0].numel())
    for layout in (transposed, stepped, channels_last):
        sample = largest.map_tensors(layout)
        passed = torch.library.opcheck(operator.op, sample.args, sample.kwargs, test_utils=TESTS)
        assert passed == dict.fromkeys(TESTS, "SUCCESS"), (layout, sample)
