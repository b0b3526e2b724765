#!/usr/bin/env bash
# Makes a Python environment of what stdin pins, or brings it up to that: tools/make_environment.sh VENV ROOM
# ROOM: megabytes that must be free before it is begun.
set -euo pipefail
readonly venv=$1 needed=$2
readonly stamp=$venv/requirements.installed
pins=$(cat)
readonly pins

cmp -s <(printf '%s\n' "$pins") "$stamp" && exit 0
printf '\033[1m== Installing the Python environment into %s (3 GB to fetch, 7 on disk; a few minutes)\033[0m\n' "${venv##*/}" >&2
if [[ ! -x $venv/bin/pip ]]; then
  room=$(df --output=avail --block-size=1M . | tail -1)
  if ((room <= needed)); then
    echo "dev: it takes $((needed / 1000)) GB while it is made, and $((room / 1000)) GB are free here" >&2
    exit 1
  fi
  python3 -m venv "$venv"
fi
"$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --requirement <(printf '%s\n' "$pins")
printf '%s\n' "$pins" >"$stamp"
