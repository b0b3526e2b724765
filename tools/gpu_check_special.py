"""Values at the ends: infinities, NaN, zeros, ties, sums beyond the computing type. Any device."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, nan

import torch
from gpu_check_bounds import compare
from gpu_check_cases import FLOATING, INTEGERS, Check, Outcome, gradients, make, rms_norm, sanitized
from gpu_check_gated import gated_by, gated_calls
from torch.nn import functional


def pairs(device: str) -> Iterator[Outcome]:
    op = torch.ops.myops
    for dtype in FLOATING:
        about = torch.finfo(dtype)
        values = [0.0, -0.0, 1.0, -1.0, about.max, -about.max, about.smallest_normal, about.eps, inf, -inf, nan]
        a = torch.tensor(values, dtype=dtype, device=device).repeat_interleave(len(values))
        b = torch.tensor(values, dtype=dtype, device=device).repeat(len(values))
        x, y = a.double(), b.double()
        yield f"myadd {dtype}", compare(op.myadd(a, b), x + y, x.abs() + y.abs(), 1)
        yield (
            f"my_multiple_input_op {dtype}",
            compare(op.my_multiple_input_op(a, b), x * y + x, (x * y).abs() + x.abs(), 2),
        )
    for dtype in INTEGERS:
        ends = torch.iinfo(dtype)
        a = torch.tensor([ends.min, ends.max, ends.max, 1], dtype=dtype, device=device)
        b = torch.tensor([ends.max, ends.max, 1, ends.min], dtype=dtype, device=device)
        yield f"myadd {dtype}", compare(op.myadd(a, b), a + b)
        yield f"my_multiple_input_op {dtype}", compare(op.my_multiple_input_op(a, b), a * b + a)


def sums(device: str) -> Iterator[Outcome]:
    op = torch.ops.myops
    for name, x in {
        "beyond 2**53": torch.tensor([2**53, 1, 2**60, -3, 7] * 1001, device=device),
        "wrapping around": torch.full((9,), 2**62, device=device),
        "of the least": torch.full((100_003,), -128, dtype=torch.int8, device=device),
        "of columns": torch.full((70_001, 3), 255, dtype=torch.uint8, device=device),
        "of bool": torch.ones(100_003, dtype=torch.bool, device=device),
    }.items():
        dims = list(range(x.dim()))
        yield f"sum {name}", compare(op.sum(x, dims), x.sum(dims))
        yield f"sum {name}, first dimension", compare(op.sum(x, [0]), x.sum(0))
    for dtype in FLOATING:
        x = make((3, 5000), dtype, device)
        x[0, 17], x[1, 18], x[1, 19] = inf, inf, -inf
        yield (
            f"sum of infinities {dtype}",
            compare(op.sum(x, [1]), x.double().sum(1), x[2].double().abs().sum().expand(3)),
        )
        large = torch.full((4096,), torch.finfo(dtype).max / 2048, dtype=dtype, device=device)
        large[1::2] *= -1
        yield f"sum of large {dtype}", compare(op.sum(large), large.double().sum(), large.double().abs().sum())


def sums_rounded_once(device: str) -> Iterator[Outcome]:
    """1, half of the dtype's last bit, and a little that float32 would lose: rounded to that first, it goes down."""
    op = torch.ops.myops
    for dtype, half_bit, more in [(torch.float16, 2.0**-11, 2.0**-24), (torch.bfloat16, 2.0**-8, 2.0**-40)]:
        x = torch.zeros(40_000, 3, dtype=dtype, device=device)
        x[1], x[20_002], x[39_999] = 1, half_bit, more
        expected = torch.full((3,), 1 + 2 * half_bit, dtype=dtype, device=device)
        for what, got in {"rows": op.sum(x.t().contiguous(), [1]), "columns": op.sum(x, [0])}.items():
            error = None if torch.equal(got, expected) else f"{got.tolist()}, expected {expected.tolist()}"
            yield f"sum of {what} of {dtype}, rounded once", error


def argmaxes(device: str) -> Iterator[Outcome]:
    op = torch.ops.myops
    for dtype in FLOATING:
        for size in (5, 64, 4099, 300_000):
            equal = torch.full((size,), -inf, dtype=dtype, device=device)
            yield f"argmax of equals {size} {dtype}", None if int(op.argmax(equal, 0)) == 0 else "not the first"
            for value in (inf, nan):
                x = make((size,), dtype, device).nan_to_num()
                x[size - 1] = x[size // 2] = value
                right = int(op.argmax(x, 0)) == size // 2
                yield f"argmax with {value} {size} {dtype}", None if right else "not the first of the largest"
        zeros = torch.tensor([-1.0, -0.0, 0.0], dtype=dtype, device=device)
        yield f"argmax of zeros {dtype}", None if int(op.argmax(zeros, 0)) == 1 else "not the first"
    for dtype in INTEGERS:
        x = torch.full((70_000,), torch.iinfo(dtype).min, dtype=dtype, device=device)
        yield f"argmax of the least {dtype}", None if int(op.argmax(x, 0)) == 0 else "not the first"
        x[69_998] += 1
        yield f"argmax of {dtype}", None if int(op.argmax(x, 0)) == 69_998 else "not the largest"


def rows(device: str) -> Iterator[Outcome]:
    op = torch.ops.myops
    for dtype in FLOATING:
        for size in (5, 64, 4099):
            x = make((6, size), dtype, device)
            for row, value in enumerate([inf, -inf, nan, 0.0]):
                x[row, size // 2] = value
            x[4] = 0.0
            (x64,) = (x.double(),)
            yield f"rms_norm {size} {dtype}", compare(op.rms_norm(x, None), rms_norm(x64, None), 10)
            expected = functional.layer_norm(x64, (size,))
            expected[:3] = nan  # ATen's own differs between devices
            yield f"layer_norm {size} {dtype}", compare(op.layer_norm(x, None, None), expected, 10)
    large = torch.full((2, 4096), 2.0**116, device=device)
    yield "layer_norm of large equals", compare(op.layer_norm(large, None, None), torch.zeros_like(large))
    for dtype in (torch.float32, torch.bfloat16):
        beyond = torch.full((2, 4096), 1e25, dtype=dtype, device=device)
        beyond[:, ::2] *= -1
        error = None if bool(op.layer_norm(beyond, None, None).isnan().all()) else "not NaN"
        yield f"layer_norm of a variance beyond {dtype}", error
    nothing = torch.zeros(2, 24, device=device)
    yield "rms_norm of zeros, eps 1e-60", compare(op.rms_norm(nothing, None, 1e-60), nothing)
    yield "layer_norm of zeros, eps 1e-60", compare(op.layer_norm(nothing, None, None, 1e-60), nothing)
    long = torch.full((1, 3_000_001), 1.1, device=device)
    expected = rms_norm(long.double(), None, 0.0)
    yield "rms_norm of a long row", compare(op.rms_norm(long, None, 0.0), expected)


def gated(device: str) -> Iterator[Outcome]:
    op = torch.ops.myops
    for name, activation, options in gated_calls():
        reference = gated_by(activation)
        for dtype in FLOATING:
            a = torch.tensor([0.0, 1e-4, 50.0, 200.0, 9000.0, inf, nan], dtype=dtype)
            a = torch.cat([a, -a])
            x = torch.stack([a, torch.full_like(a, 1.5)], -1).to(device)
            yield f"{name} {options} {dtype}", compare(getattr(op, name)(x, **options), reference(x.double()), 1)
            grad = torch.ones(len(a), 1, dtype=dtype, device=device)
            got = getattr(op, f"{name}_backward")(grad, x, **options)
            yield f"{name}_backward {options} {dtype}", compare([got], gradients(reference, grad, x), 10)


@sanitized
def special_values(device: str, quick: bool) -> Iterator[Outcome]:
    for part in (pairs, sums, sums_rounded_once, argmaxes, rows, gated):
        yield from part(device)


CHECKS: dict[str, Check] = {"special values": special_values}
