"""The demo: it runs to the end, and fails where it must. Its comparisons are tested on values wrong on purpose."""

from __future__ import annotations

import importlib
import json
import math
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from support.build_tree import BUILD, OTHER_TORCHS_EXTENSION, ROOT, WHEELS, wheel
from support.process import Outcome, run

DEMO = ROOT / "examples" / "demo"


def run_demo(*options: str) -> Outcome:
    command = [sys.executable, str(DEMO / "demo.py"), *options]
    # One thread: several tests run at a time, and OpenMP's threads wait for each other by spinning.
    return run(command, {"MYOPS_WHEELS": str(WHEELS), "OMP_NUM_THREADS": "1"}, timeout=580)


@pytest.fixture
def part(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Imports a module of the demo; this process loads no operators, and forgets module and package afterwards."""
    monkeypatch.syspath_prepend(str(BUILD / "lib" / "python"))
    monkeypatch.syspath_prepend(str(DEMO))
    monkeypatch.setenv("MYOPS_AUTOLOAD", "0")
    before = set(sys.modules)

    def load(name: str) -> ModuleType:
        return importlib.import_module(name)

    yield load
    for name in set(sys.modules) - before:
        if name in ("compare", "refusals", "text") or name.partition(".")[0] == "myops":
            del sys.modules[name]


@pytest.mark.timeout(600)
def test_demo_holds() -> None:
    wheel(OTHER_TORCHS_EXTENSION[0])
    outcome = run_demo("--sentences", "48")
    assert (outcome.returncode, outcome.stderr) == (0, ""), outcome
    titles = [line[3:] for line in outcome.stdout.splitlines() if line.startswith("== ")]
    assert titles == [
        "This machine",
        "The plan",
        "Loading",
        "The model: all-MiniLM-L6-v2 with its real weights",
        "One fine-tuning step under bfloat16 autocast",
        "Three libraries that must be refused",
    ]
    assert "calls of myops:        24 add_layer_norm, 2 layer_norm" in outcome.stdout, "two batches through six layers"
    speeds = re.search(r"sentences per second: +([\d.]+) unmodified, ([\d.]+) on myops", outcome.stdout)
    assert speeds and all(float(speed) > 0 for speed in speeds.groups())
    refused = outcome.stdout.partition("must be refused")[2]
    assert "myops says: " in refused, "the package's own lines are on stdout, in their place"
    for name, code in (
        ("libmyops_damaged.so", "truncated"),
        ("libtorchvision_C.so", "symbol-missing"),
        ("libmyops_schema_again.so", "conflict|taken|duplicate"),
    ):
        assert re.search(rf"{name}.*\n(    .*\n)*    .*({code})", refused), refused
    assert outcome.stdout.endswith("\nEvery comparison held.\n")


def test_required_key_that_nothing_serves_fails() -> None:
    outcome = run_demo("--require", "PrivateUse1")
    assert outcome.returncode == 1, outcome
    assert "== The plan" in outcome.stdout and "== The model" not in outcome.stdout
    assert "PrivateUse1" in outcome.stdout.partition("\nFAILED: ")[2]


@pytest.mark.parametrize("option", [["--sentences", "0"], ["--sentences", "many"], ["--unknown"]])
def test_wrong_option_is_a_usage_error(option: list[str]) -> None:
    outcome = run_demo(*option)
    assert (outcome.returncode, outcome.stdout) == (2, "") and "usage:" in outcome.stderr


def test_more_sentences_than_there_are_fails(part: Any) -> None:
    text = part("text")
    with pytest.raises(ValueError, match=r"^1000000 sentences asked for, and the installed packages' texts have \d+$"):
        text.sentences(1_000_000)


def test_sentences_are_real_different_and_always_the_same(part: Any) -> None:
    text = part("text")
    sentences = text.sentences(600)
    assert len(set(sentences)) == 600 and sentences == text.sentences(600)
    assert sentences[:100] == text.sentences(100)
    assert any("Redistributions of source code must retain" in sentence for sentence in text.sentences(2000))
    pairs = text.neighbours(32)
    assert len(set(pairs)) == 32 and all(first != second for first, second in pairs)


def test_text_is_split_without_markup(part: Any) -> None:
    plain = "# Title\n\nRead the [long manual](http://a.b/c) before you\nbegin to work. It `really` is worth the time!"
    assert list(part("text").split(plain)) == [
        "Read the long manual before you begin to work.",
        "It really is worth the time!",
    ]


def unit_rows(rows: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.nn.functional.normalize(torch.randn(rows, 384, generator=generator), dim=1)


def test_equal_embeddings_hold(part: Any) -> None:
    rows = unit_rows(8)
    found = part("compare").embeddings(rows + 1e-7, rows)
    assert found.smallest_cosine > 0.99999999 and 0 < found.largest_difference < 2e-7


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda rows: rows.flip(0), r"smallest cosine of two embeddings is -?0\.\d+, not 0\.9999 or more"),
        (lambda rows: rows.index_fill(0, torch.tensor([3]), math.nan), "smallest cosine of two embeddings is nan"),
        (lambda rows: torch.cat([rows[:7], rows[7:] + 0.02 * unit_rows(1)]), "smallest cosine"),
        (lambda rows: rows[:7], r"embeddings have shape \(7, 384\), the unmodified model's \(8, 384\)"),
    ],
    ids=["other-rows", "nan", "one-row-off", "row-missing"],
)
def test_wrong_embeddings_fail(part: Any, wrong: Any, message: str) -> None:
    compare = part("compare")
    rows = unit_rows(8)
    with pytest.raises(compare.ComparisonError, match=message):
        compare.embeddings(wrong(rows), rows)


THEIR_EVENTS = {"aten::layer_norm": 13, "aten::native_layer_norm": 13, "aten::add": 14}
OUR_EVENTS = {"myops::layer_norm": 1, "myops::add_layer_norm": 12, "aten::add": 2}


def test_all_calls_moved_hold(part: Any) -> None:
    found = part("compare").calls(OUR_EVENTS, THEIR_EVENTS)
    assert (found.layer_norm, found.add_layer_norm, found.residual_adds_gone) == (1, 12, 12)


@pytest.mark.parametrize(
    ("ours", "theirs", "message"),
    [
        (OUR_EVENTS | {"aten::layer_norm": 1}, THEIR_EVENTS, r"still ran original LayerNorms: {'aten::layer_norm': 1}"),
        (OUR_EVENTS | {"aten::native_layer_norm": 2}, THEIR_EVENTS, "still ran original LayerNorms"),
        (OUR_EVENTS | {"myops::add_layer_norm": 11}, THEIR_EVENTS, r"ran 13 LayerNorms, and myops served 1 \+ 11"),
        (OUR_EVENTS | {"aten::add": 3}, THEIR_EVENTS, "12 residual additions went to myops, but 11 left aten::add"),
        ({}, {}, "the unmodified model ran 0 LayerNorms"),
    ],
    ids=["layer-norm-left", "native-left", "one-lost", "add-left", "nothing-ran"],
)
def test_wrong_calls_fail(part: Any, ours: dict[str, int], theirs: dict[str, int], message: str) -> None:
    compare = part("compare")
    with pytest.raises(compare.ComparisonError, match=message):
        compare.calls(ours, theirs)


def gradients(noise: float, seed: int) -> dict[str, torch.Tensor]:
    """Two parameters and one whose gradient is only rounding, each with noise relative to its size."""
    exact, generator = torch.Generator().manual_seed(0), torch.Generator().manual_seed(seed)
    found = {}
    for name, size, scale in (("weight", (384, 64), 1.0), ("bias", (384,), 1.0), ("key.bias", (384,), 1e-7)):
        value = scale * torch.randn(size, generator=exact)
        found[name] = value + max(noise * scale, noise * 1e-4) * torch.randn(size, generator=generator)
    return found


def test_gradients_as_far_off_as_the_unmodified_ones_hold(part: Any) -> None:
    found = part("compare").gradients(gradients(0.01, 1), gradients(0.01, 2), gradients(0.0, 0))
    assert found.our_error == pytest.approx(0.01, rel=0.05) and found.their_error == pytest.approx(0.01, rel=0.05)
    assert found.worst_ratio < 1.2 and found.smallest_cosine > 0.9995


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda good: good | {"bias": good["bias"] * 1.05}, "the gradient of bias is off from float32 by"),
        (lambda good: good | {"bias": torch.zeros(384)}, "the gradient is off from float32 by"),
        (lambda good: good | {"weight": good["weight"] + math.nan}, "the gradient is off from float32 by nan"),
        (lambda good: {name: -value for name, value in good.items()}, r"the gradient is off from float32 by 2\.0"),
        (lambda good: {"weight": good["weight"]}, r"gradients exist in one model .*\['bias', 'key.bias'\]"),
    ],
    ids=["five-percent", "zero", "nan", "sign", "absent"],
)
def test_wrong_gradients_fail(part: Any, wrong: Any, message: str) -> None:
    compare = part("compare")
    with pytest.raises(compare.ComparisonError, match=message):
        compare.gradients(wrong(gradients(0.01, 1)), gradients(0.01, 2), gradients(0.0, 0))


def test_step_that_does_not_lower_the_loss_fails(part: Any) -> None:
    compare = part("compare")
    compare.losses(our_before=2.0, our_after=1.5, their_before=2.0, their_after=1.6)
    with pytest.raises(compare.ComparisonError, match=r"from 2\.0 to 1\.6, and the loss on myops from 2\.0 to 2\.1"):
        compare.losses(our_before=2.0, our_after=2.1, their_before=2.0, their_after=1.6)


def report_of(refusals: ModuleType, path: Path, verdict: str, code: str, opened: bool = False) -> Any:
    reason = {"code": code, "subject": "", "expected": "", "found": "", "hint": ""}
    file = {"path": str(path), "real_path": str(path), "name": path.stem, "verdict": verdict, "loads": False}
    source = {"files": [file | {"reasons": [reason] if code else []}], "opened": [str(path)] if opened else []}
    return refusals.Report(json.dumps(source))


def test_refusals_must_happen_and_for_the_right_reason(part: Any, tmp_path: Path) -> None:
    refusals, compare = part("refusals"), part("compare")
    path = tmp_path / "libbad.so"
    unwanted = [refusals.Unwanted(path, "a bad file", frozenset({"truncated"}))]

    refused = report_of(refusals, path, "rejected", "truncated")
    assert refusals.check(unwanted, refused, refused)[0].codes == ("truncated",)
    for looked, loaded, message in (
        (report_of(refusals, path, "usable", ""), refused, r"libbad.so \(a bad file\) was not refused: usable"),
        (refused, report_of(refusals, path, "rejected", "truncated", opened=True), "was not refused"),
        (
            report_of(refusals, path, "rejected", "noexec"),
            refused,
            r"refused for \('noexec',\), not for \['truncated'\]",
        ),
        (report_of(refusals, tmp_path / "libother.so", "rejected", "truncated"), refused, "names libbad.so .* 0 times"),
    ):
        with pytest.raises(compare.ComparisonError, match=message):
            refusals.check(unwanted, looked, loaded)


def test_missing_wheel_is_named(part: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYOPS_WHEELS", str(tmp_path))
    with pytest.raises(
        FileNotFoundError, match=rf"no {OTHER_TORCHS_EXTENSION[0]}-\*\.whl in {tmp_path}: \./dev setup fetches"
    ):
        part("refusals").find_wheel(ROOT)
