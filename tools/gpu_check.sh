#!/usr/bin/env bash
# Builds the operator libraries for this machine's GPU and checks their kernels there: values, streams, graphs, times.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: tools/gpu_check.sh [--output FILE] [--build FOLDER] [--limit SECONDS] [--check-limit SECONDS] [--quick] [--sanitize]

Needs an NVIDIA GPU, a CUDA build of torch in python3, nvcc, CMake and ninja; no network, no loader, no test framework.
Prints what it does and the first failures on stderr, and writes JSON, anew after each check.

  --output FILE          where the JSON goes                       [default: gpu_check.json in the build folder, and stdout]
  --build FOLDER         build folder                              [default: build/gpu-check]
  --limit SECONDS        for checks and measurements, after the build              [default: 300; with --sanitize 3600]
  --check-limit SECONDS  for one check, which has a process of its own             [default: 100; with --sanitize 1000]
  --quick                small sizes and few measurements
  --sanitize             the checks of values, with small sizes, under memcheck, racecheck and synccheck of
                         compute-sanitizer; no measurements

Exit code: 0 every check held; 1 one did not, or something is missing; 2 usage.

example: tools/gpu_check.sh --output gpu.json
TEXT
}

output=
# Whoever reads the JSON learns why there is nothing in it.
fail() {
  printf 'gpu_check: %s\n' "$1" >&2
  if [[ -n $output && ${2:-1} == 1 ]]; then
    printf '{\n "format": 2,\n "complete": false,\n "error": "%s"\n}\n' "$1" >"$output"
  fi
  exit "${2:-1}"
}

build=
limit=
check_limit=
options=()
while (($#)); do
  case $1 in
    --output | --build | --limit | --check-limit)
      [[ -n ${2:-} ]] || fail "$1 needs a value; --help tells more" 2
      case $1 in
        --output) output=$(realpath -m -- "$2") ;;
        --build) build=$(realpath -m -- "$2") ;;
        *)
          [[ $2 =~ ^[0-9]+$ ]] || fail "$1 needs a number of seconds, got $2" 2
          if [[ $1 == --limit ]]; then limit=$2; else check_limit=$2; fi
          ;;
      esac
      shift 2
      ;;
    --quick | --sanitize) options+=("$1"); shift ;;
    -h | --help) usage; exit 0 ;;
    *) fail "unknown argument: $1; --help tells more" 2 ;;
  esac
done
if [[ -z $limit ]]; then [[ " ${options[*]} " == *" --sanitize "* ]] && limit=3600 || limit=300; fi

cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${build:-$PWD/build/gpu-check}
compgen -G '/dev/nvidia[0-9]*' >/dev/null || [[ -e /dev/dxg ]] || fail "no NVIDIA GPU on this machine: nothing can be checked"
python3 -c 'import torch' 2>/dev/null || fail "python3 has no torch: put a python3 that has one first on PATH"
arch=$(python3 - <<'PY'
import torch
found = sorted({"%d%d" % torch.cuda.get_device_capability(i) for i in range(torch.cuda.device_count())}, key=int)
print(";".join(found))
PY
)
[[ -n $arch ]] || fail "torch finds no GPU that it can use: look at CUDA_VISIBLE_DEVICES, the driver, and whether torch is a CUDA build"
nvcc=${CUDACXX:-$(command -v nvcc || true)}
[[ -n $nvcc || ! -x /usr/local/cuda/bin/nvcc ]] || nvcc=/usr/local/cuda/bin/nvcc
[[ -n $nvcc ]] || fail "no nvcc on PATH or in /usr/local/cuda/bin"
command -v cmake >/dev/null || fail "no cmake on PATH"
command -v ninja >/dev/null || fail "no ninja on PATH"

torch_root=$(python3 -c 'import os, torch; print(os.path.dirname(torch.__file__))')
echo "gpu_check: building for sm_${arch//;/, sm_} with $nvcc against $torch_root" >&2
cmake -S . -B "$build" -G Ninja -DMYOPS_LOADER=OFF -DMYOPS_CUDA=ON -DMYOPS_CUDA_ARCH="$arch" -DCMAKE_CUDA_COMPILER="$nvcc" \
  -DTorchCore_ROOT="$torch_root" >&2 || fail "configuring failed"
targets=()
for library in schema cpu cuda autograd inplace_or_view autocast; do targets+=("myops_${library}_stamped"); done
ninja -C "$build" "${targets[@]}" >&2 || fail "building failed"
status=0
python3 tools/gpu_check.py --libraries "$build" --device cuda --limit "$limit" ${check_limit:+--check-limit "$check_limit"} \
  --output "${output:-$build/gpu_check.json}" "${options[@]}" || status=$?
if [[ -z $output && -f $build/gpu_check.json ]]; then cat "$build/gpu_check.json"; fi
exit "$status"
