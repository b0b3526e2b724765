#!/usr/bin/env bash
# Puts wheels that tests judge, and nobody installs, into a folder: tools/fetch_wheels.sh PIP FOLDER NAME==VERSION…
# A wheel there is whole. Where tools/wheels.sha256 names its file it is that very one; another, and half of one, is fetched anew.
# A wheel that is not to be had is a line on stderr, and no failure: the tests that need it will say so.
set -euo pipefail
readonly pip=$1 folder=$2
shift 2
tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly tools
part=
trap 'rm -rf "$part"' EXIT

say() { printf '\033[1m== %s\033[0m\n' "$*" >&2; }

# Is it the file that its pin says? One for another Python or platform has none.
is_as_pinned() {
  local pin
  pin=$(awk -v name="${1##*/}" '$2 == name {print $1}' "$tools/wheels.sha256")
  [[ -z $pin || $(sha256sum <"$1") == "$pin "* ]]
}

fetch() {
  local file
  say "Fetching the wheel $1 (judged by tests, never installed)"
  mkdir -p "$folder"
  part=$(mktemp -d "$folder/part.XXXXXXXX")
  if "$pip" download --quiet --disable-pip-version-check --no-deps --dest "$part" "$1" && file=$(compgen -G "$part/*.whl"); then
    if is_as_pinned "$file"; then
      mv "$file" "$folder"
    else
      say "$1 is not what tools/wheels.sha256 says it is: not kept"
    fi
  else
    say "$1 is not to be had: the tests that need it will say so"
  fi
  rm -rf "$part"
}

for wheel in "$@"; do
  present=$(compgen -G "$folder/${wheel/==/-}-*.whl" || true)
  if [[ -n $present ]] && is_as_pinned "$present"; then continue; fi
  if [[ -n $present ]]; then rm -f "$present"; fi
  fetch "$wheel"
done
