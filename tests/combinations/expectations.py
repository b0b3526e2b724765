"""What each set of key libraries must do, written by hand from how the dispatcher works; no report is read for it.

A set is a subset of cpu, cuda, meta, composite, autograd, inplace_or_view and autocast, beside schema, which is always
there; functionalize comes with inplace_or_view. The answers are those of questions.py, in the same words.

The rules, in the order in which a call meets the keys:

  AutocastCPU      with `autocast`, the operator's policy casts. Without it the key falls through, and what is cast are
                   the ATen calls inside a kernel.
  AutogradCPU      with `autograd`, gradients are right. Without it what ATen recorded inside the kernel stays; where
                   nothing was recorded a stand-in of the loader, which comes with a library for a device, makes
                   backward an error. With `composite` alone torch's boxed fallback runs: the result gets a node that
                   has no gradient to give, and warns in backward.
  ADInplaceOrView  with `inplace_or_view`, writes are counted and diagonal gives a view, and the kernel below is hidden
                   from autograd. Without it the key falls through, and what is counted are the ATen calls inside a
                   kernel.
  CPU, Meta        the library of that key. Without it `composite`. Without both NotImplementedError, on the CPU with
                   the loader's words.
  CUDA             its kernels cannot run where there is no GPU: the library is left out, and loaded by a policy that
                   says so. It must be registered, and change nothing for other devices. Fake CUDA tensors go to Meta.
"""

from __future__ import annotations

from typing import Any

PARTS = ("cpu", "cuda", "meta", "composite", "autograd", "inplace_or_view", "autocast")
Subset = frozenset[str]

# Operator → number of its tensor arguments.
ARGUMENTS = {
    "myadd": 2,
    "myadd_": 2,
    "myadd.out": 2,
    "mymatmul": 2,
    "my_multiple_input_op": 2,
    "sum": 1,
    "diagonal": 1,
    "argmax": 1,
    "rms_norm": 2,
    "add_rms_norm": 3,
    "layer_norm": 3,
    "add_layer_norm": 4,
    "silu_and_mul": 1,
    "gelu_and_mul": 1,
}
# Those with a kernel on ADInplaceOrView: they write into an argument, or return a view of it.
ALIASING = {"myadd_", "myadd.out", "diagonal"}
# Those whose kernel in `cpu` is made of ATen calls; the others are loops of our own, of which no key sees anything.
ATEN_CALLS_IN_CPU = {"mymatmul", "diagonal"}

OUT_REQUIRES_GRAD = (
    "functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad"
)


def no_cpu_kernel(op: str) -> str:
    return f"NotImplementedError: myops::{op} has no CPU kernel: no library with one was found"


def no_gradient(op: str) -> str:
    return f"NotImplementedError: myops::{op} passes no gradient on: no library with its Autograd kernel was found"


def no_meta_kernel(op: str) -> str:
    text = "attempted to run this operator with Meta tensors, but there was no fake impl or Meta kernel registered"
    return f"NotImplementedError: myops::{op}: {text}"


def has_cpu_kernel(subset: Subset) -> bool:
    return bool(subset & {"cpu", "composite"})


def has_meta_kernel(subset: Subset) -> bool:
    return bool(subset & {"meta", "composite"})


def consists_of_aten_calls(subset: Subset, op: str) -> bool:
    """The kernel that a CPU tensor reaches. One on the CPU key goes before the composite one."""
    return op in ATEN_CALLS_IN_CPU if "cpu" in subset else True


def aten_records(subset: Subset, op: str) -> bool:
    """Without an autograd library: does autograd see the ATen calls inside the kernel?"""
    hidden = "inplace_or_view" in subset and op in ALIASING
    return consists_of_aten_calls(subset, op) and not hidden


def on_cpu(subset: Subset, op: str) -> str:
    return "right" if has_cpu_kernel(subset) else no_cpu_kernel(op)


def on_meta(subset: Subset, op: str) -> str:
    return "right" if has_meta_kernel(subset) else no_meta_kernel(op)


def on_fake_cuda(subset: Subset, op: str) -> str:
    overload = op if "." in op else f"{op}.default"
    return "right" if has_meta_kernel(subset) else f"UnsupportedOperatorException: myops.{overload}"


def has_cuda_kernel(subset: Subset, op: str) -> bool:
    return "cuda" in subset


def has_stand_in(subset: Subset) -> bool:
    """Does the loader put its own kernel on Autograd?

    Not where composite kernels, which may be running, were loaded before those of a device: `incomplete` ones, and
    those of a GPU that is not there, come with a second load.
    """
    comes_first = "cpu" in subset and not incomplete(subset)
    return "autograd" not in subset and (comes_first or ("composite" not in subset and bool(subset & {"cpu", "cuda"})))


def gradients(subset: Subset, op: str) -> str:
    """One word for each tensor argument; all of them require grad."""
    if "autograd" in subset and op == "myadd.out":
        return f"RuntimeError: myops::myadd(): {OUT_REQUIRES_GRAD}"
    if not has_cpu_kernel(subset):
        return no_cpu_kernel(op)
    if op == "argmax":  # indices have no gradient, and nobody warns
        return "none"
    right, none = " ".join(["right"] * ARGUMENTS[op]), " ".join(["none"] * ARGUMENTS[op])
    if "autograd" in subset:
        return right
    recorded = aten_records(subset, op)
    if recorded and op == "myadd.out":  # at::add_out refuses
        return f"RuntimeError: add(): {OUT_REQUIRES_GRAD}"
    if has_stand_in(subset):
        return right if recorded else no_gradient(op)
    return of_composite(op, recorded, right, none)


def of_composite(op: str, recorded: bool, right: str, none: str) -> str:
    """With torch's own fallback."""
    if recorded:
        return f"{right}, warned"
    if op == "myadd.out":  # a tensor that was given to be written into is left alone
        return "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn"
    if op == "myadd_":  # the written tensor keeps its history, as if nothing had been added to it
        return "right none, warned"
    if op == "diagonal":  # a view of a tensor that requires grad, without a history: the one loss that is silent
        return "none"
    return f"{none}, warned"


# Which dtype the results have in a bfloat16 region; mixed arguments are bfloat16, float32, bfloat16, … in turn.
LOWER_PRECISION = {"float32": "bfloat16", "bfloat16": "bfloat16", "mixed": "bfloat16"}
FLOAT32 = {"float32": "float32", "bfloat16": "float32", "mixed": "float32"}
PROMOTE = {"float32": "float32", "bfloat16": "bfloat16", "mixed": "float32"}
POLICIES = {
    "mymatmul": LOWER_PRECISION,
    "sum": FLOAT32,
    "rms_norm": FLOAT32,
    "add_rms_norm": FLOAT32,
    "layer_norm": FLOAT32,
    "add_layer_norm": FLOAT32,
    "myadd": PROMOTE,
    "my_multiple_input_op": PROMOTE,
}
# Without a cast, arguments of two dtypes are refused: which one is blamed, and for not being like which.
MUST_BE_ALIKE = {
    "myadd": ("other", "self"),
    "myadd_": ("other", "self"),
    "myadd.out": ("other", "self"),
    "mymatmul": ("other", "self"),
    "my_multiple_input_op": ("t1", "t0"),
    "rms_norm": ("weight", "input"),
    "add_rms_norm": ("residual", "input"),
    "layer_norm": ("weight", "input"),
    "add_layer_norm": ("residual", "input"),
}


def autocast(subset: Subset, op: str, given: str) -> str:
    """Dtypes of the results in a region of CPU autocast to bfloat16."""
    if not has_cpu_kernel(subset):
        return no_cpu_kernel(op)
    if op == "argmax":
        return "int64"
    results = 2 if op in ("add_rms_norm", "add_layer_norm") else 1
    if "autocast" in subset and op in POLICIES:
        return " ".join([POLICIES[op][given]] * results)
    if given == "mixed" and op in MUST_BE_ALIKE:
        blamed, like = MUST_BE_ALIKE[op]
        return f"TypeError: myops::{op}: {blamed} must have dtype bfloat16 like {like}, got float32"
    if op == "mymatmul":  # at::matmul, which every kernel calls, has a policy of its own
        return "bfloat16"
    return " ".join(["float32" if given == "float32" else "bfloat16"] * results)


def write_over_saved(subset: Subset) -> str:
    """myadd_ on a tensor that is saved for backward."""
    if not has_cpu_kernel(subset):
        return no_cpu_kernel("myadd_")
    counted = "inplace_or_view" in subset or consists_of_aten_calls(subset, "myadd_")
    return "version 1, refused" if counted else "version 0, wrong"


def write_to_leaf(subset: Subset) -> str:
    """myadd_ on a leaf that requires grad."""
    refused = "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation"
    untouched = "holds [0.0, 0.0, 0.0]"
    if "autograd" in subset or has_stand_in(subset):
        return f"{refused}, {untouched}"
    if not has_cpu_kernel(subset):
        return f"{no_cpu_kernel('myadd_')}, {untouched}"
    if aten_records(subset, "myadd_"):  # add_ refuses
        return f"{refused}, {untouched}"
    return "[1.0, 1.0, 1.0], holds [1.0, 1.0, 1.0]"


def view(subset: Subset) -> str:
    """What diagonal returns, and the version of its base after a write into it."""
    if not has_cpu_kernel(subset):
        return no_cpu_kernel("diagonal")
    return "view, shares, version 1"


def functionalized(subset: Subset) -> str:
    """A program with myadd_ and diagonal under torch.func.functionalize."""
    if "inplace_or_view" not in subset:
        schema = "myops::myadd_(Tensor(a!) self, Tensor other) -> Tensor(a!)"
        return f"RuntimeError: Found a custom (non-ATen) operator whose output has alias annotations: {schema}"
    return "right" if has_cpu_kernel(subset) else no_cpu_kernel("myadd")


def answers(subset: Subset) -> dict[str, Any]:
    """Everything that questions.py asks."""
    tables = {
        "cpu": on_cpu,
        "meta": on_meta,
        "fake cuda": on_fake_cuda,
        "cuda kernel": has_cuda_kernel,
        "gradients": gradients,
    }
    expected: dict[str, Any] = {name: {op: rule(subset, op) for op in ARGUMENTS} for name, rule in tables.items()}
    for given in ("float32", "bfloat16", "mixed"):
        expected[f"autocast {given}"] = {op: autocast(subset, op, given) for op in ARGUMENTS}
    for rule in (write_over_saved, write_to_leaf, view, functionalized):
        expected[rule.__name__] = rule(subset)
    return expected


def libraries(subset: Subset) -> set[str]:
    """The libraries that lie in the folder."""
    return {"schema", *subset} | ({"functionalize"} if "inplace_or_view" in subset else set())


def incomplete(subset: Subset) -> set[str]:
    """What a load without allow_incomplete leaves out: kernels that write or view, and nobody to tell autograd.

    The composite kernels stay: the ATen calls in them are counted.
    """
    return set() if "inplace_or_view" in subset else set(subset & {"cpu", "cuda", "meta"})


def refused(subset: Subset) -> dict[str, str]:
    """What a load without any policy leaves out on a machine that has no GPU, and the reason's code."""
    codes = dict.fromkeys(incomplete(subset), "inplace-or-view-missing")
    return codes | dict.fromkeys(subset & {"cuda"}, "no-gpu")


def notes(subset: Subset) -> list[str]:
    """How the notes about the set begin, once everything is loaded."""
    expected = [f"myops_{part} is loaded without ADInplaceOrView kernels for" for part in sorted(incomplete(subset))]
    if not subset & {"cpu", "cuda", "composite"}:
        expected.append("nothing computes")
    if subset & {"cpu", "cuda", "meta", "composite"}:
        if "autograd" not in subset:
            made_of_aten_calls = "composite" in subset and not subset & {"cpu", "cuda"}
            expected.append("gradients of" if made_of_aten_calls else "gradients would be missing for")
        if not subset & {"meta", "composite"}:
            expected.append("torch.compile, export and fake tensors would refuse")
        if "inplace_or_view" not in subset:  # the library for Functionalize comes with it
            expected += [
                "torch.compile and export would refuse",
                "torch.compile and export of some releases would refuse",
            ]
    return sorted(expected)
