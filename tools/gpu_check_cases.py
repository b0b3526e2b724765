"""Comparisons of every operator with ATen, in float64, over dtypes, layouts and sizes. Any device.

A check is a generator of (what, None) for a comparison that held, (what, error text) for one that did not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

Outcome = tuple[str, str | None]
FLOATING = [torch.float32, torch.float64, torch.bfloat16, torch.float16]
INTEGERS = [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8]
# One rounding to the dtype, and what sums in the computing type add to it.
RELATIVE = {torch.float32: 1e-5, torch.float64: 1e-12, torch.bfloat16: 4.1e-3, torch.float16: 5.1e-4}
ABSOLUTE = {torch.float32: 1e-5, torch.float64: 1e-12, torch.bfloat16: 1e-3, torch.float16: 1e-4}

ROWS = [(0, 5), (3, 0), (1, 1), (5, 7), (3, 64), (33, 128), (7, 1000), (16, 4096), (4, 8192), (3, 16384), (2, 4099)]
SHORT_ROWS = [(0, 5), (3, 0), (1, 1), (5, 7), (3, 64), (7, 1000)]
LONG_ROWS = [(2, 24577), (2, 65536), (40000, 24)]


def make(shape: tuple[int, ...], dtype: torch.dtype, device: str, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed + sum(shape))
    if dtype.is_floating_point:
        return torch.randn(shape, generator=generator, dtype=torch.float32).to(device=device, dtype=dtype)
    return torch.randint(0, 2 if dtype == torch.bool else 100, shape, generator=generator).to(
        device=device, dtype=dtype
    )


def layouts(tensor: Tensor) -> Iterator[tuple[str, Tensor]]:
    """The same values (but for `expanded`) in other places of memory."""
    yield "contiguous", tensor
    if tensor.dim() < 2 or tensor.numel() == 0:
        return
    yield "transposed", tensor.transpose(-1, -2).contiguous().transpose(-1, -2)
    wide = torch.zeros(*tensor.shape[:-1], 2 * tensor.size(-1), dtype=tensor.dtype, device=tensor.device)
    wide[..., ::2] = tensor
    yield "sliced", wide[..., ::2]
    shifted = torch.empty(tensor.numel() + 1, dtype=tensor.dtype, device=tensor.device)[1:].view(tensor.shape)
    yield "shifted", shifted.copy_(tensor)
    yield "expanded", tensor[:1].expand(tensor.shape)


def compare(got: Any, expected: Any, scale: float = 1.0) -> str | None:
    """None, or where and by how much they differ. `expected` is of float64, or of the very dtype for integers."""
    if isinstance(got, (tuple, list)):
        errors = [compare(g, e, scale) for g, e in zip(got, expected, strict=True)]
        return next((error for error in errors if error), None)
    if got.shape != expected.shape:
        return f"shape {tuple(got.shape)}, expected {tuple(expected.shape)}"
    if not got.dtype.is_floating_point:
        return None if torch.equal(got, expected) else "integers differ"
    try:
        dtype = got.dtype
        torch.testing.assert_close(
            got.double(), expected.double(), rtol=RELATIVE[dtype], atol=scale * ABSOLUTE[dtype], equal_nan=True
        )
    except AssertionError as error:
        return " ".join(str(error).split())
    return None


def norm_weights(size: int, dtype: torch.dtype, device: str) -> tuple[Tensor, Tensor]:
    return make((size,), dtype, device, 1), make((size,), dtype, device, 2)


def rms_norm(x: Tensor, w: Tensor | None, eps: float = 1e-6) -> Tensor:
    normal = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)
    return normal if w is None else normal * w


def has(op: str) -> bool:
    return hasattr(torch.ops.myops, op)


def double(*tensors: Tensor) -> list[Tensor]:
    return [tensor.double() for tensor in tensors]


def gradients(function: Callable[..., Tensor], grad: Tensor, *inputs: Tensor) -> list[Tensor]:
    leaves = [tensor.double().requires_grad_() for tensor in inputs]
    return list(torch.autograd.grad(function(*leaves), leaves, grad.double()))


def norms(device: str, quick: bool) -> Iterator[Outcome]:
    op = torch.ops.myops
    for shape in SHORT_ROWS if quick else ROWS + LONG_ROWS:
        for dtype in FLOATING:
            w, b = norm_weights(shape[1], dtype, device)
            for layout, x in layouts(make(shape, dtype, device)):
                what = f"{shape} {dtype} {layout}"
                x64, w64, b64 = double(x, w, b)
                yield f"rms_norm {what}", compare(op.rms_norm(x, w), rms_norm(x64, w64))
                yield f"rms_norm without weight {what}", compare(op.rms_norm(x, None), rms_norm(x64, None))
                expected = functional.layer_norm(x64, shape[1:], w64, b64) if shape[1] else x64
                yield f"layer_norm {what}", compare(op.layer_norm(x, w, b), expected)
                r = make(shape, dtype, device, 5)
                got = op.add_layer_norm(x, r, w, b)
                total = x64 + r.double()
                yield f"add_layer_norm sum {what}", compare(got[1], total)
                expected = functional.layer_norm(got[1].double(), shape[1:], w64, b64) if shape[1] else x64
                yield f"add_layer_norm {what}", compare(got[0], expected)
                if has("add_rms_norm"):
                    got = op.add_rms_norm(x, r, w)
                    yield f"add_rms_norm {what}", compare(got, [rms_norm(got[1].double(), w64), total])


def norm_gradients(device: str, quick: bool) -> Iterator[Outcome]:
    op = torch.ops.myops
    for shape in SHORT_ROWS[2:] if quick else ROWS[2:] + LONG_ROWS:
        for dtype in FLOATING:
            w, b = norm_weights(shape[1], dtype, device)
            for layout, x in layouts(make(shape, dtype, device)):
                what = f"{shape} {dtype} {layout}"
                grad = make(shape, dtype, device, 7)
                scale = 10 * max(1.0, shape[0] ** 0.5)
                got = op.rms_norm_backward(grad, x, w, 1e-6, [True, True])
                yield f"rms_norm_backward {what}", compare(got, gradients(rms_norm, grad, x, w), scale)
                got = op.layer_norm_backward(grad, x, w, 1e-5, [True, True, True])

                def layer(x: Tensor, w: Tensor, b: Tensor, size: int = shape[1]) -> Tensor:
                    return functional.layer_norm(x, (size,), w, b)

                yield f"layer_norm_backward {what}", compare(got, gradients(layer, grad, x, w, b), scale)


def elementwise(device: str, quick: bool) -> Iterator[Outcome]:
    op = torch.ops.myops
    pairs = [((0,), (0,)), ((1,), (1,)), ((7,), (7,)), ((33, 65), (65,)), ((3, 1, 5), (4, 1)), ((1 << 16,), (1 << 16,))]
    for first, second in pairs:
        for dtype in FLOATING + INTEGERS:
            b = make(second, dtype, device, 3)
            for layout, a in layouts(make(first, dtype, device)):
                what = f"{first} {second} {dtype} {layout}"
                x, y = (a.double(), b.double()) if dtype.is_floating_point else (a, b)
                yield f"myadd {what}", compare(op.myadd(a, b), x + y)
                yield f"my_multiple_input_op {what}", compare(op.my_multiple_input_op(a, b), x * y + x)
                if (x + y).shape == a.shape and layout != "expanded":
                    kept = a.clone(memory_format=torch.preserve_format)
                    yield f"myadd_ {what}", compare(op.myadd_(kept, b), x + y)
                out = torch.empty(0, dtype=dtype, device=device)
                yield f"myadd.out {what}", compare(op.myadd.out(a, b, out=out), x + y)


def reductions(device: str, quick: bool) -> Iterator[Outcome]:
    op = torch.ops.myops
    shapes = [(1,), (7,), (5, 0), (0, 5), (3, 5), (64, 65), (4, 33, 50)]
    if not quick:
        shapes += [(1 << 18,), (3, 1 << 16), (1 << 16, 3)]
    for shape in shapes:
        for dtype in [*FLOATING, *INTEGERS, torch.bool]:
            for layout, x in layouts(make(shape, dtype, device)):
                for dim in [None, *range(len(shape))]:
                    what = f"{shape} {dtype} {layout} dim {dim}"
                    exact = x.double() if dtype.is_floating_point else x
                    dims = [] if dim is None else [dim]
                    expected = exact.sum() if dim is None else exact.sum(dim)
                    scale = 1.0 if x.numel() == 0 or not dtype.is_floating_point else float(exact.abs().sum(dims).max())
                    yield f"sum {what}", compare(op.sum(x, dims), expected, max(1.0, scale))
                    if dim is not None and dtype != torch.bool and shape[dim] > 0:
                        got = op.argmax(x, dim)
                        best = x.gather(dim, got.unsqueeze(dim)).squeeze(dim)
                        right = torch.equal(best, x.amax(dim)) if x.numel() else got.shape == x.sum(dim).shape
                        yield f"argmax {what}", None if right else "not the largest"


def gated(device: str, quick: bool) -> Iterator[Outcome]:
    op = torch.ops.myops
    if not has("silu_and_mul"):
        yield "gated operators", "skipped: not in these libraries"
        return
    calls: list[tuple[str, Callable[..., Tensor], dict[str, str]]] = [
        ("silu_and_mul", functional.silu, {}),
        ("gelu_and_mul", functional.gelu, {"approximate": "none"}),
        ("gelu_and_mul", lambda a: functional.gelu(a, approximate="tanh"), {"approximate": "tanh"}),
    ]
    for name, activation, options in calls:

        def reference(x: Tensor, activation: Callable[..., Tensor] = activation) -> Tensor:
            a, b = x.chunk(2, -1)
            return activation(a) * b

        for shape in [(0, 4), (3, 0), (1, 2), (5, 14), (3, 64), (7, 2002)] + ([] if quick else [(16, 8192)]):
            for dtype in FLOATING:
                for layout, x in layouts(make(shape, dtype, device)):
                    what = f"{shape} {dtype} {layout} {options}"
                    yield f"{name} {what}", compare(getattr(op, name)(x, **options), reference(x.double()))
                    grad = make((shape[0], shape[1] // 2), dtype, device, 3)
                    got = getattr(op, f"{name}_backward")(grad, x, **options)
                    yield f"{name}_backward {what}", compare([got], gradients(reference, grad, x), 4)


def others(device: str, quick: bool) -> Iterator[Outcome]:
    op = torch.ops.myops
    for dtype in FLOATING:
        a, b = make((33, 20), dtype, device), make((20, 17), dtype, device, 1)
        yield f"mymatmul {dtype}", compare(op.mymatmul(a, b), a.double() @ b.double(), 100)
        view = op.diagonal(a)
        same = view.data_ptr() == a.data_ptr() and torch.equal(view, a.diagonal())
        yield f"diagonal {dtype}", None if same else "no view of the diagonal"
        leaves = [tensor.detach().requires_grad_() for tensor in (a, make((20,), dtype, device, 1))]
        got = torch.autograd.grad(op.rms_norm(*leaves), leaves, torch.ones_like(a))
        yield f"backward of rms_norm {dtype}", compare(got, gradients(rms_norm, torch.ones_like(a), *leaves), 100)
    with torch.autocast(device, dtype=torch.bfloat16):
        x = make((4, 6), torch.float32, device)
        right = op.mymatmul(x, x.t()).dtype == torch.bfloat16 and op.rms_norm(x.half(), None).dtype == torch.float32
    yield "autocast", None if right else "mymatmul must give bfloat16, rms_norm float32"
    wrong: dict[str, Callable[[], Any]] = {
        "a weight of another size": lambda: op.rms_norm(x, x[0, :3]),
        "a weight of another dtype": lambda: op.rms_norm(x, x[0].double()),
        "another device": lambda: op.myadd(x, torch.empty(4, 6, device="meta" if device == "cpu" else "cpu")),
    }
    for what, call in wrong.items():
        try:
            call()
        except (RuntimeError, TypeError) as error:
            yield what, None if "myops::" in str(error) else f"the error names no operator: {error}"
        else:
            yield what, "taken without an error"


def same_bits(device: str, quick: bool) -> Iterator[Outcome]:
    """Twice the same: no result depends on the order in which threads run."""
    op = torch.ops.myops
    rows = 300 if quick else 20000
    x, grad = make((rows, 1000), torch.float32, device), make((rows, 1000), torch.float32, device, 1)
    w = make((1000,), torch.float32, device, 2)
    calls: dict[str, Callable[[], Any]] = {
        "rms_norm_backward": lambda: op.rms_norm_backward(grad, x, w, 1e-6, [True, True]),
        "layer_norm_backward": lambda: op.layer_norm_backward(grad, x, w, 1e-5, [True, True, True]),
        "sum of all": lambda: [op.sum(x)],
        "sum of columns": lambda: [op.sum(x, [0])],
    }
    for name, call in calls.items():
        first = call()
        for _ in range(5):
            equal = all(torch.equal(a, b) for a, b in zip(first, call(), strict=True))
            yield name, None if equal else "other bits than the first time"


CHECKS: dict[str, Callable[[str, bool], Iterator[Outcome]]] = {
    "norms": norms,
    "gradients of norms": norm_gradients,
    "elementwise": elementwise,
    "reductions": reductions,
    "gated": gated,
    "others": others,
    "same bits": same_bits,
}
