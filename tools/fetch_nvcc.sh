#!/usr/bin/env bash
# Puts NVIDIA's CUDA compiler into a folder, from its PyPI packages: tools/fetch_nvcc.sh PIP FOLDER
# nvcc is then FOLDER/nvidia/cu13/bin/nvcc. The folder is whole or not there.
set -euo pipefail
readonly pip=$1 folder=$2
readonly packages=(nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-cuda-cccl==13.0.85
  nvidia-cuda-runtime==13.0.96)

rm -rf "$folder.new"
"$pip" install --quiet --disable-pip-version-check --no-deps --target "$folder.new" "${packages[@]}"
# The packages have no libcudart.so for the linker, and CMake looks for lib64.
ln -s libcudart.so.13 "$folder.new/nvidia/cu13/lib/libcudart.so"
ln -s lib "$folder.new/nvidia/cu13/lib64"
rm -rf "$folder"
mv "$folder.new" "$folder"
