"""Prints, as JSON, which library serves CPU tensors and a hash of the bits of every result: python print_bits.py

The inputs come from NumPy, whose generator does not depend on ATEN_CPU_CAPABILITY as torch's does.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import myops
import numpy as np
import torch
from comparison import as_tuple
from operators import OPERATORS, Operator
from samples import Sample

# Rows of this many times the length: several blocks of every sum, and remainders.
LONGER = 331


def refilled(tensor: torch.Tensor, longer: int) -> torch.Tensor:
    """Other values; the last dimension is `longer` times as large."""
    shape = (*tensor.shape[:-1], tensor.shape[-1] * longer) if tensor.dim() else ()
    values = np.random.default_rng(len(shape)).standard_normal(shape) * 4
    return torch.from_numpy(np.asarray(values)).to(tensor.dtype)


def bits(tensor: torch.Tensor | None) -> bytes:
    if tensor is None:
        return b"none"
    described = f"{tensor.dtype} {tuple(tensor.shape)} {tensor.stride()}"
    dense = torch.empty(tensor.numel(), dtype=tensor.dtype).copy_(tensor.reshape(-1))
    return described.encode() + dense.view(torch.uint8).numpy().tobytes()


def of_operator(operator: Operator, dtype: torch.dtype) -> str:
    found = hashlib.sha256()
    for sample in operator.samples(dtype):
        samples: list[Sample] = [sample.map_tensors(lambda tensor: refilled(tensor, 1))]
        if "norm" in operator.name or "_and_mul" in operator.name:
            samples.append(sample.map_tensors(lambda tensor: refilled(tensor, LONGER)))
        for each in samples:
            for result in as_tuple(operator.op(*each.args, **each.kwargs)):
                found.update(bits(result))
    return found.hexdigest()


if __name__ == "__main__":
    paths = [Path(path).name for path in myops.report().opened if Path(path).name.startswith("libmyops_cpu")]
    answer = {"library": paths[0]}
    with torch.no_grad():
        for operator in OPERATORS:
            if operator.name != "mymatmul":  # at::matmul, whose bits are torch's affair
                for dtype in operator.dtypes:
                    answer[f"{operator} {dtype}"] = of_operator(operator, dtype)
    print(json.dumps(answer))
