"""One fine-tuning step: sentences that follow each other are to be nearer than others of the batch.

In-batch negatives as in Henderson et al. 2017, arXiv:1705.00652; all-MiniLM-L6-v2 itself was trained so.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from model import Features, embed
from sentence_transformers import SentenceTransformer
from torch import Tensor
from torch.nn import functional

SCALE = 20.0  # inverse temperature, the model's own
LEARNING_RATE = 2e-5
SEED = 0


@dataclass(frozen=True)
class Step:
    """Loss before the step, its gradients, and the loss on the same batch after it."""

    loss_before: float
    loss_after: float
    gradients: dict[str, Tensor]


def loss_of(model: SentenceTransformer, anchors: Features, positives: Features, *, bfloat16: bool) -> Tensor:
    """Cross entropy of finding each anchor's own positive. The same dropout in every call."""
    torch.manual_seed(SEED)
    with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16):
        first, second = embed(model, anchors), embed(model, positives)
    similarities = SCALE * first.float() @ second.float().T
    return functional.cross_entropy(similarities, torch.arange(len(similarities)))


def gradients_of(
    model: SentenceTransformer, anchors: Features, positives: Features, *, bfloat16: bool
) -> tuple[float, dict[str, Tensor]]:
    """The loss and the gradient of each parameter that has one."""
    model.train().zero_grad()
    loss = loss_of(model, anchors, positives, bfloat16=bfloat16)
    torch.autograd.backward(loss)
    found = {name: parameter.grad.clone() for name, parameter in model.named_parameters() if parameter.grad is not None}
    return loss.item(), found


def step(model: SentenceTransformer, anchors: Features, positives: Features) -> Step:
    """One AdamW step under bfloat16 autocast. Changes the model."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE)
    before, gradients = gradients_of(model, anchors, positives, bfloat16=True)
    optimizer.step()
    with torch.no_grad():
        after = loss_of(model, anchors, positives, bfloat16=True).item()
    return Step(before, after, gradients)
