# What every step of ./dev web runs with: Debian's emscripten with a cache of its own, for Debian's belongs to root and is
# frozen. A script that sources this has set `prefix`, where libraries are built into.
# shellcheck shell=bash disable=SC2154  # the caller sets prefix
mkdir -p "$prefix/lib/pkgconfig"
export HEADSCOPE_WEB_PREFIX=$prefix EM_CONFIG=$prefix/emscripten.config EM_CACHE=$prefix/emscripten-cache
export PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig PKG_CONFIG_PATH='' EM_PKG_CONFIG_PATH=$prefix/lib/pkgconfig
# Where Debian keeps the parser that emscripten's optimiser uses: a Node.js that is not Debian's has to be told.
export NODE_PATH=/usr/share/nodejs
# Exceptions, and the jumps of libpng and libjpeg, are those of WebAssembly itself. What clang 14 vectorises by itself is
# wrong in places (the loop of canonical_codes in core/io/prefix_code.cpp, and with it every PNG); vectors that are
# written down, those of Highway, are right. There is no -matomics: wasm-ld 14 misplaces thread_local variables then.
# With -O2 every link takes the same system libraries, also that of a test program: emscripten compiles each kind when it is
# first wanted, which takes minutes.
export HEADSCOPE_WEB_FLAGS="-O2 -fwasm-exceptions -sSUPPORT_LONGJMP=wasm -msimd128 -fno-vectorize -fno-slp-vectorize"
if [[ ! -e $EM_CONFIG || /usr/share/emscripten/.emscripten -nt $EM_CONFIG ]]; then
  { grep -Ev '^(FROZEN_CACHE|CACHE) *=' /usr/share/emscripten/.emscripten && echo 'FROZEN_CACHE = False'; } >"$EM_CONFIG"
fi
