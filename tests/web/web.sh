#!/usr/bin/env bash
# Headscope for browsers: its libraries, the page and headscope-cli by Debian's emscripten, then under node and in Chromium
# against the program of Linux. ./dev web installs what it needs and calls it; tests/web/README.md says more.
#
#   tests/web/web.sh                 builds build/web/page: index.html, index.js, index.wasm, index.data
#   tests/web/web.sh --serve [PORT]  builds it, and serves it on 127.0.0.1 until Ctrl+C
#   tests/web/web.sh --one-file      builds it, and build/web/headscope.html, which opens from a folder
#   tests/web/web.sh --test [NAME...]   builds all of this, then tests it; NAME: only rows of tests/windows/cases.py whose
#                                    names hold it, and no browser
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."
prefix=${HEADSCOPE_WEB:-${XDG_CACHE_HOME:-$HOME/.cache}/headscope/web}
. "$here/environment.sh"

say() { printf '\033[1m%s\033[0m\n' "$*" >&2; }

build() { # build [targets...]
  "$here/dependencies.sh" "$prefix"
  local own=()
  read -ra own <<<"${HEADSCOPE_CMAKE:-}"
  say "Building for browsers: $*"
  [[ -e build/web/build.ninja ]] || cmake --preset web "${own[@]}" >&2
  cmake --build --preset web --target "$@" >&2
}

page() {
  build headscope
  mkdir -p build/web/page
  cp -u build/web/bin/index.{html,js,wasm,data} build/web/page/
}

one_file() { python3 "$here/one_file.py" build/web/page build/web/headscope.html; }

# The Linux program that it is held against: the release build, whose sources are the same.
native() {
  [[ -e build/release/build.ninja ]] || cmake --preset release -DHEADSCOPE_TESTS=OFF >&2
  cmake --build --preset release --target headscope-cli >&2
}

case ${1:-} in
  "")
    page
    say "$PWD/build/web/page: index.html wants a server (./dev web --serve); ./dev web --one-file makes one that does not"
    ;;
  --serve)
    page
    exec python3 "$here/serve.py" build/web/page "${2:-8000}"
    ;;
  --one-file)
    page
    one_file
    say "$PWD/build/web/headscope.html"
    ;;
  --test)
    build headscope-cli
    native
    python3 "$here/compare.py" build/release/bin/headscope-cli build/web/bin/headscope-cli.js "${@:2}"
    (($# == 1)) || exit 0
    page
    one_file
    exec python3 "$here/page_test.py" build/web/page build/web/headscope.html build/release/bin/headscope-cli
    ;;
  *)
    sed -n '5,9s/^# *//p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac
