"""The graph that autograd kernels record: nodes, what they save, what they refuse."""

from __future__ import annotations

import weakref
from typing import Any

import pytest
import torch
from autograd_samples import DIFFERENTIABLE, NO_WARNINGS, outputs, run, square_arguments, subsets
from comparison import NORMALISES_A_SUM
from operators import OPERATORS, Operator
from samples import make
from torch.utils._python_dispatch import TorchDispatchMode

pytestmark = [pytest.mark.filterwarnings(f) for f in NO_WARNINGS]

NODES = {
    "myadd": "MyaddBackward",
    "myadd_": "MyaddBackward",
    "mymatmul": "MymatmulBackward",
    "my_multiple_input_op": "MyMultipleInputOpBackward",
    "sum": "SumBackward",
    "diagonal": "DiagonalBackward",
    "rms_norm": "RmsNormBackward",
    "add_rms_norm": "AddRmsNormBackward",
    "layer_norm": "LayerNormBackward",
    "add_layer_norm": "AddLayerNormBackward",
    "silu_and_mul": "SiluAndMulBackward",
    "gelu_and_mul": "GeluAndMulBackward",
}
SAVES_NOTHING = {"myadd", "myadd_", "sum", "diagonal"}


@pytest.mark.parametrize("operator", OPERATORS, ids=str)
def test_every_operator_says_what_autograd_does(operator: Operator) -> None:
    name = operator.op.name()
    assert torch._C._dispatch_has_kernel_for_dispatch_key(name, "Autograd")
    (line,) = [x for x in torch._C._dispatch_dump(name).splitlines() if x.startswith("Autograd[alias]:")]
    assert ("fallthrough" in line) == (operator.name == "argmax")
    assert ("boxed unboxed" in line) == (operator.name in NODES or operator.kind == "backward"), line


@pytest.mark.parametrize("operator", DIFFERENTIABLE, ids=str)
def test_name_of_the_node(operator: Operator) -> None:
    for result in run(operator, *square_arguments(operator)):
        assert result.grad_fn is not None
        assert result.grad_fn.name() == NODES[operator.name]


@pytest.mark.parametrize("operator", DIFFERENTIABLE, ids=str)
def test_a_result_requires_grad_where_what_it_is_made_of_does(operator: Operator) -> None:
    """As in ATen's own graph: of several results each by itself."""
    for positions in subsets(list(range(len(square_arguments(operator))))):
        arguments = square_arguments(operator, requires_grad=False)
        for position in positions:
            arguments[position].requires_grad_()
        expected = outputs(operator.reference(*arguments))
        assert [r.requires_grad for r in run(operator, *arguments)] == [r.requires_grad for r in expected], positions


@pytest.mark.parametrize("name", sorted(NORMALISES_A_SUM))
def test_a_weight_alone_gets_its_gradient(name: str) -> None:
    """The node then has no gradient for the sum, which is saved all the same."""
    operator = next(o for o in DIFFERENTIABLE if o.name == name)
    arguments = square_arguments(operator, requires_grad=False)
    arguments[2].requires_grad_()
    normalised, total = run(operator, *arguments)
    expected, _ = outputs(operator.reference(*arguments))
    (found,) = torch.autograd.grad(normalised.square().sum(), arguments[2], retain_graph=True)
    torch.testing.assert_close(found, torch.autograd.grad(expected.square().sum(), arguments[2])[0])
    total.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        normalised.sum().backward()


@pytest.mark.parametrize("operator", DIFFERENTIABLE, ids=str)
def test_no_node_without_need(operator: Operator) -> None:
    assert [r.grad_fn for r in run(operator, *square_arguments(operator, requires_grad=False))] == [None] * (
        1 + (operator.name in NORMALISES_A_SUM)
    )
    with torch.no_grad():
        assert not any(r.grad_fn for r in run(operator, *square_arguments(operator)))
    with torch.inference_mode():
        results = run(operator, *square_arguments(operator, requires_grad=False))
    assert all(r.is_inference() and r.grad_fn is None for r in results)


def test_argmax_and_integers_have_no_gradient() -> None:
    x = make((3, 4), torch.float64).requires_grad_()
    index = torch.ops.myops.argmax(x)
    assert index.dtype == torch.int64
    assert not index.requires_grad
    assert not torch.ops.myops.sum(make((3, 4), torch.int64)).requires_grad


class Calls(TorchDispatchMode):
    """Notes the calls of one operator that reach the backend."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name, self.arguments = name, []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func.name() == self.name:
            self.arguments.append(args)
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("wanted", [[True, False, False], [False, True, False], [False, False, True]], ids=str)
def test_only_wanted_gradients_are_computed(wanted: list[bool]) -> None:
    operator = next(o for o in DIFFERENTIABLE if o.name == "layer_norm")
    leaves = square_arguments(operator)
    (result,) = run(operator, *leaves)
    with Calls("myops::layer_norm_backward") as calls:
        torch.autograd.grad(result.sum(), [x for x, w in zip(leaves, wanted, strict=True) if w], retain_graph=True)
    assert [list(a[4]) for a in calls.arguments] == [wanted]
    fixed = [x.requires_grad_(w) for x, w in zip(square_arguments(operator, False), wanted, strict=True)]
    with Calls("myops::layer_norm_backward") as calls:
        run(operator, *fixed)[0].sum().backward()
    assert [list(a[4]) for a in calls.arguments] == [wanted]
    assert [x.grad is not None for x in fixed] == wanted


@pytest.mark.parametrize("name", ["mymatmul", "my_multiple_input_op"])
def test_factors_are_saved_only_for_each_other(name: str) -> None:
    for needs in ((True, False), (False, True), (True, True)):
        left = make((4, 4), torch.float64, 1).requires_grad_(needs[0])
        right = make((4, 4), torch.float64, 2).requires_grad_(needs[1])
        saved: list[int] = []
        with torch.autograd.graph.saved_tensors_hooks(lambda t, s=saved: s.append(t.data_ptr()) or t, lambda t: t):
            getattr(torch.ops.myops, name)(left, right)
        assert set(saved) == {t.data_ptr() for t, kept in ((left, needs[1]), (right, needs[0])) if kept}


@pytest.mark.parametrize("operator", DIFFERENTIABLE, ids=str)
def test_changing_a_saved_tensor_is_noticed(operator: Operator) -> None:
    leaves = square_arguments(operator)
    arguments = [leaf.clone() for leaf in leaves]
    result = run(operator, *arguments)[0]
    with torch.no_grad():
        torch.ops.myops.myadd_(arguments[1 if operator.name == "layer_norm" else 0], make((4,), torch.float64))
    if operator.name in SAVES_NOTHING | NORMALISES_A_SUM:
        result.sum().backward()
        return
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.sum().backward()


@pytest.mark.parametrize("operator", [o for o in DIFFERENTIABLE if o.name in NORMALISES_A_SUM], ids=str)
def test_changing_the_saved_sum_is_noticed(operator: Operator) -> None:
    normalised, total = run(operator, *square_arguments(operator))
    torch.ops.myops.myadd_(total, torch.ones(4, dtype=torch.float64))
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        normalised.sum().backward()


@pytest.mark.parametrize("operator", DIFFERENTIABLE, ids=str)
def test_graph_is_freed_with_its_results(operator: Operator) -> None:
    """A node that owned its own output would never be freed."""

    class Hook:
        def __call__(self, *grads: object) -> None: ...

    hook = Hook()
    alive = weakref.ref(hook)
    results = run(operator, *square_arguments(operator))
    results[-1].grad_fn.register_hook(hook)
    del hook
    assert alive() is not None
    del results
    assert alive() is None


@pytest.mark.parametrize("operator", DIFFERENTIABLE, ids=str)
def test_second_backward_needs_retain_graph(operator: Operator) -> None:
    leaves = square_arguments(operator)
    loss = run(operator, *leaves)[0].sum()
    loss.backward(retain_graph=True)
    once = [leaf.grad.clone() for leaf in leaves]
    loss.backward()
    for leaf, grad in zip(leaves, once, strict=True):
        torch.testing.assert_close(leaf.grad, 2 * grad)
    if operator.name not in SAVES_NOTHING:
        with pytest.raises(RuntimeError, match="backward through the graph a second time"):
            loss.backward()


@pytest.mark.skipif(not hasattr(torch.autograd.graph, "node_creation_hook"), reason="this torch has no such hooks")
def test_hooks_see_each_new_node_as_with_aten() -> None:
    def nodes(diagonal: Any, add: Any) -> list[str]:
        seen: list[str] = []
        base = make((4, 4), torch.float64).requires_grad_().clone()
        with torch.autograd.graph.node_creation_hook(lambda node: seen.append(node.name())):
            add(diagonal(base), torch.ones(4, dtype=torch.float64))
        return seen

    ours = nodes(torch.ops.myops.diagonal, torch.ops.myops.myadd_)
    theirs = nodes(torch.diagonal, torch.Tensor.add_)
    assert ours[0] == "DiagonalBackward"
    assert theirs[0] == "DiagonalBackward0"
    assert ours[1:] == theirs[1:]
    seen: list[tuple[str, int]] = []
    leaf = make((4, 4), torch.float64).requires_grad_()
    with torch.autograd.graph.node_creation_hook(lambda node: seen.append((node.name(), len(node.next_functions)))):
        torch.ops.myops.add_layer_norm(leaf, leaf, None, None)
    assert seen == [("torch::autograd::AccumulateGrad", 0), ("AddLayerNormBackward", 4)]
