"""diagonal as a differentiable view: writes through it and below it, beside ATen's own."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from autograd_samples import NO_WARNINGS
from samples import make
from torch.autograd import gradcheck, gradgradcheck

pytestmark = [pytest.mark.filterwarnings(f) for f in NO_WARNINGS]

Function = Callable[..., torch.Tensor]


def diagonal(x: torch.Tensor) -> torch.Tensor:
    return torch.ops.myops.diagonal(x)


def myadd_(target: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    return torch.ops.myops.myadd_(target, other)


def test_result_is_a_view() -> None:
    base = make((3, 5), torch.float32)
    view = diagonal(base)
    assert view._is_view()
    assert view._base is base
    assert view.data_ptr() == base.data_ptr()
    nested = diagonal(make((4, 4, 4, 4), torch.float32))
    assert diagonal(nested)._base is nested._base


@pytest.mark.parametrize("mode", [torch.enable_grad, torch.no_grad, torch.inference_mode])
@pytest.mark.parametrize("requires_grad", [False, True])
def test_flags_are_those_of_aten(mode: Callable[[], object], requires_grad: bool) -> None:
    base = make((3, 5), torch.float32).requires_grad_(requires_grad)
    with mode():  # type: ignore[attr-defined]
        ours, theirs = diagonal(base), torch.diagonal(base)
    flags = [(v.requires_grad, v._is_view(), v.is_leaf, v.is_inference()) for v in (ours, theirs)]
    assert flags[0] == flags[1]


def write_through_view(view: Function, add: Function, x: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
    base = x.clone()
    add(view(base), row)
    return base


def write_below_view(view: Function, add: Function, x: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
    base = x.clone()
    result = view(base)
    add(base, row)
    return result


def write_into_view_of_view(view: Function, add: Function, x: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
    base = x.clone()
    add(view(base.t())[1:], row[1:])
    return base * base


def write_twice(view: Function, add: Function, x: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
    base = x.clone()
    first, second = view(base), view(base.t())
    add(first, row)
    add(second, row * row)
    return base + first


def base_without_grad(view: Function, add: Function, x: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
    base = torch.zeros(4, 4, dtype=x.dtype)
    add(view(base), row * view(x))
    return base


PROGRAMS = [write_through_view, write_below_view, write_into_view_of_view, write_twice, base_without_grad]


@pytest.mark.parametrize("replay", [False, True])
@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_that_write(program: Function, replay: bool) -> None:
    x, row = make((4, 4), torch.float64, 1).requires_grad_(), make((4,), torch.float64, 2).requires_grad_()
    with torch.autograd._force_original_view_tracking(replay):
        ours = program(diagonal, myadd_, x, row)
        theirs = program(torch.diagonal, torch.Tensor.add_, x, row)
        torch.testing.assert_close(ours, theirs)
        torch.testing.assert_close(
            torch.autograd.grad(ours.pow(2).sum(), (x, row)), torch.autograd.grad(theirs.pow(2).sum(), (x, row))
        )
        assert gradcheck(lambda x, row: program(diagonal, myadd_, x, row), (x, row))
        assert gradgradcheck(lambda x, row: program(diagonal, myadd_, x, row), (x, row))


def test_write_through_view_makes_saved_base_stale() -> None:
    base = make((4, 4), torch.float64).requires_grad_().clone()
    result = torch.ops.myops.rms_norm(base, None)
    myadd_(diagonal(base), torch.ones(4, dtype=torch.float64))
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.sum().backward()


def test_view_of_a_leaf_is_refused_as_with_aten() -> None:
    messages = []
    for view, add in ((diagonal, myadd_), (torch.diagonal, torch.Tensor.add_)):
        base = torch.zeros(4, 4, requires_grad=True)
        with pytest.raises(RuntimeError) as caught:
            add(view(base), torch.ones(4))
        assert base._version == 0
        assert not base.detach().any()
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def test_view_can_be_taken_again_and_undone() -> None:
    base, other = make((3, 3), torch.float32, 1), make((3, 3), torch.float32, 2)
    with torch.autograd._force_original_view_tracking(True):
        view = diagonal(base)
    assert torch.equal(view._view_func_unsafe(other), other.diagonal())
    back = view._rev_view_func_unsafe(view)
    assert torch.equal(back, base)
    assert back.stride() == base.stride()
