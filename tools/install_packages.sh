#!/usr/bin/env bash
# Installs the system packages that the build needs and that are missing, on Debian and its kin: tools/install_packages.sh
# Boost may be that of any release that has one new enough, or one of your own (BOOST_ROOT). Not as root it says what to run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly packages=(g++ make git python3-venv nlohmann-json3-dev libcli11-dev libfmt-dev libssl-dev libgtest-dev ccache strace binutils qemu-user)
# For tests that are skipped without; under these names not every distribution has them.
readonly optional=(chromium)
boost=$(sed -n 's/^set(MYOPS_BOOST_VERSION \(.*\))$/\1/p' cmake/MyopsBoost.cmake)
readonly boost

fail() { printf 'dev: %s\n' "$1" >&2; exit 1; }

# Is version $1 at least $2?
reaches() { printf '%s\n' "$2" "$1" | sort --version-sort --check=quiet; }

# CMake looks in these folders too.
has_boost() {
  local root version
  for root in ${BOOST_ROOT:+"$BOOST_ROOT"} ${MYOPS_SYSTEM_ROOT-/usr/local /usr}; do
    version=$(sed -n 's/^#define BOOST_LIB_VERSION "\([0-9_]*\)"/\1/p' "$root/include/boost/version.hpp" 2>/dev/null || true)
    if [[ -n $version ]] && reaches "${version//_/.}" "$boost"; then return 0; fi
  done
  return 1
}

# The package with a Boost that is new enough: the distribution's own choice, else the oldest of those that name a version.
boost_package() {
  local own name
  own=$(apt-cache policy libboost-dev | sed -n 's/^  Candidate: *\([0-9][0-9.]*\).*/\1/p')
  if [[ -n $own ]] && reaches "$own" "$boost"; then echo libboost-dev; return; fi
  for name in $(apt-cache pkgnames libboost1. | sed -n 's/^libboost\([0-9.]*\)-dev$/\1/p' | sort --version-sort); do
    if reaches "$name" "$boost"; then echo "libboost$name-dev"; return; fi
  done
}

is_installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

# Those of the optional packages that can be had here and are not.
optional_packages() {
  local package
  for package in "${optional[@]}"; do
    is_installed "$package" || ! apt-cache policy "$package" | grep '^  Candidate: [0-9]' >/dev/null || echo "$package"
  done
}

command -v dpkg-query >/dev/null || exit 0 # another distribution: CMake names what it does not find
missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done
wanted=
if ((EUID == 0)); then wanted=$(optional_packages); fi
if has_boost; then needs_boost=; else needs_boost=1; fi
[[ -n $needs_boost || -n $wanted || ${#missing[@]} -gt 0 ]] || exit 0

if ((EUID == 0)); then DEBIAN_FRONTEND=noninteractive apt-get update -qq; fi
mapfile -t -O "${#missing[@]}" missing < <(optional_packages)
if [[ -n $needs_boost ]]; then
  package=$(boost_package)
  [[ -n $package ]] ||
    fail "no Boost $boost or newer is installed or to be had as a package: unpack one (headers are enough) and name it with BOOST_ROOT"
  missing+=("$package")
fi
if ((EUID != 0)); then
  fail "system packages are missing; as root: apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
fi
printf '\033[1m== Installing system packages: %s\033[0m\n' "${missing[*]}" >&2
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
