"""What a call is told for which a kernel is missing, and what else stays as it was."""

from __future__ import annotations

import pytest
from support.package import by_hand
from support.reasons import produces

# Runs `call` and prints the error, on one line.
ERRORS = """
def told(call):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, str(error).replace(chr(10), " | "))
    else:
        print("no error")
x = torch.ones(2, 4)
"""


def run(code: str, **env: str) -> list[str]:
    outcome = by_hand(ERRORS + code, **env)
    assert outcome.returncode == 0, outcome
    return outcome.stdout.splitlines()


def test_call_names_the_library_and_why_it_was_not_loaded() -> None:
    (line,) = run("""
myops.load(disable=["myops_cpu*", "myops_composite"])
told(lambda: torch.ops.myops.rms_norm(x, None, 1e-6))
""")
    assert line.startswith("NotImplementedError myops::rms_norm has no CPU kernel: libmyops_cpu")
    assert "was not loaded (disabled: switched off by myops_cpu*)" in line, line


def test_layout_that_composite_would_serve_names_that_library() -> None:
    (line,) = run("""
myops.load(disable=["myops_composite"])
told(lambda: torch.ops.myops.myadd.out(x.to_sparse(), x, out=x))
""")
    assert line.startswith("NotImplementedError myops::myadd.out has no SparseCPU kernel: libmyops_composite.so"), line


def test_call_without_a_tensor_says_so() -> None:
    """No operator of ours has none; one of a plugin may."""
    (line,) = run("""
myops.load()
from myops import _missing
told(lambda: _missing._raise("other::nothing", "Undefined"))
""")
    assert line == "NotImplementedError other::nothing was called without a tensor: nothing says for which device"


GRADIENT = (
    "myops::rms_norm passes no gradient on: libmyops_autograd.so was not loaded "
    "(disabled: switched off by myops_autograd)"
)


def test_gradient_without_the_autograd_library_is_an_error() -> None:
    lines = run("""
import warnings
warnings.simplefilter("error")
myops.load(disable=["myops_autograd", "myops_composite"])
norm = torch.ops.myops.rms_norm
x.requires_grad_()
y = norm(x, None, 1e-6)
told(lambda: y.sum().backward())
told(lambda: norm(x.detach(), None, 1e-6))
with torch.no_grad():
    print(norm(x, None, 1e-6).requires_grad)
warnings.simplefilter("ignore")  # torch.func's own
told(lambda: torch.func.jvp(lambda t: norm(t, None, 1e-6), (x.detach(),), (x.detach(),)))
told(lambda: torch.func.grad(lambda t: norm(t, None, 1e-6).sum())(x.detach()))
print(myops.has_kernel("rms_norm", "Autograd"), myops.has_kernel("rms_norm", "CPU"))
""")
    error = f"NotImplementedError {GRADIENT}"
    assert lines == [error, "no error", "False", error, error, "False True"]


def test_gradient_is_an_error_where_a_program_is_compiled_for_it() -> None:
    lines = run("""
myops.load(disable=["myops_autograd", "myops_composite"])
compiled = torch.compile(lambda t: torch.ops.myops.rms_norm(t, None, 1e-6) * 2, backend="aot_eager", fullgraph=True)
told(lambda: compiled(x))
told(lambda: compiled(x.requires_grad_()).sum().backward())
""")
    assert lines[0] == "no error"
    assert GRADIENT in lines[1], lines


@pytest.mark.parametrize("part", ["fake", "compile", "export"])
def test_tracing_is_as_without(part: str) -> None:
    """With and without explanations: the same result."""
    code = """
from torch._subclasses.fake_tensor import FakeTensorMode
def fake():
    with FakeTensorMode():
        return tuple(torch.ops.myops.rms_norm(torch.ones(2, 4, device="cuda"), None, 1e-6).shape)
def compile():
    return torch.compile(lambda t: torch.ops.myops.rms_norm(t, None, 1e-6), backend="aot_eager")(x).tolist()
class Module(torch.nn.Module):
    def forward(self, t):
        return torch.ops.myops.rms_norm(t, None, 1e-6)
def export():
    return str(torch.export.export(Module(), (x,)).graph)
"""
    load = 'myops.load(disable=["myops_composite", "myops_autograd"], explain_missing={})\nprint({}())'
    results = [run(code + load.format(explain, part)) for explain in (True, False)]
    assert results[0] == results[1]


def test_it_can_be_turned_off() -> None:
    lines = run("""
myops.load(disable=["myops_cpu*", "myops_composite"], explain_missing=False)
told(lambda: torch.ops.myops.rms_norm(x, None, 1e-6))
""")
    assert lines[0].startswith("NotImplementedError Could not run 'myops::rms_norm'")


@produces("not-quiescent")
def test_autograd_library_comes_late_only_where_nothing_runs(code: str) -> None:
    lines = run("""
myops.load(disable=["myops_autograd"])
report = myops.load()
print([file.codes for file in report.files if file.name == "myops_autograd"])
report = myops.load(quiescent=True)
x.requires_grad_()
torch.ops.myops.rms_norm(x, None, 1e-6).sum().backward()
print(x.grad.shape, myops.has_kernel("rms_norm", "Autograd"))
""")
    assert lines == [f"[('{code}',)]", "torch.Size([2, 4]) True"]


def test_own_gradient_from_python_takes_the_place() -> None:
    (line,) = run("""
import warnings
warnings.simplefilter("ignore")
myops.load(disable=["myops_autograd", "myops_composite"])
torch.library.register_autograd("myops::rms_norm", lambda ctx, grad: (grad, None, None))
x.requires_grad_()
torch.ops.myops.rms_norm(x, None, 1e-6).sum().backward()
print(x.grad.sum().item())
""")
    assert line == "8.0"


def test_libraries_that_come_after_something_was_compiled_are_told_of() -> None:
    outcome = by_hand("""
myops.load(disable=["myops_functionalize"])
x = torch.ones(2)
torch.compile(lambda t: torch.ops.myops.myadd(t, t), backend="aot_eager")(x)
myops.load(disable=["myops_functionalize"])
print("first")
myops.load()
""")
    assert outcome.stdout == "first\n"
    assert "libraries were loaded after something was compiled" in outcome.stderr, outcome


def test_composite_that_serves_a_device_is_in_the_report() -> None:
    (line,) = run("""
report = myops.load(disable=["myops_cpu*"])
print("CPU: served by composite" in report.text, report.json["composite"], torch.ops.myops.myadd(x, x).sum().item())
""")
    assert line.startswith("True ['CPU'") and line.endswith("16.0")


def test_stand_ins_of_a_host_without_python_explain_devices_too() -> None:
    """As a C++ program has it: through the C ABI, which is asked for them by default."""
    lines = run("""
from myops import _loader
print(_loader.call("load", {"disable": ["myops_cpu*", "myops_composite"]})[0])
told(lambda: torch.ops.myops.rms_norm(x, None, 1e-6))
told(lambda: torch.ops.myops.rms_norm(x.to("meta"), None, 1e-6))
print(myops.has_kernel("rms_norm", "CPU"))
""")
    assert lines[0] == "0"
    assert lines[1].startswith("NotImplementedError myops::rms_norm has no CPU kernel: libmyops_cpu"), lines
    assert lines[2:] == ["no error", "False"]
