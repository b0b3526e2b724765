"""What only a GPU can show: side streams, graphs, another current device, more elements than 32 bits can count."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from gpu_check_bounds import compare
from gpu_check_cases import Outcome, make, rms_norm
from torch import Tensor


def calls(device: str) -> dict[str, tuple[list[Tensor], Callable[..., object]]]:
    """Each operator that launches kernels, with inputs that may be changed."""
    op = torch.ops.myops
    x, y = make((300, 1000), torch.bfloat16, device), make((300, 1000), torch.bfloat16, device, 1)
    w = make((1000,), torch.bfloat16, device, 2)
    found: dict[str, tuple[list[Tensor], Callable[..., object]]] = {
        "myadd": ([x, y], op.myadd),
        "my_multiple_input_op": ([x, y], op.my_multiple_input_op),
        "mymatmul": ([x, y], lambda a, b: op.mymatmul(a, b.t())),
        "sum": ([x], lambda a: op.sum(a)),
        "sum of columns": ([x], lambda a: op.sum(a, [0])),
        "argmax": ([x], lambda a: op.argmax(a.view(-1), 0)),
        "rms_norm": ([x, w], op.rms_norm),
        "layer_norm": ([x, w], lambda a, b: op.layer_norm(a, b, b)),
        "add_layer_norm": ([x, y, w], lambda a, b, c: op.add_layer_norm(a, b, c, c)),
        "rms_norm_backward": ([x, y, w], lambda a, b, c: op.rms_norm_backward(a, b, c, 1e-6, [True, True])),
        "layer_norm_backward": ([x, y, w], lambda a, b, c: op.layer_norm_backward(a, b, c, 1e-5, [True] * 3)),
    }
    found["silu_and_mul"] = ([x], op.silu_and_mul)
    found["gelu_and_mul"] = ([x], op.gelu_and_mul)
    found["add_rms_norm"] = ([x, y, w], op.add_rms_norm)
    return found


def same(got: object, expected: object) -> bool:
    if isinstance(got, Tensor):
        assert isinstance(expected, Tensor)
        return torch.equal(got, expected)
    assert isinstance(got, (tuple, list)) and isinstance(expected, (tuple, list))
    return all(same(g, e) for g, e in zip(got, expected, strict=True))


def side_streams(device: str, quick: bool) -> Iterator[Outcome]:
    """A kernel that ran in another stream than the current one would see the input before its slow producer is done."""
    stream = torch.cuda.Stream()
    x = torch.zeros(1 << 16, device=device)
    w = torch.ones(1 << 16, device=device)
    for round_ in range(10 if quick else 100):
        value = float(round_ + 1)
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(2_000_000)
            x.fill_(value)
            added = torch.ops.myops.myadd(x, w)
            total = torch.ops.myops.sum(x)
            grad = torch.ops.myops.rms_norm_backward(w.view(64, -1), x.view(64, -1), w[:1024], 1e-6, [False, True])[1]
            x.fill_(-1)
        stream.synchronize()
        right = bool((added == value + 1).all()) and float(total) == value * (1 << 16)
        right = right and compare(grad, torch.full_like(grad, 64, dtype=torch.float64)) is None
        yield f"round {round_}", None if right else "a kernel ran before its input was there, or after it was gone"


def graphs(device: str, quick: bool) -> Iterator[Outcome]:
    """Captured, then replayed with other inputs: as the same call made directly."""
    for name, (inputs, call) in calls(device).items():
        static = [tensor.clone() for tensor in inputs]
        warm = torch.cuda.Stream()
        warm.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(warm):
            call(*static)
        torch.cuda.current_stream().wait_stream(warm)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            result = call(*static)
        for factor in (2.0, -0.5):
            for tensor, original in zip(static, inputs, strict=True):
                tensor.copy_(original * factor)
            graph.replay()
            torch.cuda.synchronize()
            yield f"{name} times {factor}", None if same(result, call(*static)) else "a replay differs from a call"


def another_device(device: str, quick: bool) -> Iterator[Outcome]:
    if torch.cuda.device_count() < 2:
        yield "two GPUs", "skipped: this machine has one"
        return
    here = calls("cuda:0")
    for name, (inputs, call) in calls("cuda:1").items():
        with torch.cuda.device(0):
            got = call(*inputs)
        yield name, None if same(_to_cpu(got), _to_cpu(here[name][1](*here[name][0]))) else "differs from device 0"
    try:
        torch.ops.myops.myadd(torch.ones(2, device="cuda:0"), torch.ones(2, device="cuda:1"))
    except RuntimeError as error:
        right = "cuda:0" in str(error) and "cuda:1" in str(error)
        yield "mixed devices", None if right else f"the error does not name both: {error}"
    else:
        yield "mixed devices", "taken without an error"


def _to_cpu(result: object) -> object:
    if isinstance(result, Tensor):
        return result.cpu()
    assert isinstance(result, (tuple, list))
    return [_to_cpu(item) for item in result]


def beyond_32_bits(device: str, quick: bool) -> Iterator[Outcome]:
    count = (1 << 31) + 17
    free = torch.cuda.mem_get_info()[0]
    needed = 10 * count
    if quick or free < needed:
        yield "large tensors", f"skipped: {'--quick' if quick else f'{free} bytes are free, {needed} needed'}"
        return
    op = torch.ops.myops
    x = torch.ones(count, dtype=torch.int8, device=device)
    yield "sum", None if int(op.sum(x)) == count else "wrong"
    x[-2] = 7
    yield "argmax", None if int(op.argmax(x, 0)) == count - 2 else "wrong"
    total = op.myadd(x, x)
    right = int(total[-2]) == 14 and int(total[-1]) == 2 and bool((total[: 1 << 20] == 2).all())
    yield "myadd", None if right else "wrong"
    right = int(op.sum(total)) == 2 * count + 12
    yield "myadd, all elements", None if right else "wrong"
    strided = op.myadd(x[::2], x[1::2][:1])
    yield "myadd of strides", None if int(strided[-1]) == 2 and strided.numel() == count // 2 + 1 else "wrong"
    del x, total, strided
    rows = (1 << 31) // 4096 + 3
    big = torch.zeros(rows, 4096, dtype=torch.bfloat16, device=device)
    big[-5:] = make((5, 4096), torch.bfloat16, device)
    got = op.rms_norm(big, None)[-5:]
    yield "rms_norm", compare(got, rms_norm(big[-5:].double(), None), 10)
    grad = op.rms_norm_backward(big, big, None, 1e-6, [False, True])[1]
    rest = op.rms_norm_backward(big[-5:], big[-5:], None, 1e-6, [False, True])[1]
    yield "rms_norm_backward", compare(grad, rest.double(), 100)


CHECKS: dict[str, Callable[[str, bool], Iterator[Outcome]]] = {
    "side streams": side_streams,
    "graphs": graphs,
    "another current device": another_device,
    "beyond 32 bits": beyond_32_bits,
}
