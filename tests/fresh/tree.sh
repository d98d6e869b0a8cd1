# Bare trees of a distribution, for fresh.sh and packages.sh, which source it and set before: here (this folder), suite,
# mirror and like ("" where nobody names one), new, keep and verbose (0 or 1). Sets kept, where things stay between runs, and
# scratch, which is gone at the end.
# shellcheck shell=bash disable=SC2154  # who sources it sets them

say() { printf '\033[1m%s\033[0m\n' "$*" >&2; }

nothing_run() {
  echo "Nothing was run in a bare tree: $*"
  exit 77
}

# Root, its tools, one run of a suite at a time, and the suite's pristine tree.
begin_trees() {
  ((EUID == 0)) || nothing_run "only root can make one."
  command -v debootstrap >/dev/null || nothing_run "debootstrap is not installed."
  unshare --mount --propagation private --pid --fork true 2>/dev/null ||
    nothing_run "this machine does not let root make namespaces."
  kept=${HEADSCOPE_FRESH:-${XDG_CACHE_HOME:-$HOME/.cache}/headscope/fresh}/$suite
  mkdir -p "$kept"/{ccache,archives,logs,pictures}
  exec {lock}>"$kept/lock"
  flock -n "$lock" || {
    say "Another run in a tree of $suite goes first"
    flock "$lock"
  }
  # What a run leaves that was killed goes now; what was to be kept has another name.
  rm -rf --one-file-system "$kept"/scratch.*
  if ((keep)); then scratch=$(mktemp -d "$kept/kept.XXXXXX"); else scratch=$(mktemp -d "$kept/scratch.XXXXXX"); fi
  trap clean_up EXIT
  trap 'exit 130' INT TERM
  # This machine's way to the network is the tree's.
  network=()
  local name
  for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
    [[ -z ${!name:-} ]] || network+=("$name=${!name}")
  done
  if ((new)) || [[ ! -d $kept/pristine ]]; then make_pristine; fi
}

# shellcheck disable=SC2317  # a trap calls it
clean_up() {
  [[ -z ${preparing:-} ]] || failed_log "$preparing"
  # Nothing is mounted here: inside.sh mounts where nobody else sees it. --one-file-system in case that ever changes.
  ((keep)) || rm -rf --one-file-system "$scratch"
}

failed_log() { # failed_log LOG
  ((verbose)) || tail -n 60 "$1" >&2
  say "It failed; all of it is in $1"
}

# The Release file of a mirror, for whoever looks whether it has the suite and in which components.
release_of() { # release_of MIRROR
  local helper=/usr/lib/apt/apt-helper
  [[ -x $helper ]] || return 1
  rm -f "$scratch/release"
  "$helper" -qq -o APT::Sandbox::User=root download-file "${1%/}/dists/$suite/InRelease" "$scratch/release" \
    &>/dev/null && grep -q "main/binary-$(dpkg --print-architecture)/Packages" "$scratch/release"
}

# The first of this machine's own mirrors that has the suite; none where none has.
own_mirror() {
  local candidate
  command -v apt-get >/dev/null || return 0
  # shellcheck disable=SC2016  # apt-get expands this one
  while read -r candidate; do
    if release_of "$candidate"; then
      echo "$candidate"
      return
    fi
  done < <(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Component: main' | sort -u)
}

# The bare tree that every run copies.
make_pristine() {
  local script=() components=main include=() log=$kept/logs/debootstrap.log
  [[ -n $mirror ]] || mirror=$(own_mirror)
  if [[ -n $mirror ]] && release_of "$mirror" && grep -q '^Components:.* universe' "$scratch/release"; then
    components=main,universe
  fi
  [[ $mirror != https:* ]] || include=(--include=ca-certificates)
  if [[ ! -e /usr/share/debootstrap/scripts/$suite ]]; then
    [[ -n $like ]] || wrong "debootstrap does not know $suite: say --like and a suite of the same distribution"
    script=("/usr/share/debootstrap/scripts/$like")
  fi
  say "A bare $suite from ${mirror:-debootstrap\'s own mirror}"
  rm -rf --one-file-system "$kept/pristine" "$kept/pristine.part"
  # In a namespace of its own: what debootstrap mounts is gone when it ends, whichever way.
  if ! unshare --mount --propagation private -- debootstrap --variant=minbase "--components=$components" \
    "${include[@]}" "$suite" "$kept/pristine.part" ${mirror:+"$mirror"} "${script[@]}" >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    grep -q 'Failed getting release file' "$log" && nothing_run "no mirror with $suite could be reached."
    exit 1
  fi
  mv "$kept/pristine.part" "$kept/pristine"
}

# A copy of the bare tree as $scratch/tree, with this machine's way to the network.
bare_copy() {
  local proxy=''
  rm -rf --one-file-system "$scratch/tree"
  cp -a --reflink=auto "$kept/pristine" "$scratch/tree"
  cp -L /etc/resolv.conf "$scratch/tree/etc/resolv.conf" 2>/dev/null || true
  echo "127.0.0.1 localhost $(uname -n)" >"$scratch/tree/etc/hosts"
  echo force-unsafe-io >"$scratch/tree/etc/dpkg/dpkg.cfg.d/throw-away"  # it need not survive a loss of power
  eval "$(apt-config shell proxy Acquire::http::Proxy 2>/dev/null || true)"
  [[ -z $proxy ]] || echo "Acquire::http::Proxy \"$proxy\";" >"$scratch/tree/etc/apt/apt.conf.d/90proxy"
}

inside() { # inside USER FOLDER COMMAND [NAME=VALUE...]
  "$here/inside.sh" "$scratch/tree" "$kept" "$@" "${network[@]}"
}
