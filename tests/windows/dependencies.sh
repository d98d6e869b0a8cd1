#!/usr/bin/env bash
# tests/windows/dependencies.sh PREFIX: what core and headscope-cli link, built for Windows by mingw-w64 from this Debian's
# own source packages, as static libraries in PREFIX. What is built already stays; PREFIX/log has a file each.
set -euo pipefail
shopt -s inherit_errexit
prefix=${1:?expected the folder to build into}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
host=x86_64-w64-mingw32
export PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig PKG_CONFIG_PATH='' HEADSCOPE_WINDOWS_PREFIX=$prefix
cache=()
! command -v ccache >/dev/null || cache=(ccache)

target=Windows
. "$here/../debian_sources.sh"

by_cmake() { # by_cmake SOURCE [cmake arguments]
  local source=$1
  shift
  rm -rf "$source/windows"
  cmake -S "$source" -B "$source/windows" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$here/mingw-w64.cmake" \
    -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
    -DCMAKE_INSTALL_LIBDIR:STRING=lib ${cache:+-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache} "$@"
  ninja -C "$source/windows" install
}

by_meson() { # by_meson SOURCE [-DOPTION=VALUE...]
  local source=$1 words='' known
  with_known_options "$@"
  [[ ${#cache[@]} == 0 ]] || words="'ccache', "
  cat >"$prefix/meson.ini" <<MESON
[binaries]
c = [$words'$host-gcc-posix']
cpp = [$words'$host-g++-posix']
ar = '$host-ar'
strip = '$host-strip'
windres = '$host-windres'
pkgconfig = 'pkg-config'
[built-in options]
prefer_static = true
c_args = ['-I$prefix/include']
c_link_args = ['-L$prefix/lib']
[properties]
pkg_config_libdir = '$prefix/lib/pkgconfig'
needs_exe_wrapper = true
[host_machine]
system = 'windows'
cpu_family = 'x86_64'
cpu = 'x86_64'
endian = 'little'
MESON
  rm -rf "$source/windows"
  meson setup "$source/windows" "$source" --cross-file "$prefix/meson.ini" --prefix "$prefix" --libdir lib \
    --buildtype release --default-library static --wrap-mode nofallback "${known[@]}"
  ninja -C "$source/windows" install
}

by_configure() { # by_configure SOURCE [arguments of configure]
  local source=$1
  shift
  (cd "$source" && ./configure --host="$host" --prefix="$prefix" --enable-static --disable-shared \
    CC="${cache[*]} $host-gcc-posix" CPPFLAGS="-I$prefix/include" LDFLAGS="-L$prefix/lib" \
    PKG_CONFIG="pkg-config --static" "$@" &&
    make -j "$(nproc)" ACLOCAL=: AUTOCONF=: AUTOMAKE=: AUTOHEADER=: install)  # a patched configure.ac makes nothing anew
}

# The recipes: a function each, by the name of Debian's source package.
recipe_libpng1.6() { by_cmake "$1" -DPNG_SHARED=OFF -DPNG_TESTS=OFF; }
recipe_libjpeg-turbo() { by_cmake "$1" -DENABLE_SHARED=OFF -DWITH_SIMD=OFF -DWITH_TURBOJPEG=OFF; }
recipe_fmtlib() { by_cmake "$1" -DFMT_TEST=OFF -DFMT_DOC=OFF; }
recipe_highway() { by_cmake "$1" -DBUILD_TESTING=OFF -DHWY_ENABLE_TESTS=OFF -DHWY_ENABLE_EXAMPLES=OFF -DHWY_ENABLE_CONTRIB=OFF; }
recipe_utf8proc() { by_cmake "$1" && sed -i 's/^Cflags: .*/& -DUTF8PROC_STATIC/' "$prefix/lib/pkgconfig/libutf8proc.pc"; }
recipe_pcre2() {
  by_cmake "$1" -DPCRE2_BUILD_TESTS=OFF -DPCRE2_BUILD_PCRE2GREP=OFF -DPCRE2_SUPPORT_JIT=ON
  sed -i 's/^Cflags: .*/& -DPCRE2_STATIC/' "$prefix/lib/pkgconfig/libpcre2-8.pc"
}
recipe_fribidi() { by_meson "$1" -Ddocs=false -Dbin=false -Dtests=false; }
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
recipe_harfbuzz() {
  by_meson "$1" -D{glib,gobject,cairo,icu,freetype,gdi,directwrite,tests,docs,introspection}=disabled
}
recipe_pixman() { by_meson "$1" -D{gtk,libpng,tests,demos,openmp}=disabled; }
recipe_fontconfig() {
  by_configure "$1" --disable-docs --disable-cache-build --sysconfdir=/nowhere
}
recipe_cairo() {
  if [[ -e $1/meson.build ]]; then
    by_meson "$1" -D{glib,xlib,xcb,tests,spectre}=disabled -D{freetype,fontconfig,png,zlib}=enabled
    sed -i 's/^Cflags: .*/& -DCAIRO_WIN32_STATIC_BUILD/' "$prefix/lib/pkgconfig/cairo.pc"
  else
    sed -i 's/^SUBDIRS = src doc util.*/SUBDIRS = src/' "$1/Makefile.in"  # neither tests nor tools
    by_configure "$1" --disable-{xlib,xcb,gobject,script,interpreter,trace,ps,full-testing,gtk-doc,valgrind} \
      --disable-win32-font --enable-{ft,fc,pdf,png,svg}
  fi
}
for package in libeigen3-dev nlohmann-json3-dev libcli11-dev; do headers_of "$package"; done
for file in include/zlib.h include/zconf.h lib/libz.a; do cp -u "/usr/$host/$file" "$prefix/$file"; done
cat >"$prefix/lib/pkgconfig/zlib.pc" <<PC
Name: zlib
Description: of Debian's libz-mingw-w64-dev
Version: $(sed -n 's/#define ZLIB_VERSION "\([0-9.]*\).*/\1/p' "$prefix/include/zlib.h")
Libs: -L$prefix/lib -lz
Cflags: -I$prefix/include
PC
for package in fmtlib utf8proc pcre2 fribidi freetype harfbuzz libpng1.6 libjpeg-turbo highway expat pixman fontconfig \
  cairo; do
  build "$package"
done
