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

# shellcheck source=tests/fresh/tree.sh
source "$here/tree.sh"

wrong() {
  say "$* (tests/fresh/fresh.sh --help)"
  exit 2
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

user=ann
folder="/home/ann/Kopf schärfe/headscope"
begin_trees

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

# A copy of the bare tree with the source in it, and with what its user brings along: a compiler of his choice, sudo.
prepare() { # prepare AS COMPILER FROM
  local packages=(ccache) owner=root
  ((!no_ccache)) || packages=(ca-certificates)
  bare_copy
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
