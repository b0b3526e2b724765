"""Autograd kernels under the transforms of torch.func, forward mode, checkpointing and threads."""

from __future__ import annotations

import threading

import pytest
import torch
from autograd_samples import DIFFERENTIABLE, NO_WARNINGS, run, square_arguments
from operators import Operator
from samples import make
from torch.autograd import forward_ad
from torch.utils.checkpoint import checkpoint

pytestmark = [pytest.mark.filterwarnings(f) for f in NO_WARNINGS]


@pytest.mark.parametrize("operator", DIFFERENTIABLE, ids=str)
def test_forward_mode_is_refused_by_name(operator: Operator) -> None:
    for position in range(len(square_arguments(operator))):
        arguments = list(square_arguments(operator, requires_grad=False))
        with forward_ad.dual_level():
            arguments[position] = forward_ad.make_dual(arguments[position], torch.ones_like(arguments[position]))
            before = arguments[0].clone()
            with pytest.raises(NotImplementedError, match=f"{operator.op.name()}: forward-mode AD is not implemented"):
                operator.op(*arguments)
            assert torch.equal(before, arguments[0])


def test_jvp_is_refused_by_name() -> None:
    x = make((4, 4), torch.float64)
    with pytest.raises(NotImplementedError, match="myops::rms_norm: forward-mode AD is not implemented"):
        torch.func.jvp(lambda x: torch.ops.myops.rms_norm(x, None), (x,), (x,))


@pytest.mark.parametrize("operator", DIFFERENTIABLE, ids=str)
def test_functional_transforms(operator: Operator) -> None:
    leaves = square_arguments(operator)

    def loss(*arguments: torch.Tensor) -> torch.Tensor:
        return run(operator, *arguments)[0].pow(3).sum()

    expected = torch.autograd.grad(loss(*leaves), leaves)
    plain = [leaf.detach() for leaf in leaves]
    everything = tuple(range(len(leaves)))
    torch.testing.assert_close(torch.func.grad(loss, argnums=everything)(*plain), expected)
    _, pullback = torch.func.vjp(loss, *plain)
    torch.testing.assert_close(pullback(torch.ones((), dtype=torch.float64)), expected)


@pytest.mark.parametrize("operator", DIFFERENTIABLE, ids=str)
def test_checkpointing(operator: Operator) -> None:
    leaves = square_arguments(operator)

    def loss(*arguments: torch.Tensor) -> torch.Tensor:
        return run(operator, *arguments)[0].pow(2).sum()

    expected = torch.autograd.grad(loss(*leaves), leaves)
    found = torch.autograd.grad(checkpoint(loss, *leaves, use_reentrant=False), leaves)
    torch.testing.assert_close(found, expected)


def test_threads_share_a_graph() -> None:
    leaves = [make((64, 16), torch.float64, 1).requires_grad_(), make((16,), torch.float64, 2).requires_grad_()]
    loss = torch.ops.myops.rms_norm(*leaves).sum()
    expected = torch.autograd.grad(loss, leaves, retain_graph=True)
    found: list[tuple[torch.Tensor, ...]] = []

    def work() -> None:
        for _ in range(20):
            found.append(torch.autograd.grad(loss, leaves, retain_graph=True))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 160
    for grads in found:
        torch.testing.assert_close(grads, expected)
