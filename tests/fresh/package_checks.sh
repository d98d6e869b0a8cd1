#!/usr/bin/env bash
# What a user sees of a package, in a bare tree: package_checks.sh CHECK [words]; packages.sh copies it there and calls it.
# Ends with 1 and a sentence where something is not as it should be.
set -euo pipefail
phrase="And Anna had a red ball and Tom had a green book. Tom gave the green"

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# says CODE WORDS COMMAND...: the command ends with CODE, and says WORDS.
says() {
  local code=$1 words=$2 status=0 said
  shift 2
  said=$("$@" 2>&1 </dev/null) || status=$?
  [[ $status == "$code" ]] || fail "$* ended with $status instead of $code: $said"
  [[ $said == *"$words"* ]] || fail "$* says '$said' instead of '$words'"
}

# Nothing is there but what a user has: no compiler, no font, no display.
bare() {
  local tool
  for tool in cc gcc g++ clang cmake ninja; do
    ! command -v "$tool" >/dev/null || fail "$tool is here: this is no bare tree"
  done
  [[ -z ${DISPLAY:-}${WAYLAND_DISPLAY:-} ]] || fail "there is a display"
}

wheel() { # wheel FILE VERSION: in an environment, without a network
  local environment="$HOME/an environment"
  bare
  python3 -m venv "$environment"
  "$environment/bin/pip" install --quiet --no-index --disable-pip-version-check "$1"
  says 0 "headscope $2" "$environment/bin/headscope" --version
  says 0 "$2" "$environment/bin/python" -W error -c "import headscope; print(headscope.version())"
  says 0 "$environment/bin/headscope-cli" "$environment/bin/python" -c "
from headscope._program import program
print(program('headscope-cli'))"
  # Without a display it is the page, which a notebook shows as it is.
  says 0 "<iframe srcdoc=" "$environment/bin/python" -c "
import sys, types
sys.modules['ipykernel'] = types.ModuleType('ipykernel')
import headscope
print(headscope.show(model='demo:stories', phrase='the cat sat')._repr_html_()[:60])"
  says 1 "NumPy was not found" "$environment/bin/python" -c "import headscope; headscope.run(phrase='a b')"
}

arrays() { # of a wheel, where NumPy is installed
  local environment="$HOME/with arrays"
  python3 -m venv --system-site-packages "$environment"
  "$environment/bin/pip" install --quiet --no-index --disable-pip-version-check "$1"
  says 0 "(1, 8, 3, 3)" "$environment/bin/python" -c "import headscope; print(headscope.run(phrase='a b c', heads=8)['weights'].shape)"
}

onefile() { # onefile FILE VERSION
  bare
  says 0 "headscope $2" "$1" --version
  ln -s "$1" "$HOME/headscope-cli"
  says 0 "headscope-cli $2" "$HOME/headscope-cli" --version
  says 0 "headscope $2" env -u HOME "$1" --version
}

# programs WINDOW COMMAND_LINE OUT: what both do without a display and without OpenGL.
programs() {
  local out=$3
  says 3 "there is no display" "$1"
  says 0 "Fonts" "$2" doctor
  says 0 '"vocab_size": 2048' "$2" info demo:stories --json
  says 0 "" "$2" run --model demo:stories --phrase "$phrase" --export weights,output,logits --format npy --out "$out"
  says 0 "" "$2" render --model demo:stories --phrase "$phrase" --view heads --out "$out/heads.png"
  says 0 "" "$2" render --model demo:stories --phrase "$phrase" --view heads --out "$out/heads.pdf"
  [[ $(head -c 4 "$out/heads.png" | tail -c 3) == PNG ]] || fail "heads.png is no picture"
  "$2" doctor >"$out/doctor.txt"
  # Where fontconfig has no configuration, nothing is said of that.
  [[ -z $("$2" render --phrase "a b" --out "$out/quiet.pdf" 2>&1 >/dev/null) ]] || fail "$2 complains while it draws"
}

# display COMMAND...: with an X server of its own.
display() {
  local number=77 status=0
  Xvfb ":$number" -screen 0 1600x1000x24 -nolisten tcp &>/dev/null &
  local server=$!
  until [[ -S /tmp/.X11-unix/X$number ]]; do sleep 0.1; done
  DISPLAY=:$number "$@" || status=$?
  kill "$server"
  wait "$server" || true
  return "$status"
}

# window PROGRAM OUT: opens on the display that is here, draws the first screen, and keeps its session when it is told to end.
window() {
  local probe=$2/probe.json status=0 process
  rm -rf "$probe" "$2/state" "$2/window.png"
  XDG_STATE_HOME=$2/state "$1" --probe "$probe" --size 1600x1000 &
  process=$!
  for _ in {1..300}; do
    if [[ -s $probe ]] && grep -q '"frame": *[1-9]' "$probe" && grep -q '"tokens": *[1-9]' "$probe"; then break; fi
    kill -0 "$process" 2>/dev/null || fail "$1 ended by itself"
    sleep 0.1
  done
  grep -q '"tokens": *[1-9]' "$probe" || fail "$1 computed nothing within 30 s: $(head -c 300 "$probe")"
  kill -TERM "$process"
  wait "$process" || status=$?
  [[ $status == 0 ]] || fail "$1 ended with $status when it was told to"
  [[ -s $2/state/headscope/last-session.json ]] || fail "$1 kept no session"
  says 0 "$2/window.png" "$1" --screenshot "$2/window.png" --size 1600x1000
}

# wayland PROGRAM OUT: the same under a compositor without a screen, which has X11 for what speaks no Wayland.
wayland() {
  local folder
  folder=$(mktemp -d)
  chmod 700 "$folder"
  export XDG_RUNTIME_DIR=$folder
  printf 'xwayland enable\nexec env > %s/environment\n' "$folder" >"$folder/config"
  WLR_BACKENDS=headless WLR_LIBINPUT_NO_DEVICES=1 WLR_RENDERER=pixman sway --config "$folder/config" &>"$folder/log" &
  local compositor=$!
  for _ in {1..300}; do
    if grep -qs '^DISPLAY=' "$folder/environment"; then break; fi
    kill -0 "$compositor" 2>/dev/null || fail "sway ended: $(tail -n 5 "$folder/log")"
    sleep 0.1
  done
  eval "export $(grep -E '^(DISPLAY|WAYLAND_DISPLAY)=' "$folder/environment" | tr '\n' ' ')"
  local status=0
  (window "$1" "$2") || status=$?
  kill "$compositor"
  wait "$compositor" || true
  return "$status"
}

"$@"
