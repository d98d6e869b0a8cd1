#!/usr/bin/env bash
# headscope-cli for Windows: its libraries and itself by mingw-w64, then under Wine against that of Linux. ./dev windows
# installs what it needs and calls it; tests/windows/README.md says more.
#
#   tests/windows/windows.sh [--build] [NAME...]   --build: does not run it; NAME: rows of cases.py whose names hold it
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."
export HEADSCOPE_WINDOWS_PREFIX=${HEADSCOPE_WINDOWS:-${XDG_CACHE_HOME:-$HOME/.cache}/headscope/windows}

say() { printf '\033[1m%s\033[0m\n' "$*" >&2; }

"$here/dependencies.sh" "$HEADSCOPE_WINDOWS_PREFIX"
read -ra own <<<"${HEADSCOPE_CMAKE:-}"
say "Building headscope-cli.exe"
cmake --preset windows "${own[@]}" >&2
cmake --build --preset windows --target headscope-cli >&2
say "$PWD/build/windows/bin/headscope-cli.exe"
[[ ${1:-} != --build ]] || exit 0
# The Linux program that it is held against: the release build, whose sources are the same.
[[ -e build/release/build.ninja ]] || cmake --preset release -DHEADSCOPE_TESTS=OFF "${own[@]}" >&2
cmake --build --preset release --target headscope-cli >&2
exec python3 "$here/compare.py" build/release/bin/headscope-cli build/windows/bin/headscope-cli.exe "$@"
