"""Writing operators: what they count, what they refuse before a byte is written, and the history they leave."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from autograd_samples import NO_WARNINGS
from operators import OPERATORS, Operator
from samples import make

pytestmark = [pytest.mark.filterwarnings(f) for f in NO_WARNINGS]

ROW = torch.arange(1.0, 5.0)


def myadd_(target: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    return torch.ops.myops.myadd_(target, other)


def myadd_out(target: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    return torch.ops.myops.myadd.out(other, other, out=target)


def add_(target: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    return target.add_(other)


def refusal(write: Callable[..., torch.Tensor], target: torch.Tensor, other: torch.Tensor) -> str:
    """The message of the refused write, which must have changed nothing."""
    whole = target.detach() if target._base is None else target._base.detach()
    bits, version = whole.clone(), None if target.is_inference() else target._version
    with pytest.raises((RuntimeError, TypeError)) as caught:
        write(target, other)
    assert torch.equal(bits, whole)
    assert version is None or target._version == version
    return str(caught.value)


@pytest.mark.parametrize("write", [myadd_, myadd_out], ids=["myadd_", "myadd.out"])
def test_each_write_counts_once(write: Callable[..., torch.Tensor]) -> None:
    target, other = torch.zeros(3, 4), torch.ones(3, 4)
    for count in range(1, 4):
        assert write(target, other) is target
        assert (target._version, other._version) == (count, 0)
    view = torch.ops.myops.diagonal(target)
    write(view, torch.ones(3))
    assert target._version == view._version == 4
    write(target.detach(), other)
    assert target._version == view._version == 5


def test_functional_form_counts_nothing() -> None:
    left, right = torch.ones(3), torch.ones(3)
    torch.ops.myops.myadd(left, right)
    assert (left._version, right._version) == (0, 0)


@pytest.mark.parametrize("operator", OPERATORS, ids=str)
def test_keys_of_operators_that_write_or_view(operator: Operator) -> None:
    """Exactly those whose schema has an alias are registered on the two keys that care."""
    schema = operator.op._schema
    aliases = any(a.alias_info is not None for a in (*schema.arguments, *schema.returns))
    assert aliases == (operator.kind in ("in-place", "out", "view"))
    for key in ("ADInplaceOrView", "Functionalize"):
        assert torch._C._dispatch_has_kernel_for_dispatch_key(operator.op.name(), key) == aliases, key


def leaf() -> torch.Tensor:
    return torch.zeros(3, 4, requires_grad=True)


def view_of_leaf() -> torch.Tensor:
    return leaf()[1:]


def one_of_many_views() -> torch.Tensor:
    return leaf().clone().unbind()[1]


def view_made_without_grad() -> torch.Tensor:
    base = leaf().clone()
    with torch.no_grad():
        return base[1:]


def view_made_in_inference_mode() -> torch.Tensor:
    base = torch.zeros(3, 4)
    with torch.inference_mode():
        return base[1:]


@pytest.mark.parametrize(
    "make_target", [leaf, view_of_leaf, one_of_many_views, view_made_without_grad, view_made_in_inference_mode]
)
def test_targets_that_autograd_refuses(make_target: Callable[[], torch.Tensor]) -> None:
    other = ROW.clone().requires_grad_()
    ours, theirs = (refusal(write, make_target(), other) for write in (myadd_, add_))
    assert ours == theirs


def test_leaf_may_be_written_without_grad() -> None:
    target = leaf()
    with torch.no_grad():
        myadd_(target, ROW)
    assert torch.equal(target.detach(), ROW.expand(3, 4))
    assert target.is_leaf
    assert target._version == 1


@pytest.mark.parametrize("write", [myadd_, myadd_out], ids=["myadd_", "myadd.out"])
@pytest.mark.parametrize("grad", [False, True])
def test_overlapping_memory(write: Callable[..., torch.Tensor], grad: bool) -> None:
    other = torch.ones(3, 4, requires_grad=grad and write is myadd_)
    expanded = torch.zeros(4).expand(3, 4)
    assert "must not overlap itself, got shape [3, 4] with strides [0, 1]" in refusal(write, expanded, other)
    memory = torch.arange(8.0)
    assert "must not share memory with" in refusal(write, memory[1:], memory[:-1])


def test_sum_with_itself_is_no_overlap() -> None:
    target = ROW.clone()
    assert torch.equal(myadd_(target, target), 2 * ROW)


@pytest.mark.parametrize("write", [myadd_, myadd_out], ids=["myadd_", "myadd.out"])
def test_inference_tensors(write: Callable[..., torch.Tensor]) -> None:
    with torch.inference_mode():
        target = torch.zeros(4)
        write(target, ROW)
    message = refusal(write, target, ROW)
    assert message.startswith("myops::myadd" + ("_: " if write is myadd_ else ".out: "))
    assert "in-place update of an inference tensor outside InferenceMode is not allowed" in message
    normal = torch.zeros(4)
    with torch.inference_mode():
        write(target, normal + 1)
        write(normal, target)
    assert normal._version == 1


def test_inference_tensor_is_not_saved_for_backward() -> None:
    with torch.inference_mode():
        x = make((3, 4), torch.float32)
    weight = torch.ones(4, requires_grad=True)
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        torch.ops.myops.rms_norm(x, weight)
    assert not torch.ops.myops.rms_norm(x, None).requires_grad


@pytest.mark.parametrize("which", [0, 1, 2])
def test_out_refuses_tensors_that_require_grad(which: int) -> None:
    tensors = [ROW.clone(), ROW.clone(), torch.full((4,), 7.0)]
    tensors[which].requires_grad_()
    left, right, out = tensors
    with pytest.raises(RuntimeError, match=r"myops::myadd\(\): functions with out=\.\.\. arguments don't support"):
        torch.ops.myops.myadd.out(left, right, out=out)
    assert torch.equal(out, torch.full((4,), 7.0))
    assert out._version == 0
    with torch.no_grad():
        torch.ops.myops.myadd.out(left, right, out=out)
    assert torch.equal(out, 2 * ROW)


@pytest.mark.parametrize("target", [torch.zeros(4), torch.zeros(1, 4), torch.zeros(2, 3)], ids=str)
def test_result_must_fit_the_target(target: torch.Tensor) -> None:
    refusal(myadd_, target, torch.ones(3, 4))
    refusal(myadd_, target, torch.ones(3, 4, requires_grad=True))


def test_dtypes_must_agree() -> None:
    for target, other in ((torch.zeros(4), ROW.double()), (torch.zeros(4, dtype=torch.int64), ROW)):
        message = refusal(myadd_, target, other)
        assert "myadd_" in message
        assert "other" in message


def test_gradient_through_a_write() -> None:
    x, other = make((3, 4), torch.float64, 1).requires_grad_(), make((4,), torch.float64, 2).requires_grad_()
    y = x * 2
    assert myadd_(y, other).grad_fn.name() == "MyaddBackward"
    assert y.grad_fn.next_functions[0][0].name() == "MulBackward0"
    found = torch.autograd.grad(y.pow(2).sum(), (x, other))
    expected = torch.autograd.grad((x * 2 + other).pow(2).sum(), (x, other))
    torch.testing.assert_close(found, expected)


def test_write_makes_a_plain_tensor_part_of_the_graph() -> None:
    target, other = torch.zeros(3, 4), ROW.clone().requires_grad_()
    myadd_(target, other)
    assert target.requires_grad
    assert not target.is_leaf
    target.sum().backward()
    assert torch.equal(other.grad, torch.full((4,), 3.0))
