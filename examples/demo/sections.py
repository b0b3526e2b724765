"""The parts of the demo, in the order of its output. Each prints what it finds, and raises where something fails."""

from __future__ import annotations

import logging
import platform
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import compare
import finetune
import measure
import model
import myops
import refusals
import text
import torch
from sentence_transformers import SentenceTransformer

REPOSITORY = Path(__file__).resolve().parents[2]
NEEDED = ("CPU", "Autograd", "AutocastCPU")
BATCH_SIZE = 32


class Pair(NamedTuple):
    """One model twice: as it comes, and on myops."""

    theirs: SentenceTransformer
    ours: SentenceTransformer


def load(paths: Sequence[str], require: Sequence[str]) -> myops.Report:
    """Shows this machine and the plan, then loads. LoadError where something needed is not there."""
    keys = (*NEEDED, *require)
    plan = myops.plan(require=keys, paths=paths)
    _title("This machine")
    for part in ("host", "torch"):
        for name, value in (plan.json.get(part) or {}).items():
            _fact(f"{part} {name}", value)
    _fact("python", f"{platform.python_version()}, torch uses {torch.get_num_threads()} threads")
    _title("The plan")
    print(plan)
    _title("Loading")
    report = myops.load(require=keys, paths=paths)
    print(report)
    return report


def compare_embeddings(count: int) -> Pair:
    """Both models over the same sentences: calls, distance and speed."""
    _title("The model: all-MiniLM-L6-v2 with its real weights")
    theirs = model.unmodified()
    pair = Pair(theirs, model.on_myops(theirs))
    batches = model.tokenise(theirs, text.sentences(count), BATCH_SIZE)
    _fact("text", f"{count} sentences of installed packages' licences and readmes, {len(batches)} batches")

    their_pass = measure.profiled_pass(pair.theirs, batches, "unmodified, profiled")
    our_pass = measure.profiled_pass(pair.ours, batches, "on myops, profiled")
    calls = compare.calls(our_pass.events, their_pass.events)
    _fact("calls of myops", f"{calls.add_layer_norm} add_layer_norm, {calls.layer_norm} layer_norm")
    _fact("left to torch", f"0 LayerNorms; {calls.residual_adds_gone} residual additions are gone")
    distance = compare.embeddings(our_pass.embeddings, their_pass.embeddings)
    _fact("largest difference", f"{distance.largest_difference:.2e}")
    _fact("smallest cosine", f"{distance.smallest_cosine:.9f} (at least {compare.SMALLEST_COSINE})")

    their_seconds, our_seconds = measure.seconds_of_each(pair, batches, "both in turn, timed")
    _fact("sentences per second", f"{count / their_seconds:.1f} unmodified, {count / our_seconds:.1f} on myops")
    return pair


def compare_fine_tuning(pair: Pair, count: int) -> None:
    """One step of each model under bfloat16 autocast, against the unmodified model's float32 gradient.

    On a batch of up to 32 pairs of sentences, fewer where `count`, the number of sentences asked for, is small: a CPU
    without instructions for bfloat16 takes a minute for eight of them.
    """
    _title("One fine-tuning step under bfloat16 autocast")
    firsts, seconds = zip(*text.neighbours(min(BATCH_SIZE, max(2, count // 6))), strict=True)
    anchors, positives = pair.theirs.preprocess(list(firsts)), pair.theirs.preprocess(list(seconds))
    _, reference = finetune.gradients_of(pair.theirs, anchors, positives, bfloat16=False)
    theirs = finetune.step(pair.theirs, anchors, positives)
    ours = finetune.step(pair.ours, anchors, positives)
    found = compare.gradients(ours.gradients, theirs.gradients, reference)
    _fact("gradients", f"{len(reference)} parameters; errors are against float32, relative to the whole gradient")
    _fact("error", f"{found.their_error:.5f} unmodified, {found.our_error:.5f} on myops")
    ratio = f"{found.worst_ratio:.3f} of the unmodified one's error and a floor (at most {compare.PARAMETER_FACTOR})"
    _fact("worst parameter", f"{ratio}: {found.worst_parameter}")
    _fact("smallest cosine", f"{found.smallest_cosine:.6f} between the two models' gradients of one parameter")
    for name, step in (("unmodified", theirs), ("on myops", ours)):
        _fact(f"loss {name}", f"{step.loss_before:.4f}, after the step {step.loss_after:.4f}")
    compare.losses(ours.loss_before, ours.loss_after, theirs.loss_before, theirs.loss_after)


def show_refusals(report: myops.Report) -> None:
    """A second folder with three libraries that must not be loaded, offered to the process that has ours."""
    _title("Three libraries that must be refused")
    wheel = refusals.find_wheel(REPOSITORY)
    logging.getLogger("myops").addHandler(logging.NullHandler())  # each refusal is printed below
    schema, cpu = (_opened(report, start) for start in ("libmyops_schema.", "libmyops_cpu."))
    with tempfile.TemporaryDirectory(prefix="myops-demo-") as folder:
        unwanted = refusals.make(Path(folder), schema, cpu, wheel)
        looked = myops.list(paths=[folder])
        loaded = myops.load(paths=[folder])
        for item, verdict in zip(unwanted, refusals.check(unwanted, looked, loaded), strict=True):
            print(f"  {item.path.name}, {item.what}: {verdict.verdict}")
            for reason in verdict.reasons[:3]:
                print(f"    {reason}")
            if len(verdict.reasons) > 3:
                print(f"    and {len(verdict.reasons) - 3} more reasons")


def _opened(report: myops.Report, start: str) -> Path:
    """The library that was opened under a name that begins so: whichever variant fits this CPU."""
    found = [Path(path) for path in report.opened if Path(path).name.startswith(start)]
    if not found:
        raise compare.ComparisonError(f"{start}so was not opened: {report.opened}")
    return found[0]


def _title(line: str) -> None:
    print(f"\n== {line}", flush=True)


def _fact(name: str, value: object) -> None:
    written = ", ".join(map(str, value)) if isinstance(value, list) else value
    if written not in ("", None) and not isinstance(value, dict):
        print(f"  {name + ':':<22} {written}", flush=True)
