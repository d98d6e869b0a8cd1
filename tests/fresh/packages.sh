#!/usr/bin/env bash
# What ./dev package makes, installed and used in a bare tree of a distribution: tests/fresh/packages.sh --help
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
checkout=$(cd "$here/../.." && pwd)

help() {
  cat <<'TEXT'
tests/fresh/packages.sh SUITE [options]

Makes a bare tree of SUITE (bookworm, trixie, noble, ...), lays what ./dev package has made into it, and uses it there as
root and as a user: the one file, the wheel (python3-venv is installed, and nothing from a network), and, where SUITE is that
of this system, the .deb. Each computes what the programs of this tree compute, draws with its fonts, says what is missing
where there is no display and no NumPy, and opens its window under Xvfb, with Debian 13 and newer under sway too.

  --packages DIR   what to install; build/packages without it
  --cli PROGRAM    whose numbers are right; build/release/bin/headscope-cli without it
  --only KIND      wheel, onefile or deb (one that was built on SUITE, whichever this system is)
  --no-wayland     not under sway

  --mirror URL, --like SUITE, --new, --keep, --verbose   as of fresh.sh
TEXT
}

# shellcheck source=tests/fresh/tree.sh
source "$here/tree.sh"

wrong() {
  say "$* (tests/fresh/packages.sh --help)"
  exit 2
}

suite='' mirror='' like='' packages=$checkout/build/packages cli=$checkout/build/release/bin/headscope-cli only=''
new=0 keep=0 verbose=0 no_wayland=0
while (($#)); do
  case $1 in
    --packages | --cli | --only | --mirror | --like)
      (($# > 1)) || wrong "$1 needs a value"
      printf -v "${1#--}" '%s' "$2"
      shift
      ;;
    --new | --keep | --verbose) printf -v "${1#--}" 1 ;;
    --no-wayland) no_wayland=1 ;;
    --help | -h) help; exit ;;
    -*) wrong "There is no option $1" ;;
    *) suite=$1 ;;
  esac
  shift
done
[[ $suite =~ ^[a-z][a-z0-9-]*$ ]] || wrong "Which suite?"
[[ $only =~ ^(|wheel|onefile|deb)$ ]] || wrong "--only is '$only'; expected wheel, onefile or deb"

version=$("$cli" --version)
version=${version##* }
machine=$(uname -m)
wheel=$(find "$packages" -name "headscope-$version-py3-none-manylinux_*_$machine.whl" | head -n 1)
onefile=$packages/headscope-$machine.run
deb=$(find "$packages" -name "headscope_${version}_*.deb" | head -n 1)
python=/usr/bin/python3  # whose modules apt installs
[[ -x $python ]] || python=python3
own_suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
begin_trees

# step NAME COMMAND...: its output into logs/packages-NAME.log, and a line that says how long it took.
rows=() failed=0
step() {
  local log=$kept/logs/packages-${1//[ :,]/-}.log name=$1 began=$SECONDS status=0
  shift
  "$@" >"$log" 2>&1 </dev/null || status=$?
  rows+=("$(printf '%-46s %4d s  %s' "$name" $((SECONDS - began)) "$( ((status)) && echo failed || echo passed)")")
  echo "  ${rows[-1]}" >&2
  if ((status)); then
    failed=1
    failed_log "$log"
  fi
}

as() { # as USER COMMAND WORDS...: a check of package_checks.sh
  local user=$1 words
  shift
  printf -v words '%q ' "$@"
  inside "$user" / "/check/package_checks.sh $words" LANG=C.UTF-8
}

installed() { # installed PACKAGES...
  inside root / "apt-get update -qq && apt-get install -y -qq --no-install-recommends $*" DEBIAN_FRONTEND=noninteractive
}

# A copy of the bare tree with a user, the packages at a path with a blank, and the checks.
tree_with_packages() {
  bare_copy
  chroot "$scratch/tree" useradd --create-home --shell /bin/bash ann
  mkdir -p "$scratch/tree/check/out" "$scratch/tree/srv/My packages"
  chmod 1777 "$scratch/tree/check/out"
  cp "$here/package_checks.sh" "$scratch/tree/check"
  local file
  for file in "$wheel" "$onefile" "$deb"; do
    [[ ! -f $file ]] || cp "$file" "$scratch/tree/srv/My packages"
  done
}

# The numbers that a tree left are those of this tree's programs, but for the last bits of another C library.
same_numbers() { # same_numbers OUT
  local reference=$scratch/reference
  [[ -d $reference ]] || "$cli" run --model demo:stories --phrase "$(sed -n 's/^phrase="\(.*\)"$/\1/p' "$here/package_checks.sh")" \
    --export weights,output,logits --format npy --out "$reference" >/dev/null
  "$python" - "$reference" "$scratch/tree$1" <<'PYTHON'
import pathlib, sys
import numpy as np
ours, theirs = map(pathlib.Path, sys.argv[1:])
for file in sorted(ours.glob("*.npy")):
    a, b = np.load(file), np.load(theirs / file.name)
    off = np.abs(a - b).max() / np.abs(a).max()
    if a.shape != b.shape or not off <= 2e-6:
        sys.exit(f"{file.stem} is off by {off} of its largest number")
    print(f"{file.stem}: off by {off:.2g} of the largest")
PYTHON
}

# The window's fonts came along.
packed_fonts() { # packed_fonts OUT
  local font
  for font in Inter-Regular Inter-SemiBold JetBrainsMono-Regular JetBrainsMono-SemiBold; do
    grep "share/headscope/fonts/$font" "$scratch/tree$1/doctor.txt" || { cat "$scratch/tree$1/doctor.txt"; return 1; }
  done
}

# used KIND USER WINDOW COMMAND_LINE: both programs, without a display.
used() {
  local out=/check/out/$1-$2
  step "$1, $2: the programs" as "$2" programs "$3" "$4" "$out"
  step "$1, $2: the numbers" same_numbers "$out"
  [[ $1 == deb ]] || step "$1, $2: the fonts" packed_fonts "$out"
}

opened() { # opened KIND USER WINDOW
  local out=/check/out/$1-$2
  step "$1, $2: the window on X11" as "$2" display /check/package_checks.sh window "$3" "$out"
  cp "$scratch/tree$out/window.png" "$kept/pictures/$1-$2.png" 2>/dev/null || true
  [[ -z ${wayland:-} ]] || step "$1, $2: the window on Wayland" as "$2" wayland "$3" "$out"
}

# What a desktop has, and whether it has a compositor that needs no screen.
desktop() {
  installed xvfb libgl1 libegl1 libgl1-mesa-dri || return
  if ((!no_wayland)) && inside root / "apt-cache policy libglfw3 | grep -q 'Candidate: 3\.[4-9]'"; then
    installed sway xwayland libgl1-mesa-dri
  fi
}

home_of() { if [[ $1 == root ]]; then echo /root; else echo "/home/$1"; fi; }

portable() {
  local user kinds=() kind
  declare -A window
  say "$suite: one file and wheel"
  tree_with_packages
  # The one file first: there is no Python yet.
  if [[ -z $only || $only == onefile ]]; then
    kinds+=(onefile)
    for user in root ann; do
      window[onefile-$user]="/srv/My packages/${onefile##*/}"
      step "onefile, $user: unpacked" as "$user" onefile "${window[onefile-$user]}" "$version"
      used onefile "$user" "${window[onefile-$user]}" "$(home_of "$user")/headscope-cli"
    done
  fi
  if [[ -z $only || $only == wheel ]]; then
    kinds+=(wheel)
    step "wheel: apt-get install python3-venv" installed python3-venv
    for user in root ann; do
      window[wheel-$user]="$(home_of "$user")/an environment/bin/headscope"
      step "wheel, $user: installed" as "$user" wheel "/srv/My packages/${wheel##*/}" "$version"
      used wheel "$user" "${window[wheel-$user]}" "${window[wheel-$user]}-cli"
    done
    step "wheel: apt-get install python3-numpy" installed python3-numpy
    step "wheel, ann: arrays" as ann arrays "/srv/My packages/${wheel##*/}"
  fi
  step "a desktop" desktop
  wayland=$(find "$scratch/tree/usr/bin/sway" 2>/dev/null || true)
  for kind in "${kinds[@]}"; do
    for user in root ann; do opened "$kind" "$user" "${window[$kind-$user]}"; done
  done
}

debian() {
  local user
  say "$suite: the .deb"
  tree_with_packages
  step "deb: apt install" inside root / "apt-get update -qq && apt-get install -y -qq '/srv/My packages/${deb##*/}'" DEBIAN_FRONTEND=noninteractive
  for user in root ann; do used deb "$user" /usr/bin/headscope /usr/bin/headscope-cli; done
  step "deb: a desktop" desktop
  wayland=$(find "$scratch/tree/usr/bin/sway" 2>/dev/null || true)
  for user in root ann; do opened deb "$user" /usr/bin/headscope; done
  step "deb: removed without a trace" inside root / "apt-get purge -y -qq headscope && ! find /usr /etc /var/lib -path /var/lib/dpkg -prune -o -iname '*headscope*' -print | grep ." DEBIAN_FRONTEND=noninteractive
}

if [[ $only != deb ]]; then
  [[ -f $wheel && -f $onefile ]] || wrong "$packages has no wheel or no one file of version $version: ./dev package makes them"
  portable
fi
if [[ $own_suite != "$suite" && $only != deb ]]; then
  say "Not the .deb, which is of $own_suite"
elif [[ -z $only || $only == deb ]]; then
  [[ -f $deb ]] || wrong "$packages has no .deb of version $version: ./dev package deb makes it"
  debian
fi
((!keep)) || say "Kept: $scratch/tree"
say "$suite, in $((SECONDS / 60)) minutes; logs and pictures are in $kept"
printf '%s\n' "${rows[@]}"
exit "$failed"
