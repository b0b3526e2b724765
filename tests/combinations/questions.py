"""What is asked of one set of libraries, in a process of its own: python questions.py FOLDER

Loads what lies in FOLDER with myops.load, asks every question, and prints the answers as JSON. It knows no right
answer: those are in expectations.py. An answer is short text: "right" where the value is ATen's, the dtype, or the
error as "NotImplementedError: first sentence".
"""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Callable
from typing import Any

import torch
import torch._dynamo  # by torch's own meta functions at the first call; here it is imported once for all runs
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn import functional

OPS = torch.ops.myops
X = torch.tensor([[1.0, -2.0, 3.0], [0.5, 4.0, -1.5]])
Y = torch.tensor([[2.0, 1.0, -1.0], [3.0, -0.5, 0.25]])
WEIGHT, BIAS = torch.tensor([0.5, 2.0, -1.0]), torch.tensor([1.0, 0.0, -3.0])

# Operator → (how it is called, what ATen says, tensors). Each call may write into its own copies of the tensors only.
Case = tuple[Callable[..., Any], Callable[..., Any], tuple[Tensor, ...]]
CASES: dict[str, Case] = {
    "myadd": (lambda x, y: OPS.myadd(x, y), torch.add, (X, Y)),
    "myadd_": (lambda x, y: OPS.myadd_(x, y), torch.add, (X, Y)),
    "myadd.out": (lambda x, y: OPS.myadd.out(x, y, out=torch.empty_like(x)), torch.add, (X, Y)),
    "mymatmul": (lambda x, y: OPS.mymatmul(x, y), torch.matmul, (X, Y.T.contiguous())),
    "my_multiple_input_op": (lambda x, y: OPS.my_multiple_input_op(x, y), lambda x, y: x * y + x, (X, Y)),
    "sum": (lambda x: OPS.sum(x, [1]), lambda x: torch.sum(x, 1), (X,)),
    "diagonal": (lambda x: OPS.diagonal(x), torch.diagonal, (X,)),
    "argmax": (lambda x: OPS.argmax(x), lambda x: torch.argmax(x, -1), (X,)),
    "rms_norm": (
        lambda x, w: OPS.rms_norm(x, w, 1e-5),
        lambda x, w: functional.rms_norm(x, [3], w, 1e-5),
        (X, WEIGHT),
    ),
    "add_rms_norm": (
        lambda x, r, w: OPS.add_rms_norm(x, r, w, 1e-5),
        lambda x, r, w: (functional.rms_norm(x + r, [3], w, 1e-5), x + r),
        (X, Y, WEIGHT),
    ),
    "layer_norm": (
        lambda x, w, b: OPS.layer_norm(x, w, b, 1e-5),
        lambda x, w, b: functional.layer_norm(x, [3], w, b, 1e-5),
        (X, WEIGHT, BIAS),
    ),
    "add_layer_norm": (
        lambda x, r, w, b: OPS.add_layer_norm(x, r, w, b, 1e-5),
        lambda x, r, w, b: (functional.layer_norm(x + r, [3], w, b, 1e-5), x + r),
        (X, Y, WEIGHT, BIAS),
    ),
    "silu_and_mul": (lambda x: OPS.silu_and_mul(x), lambda x: functional.silu(x[:1]) * x[1:], (X.flatten()[:2],)),
    "gelu_and_mul": (lambda x: OPS.gelu_and_mul(x), lambda x: functional.gelu(x[:1]) * x[1:], (X.flatten()[:2],)),
}


def sentence(error: Exception) -> str:
    """The kind of an error and the first sentence of its text."""
    first = str(error).strip().splitlines()[0] if str(error) else ""
    first = re.sub(r" was found in /.*", " was found", first)  # the folders are those of the run
    # The full stop that ends a sentence, not the last one of "out=... arguments".
    return f"{type(error).__name__}: {re.split(r'(?<=[^.])[.] ', first)[0].rstrip('.')}"


def answered(question: Callable[[], str]) -> str:
    try:
        return question()
    except Exception as error:  # what went wrong is the answer
        return sentence(error)


def tensors(result: Any) -> tuple[Tensor, ...]:
    return result if isinstance(result, tuple) else (result,)


def on_cpu(case: Case) -> str:
    """Are the values of a call on CPU tensors those of ATen?"""
    call, reference, inputs = case
    found, expected = tensors(call(*(t.clone() for t in inputs))), tensors(reference(*inputs))
    same = all(torch.allclose(a, b) and a.dtype == b.dtype for a, b in zip(found, expected, strict=True))
    return "right" if same else "wrong"


def on_meta(case: Case) -> str:
    """Have the results of a call on meta tensors the shape, strides and dtype of the real ones?"""
    call, reference, inputs = case
    found, expected = tensors(call(*(t.to("meta") for t in inputs))), tensors(reference(*inputs))

    def described(t: Tensor) -> tuple[Any, ...]:
        return t.shape, t.stride(), t.dtype

    same = all(a.is_meta and described(a) == described(b) for a, b in zip(found, expected, strict=True))
    return "right" if same else "wrong"


def has_cuda_kernel(name: str) -> bool:
    return torch._C._dispatch_has_kernel_for_dispatch_key(f"myops::{name}", "CUDA")


def on_fake_cuda(case: Case) -> str:
    """Have the results of a call on fake CUDA tensors the device, and shape, strides and dtype of the real ones?"""
    call, reference, inputs = case
    with FakeTensorMode():
        fakes = [torch.empty_strided(t.shape, t.stride(), dtype=t.dtype, device="cuda") for t in inputs]
        found = tensors(call(*fakes))

    def described(t: Tensor) -> tuple[Any, ...]:
        return t.shape, t.stride(), t.dtype

    expected = tensors(reference(*inputs))
    same = all(a.is_cuda and described(a) == described(b) for a, b in zip(found, expected, strict=True))
    return "right" if same else "wrong"


def scalar(results: Any) -> Tensor | None:
    """One number of all floating results, in which every element counts differently; None where there are none."""
    floating = [t for t in tensors(results) if t.is_floating_point()]
    parts = [(t * torch.arange(1, t.numel() + 1).reshape(t.shape)).sum() for t in floating]
    return torch.stack(parts).sum() if parts else None


def gradients(function: Callable[..., Any], inputs: tuple[Tensor, ...]) -> list[Tensor | None]:
    leaves = [t.clone().requires_grad_() for t in inputs]
    number = scalar(function(*(leaf * 1 for leaf in leaves)))
    if number is not None:
        number.backward()
    return [leaf.grad for leaf in leaves]


def with_gradients(case: Case) -> str:
    """One word for each tensor argument: right, wrong or none; and whether torch warned of the missing kernel."""
    call, reference, inputs = case
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = gradients(call, inputs)
    words = []
    for gradient, expected in zip(found, gradients(reference, inputs), strict=True):
        if gradient is None or expected is None:
            words.append("none" if gradient is None else "wrong")
        else:
            words.append("right" if torch.allclose(gradient, expected) else "wrong")
    warned = any("autograd kernel was not registered" in str(warning.message) for warning in caught)
    return " ".join(words) + (", warned" if warned else "")


def under_autocast(case: Case, *dtypes: torch.dtype) -> str:
    """The dtype of the results in a bfloat16 region, where the tensor arguments have `dtypes` in turn."""
    call, _, inputs = case
    given = [t.to(dtypes[i % len(dtypes)]) for i, t in enumerate(inputs)]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        results = tensors(call(*given))
    return " ".join(str(t.dtype).removeprefix("torch.") for t in results)


def write_over_saved() -> str:
    """A tensor that was saved is written to: is that counted, and does backward refuse? (2y = 4 is right.)"""
    x = torch.full((3,), 2.0, requires_grad=True)
    y = x * 1
    z = (y * y).sum()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        OPS.myadd_(y, torch.ones(3))
        try:
            z.backward()
            outcome = "right" if torch.equal(x.grad, torch.full((3,), 4.0)) else "wrong"
        except RuntimeError as error:
            outcome = "refused" if "modified by an inplace operation" in str(error) else sentence(error)
    return f"version {y._version}, {outcome}"


def write_to_leaf() -> str:
    """A leaf that requires grad may not be written to."""
    leaf = torch.zeros(3, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outcome = answered(lambda: str(OPS.myadd_(leaf, torch.ones(3)).tolist()))
    return f"{outcome}, holds {leaf.tolist()}"


def view() -> str:
    """Is the diagonal a view of its base, does the base see a write into it, and is the write counted?"""
    base = torch.zeros(3, 3)
    diagonal = OPS.diagonal(base)
    diagonal.fill_(1)
    shares = torch.equal(base, torch.eye(3))
    kind = "view" if diagonal._base is base else "no view"
    return f"{kind}, {'shares' if shares else 'copies'}, version {base._version}"


def functionalized() -> str:
    """Does functionalization (and so compile and export) take an operator that writes?"""

    def program(x: Tensor) -> Tensor:
        y = x.clone()
        OPS.myadd_(y, torch.ones(3))
        return OPS.diagonal(y.expand(3, 3)).clone()

    return "right" if torch.equal(torch.func.functionalize(program)(torch.zeros(3)), torch.ones(3)) else "wrong"


def answers() -> dict[str, Any]:
    f32, bf16 = torch.float32, torch.bfloat16
    with torch.no_grad():
        found: dict[str, Any] = {
            "cpu": {name: answered(lambda c=case: on_cpu(c)) for name, case in CASES.items()},
            "meta": {name: answered(lambda c=case: on_meta(c)) for name, case in CASES.items()},
            "fake cuda": {name: answered(lambda c=case: on_fake_cuda(c)) for name, case in CASES.items()},
            "cuda kernel": {name: has_cuda_kernel(name) for name in CASES},
        }
    found["gradients"] = {name: answered(lambda c=case: with_gradients(c)) for name, case in CASES.items()}
    for kind, dtypes in {"float32": (f32,), "bfloat16": (bf16,), "mixed": (bf16, f32)}.items():
        found[f"autocast {kind}"] = {
            name: answered(lambda c=case, d=dtypes: under_autocast(c, *d)) for name, case in CASES.items()
        }
    alone = (write_over_saved, write_to_leaf, view, functionalized)
    return found | {question.__name__: answered(question) for question in alone}


def load(folder: str) -> dict[str, Any]:
    """Loads what lies in `folder`; where something of it is refused, loads again and lets it through, GPU or not."""
    import myops

    first = myops.load(paths=[folder])
    refused = any(file.codes for file in first.files)
    whole = myops.load(paths=[folder], allow_incomplete=True, allow_no_gpu=True) if refused else first
    return {"first": first.json, "whole": whole.json}


def main(arguments: list[str]) -> None:
    reports = load(arguments[0])  # before anything of the namespace is looked up
    print(json.dumps({"reports": reports, "answers": answers()}))


if __name__ == "__main__":
    main(sys.argv[1:])
