"""Runs models over batches: what they call, what they give, how long they take."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from model import Features, embed
from sentence_transformers import SentenceTransformer
from torch import Tensor
from torch.profiler import ProfilerActivity, profile
from tqdm import tqdm


@dataclass(frozen=True)
class ProfiledPass:
    """The embeddings of all sentences, and how often each event ran on the way."""

    embeddings: Tensor
    events: dict[str, int]


def with_progress(batches: Sequence[Features], label: str) -> Iterator[Features]:
    """The batches, with a bar on a terminal's stderr; elsewhere a line on stdout every quarter."""
    if sys.stderr.isatty():
        yield from tqdm(batches, desc=label, unit="batch", leave=False)
        return
    quarter = max(1, len(batches) // 4)
    for done, batch in enumerate(batches, start=1):
        yield batch
        if done % quarter == 0 or done == len(batches):
            print(f"  {label}: {done} of {len(batches)} batches", flush=True)


def profiled_pass(model: SentenceTransformer, batches: Sequence[Features], label: str) -> ProfiledPass:
    """One pass under torch's profiler."""
    with torch.inference_mode(), profile(activities=[ProfilerActivity.CPU]) as profiler:
        rows = [embed(model, batch) for batch in with_progress(batches, label)]
    return ProfiledPass(torch.cat(rows), {event.key: event.count for event in profiler.key_averages()})


def seconds_of_each(models: Sequence[SentenceTransformer], batches: Sequence[Features], label: str) -> list[float]:
    """Seconds that each model takes for all batches. Batch by batch in turn, the first one changing, so that a machine
    whose speed drifts treats them alike. Warm them on the same batches before: oneDNN prepares each shape once."""
    seconds = [0.0] * len(models)
    order = list(range(len(models)))
    with torch.inference_mode():
        for batch in with_progress(batches, label):
            for which in order:
                start = time.perf_counter()
                embed(models[which], batch)
                seconds[which] += time.perf_counter() - start
            order.append(order.pop(0))
    return seconds
