#!/usr/bin/env bash
# nvcc of CUDA 13, of which both torches are: that of this machine, or the one in TOOLKIT, where ./dev build --cuda fetches it.
# Prints nothing where there is none. Usage: tools/find_nvcc.sh TOOLKIT
set -euo pipefail
for candidate in "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc "$1/nvidia/cu13/bin/nvcc"; do
  if [[ -x $candidate && $("$candidate" --version 2>/dev/null) == *"release 13."* ]]; then echo "$candidate"; exit; fi
done
