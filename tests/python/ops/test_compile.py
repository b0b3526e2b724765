"""torch.compile, functionalization, export and compiled autograd, against the same code run eagerly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from autograd_samples import DIFFERENTIABLE, NO_FALLBACK, outputs, run, square_arguments
from operators import Operator
from samples import make
from torch._dynamo import compiled_autograd
from torch.fx.experimental.proxy_tensor import make_fx

pytestmark = [pytest.mark.filterwarnings(f) for f in NO_FALLBACK]

myops = torch.ops.myops


@pytest.fixture(autouse=True)
def fresh_compiler() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def layer(x: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """Every operator once, with a write into a fresh tensor and one through a view of it."""
    normalised, total = myops.add_rms_norm(*myops.add_layer_norm(x, residual, weight, bias), weight)
    gated = myops.silu_and_mul(torch.cat((myops.rms_norm(normalised, weight), total), -1))
    gated = myops.gelu_and_mul(torch.cat((gated, total), -1), approximate="tanh")
    scores = myops.mymatmul(gated, myops.layer_norm(total, weight, bias).t())
    myops.myadd_(myops.diagonal(scores), myops.sum(scores, [0]))
    mixed = myops.my_multiple_input_op(myops.myadd(scores, bias), scores)
    myops.myadd_(mixed, scores)
    return mixed * (1 + myops.argmax(scores)).unsqueeze(-1)


def layer_arguments(size: int = 4) -> list[torch.Tensor]:
    shapes = [(size, 4), (size, 4), (4,), (4,)]
    return [make(shape, torch.float32, k).requires_grad_() for k, shape in enumerate(shapes)]


def value_and_gradients(
    function: Callable[..., Any], arguments: list[torch.Tensor]
) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
    result = function(*arguments)
    return result.detach(), torch.autograd.grad(result.pow(2).sum(), arguments)


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_all_operators_in_one_graph(backend: str) -> None:
    compiled = torch.compile(layer, fullgraph=True, backend=backend)
    found = value_and_gradients(compiled, layer_arguments())
    expected = value_and_gradients(layer, layer_arguments())
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("operator", DIFFERENTIABLE, ids=str)
def test_forward_and_backward_with_dynamic_shapes(operator: Operator) -> None:
    def loss(*arguments: torch.Tensor) -> torch.Tensor:
        first, *rest = arguments
        first = first.clone() if operator.kind == "in-place" else first
        return outputs(operator.op(first, *rest))[0].pow(2).sum()

    compiled = torch.compile(loss, fullgraph=True, backend="aot_eager", dynamic=True)
    leaves = square_arguments(operator)
    for rows in (4, 3, 2):
        arguments = [leaf[:rows] if leaf.dim() == 2 and operator.name != "mymatmul" else leaf for leaf in leaves]
        found = torch.autograd.grad(compiled(*arguments), leaves)
        expected = torch.autograd.grad(loss(*arguments), leaves)
        torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_writes_reach_the_arguments(backend: str) -> None:
    def write(target: torch.Tensor, out: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
        myops.myadd_(target, row)
        myops.myadd_(myops.diagonal(target), row)
        myops.myadd.out(target, row, out=out)
        return myops.sum(out)

    results = []
    for function in (write, torch.compile(write, fullgraph=True, backend=backend)):
        target, out = make((4, 4), torch.float32, 1), torch.zeros(4, 4)
        versions = target._version, out._version
        value = function(target, out, make((4,), torch.float32, 2))
        assert target._version > versions[0]
        assert out._version > versions[1]
        results.append((value, target, out))
    torch.testing.assert_close(results[0], results[1])


def test_gradient_through_a_compiled_write_into_an_argument() -> None:
    def write(target: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
        myops.myadd_(myops.diagonal(target), row)
        return target * 2

    results = []
    for function in (write, torch.compile(write, fullgraph=True, backend="aot_eager")):
        leaf, row = make((4, 4), torch.float64, 1).requires_grad_(), make((4,), torch.float64, 2).requires_grad_()
        target = leaf.clone()
        loss = function(target, row).pow(2).sum() + target.sum()
        results.append(torch.autograd.grad(loss, (leaf, row)))
    torch.testing.assert_close(results[0], results[1])


def test_functionalized_graph_has_no_write_left() -> None:
    def write(x: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
        y = x.clone()
        myops.myadd_(myops.diagonal(y), row)
        out = torch.empty_like(y)
        return myops.myadd.out(y, x, out=out)

    x, row = make((3, 3), torch.float32, 1), make((3,), torch.float32, 2)
    graph = make_fx(torch.func.functionalize(write))(x, row)
    names = [str(node.target) for node in graph.graph.nodes if node.op == "call_function"]
    assert "myops.myadd.default" in names
    assert not {"myops.myadd_.default", "myops.myadd.out", "myops.diagonal.default"} & set(names)
    assert "aten.diagonal_copy.default" in names or "aten.diagonal.default" in names
    assert torch.equal(graph(x, row), write(x, row))


def test_functionalized_out_is_resized() -> None:
    out = torch.empty(0)
    torch.func.functionalize(lambda x, out: myops.myadd.out(x, x, out=out))(torch.ones(2, 3), out)
    assert torch.equal(out, torch.full((2, 3), 2.0))


def test_export() -> None:
    class Layer(torch.nn.Module):
        def forward(self, *arguments: torch.Tensor) -> torch.Tensor:
            return layer(*arguments)

    arguments = tuple(argument.detach() for argument in layer_arguments())
    program = torch.export.export(Layer(), arguments)
    torch.testing.assert_close(program.module()(*arguments), layer(*arguments))
    targets = {str(node.target) for node in program.run_decompositions({}).graph.nodes}
    assert "myops.add_layer_norm.default" in targets
    assert "myops.myadd_.default" not in targets


@pytest.mark.parametrize("operator", DIFFERENTIABLE, ids=str)
def test_compiled_autograd(operator: Operator) -> None:
    leaves = square_arguments(operator)
    expected = torch.autograd.grad(run(operator, *leaves)[0].pow(2).sum(), leaves)
    graphs: list[torch.fx.GraphModule] = []

    def compiler(graph: torch.fx.GraphModule) -> Callable[..., Any]:
        graphs.append(graph)
        return torch.compile(graph, fullgraph=True, backend="aot_eager")

    for round_ in range(2):
        leaves = square_arguments(operator)
        loss = run(operator, *leaves)[0].pow(2).sum()
        with compiled_autograd._enable(compiler):
            loss.backward()
        torch.testing.assert_close([leaf.grad for leaf in leaves], list(expected))
        assert len(graphs) == 1, f"captured again in round {round_}"
    (graph,) = graphs
    node = outputs(run(operator, *square_arguments(operator)))[0].grad_fn.name()
    assert any(node in str(n.target) for n in graph.graph.nodes)


def test_compiled_autograd_of_chosen_arguments() -> None:
    graphs: list[torch.fx.GraphModule] = []

    def compiler(graph: torch.fx.GraphModule) -> torch.fx.GraphModule:
        graphs.append(graph)
        return graph

    leaves = [make((3, 4), torch.float64, 1).requires_grad_(), make((4,), torch.float64, 2).requires_grad_()]
    for chosen, captured in (([0], 1), ([1], 2), ([0, 1], 3), ([1], 3), ([0], 3)):
        inputs = [leaves[k] for k in chosen]
        expected = torch.autograd.grad(myops.rms_norm(*leaves).pow(2).sum(), inputs)
        loss = myops.rms_norm(*leaves).pow(2).sum()
        with compiled_autograd._enable(compiler):
            found = torch.autograd.grad(loss, inputs)
        torch.testing.assert_close(found, expected)
        assert len(graphs) == captured


def test_compiled_autograd_with_changing_shapes() -> None:
    def backward(size: int) -> list[torch.Tensor]:
        arguments = layer_arguments(size)
        loss = layer_of_any_size(*arguments).pow(2).sum()
        loss.backward()
        return [argument.grad for argument in arguments]

    def layer_of_any_size(x: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> Any:
        normalised, total = myops.add_layer_norm(x, residual, weight, bias)
        return myops.sum(myops.my_multiple_input_op(normalised, total), [0], True) + myops.diagonal(total).sum()

    for size in (4, 6, 9):
        expected = backward(size)
        with compiled_autograd._enable(torch.compile(backend="aot_eager", fullgraph=True, dynamic=True)):
            found = backward(size)
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)


def test_autocast_inside_a_compiled_function() -> None:
    def mixed(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return myops.rms_norm(myops.mymatmul(x, x), weight)

    arguments = [make((4, 4), torch.float32, 1).requires_grad_(), make((4,), torch.float32, 2).requires_grad_()]
    compiled = torch.compile(mixed, fullgraph=True, backend="aot_eager")
    found, expected = (value_and_gradients(f, arguments) for f in (compiled, mixed))
    assert found[0].dtype == torch.float32
    # Both round to bfloat16, the compiled backward in another order.
    torch.testing.assert_close(found, expected, rtol=1e-2, atol=5e-2)
