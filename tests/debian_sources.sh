# What ./dev windows and ./dev web share: libraries built from this Debian's own source packages. A script that sources this
# sets `prefix` (where it builds into) and `target` (whose name is said), has a function recipe_PACKAGE SOURCE for each
# package, and calls headers_of and build. What is built already stays; PREFIX/log has a file each.
# shellcheck shell=bash disable=SC2154  # the caller sets them

say() { printf '\033[1m%s\033[0m\n' "$*" >&2; }

mkdir -p "$prefix"/{apt/lists/partial,src,log,done,lib/pkgconfig,include,share}

# An apt of our own that knows sources alone: the system's lists stay as they are.
apt_options=(-qq -o "Dir::Etc::sourcelist=$prefix/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
  -o "Dir::State::lists=$prefix/apt/lists" -o "Dir::Cache=$prefix/apt" -o APT::Sandbox::User=root)
# shellcheck source=/dev/null
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
other_suites=(bookworm trixie)
update_sources() {
  [[ -e $prefix/apt/updated ]] && return
  local mirror=${HEADSCOPE_DEBIAN_MIRROR:-http://deb.debian.org}
  cat >"$prefix/apt/sources.list" <<SOURCES
deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror/debian $suite main
deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror/debian-security $suite-security main
SOURCES
  local other
  for other in "${other_suites[@]}"; do
    [[ $other == "$suite" ]] ||
      echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror/debian $other main"
  done >>"$prefix/apt/sources.list"
  apt-get "${apt_options[@]}" update
  touch "$prefix/apt/updated"
}

# source_of PACKAGE: the folder of its unpacked source.
source_of() {
  local folder=$prefix/src/$1
  if [[ ! -d $folder ]]; then
    rm -rf "$folder.part"
    mkdir -p "$folder.part"
    # The security archive may have taken away what its list still names: then the suite's own; where a mirror lacks
    # Debian's patches, the sources without them; and where it lacks these, those of another suite.
    (
      cd "$folder.part"
      get() { apt-get "${apt_options[@]}" source "$@"; }
      get "$1/$suite-security" || get "$1/$suite" && exit
      if get --tar-only "$1/$suite-security" || get --tar-only "$1/$suite"; then
        compgen -G './*/' >/dev/null || tar -xf ./*.orig.tar.?z
        exit
      fi
      for other in "${other_suites[@]}"; do
        if get "$1/$other"; then
          say "The mirror lacks $1 of $suite: that of $other is built" 2>"$prefix/log/$1-source.note"
          exit
        fi
      done
      exit 1
    ) >"$prefix/log/$1-source.log" 2>&1 &
    # In the background: `if` would let every failure within pass.
    if ! wait $!; then
      tail -n 5 "$prefix/log/$1-source.log" >&2
      say "The source of $1 could not be fetched; all of it is in $prefix/log/$1-source.log"
      exit 1
    fi
    [[ ! -e $prefix/log/$1-source.note ]] || cat "$prefix/log/$1-source.note" >&2
    compgen -G "$folder.part/*.d[ie][fb]*" >/dev/null || say "The mirror lacks Debian's patches of $1: it is built without them"
    mv "$folder.part"/*/ "$folder"
    rm -rf "$folder.part"
  fi
  echo "$folder"
}

# with_known_options SOURCE [-DOPTION=VALUE...]: sets `known` to those of Meson's options that this version has.
with_known_options() {
  local source=$1 option name
  shift
  known=()
  for option in "$@"; do
    name=${option#-D}
    ! grep -qs "option('${name%%=*}'" "$source"/meson{_options.txt,.options} || known+=("$option")
  done
}

build() { # build SOURCE-PACKAGE
  [[ -e $prefix/done/$1 ]] && return
  local source
  update_sources
  source=$(source_of "$1")
  say "Building $1 for $target"
  # In the background: `if` would let every failure within pass.
  (set -e; "recipe_$1" "$source") >"$prefix/log/$1.log" 2>&1 &
  if ! wait $!; then
    tail -n 20 "$prefix/log/$1.log" >&2
    say "$1 could not be built; all of it is in $prefix/log/$1.log"
    exit 1
  fi
  touch "$prefix/done/$1"
}

# Libraries of headers alone, without the rest of /usr/include: that of Linux is wrong here.
headers_of() { # headers_of PACKAGE
  [[ -e $prefix/done/$1 ]] && return
  dpkg -L "$1" | grep -E '^/usr/(include|share/(eigen3|cmake|pkgconfig)|lib/([^/]*/)?cmake)/' |
    while read -r file; do [[ ! -f $file ]] || echo "$file"; done >"$prefix/apt/files"
  tar -c -h -T "$prefix/apt/files" --transform 's,^usr/lib/[^/]*-linux-gnu[^/]*/,lib/,;s,^usr/,,' 2>/dev/null | tar -x -C "$prefix"
  touch "$prefix/done/$1"
}
