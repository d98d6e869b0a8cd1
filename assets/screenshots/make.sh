#!/usr/bin/env bash
# Draws the README's pictures anew, by the window itself: assets/screenshots/make.sh (after ./dev build)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
headscope=${1:-../../build/release/bin/headscope}
"$headscope" --screenshot window-dark.png --size 1600x1000
"$headscope" --screenshot problem-dark.png --size 1600x1000 --then heads=7
"$headscope" --screenshot merge-direct-light.png --size 1600x1000 --theme light street.json
