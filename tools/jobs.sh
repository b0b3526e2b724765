#!/usr/bin/env bash
# How many compilers fit: one a core, and 3 GiB of memory each; 1 at least. Usage: tools/jobs.sh [FOLDER]
# Cores are those that this process may run on, less where its control group (below FOLDER, default /sys/fs/cgroup) has a quota.
set -euo pipefail
readonly groups=${1:-/sys/fs/cgroup}
readonly bytes_each=$((3 << 30))

jobs=$(nproc)
at_most() { if (($1 < jobs)); then jobs=$1; fi; }

at_most $(($(awk '/MemAvailable/ {print $2}' /proc/meminfo) * 1024 / bytes_each))
# A limit of a group holds for those below it. Inside a container its own group is the top.
group=$groups$(sed -n 's/^0:://p' /proc/self/cgroup)
while [[ $group == "$groups"* ]]; do
  if read -r quota period 2>/dev/null <"$group/cpu.max" && [[ $quota != max ]]; then at_most $(((quota + period - 1) / period)); fi
  if read -r bytes 2>/dev/null <"$group/memory.max" && [[ $bytes != max ]]; then at_most $((bytes / bytes_each)); fi
  group=${group%/*}
done
echo $((jobs < 1 ? 1 : jobs))
