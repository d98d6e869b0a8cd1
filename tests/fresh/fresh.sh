#!/usr/bin/env bash
# ./dev run and ./dev test in a bare tree of a distribution: tests/fresh/fresh.sh --help
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
checkout=$(cd "$here/../.." && pwd)

help() {
  cat <<'TEXT'
tests/fresh/fresh.sh SUITE [options]

Makes a bare tree of SUITE (bookworm, trixie, noble, ...) by debootstrap, unpacks the source in it at a path with a blank
and a letter beyond ASCII, and runs ./dev run and ./dev test there, once for each way that is asked for:

  (nothing)              root gcc tarball, user gcc checkout, root clang checkout, user clang tarball
  --as root|user         root, or a user with sudo
  --compiler gcc|clang
  --from tarball|checkout   a tarball without .git, or a clone
                         one of these three: one way only; what is left open is root, gcc, tarball
  --all                  all eight ways
  --fast                 only the tests labelled fast; without other options one way only: root gcc tarball

  --mirror URL           where SUITE lies; else the first of this machine's own mirrors that has it, else debootstrap's
  --like SUITE           a suite that debootstrap knows and that is built the same way, where it does not know SUITE
  --new                  make the kept bare tree anew
  --no-ccache            without ccache, which a tree has otherwise so that the next run of it is quicker: the minutes that
                         are printed are then those of who has never built it
  --command COMMAND      in the source's folder, instead of ./dev run and ./dev test
  --shell                a shell there instead
  --keep                 keep the tree in which it ran, and say where
  --verbose              print what the commands print; else only the end of those that fail

HEADSCOPE_CMAKE and HEADSCOPE_REQUIRE_* reach the tree. Kept between runs in
${HEADSCOPE_FRESH:-${XDG_CACHE_HOME:-~/.cache}/headscope/fresh}/SUITE: the bare tree, apt's packages, ccache, logs, pictures.
Needs root and debootstrap; ends with 77 and one sentence where they are not there.
TEXT
}

say() { printf '\033[1m%s\033[0m\n' "$*" >&2; }

wrong() {
  say "$* (tests/fresh/fresh.sh --help)"
  exit 2
}

nothing_run() {
  echo "Nothing was run in a bare tree: $*"
  exit 77
}

suite='' as='' compiler='' from='' mirror='' like='' command=''
all=0 fast=0 new=0 no_ccache=0 shell=0 keep=0 verbose=0

one_of() { # one_of OPTION VALUE CHOICES...
  local option=$1 value=$2 choice
  shift 2
  for choice in "$@"; do
    [[ $value == "$choice" ]] && return
  done
  wrong "$option is '$value'; expected ${*}"
}

while (($#)); do
  case $1 in
    --as | --compiler | --from | --mirror | --like | --command)
      (($# > 1)) || wrong "$1 needs a value"
      printf -v "${1#--}" '%s' "$2"
      shift
      ;;
    --all | --fast | --new | --shell | --keep | --verbose) printf -v "${1#--}" 1 ;;
    --no-ccache) no_ccache=1 ;;
    --help | -h) help; exit ;;
    -*) wrong "There is no option $1" ;;
    *)
      [[ -z $suite ]] || wrong "One suite at a time, not '$suite' and '$1'"
      suite=$1
      ;;
  esac
  shift
done
[[ $suite =~ ^[a-z][a-z0-9-]*$ ]] || wrong "Which suite?"
one_of --as "${as:-root}" root user
one_of --compiler "${compiler:-gcc}" gcc clang
one_of --from "${from:-tarball}" tarball checkout

if ((all)); then
  ways=({root,user}" "{gcc,clang}" "{tarball,checkout})
elif [[ -n $as$compiler$from$command ]] || ((fast || shell)); then
  ways=("${as:-root} ${compiler:-gcc} ${from:-tarball}")
else
  # Every word with every other at least once, but for half of the time of --all.
  ways=("root gcc tarball" "user gcc checkout" "root clang checkout" "user clang tarball")
fi

((EUID == 0)) || nothing_run "only root can make one."
command -v debootstrap >/dev/null || nothing_run "debootstrap is not installed."
unshare --mount --propagation private --pid --fork true 2>/dev/null ||
  nothing_run "this machine does not let root make namespaces."

kept=${HEADSCOPE_FRESH:-${XDG_CACHE_HOME:-$HOME/.cache}/headscope/fresh}/$suite
user=ann
folder="/home/ann/Kopf schärfe/headscope"
mkdir -p "$kept"/{ccache,archives,logs,pictures}
exec {lock}>"$kept/lock"
flock -n "$lock" || {
  say "Another run in a tree of $suite goes first"
  flock "$lock"
}

# What a run leaves that was killed goes now; what was to be kept has another name.
rm -rf --one-file-system "$kept"/scratch.*
if ((keep)); then scratch=$(mktemp -d "$kept/kept.XXXXXX"); else scratch=$(mktemp -d "$kept/scratch.XXXXXX"); fi
# shellcheck disable=SC2317  # a trap calls it
clean_up() {
  [[ -z ${preparing:-} ]] || failed_log "$preparing"
  # Nothing is mounted here: inside.sh mounts where nobody else sees it. --one-file-system in case that ever changes.
  ((keep)) || rm -rf --one-file-system "$scratch"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

# This machine's way to the network is the tree's.
network=()
for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
  [[ -z ${!name:-} ]] || network+=("$name=${!name}")
done

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

# pack: the source as a tarball with the folder headscope in it: the last commit, or the working tree where it differs.
# What a link points to is not transformed (S).
pack() {
  local git=(git -c safe.directory='*' -C "$checkout")
  if [[ ! -e $checkout/.git ]]; then
    what="the folder, which is no checkout"
    tar -C "$checkout" --exclude=./build --transform 's,^\.,headscope,S' -cf "$scratch/source.tar" .
  elif [[ -z $("${git[@]}" status --porcelain) ]]; then
    what="the commit $("${git[@]}" rev-parse --short HEAD)"
    "${git[@]}" archive --prefix=headscope/ -o "$scratch/source.tar" HEAD
  else
    what="the working tree above the commit $("${git[@]}" rev-parse --short HEAD)"
    "${git[@]}" ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
      [[ ! -e $checkout/$file ]] || printf '%s\0' "$file"  # else it was deleted and this is not committed yet
    done >"$scratch/files"
    tar -C "$checkout" --null --files-from="$scratch/files" --transform 's,^,headscope/,S' -cf "$scratch/source.tar"
  fi
  say "Tested is $what"
}

inside() { # inside USER FOLDER COMMAND [NAME=VALUE...]
  "$here/inside.sh" "$scratch/tree" "$kept" "$@" "${network[@]}"
}

# A copy of the bare tree with the source in it, and with what its user brings along: a compiler of his choice, sudo.
prepare() { # prepare AS COMPILER FROM
  local packages=(ccache) owner=root proxy=''
  ((!no_ccache)) || packages=(ca-certificates)
  rm -rf --one-file-system "$scratch/tree"
  cp -a --reflink=auto "$kept/pristine" "$scratch/tree"
  cp -L /etc/resolv.conf "$scratch/tree/etc/resolv.conf" 2>/dev/null || true
  echo "127.0.0.1 localhost $(uname -n)" >"$scratch/tree/etc/hosts"
  echo force-unsafe-io >"$scratch/tree/etc/dpkg/dpkg.cfg.d/throw-away"  # it need not survive a loss of power
  eval "$(apt-config shell proxy Acquire::http::Proxy 2>/dev/null || true)"
  [[ -z $proxy ]] || echo "Acquire::http::Proxy \"$proxy\";" >"$scratch/tree/etc/apt/apt.conf.d/90proxy"
  [[ $2 == gcc ]] || packages+=(clang)
  if [[ $1 == user ]]; then
    owner=$user
    packages+=(sudo)
    chroot "$scratch/tree" useradd --create-home --shell /bin/bash "$user"
  fi
  inside root / "apt-get update -qq && apt-get install -y -qq --no-install-recommends ${packages[*]}" \
    DEBIAN_FRONTEND=noninteractive
  if [[ $1 == user ]]; then
    echo "$user ALL=(ALL) NOPASSWD: ALL" >"$scratch/tree/etc/sudoers.d/$user"
  fi
  mkdir -p "$scratch/tree$(dirname "$folder")"
  if [[ $3 == checkout && -e $checkout/.git ]]; then
    git -c safe.directory='*' clone --quiet --no-hardlinks "$checkout" "$scratch/tree$folder"
  fi
  tar -C "$scratch/tree$(dirname "$folder")" -xf "$scratch/source.tar"
  local id
  id=$(awk -F: -v name="$owner" '$1 == name {print $3}' "$scratch/tree/etc/passwd")
  chown -R "$id:$id" "$scratch/tree$(dirname "$folder")" "$kept/ccache"
}

failed_log() { # failed_log LOG
  ((verbose)) || tail -n 60 "$1" >&2
  say "It failed; all of it is in $1"
}

minutes() { printf '%d.%d' $(($1 / 60)) $(($1 % 60 / 6)); } # minutes SECONDS

# attempt NAME COMMAND...: its output into logs/NAME.log; sets took and status.
attempt() {
  local log=$kept/logs/$1.log started=$SECONDS
  shift
  status=0
  if ((verbose)); then
    { "$@" 2>&1 </dev/null | tee "$log"; } || status=$?
  else
    "$@" >"$log" 2>&1 </dev/null || status=$?
  fi
  took=$((SECONDS - started))
  ((status == 0)) || failed_log "$log"
}

# What ./dev run leaves without a display: its last line names a folder, and the demo's files are in it.
check_demo() { # check_demo NAME
  local line file good=0
  line=$(tail -n 1 "$kept/logs/$1-run.log")
  if [[ $line != "$folder/"* ]]; then
    say "The last line of ./dev run names no folder: $line"
    return 1
  fi
  mkdir -p "$kept/pictures/$1"
  for file in window.png heads.png manifest.json; do
    if [[ -s $scratch/tree$line/$file ]]; then
      [[ $file != *.png ]] || cp "$scratch/tree$line/$file" "$kept/pictures/$1/"
    else
      say "$file is not in the demo's folder"
      good=1
    fi
  done
  return "$good"
}

# count FIELD: a number of the last ./dev test in the tree, cases of its programs included; "-" where it ran none.
count() {
  local report=$scratch/tree$folder/build/release/Testing/tests.xml log=$kept/logs/$name-test.log
  if [[ -e $report ]]; then
    local number cases programs failed skipped
    number=$(sed -n "0,/^[[:space:]]*$1=/s/^[[:space:]]*$1=\"\([0-9]*\)\".*/\1/p" "$report")
    read -r cases programs failed skipped < <(
      sed -n 's/^\([0-9,]*\) cases in \([0-9]*\) programs: \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3 \4/p' "$log" |
        tr -d , | tail -n 1
    ) || true
    case $1 in
      tests) number=$((number + ${cases:-0} - ${programs:-0})) ;;
      failures) number=$((number + ${failed:-0})) ;;
      skipped) number=$((number + ${skipped:-0})) ;;
    esac
    echo "$number"
  else
    echo -
  fi
}

if ((new)) || [[ ! -d $kept/pristine ]]; then
  make_pristine
fi
pack
rows=() failed=0
for way in "${ways[@]}"; do
  read -r as compiler from <<<"$way"
  name=$as-$compiler-$from
  say "$suite, $as, $compiler, $from"
  started=$SECONDS preparing=$kept/logs/$name-prepare.log
  prepare "$as" "$compiler" "$from" >"$preparing" 2>&1
  preparing=''
  echo "  a bare tree with its source: $(minutes $((SECONDS - started))) minutes" >&2
  variables=("HEADSCOPE_CMAKE=${HEADSCOPE_CMAKE:-}" CCACHE_DIR=/var/cache/ccache CCACHE_MAXSIZE=3G "CCACHE_BASEDIR=$folder"
    CCACHE_NOHASHDIR=1)
  for variable in "${!HEADSCOPE_REQUIRE_@}"; do variables+=("$variable=${!variable}"); done
  [[ $compiler == gcc ]] || variables+=(CXX=clang++)
  # A bare root has no locale, and a user who works on a machine has one.
  if [[ $as == root ]]; then who=root; else who=$user variables+=(LANG=C.UTF-8); fi
  if ((shell)); then
    inside "$who" "$folder" "bash -i" "${variables[@]}" || true
    continue
  fi
  if [[ -n $command ]]; then
    attempt "$name-command" inside "$who" "$folder" "$command" "${variables[@]}"
    ((status == 0)) || failed=1
    ((verbose)) || ((status)) || cat "$kept/logs/$name-command.log"
    continue
  fi
  wrong=()
  attempt "$name-run" inside "$who" "$folder" "./dev run" "${variables[@]}"
  run=$took
  echo "  ./dev run: $(minutes "$run") minutes" >&2
  { ((status == 0)) && check_demo "$name"; } || wrong+=(run)
  words="./dev test"
  ((!fast)) || words+=" -L fast"
  attempt "$name-test" inside "$who" "$folder" "$words" "${variables[@]}"
  ((status == 0)) || wrong+=(test)
  echo "  $words: $(minutes "$took") minutes" >&2
  grep -E '^skipped: ' "$kept/logs/$name-test.log" | sed 's/^/  /' >&2 || true
  warnings=$(cat "$kept/logs/$name-"{run,test}.log | grep -c 'warning:' || true)
  rows+=("$(printf '%-5s %-6s %-9s %8s %8s %7s %7s %8s %9s  %s' "$as" "$compiler" "$from" "$(minutes "$run")" \
    "$(minutes "$took")" "$(count tests)" "$(count failures)" "$(count skipped)" "$warnings" "${wrong[*]:+failed: }${wrong[*]:-passed}")")
  ((${#wrong[@]} == 0)) || failed=1
done

((!keep)) || say "Kept: $scratch/tree"
if ((${#rows[@]})); then
  say "$suite, $what, in $(minutes $SECONDS) minutes; logs and pictures are in $kept"
  printf '%-5s %-6s %-9s %8s %8s %7s %7s %8s %9s  %s\n' as with from run test tests failed skipped warnings result
  printf '%s\n' "${rows[@]}"
fi
exit "$failed"
