#!/usr/bin/env bash
# Runs fuzz targets, as many at a time as there are cores: tools/fuzz.sh FOLDER SECONDS [TARGET…]
# FOLDER is the build folder with the programs (./dev fuzz makes it). Starts from tests/fuzz/corpus; new inputs go to
# FOLDER/corpus/TARGET, what ends a target to a folder FOLDER/finds.XXXXXX. Status 1 where something did.
set -euo pipefail
readonly folder=$1 seconds=$2 kept=tests/fuzz/corpus
shift 2
targets=("$@")
((${#targets[@]})) || mapfile -t targets < <(ls "$kept")

fail() { printf 'dev: %s\n' "$1" >&2; exit "${2:-1}"; }
for target in "${targets[@]}"; do
  [[ -x $folder/fuzz/fuzz_$target ]] || fail "no such fuzz target: $target (there are: $(ls "$kept" | paste -sd' '))" 2
done

finds=$(mktemp -d "$folder/finds.XXXXXX")
fuzz() {
  local target=$1
  mkdir -p "$folder/corpus/$target"
  "$folder/fuzz/fuzz_$target" -max_total_time="$seconds" -max_len=65536 -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$finds/$target-" "$folder/corpus/$target" "$kept/$target" >"$folder/fuzz/$target.log" 2>&1 ||
    printf '%s ended with status %s: see %s\n' "$target" "$?" "$folder/fuzz/$target.log" >>"$finds/ended"
  awk -v target="$target" '
    /stat::number_of_executed_units/ {runs = $2} /stat::average_exec_per_sec/ {rate = $2} /stat::peak_rss_mb/ {memory = $2}
    / cov: / {for (i = 1; i < NF; ++i) {if ($i == "cov:") edges = $(i + 1); if ($i == "corp:") inputs = $(i + 1)}}
    END {printf "%-14s %12d executions  %7d a second  %6d edges  %12s inputs  %5d MB\n", target, runs, rate, edges, inputs, memory}' \
    "$folder/fuzz/$target.log"
}

for target in "${targets[@]}"; do
  while (($(jobs -rp | wc -l) >= $(nproc))); do wait -n || true; done
  fuzz "$target" &
done
wait
if [[ -z $(ls "$finds") ]]; then
  rmdir "$finds"
  exit 0
fi
cat "$finds/ended" >&2 || true
printf 'dev: what ended a target is in %s; %s/fuzz/fuzz_TARGET FILE shows how\n' "$finds" "$folder" >&2
exit 1
