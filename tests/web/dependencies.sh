#!/usr/bin/env bash
# tests/web/dependencies.sh PREFIX: what the window and headscope-cli link, built for WebAssembly by Debian's emscripten from
# this Debian's own source packages, as static libraries in PREFIX. What is built already stays; PREFIX/log has a file each.
set -euo pipefail
shopt -s inherit_errexit
prefix=${1:?expected the folder to build into}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=WebAssembly
. "$here/../debian_sources.sh"
. "$here/environment.sh"
flags=$HEADSCOPE_WEB_FLAGS
# Also in what Meson asks the linker, or other kinds of the system libraries would be compiled.
export EMCC_CFLAGS=$flags

by_cmake() { # by_cmake SOURCE [cmake arguments]
  local source=$1
  shift
  rm -rf "$source/web"
  cmake -S "$source" -B "$source/web" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$here/emscripten.cmake" \
    -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
    -DCMAKE_INSTALL_LIBDIR:STRING=lib -DCMAKE_{C,CXX}_FLAGS_RELEASE=-DNDEBUG "$@"
  ninja -C "$source/web" install
}

by_meson() { # by_meson SOURCE [-DOPTION=VALUE...]
  local source=$1 known list
  with_known_options "$@"
  # shellcheck disable=SC2086  # words
  list=$(printf "'%s', " $flags)
  cat >"$prefix/meson.ini" <<MESON
[binaries]
c = 'emcc'
cpp = 'em++'
ar = 'emar'
ranlib = 'emranlib'
pkgconfig = 'pkg-config'
[built-in options]
prefer_static = true
c_args = ['-I$prefix/include', ${list%, }]
cpp_args = ['-I$prefix/include', ${list%, }]
c_link_args = ['-L$prefix/lib', ${list%, }]
cpp_link_args = ['-L$prefix/lib', ${list%, }]
[properties]
pkg_config_libdir = '$prefix/lib/pkgconfig'
needs_exe_wrapper = true
[host_machine]
system = 'emscripten'
cpu_family = 'wasm32'
cpu = 'wasm32'
endian = 'little'
MESON
  rm -rf "$source/web"
  meson setup "$source/web" "$source" --cross-file "$prefix/meson.ini" --prefix "$prefix" --libdir lib \
    --buildtype release -Doptimization=2 --default-library static --wrap-mode nofallback "${known[@]}"
  ninja -C "$source/web" install
}

by_configure() { # by_configure SOURCE [arguments of configure]
  local source=$1
  shift
  # The sources' own list of systems is older than WebAssembly.
  find "$source" -name config.sub -exec cp /usr/share/misc/config.sub {} \;
  (cd "$source" && emconfigure ./configure --host=wasm32-unknown-emscripten --prefix="$prefix" --enable-static \
    --disable-shared CFLAGS="$flags" CPPFLAGS="-I$prefix/include" LDFLAGS="-L$prefix/lib" \
    PKG_CONFIG="pkg-config --static" "$@" &&
    emmake make -j "$(nproc)" ACLOCAL=: AUTOCONF=: AUTOMAKE=: AUTOHEADER=: install)  # a patched configure.ac makes nothing anew
}

# library_file NAME OBJECTS...: PREFIX/lib/libNAME.a; module_file MODULE NAME VERSION INCLUDES: what pkg-config says of it.
library_file() {
  rm -f "$prefix/lib/lib$1.a"
  emar rcs "$prefix/lib/lib$1.a" "${@:2}"
}
module_file() {
  printf 'Name: %s\nDescription: of Debian, for WebAssembly\nVersion: %s\nLibs: -L%s -l%s\nCflags: -I%s\n' \
    "$1" "$3" "$prefix/lib" "$2" "$4" >"$prefix/lib/pkgconfig/$1.pc"
}

# The recipes: a function each, by the name of Debian's source package.
# By hand: zlib's own build files want Windows' resources, which Debian's source leaves out. Who includes zconf.h has to see
# what it was compiled with, or adler32_combine() and its kind take numbers of another width.
recipe_zlib() {
  cd "$1"
  [[ -e zconf.h ]] || cp zconf.h.in zconf.h
  sed -i 's/^#ifdef HAVE_UNISTD_H .*/#if 1/; s/^#ifdef HAVE_STDARG_H .*/#if 1/' zconf.h
  local each objects=()
  for each in adler32 compress crc32 deflate gzclose gzlib gzread gzwrite infback inffast inflate inftrees trees uncompr zutil; do
    # shellcheck disable=SC2086  # words
    emcc $flags -D_LARGEFILE64_SOURCE=1 -DHAVE_UNISTD_H -DHAVE_STDARG_H -c $each.c -o $each.web.o
    objects+=("$each.web.o")
  done
  library_file z "${objects[@]}"
  cp zlib.h zconf.h "$prefix/include"
  module_file zlib z "$(sed -n 's/#define ZLIB_VERSION "\([0-9.]*\).*/\1/p' zlib.h)" "$prefix/include"
}
recipe_libpng1.6() { by_cmake "$1" -DPNG_SHARED=OFF -DPNG_TESTS=OFF; }
# CMake's question for sizes finds 7 bytes in a WebAssembly file.
recipe_libjpeg-turbo() {
  by_cmake "$1" -DENABLE_SHARED=OFF -DWITH_SIMD=OFF -DWITH_TURBOJPEG=OFF -DHAVE_SIZE_T=TRUE -DSIZE_T=4 \
    -DHAVE_UNSIGNED_LONG=TRUE -DUNSIGNED_LONG=4
}
recipe_fmtlib() { by_cmake "$1" -DFMT_TEST=OFF -DFMT_DOC=OFF; }
recipe_highway() { by_cmake "$1" -DBUILD_TESTING=OFF -DHWY_ENABLE_TESTS=OFF -DHWY_ENABLE_EXAMPLES=OFF -DHWY_ENABLE_CONTRIB=OFF; }
recipe_utf8proc() { by_cmake "$1"; }
recipe_pcre2() { by_cmake "$1" -DPCRE2_BUILD_TESTS=OFF -DPCRE2_BUILD_PCRE2GREP=OFF -DPCRE2_SUPPORT_JIT=OFF; }
# Tests, demos and programs of it, of pixman and of Fontconfig cost minutes of links.
recipe_fribidi() {
  sed -i "s,^ *subdir('\(bin\|test\)'),," "$1/meson.build"
  by_meson "$1" -Ddocs=false -Dbin=false -Dtests=false
}
# Security fixes ask for the value of XML_DTD, which its CMake defines without one.
recipe_expat() {
  sed -i 's/^#cmakedefine XML_DTD$/& 1/' "$1/expat/expat_config.h.cmake"
  by_cmake "$1/expat" -DEXPAT_BUILD_TOOLS=OFF -DEXPAT_BUILD_EXAMPLES=OFF -DEXPAT_BUILD_TESTS=OFF \
    -DEXPAT_SHARED_LIBS=OFF
}
# Without PNG: glyphs of one colour alone are drawn.
recipe_freetype() {
  by_cmake "$1" -DFT_REQUIRE_ZLIB=TRUE -DFT_DISABLE_{PNG,BZIP2,HARFBUZZ,BROTLI}=TRUE
}
# Its one file that includes all others: a tenth of the time.
recipe_harfbuzz() {
  # shellcheck disable=SC2086  # words
  em++ $flags -fno-rtti -std=c++11 -DHB_NO_MT -DHAVE_STDBOOL_H -c "$1/src/harfbuzz.cc" -o "$1/harfbuzz.web.o"
  library_file harfbuzz "$1/harfbuzz.web.o"
  mkdir -p "$prefix/include/harfbuzz"
  cp "$1"/src/hb*.h "$prefix/include/harfbuzz"
  module_file harfbuzz harfbuzz "$(sed -n 's/#define HB_VERSION_STRING "\(.*\)"/\1/p' "$1/src/hb-version.h")" \
    "$prefix/include/harfbuzz"
}
recipe_pixman() {
  sed -i "s,^ *subdir('\(test\|demos\)'),," "$1/meson.build"
  by_meson "$1" -D{gtk,libpng,tests,demos,openmp}=disabled
}
recipe_fontconfig() {
  sed -i 's/^SUBDIRS *=.*/SUBDIRS = fontconfig fc-case fc-lang src\nNO_SUBDIRS = \\/' "$1/Makefile.in"
  by_configure "$1" --disable-docs --disable-cache-build --sysconfdir=/nowhere
}
recipe_cairo() {
  if [[ -e $1/meson.build ]]; then
    by_meson "$1" -D{glib,xlib,xcb,tests,spectre}=disabled -D{freetype,fontconfig,png,zlib}=enabled
  else
    sed -i 's/^SUBDIRS = src doc util.*/SUBDIRS = src/' "$1/Makefile.in"  # neither tests nor tools
    by_configure "$1" --disable-{xlib,xcb,gobject,script,interpreter,trace,ps,full-testing,gtk-doc,valgrind} \
      --enable-pthread=no ax_cv_c_float_words_bigendian=no CFLAGS="$flags -DCAIRO_NO_MUTEX=1" --enable-{ft,fc,pdf,png,svg}
  fi
}
# Headscope's own build compiles Dear ImGui, with its options.
recipe_imgui() { test -e "$1/imgui.cpp" && ln -sfn "$1" "$prefix/imgui"; }

for package in libeigen3-dev nlohmann-json3-dev libcli11-dev; do headers_of "$package"; done
for package in zlib fmtlib utf8proc pcre2 fribidi freetype harfbuzz libpng1.6 libjpeg-turbo highway expat pixman fontconfig \
  cairo imgui; do
  build "$package"
done
