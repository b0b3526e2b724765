"""What only a GPU can show: side streams, graphs, another current device, more elements than 32 bits can count."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from gpu_check_bounds import compare
from gpu_check_calls import calls, same
from gpu_check_cases import Check, Outcome, make, rms_norm
from torch import Tensor


def side_streams(device: str, quick: bool) -> Iterator[Outcome]:
    """A kernel in another stream than the current one would see its inputs before their slow producer is done."""
    stream = torch.cuda.Stream()
    for call in calls(device):
        expected = call()
        inputs = [torch.zeros_like(tensor) for tensor in call.inputs]
        for _ in range(2 if quick else 10):
            torch.cuda.synchronize()
            with torch.cuda.stream(stream):
                torch.cuda._sleep(2_000_000)
                for tensor, original in zip(inputs, call.inputs, strict=True):
                    tensor.copy_(original)
                got = call.function(*inputs)
                got = got.clone() if isinstance(got, Tensor) else got  # diagonal's is a view
                for tensor in inputs:
                    tensor.zero_()
            stream.synchronize()
            yield str(call), None if same(got, expected) else "ran before its input was there, or after it was gone"


def graphs(device: str, quick: bool) -> Iterator[Outcome]:
    """Captured, then replayed with other inputs: as the same call made directly."""
    for call in calls(device):
        static = [tensor.clone() for tensor in call.inputs]
        warm = torch.cuda.Stream()
        warm.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(warm):
            call.function(*static)
        torch.cuda.current_stream().wait_stream(warm)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            result = call.function(*static)
        for factor in (2.0, -0.5):
            for tensor, original in zip(static, call.inputs, strict=True):
                tensor.copy_(original * factor)
            graph.replay()
            torch.cuda.synchronize()
            right = same(result, call.function(*static))
            yield f"{call} times {factor}", None if right else "a replay differs from a call"


def another_device(device: str, quick: bool) -> Iterator[Outcome]:
    if torch.cuda.device_count() < 2:
        yield "two GPUs", "skipped: this machine has one"
        return
    for here, there in zip(calls("cuda:0"), calls("cuda:1"), strict=True):
        with torch.cuda.device(0):
            got = there()
        yield str(there), None if same(_to_cpu(got), _to_cpu(here())) else "differs from device 0"
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


CHECKS: dict[str, Check] = {
    "side streams": side_streams,
    "graphs": graphs,
    "another current device": another_device,
    "beyond 32 bits": beyond_32_bits,
}
