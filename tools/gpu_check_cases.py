"""Comparisons of every operator with ATen, in float64, over dtypes, layouts and sizes. Any device.

A check is a generator of (what, None) for a comparison that held, (what, error text) for one that did not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from gpu_check_bounds import compare, like
from torch import Tensor
from torch.nn import functional

Outcome = tuple[str, str | None]
FLOATING = [torch.float32, torch.float64, torch.bfloat16, torch.float16]
INTEGERS = [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8]

ROWS = [(0, 5), (3, 0), (1, 1), (5, 7), (3, 64), (33, 128), (7, 1000), (16, 4096), (4, 8192), (3, 16384), (2, 4099)]
SHORT_ROWS = [(0, 5), (3, 0), (1, 1), (5, 7), (3, 64), (7, 1000)]
LONG_ROWS = [(2, 24577), (2, 65536), (40000, 24)]


Check = Callable[[str, bool], Iterator[Outcome]]


def sanitized(check: Check) -> Check:
    """Marks a check that --sanitize runs too: one of values, which needs no second stream or device."""
    check.sanitized = True  # type: ignore[attr-defined]
    return check


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


def norm_weights(size: int, dtype: torch.dtype, device: str) -> tuple[Tensor, Tensor]:
    return make((size,), dtype, device, 1), make((size,), dtype, device, 2)


def rms_norm(x: Tensor, w: Tensor | None, eps: float = 1e-6) -> Tensor:
    normal = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)
    return normal if w is None else normal * w


def double(*tensors: Tensor) -> list[Tensor]:
    return [tensor.double() for tensor in tensors]


def gradients(function: Callable[..., Tensor], grad: Tensor, *inputs: Tensor) -> list[Tensor]:
    leaves = [tensor.double().requires_grad_() for tensor in inputs]
    return list(torch.autograd.grad(function(*leaves), leaves, grad.double()))


def norm_scales(eps: float, centred: bool, grad: Tensor, x: Tensor, w: Tensor) -> list[Tensor]:
    """The magnitudes of the terms that the gradients of input, weight and bias are sums of; all float64."""
    centre = x - x.mean(-1, keepdim=True) if centred else x
    inverse = torch.rsqrt(centre.square().mean(-1, keepdim=True) + eps)
    x_hat = (centre * inverse).abs().clamp(min=1)  # a difference from the mean: it counts as 1 at least
    g = (grad * w).abs()
    means = g.mean(-1, keepdim=True) + x_hat * (g * x_hat).mean(-1, keepdim=True)
    return [inverse * (g + means), (grad.abs() * x_hat).sum(0), grad.abs().sum(0)]


@sanitized
def norms(device: str, quick: bool) -> Iterator[Outcome]:
    op = torch.ops.myops
    for shape in SHORT_ROWS if quick else ROWS + LONG_ROWS:
        for dtype in FLOATING:
            w, b = norm_weights(shape[1], dtype, device)
            w64, b64 = double(w, b)
            for layout, x in layouts(make(shape, dtype, device)):
                what = f"{shape} {dtype} {layout}"
                (x64,) = double(x)

                def layer(x: Tensor, size: tuple[int, ...] = shape[1:], w: Tensor = w64, b: Tensor = b64) -> Tensor:
                    return functional.layer_norm(x, size, w, b) if size[0] else x

                scale = (rms_norm(x64, None).abs().clamp(min=1) + 1) * w64.abs() + b64.abs()
                for name, got, expected in [
                    ("rms_norm", op.rms_norm(x, w), rms_norm(x64, w64)),
                    ("rms_norm without weight", op.rms_norm(x, None), rms_norm(x64, None)),
                    ("layer_norm", op.layer_norm(x, w, b), layer(x64)),
                ]:
                    yield (
                        f"{name} {what}",
                        compare(got, expected, scale + 1) or like(got, torch.empty(shape, dtype=dtype)),
                    )
                r = make(shape, dtype, device, 5)
                got, total = op.add_layer_norm(x, r, w, b)
                yield f"add_layer_norm sum {what}", compare(total, x64 + r.double(), factor=1)
                yield f"add_layer_norm {what}", compare(got, layer(total.double()), scale + 1 + w64.abs())
                got, total = op.add_rms_norm(x, r, w)
                yield f"add_rms_norm sum {what}", compare(total, x64 + r.double(), factor=1)
                yield f"add_rms_norm {what}", compare(got, rms_norm(total.double(), w64), scale + 1 + w64.abs())


@sanitized
def norm_gradients(device: str, quick: bool) -> Iterator[Outcome]:
    op = torch.ops.myops
    for shape in SHORT_ROWS[2:] if quick else ROWS[2:] + LONG_ROWS:
        for dtype in FLOATING:
            w, b = norm_weights(shape[1], dtype, device)
            for layout, x in layouts(make(shape, dtype, device)):
                what = f"{shape} {dtype} {layout}"
                grad = make(shape, dtype, device, 7)
                got = op.rms_norm_backward(grad, x, w, 1e-6, [True, True])
                scales = norm_scales(1e-6, False, *double(grad, x, w))[:2]
                yield f"rms_norm_backward {what}", compare(got, gradients(rms_norm, grad, x, w), scales)
                got = op.layer_norm_backward(grad, x, w, 1e-5, [True, True, True])
                scales = norm_scales(1e-5, True, *double(grad, x, w))

                def layer(x: Tensor, w: Tensor, b: Tensor, size: int = shape[1]) -> Tensor:
                    return functional.layer_norm(x, (size,), w, b)

                yield f"layer_norm_backward {what}", compare(got, gradients(layer, grad, x, w, b), scales)


PAIRS: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((0,), (0,)),
    ((0, 3), (1, 3)),
    ((1,), (1,)),
    ((7,), (7,)),
    ((33, 65), (65,)),
    ((33, 64), (64,)),
    ((33, 64), (33, 1)),
    ((33, 64), ()),
    ((3, 1, 5), (4, 1)),
    ((1 << 16,), (1 << 16,)),
]


@sanitized
def elementwise(device: str, quick: bool) -> Iterator[Outcome]:
    op = torch.ops.myops
    for first, second in PAIRS:
        for dtype in FLOATING + INTEGERS:
            b = make(second, dtype, device, 3)
            for layout, a in layouts(make(first, dtype, device)):
                what = f"{first} {second} {dtype} {layout}"
                x, y = (a.double(), b.double()) if dtype.is_floating_point else (a, b)
                scale = x.abs() + y.abs()
                got, native = op.myadd(a, b), a + b
                yield f"myadd {what}", compare(got, x + y, scale, 1) or like(got, native)
                got = op.my_multiple_input_op(a, b)
                yield (
                    f"my_multiple_input_op {what}",
                    compare(got, x * y + x, (x * y).abs() + x.abs(), 2) or like(got, native),
                )
                if native.shape == a.shape and layout != "expanded":
                    kept = a.clone(memory_format=torch.preserve_format)
                    yield f"myadd_ {what}", compare(op.myadd_(kept, b), x + y, scale, 1)
                out = torch.empty(0, dtype=dtype, device=device)
                yield f"myadd.out {what}", compare(op.myadd.out(a, b, out=out), x + y, scale, 1)
                out = torch.empty(native.numel() + 1, dtype=dtype, device=device)[1:].view(native.shape)
                yield f"myadd.out shifted {what}", compare(op.myadd.out(a, b, out=out), x + y, scale, 1)


def first_largest(x: Tensor, dim: int) -> Tensor:
    """The index of the first of the largest; NaN is the largest."""
    best = x.isnan() if bool(x.isnan().any()) else x == x.amax(dim, keepdim=True)
    if x.isnan().any():
        best = torch.where(best.any(dim, keepdim=True), best, x == x.nan_to_num(-torch.inf).amax(dim, keepdim=True))
    shape = [1] * x.dim()
    shape[dim] = x.size(dim)
    places = torch.arange(x.size(dim), device=x.device).view(shape)
    return torch.where(best, places, x.size(dim)).amin(dim)


@sanitized
def reductions(device: str, quick: bool) -> Iterator[Outcome]:
    op = torch.ops.myops
    shapes = [(1,), (7,), (5, 0), (0, 5), (3, 5), (64, 65), (64, 64), (4, 33, 50)]
    if not quick:
        shapes += [(1 << 18,), ((1 << 18) + 3,), (3, 1 << 16), (1 << 16, 3)]
    for shape in shapes:
        for dtype in [*FLOATING, *INTEGERS, torch.bool]:
            for layout, x in layouts(make(shape, dtype, device)):
                for dim in [None, *range(len(shape))]:
                    what = f"{shape} {dtype} {layout} dim {dim}"
                    exact = x.double() if dtype.is_floating_point else x.long()
                    dims = list(range(len(shape))) if dim is None else [dim]
                    got, native = op.sum(x, dims), x.sum(dims)
                    error = compare(got, exact.sum(dims), exact.abs().sum(dims)) or like(got, native, strides=False)
                    yield f"sum {what}", error
                    if dim is not None and dtype != torch.bool and shape[dim] > 0:
                        got = op.argmax(x, dim)
                        expected = first_largest(x, dim) if x.numel() else torch.empty(native.shape, dtype=torch.long)
                        yield f"argmax {what}", compare(got, expected.to(device))


def others(device: str, quick: bool) -> Iterator[Outcome]:
    op = torch.ops.myops
    for dtype in FLOATING:
        a, b = make((33, 20), dtype, device), make((20, 17), dtype, device, 1)
        yield f"mymatmul {dtype}", None if torch.equal(op.mymatmul(a, b), a @ b) else "not ATen's product"
        view = op.diagonal(a)
        same = view.data_ptr() == a.data_ptr() and torch.equal(view, a.diagonal())
        yield f"diagonal {dtype}", None if same else "no view of the diagonal"
        leaves = [tensor.detach().requires_grad_() for tensor in (a, make((20,), dtype, device, 1))]
        got = torch.autograd.grad(op.rms_norm(*leaves), leaves, torch.ones_like(a))
        scales = norm_scales(1e-6, False, *double(torch.ones_like(a), *leaves))[:2]
        yield f"backward of rms_norm {dtype}", compare(got, gradients(rms_norm, torch.ones_like(a), *leaves), scales)
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


CHECKS: dict[str, Check] = {
    "norms": norms,
    "gradients of norms": norm_gradients,
    "elementwise": elementwise,
    "reductions": reductions,
    "others": others,
}
