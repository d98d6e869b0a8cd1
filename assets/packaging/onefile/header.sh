#!/bin/sh
# Headscope @VERSION@ in one file: this script, and behind it the programs as a .tar.gz. Its words are those of `headscope`;
# called by the name headscope-cli (a link to it), it is the command line. `--onefile-extract FOLDER` only unpacks.
# It unpacks itself once, below the first of these folders that lets programs run: $XDG_CACHE_HOME (~/.cache) and $TMPDIR (/tmp).
set -u
bytes=@BYTES@ sha256=@SHA256@ machine=@MACHINE@ version=@VERSION@

refuse() {
  echo "headscope: error: $*" >&2
  exit 3
}

[ "$(uname -s) $(uname -m)" = "Linux $machine" ] ||
  refuse "this file is for Linux on $machine, and here is $(uname -s) on $(uname -m); build it from source, or take the file of this machine"

payload() { tail -c "$bytes" "$self"; }

# The file may have been cut short, or changed on its way.
verify() {
  [ -r "$self" ] || refuse "$self cannot be read"
  found=$(payload | sha256sum | cut -d ' ' -f 1)
  [ "$found" = "$sha256" ] || refuse "$self is damaged: its contents have the SHA-256 $found; expected $sha256. Fetch it again"
}

# Names and sizes of all files, as one sum: what a cleaner of old files took away is missed.
listed() {
  (cd "$1" && find . -type f ! -name .complete -exec stat -c '%s %n' {} + | LC_ALL=C sort | sha256sum) 2>/dev/null
}

is_whole() { [ -f "$1/.complete" ] && [ "$(cat "$1/.complete")" = "$(listed "$1")" ]; }

# unpack FOLDER: beside it first, so that FOLDER is whole whenever it is there, whoever else starts at the same time.
unpack() {
  part=$(mktemp -d "$1.XXXXXXXX" 2>/dev/null) || return 1
  trap 'rm -rf "$part"' EXIT
  trap 'exit 130' INT TERM HUP
  if payload | gzip -dc | tar -xf - -C "$part" 2>"$part/said" && rm "$part/said" && chmod 755 "$part" &&
    listed "$part" >"$part/.complete" && [ -s "$part/.complete" ]; then
    if [ -x "$part/usr/bin/headscope-cli" ] && ! said=$("$part/usr/bin/headscope-cli" --version 2>&1); then
      rm -rf "$part"
      refuse "the programs do not start here: $said. They need glibc @GLIBC@ or newer, and no LD_LIBRARY_PATH that leads to other libraries"
    fi
    if [ -e "$1" ] && ! is_whole "$1"; then
      left=$(mktemp -d "$1.XXXXXXXX") && mv -T "$1" "$left/left" && rm -rf "$left"
    fi
    mv -T "$part" "$1" 2>/dev/null || rm -rf "$part"  # another one was first
  else
    rm -rf "$part"
  fi
  trap - EXIT INT TERM HUP
  is_whole "$1"
}

# usable FOLDER: may be written, is this user's alone to change, and lets programs run.
usable() {
  [ -d "$1" ] || (umask 077 && mkdir -p "$1") 2>/dev/null || return 1
  [ ! -L "$1" ] && [ -O "$1" ] && [ -w "$1" ] && [ -z "$(find "$1" -prune -perm /022)" ] || return 1
  probe=$(mktemp "$1/probe.XXXXXXXX" 2>/dev/null) || return 1
  chmod 700 "$probe"
  [ -x "$probe" ]
  runs=$?
  rm -f "$probe"
  return $runs
}

case $0 in
  */*) self=$0 ;;
  *) self=$(command -v -- "$0") || self=$0 ;;
esac
[ -f "$self" ] || self=$0
name=${0##*/}

if [ "${1:-}" = --onefile-extract ]; then
  [ $# = 2 ] || { echo "headscope: error: --onefile-extract needs FOLDER, which is not there yet" >&2; exit 2; }
  [ ! -e "$2" ] || { echo "headscope: error: $2 is there already; expected a folder that is not" >&2; exit 2; }
  verify
  mkdir -p "$2" && payload | gzip -dc | tar -xf - -C "$2" || refuse "$2 could not be written"
  echo "$2/AppRun"
  exit
fi

root=
for below in "${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}" "${TMPDIR:-/tmp}"; do
  case $below in /*) ;; *) continue ;; esac  # a relative path is none
  if [ "$below" = "${TMPDIR:-/tmp}" ]; then
    below=$below/headscope-$(id -u)
  else
    owner=$below  # a home of another user gets no folder that he cannot remove
    while [ -n "$owner" ] && [ ! -e "$owner" ]; do owner=${owner%/*}; done
    [ -O "${owner:-/}" ] || continue
    below=$below/headscope/onefile
  fi
  candidate=$below/$version-$(echo "$sha256" | cut -c 1-16)
  if [ -O "$candidate" ] && [ -x "$candidate/usr/bin/headscope" ] && is_whole "$candidate"; then
    root=$candidate
    break
  fi
  usable "$below" || continue
  verify
  if unpack "$candidate"; then
    root=$candidate
    break
  fi
done
[ -n "$root" ] ||
  refuse "there is no folder to unpack to, with @MEGABYTES@ MB, this user's own and without noexec: tried XDG_CACHE_HOME (or ~/.cache) and TMPDIR (or /tmp)"

case $name in
  headscope-cli*) exec "$root/usr/bin/headscope-cli" "$@" ;;
esac
exec "$root/usr/bin/headscope" "$@"
