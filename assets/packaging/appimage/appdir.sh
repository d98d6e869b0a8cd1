#!/usr/bin/env bash
# What an AppImage holds, as a folder that runs: appdir.sh BUILD FOLDER
# With appimagetool on PATH an AppImage is made of it, beside it.
set -euo pipefail
if (($# != 2)); then
  echo "appdir.sh BUILD FOLDER: a build tree with the window, and a folder that is not there yet" >&2
  exit 2
fi
build=$1 folder=$2
if [[ -e $folder ]]; then
  echo "appdir.sh: $folder is there already" >&2
  exit 2
fi
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
cmake --install "$build" --prefix "$folder/usr" --component runtime --strip >/dev/null
if [[ ! -x $folder/usr/bin/headscope ]]; then
  echo "appdir.sh: $build has no window: configure it with -DHEADSCOPE_WINDOW=ON" >&2
  exit 2
fi

# Libraries of the system on which it runs, not of this one: the C library and what is built with it, the compiler's, drivers
# and what talks to a display or finds fonts. Everything else comes along.
theirs='^(ld-linux|linux-vdso|libc\.|libm\.|libdl\.|librt\.|libpthread\.|libresolv\.|libstdc\+\+|libgcc_s|libGL|libEGL|libOpenGL'
theirs+='|libX|libxcb|libwayland|libdrm|libgbm|libfontconfig|libfreetype|libexpat|libuuid)'
mkdir -p "$folder/usr/lib"
ldd "$folder/usr/bin/headscope" "$folder/usr/bin/headscope-cli" | awk '$2 == "=>" && $3 ~ /^\// {print $1, $3}' | sort -u |
  while read -r name path; do
    [[ $name =~ $theirs ]] || cp -L "$path" "$folder/usr/lib/$name"
  done

cp "$folder/usr/share/applications/headscope.desktop" "$folder/usr/share/icons/hicolor/scalable/apps/headscope.svg" "$folder"
cp "$folder/usr/share/icons/hicolor/256x256/apps/headscope.png" "$folder/.DirIcon"
# Called by the name headscope-cli (a link to the AppImage), it is the command line.
cat >"$folder/AppRun" <<'RUN'
#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
export LD_LIBRARY_PATH="$here/usr/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
case "${ARGV0:-$0}" in
  */headscope-cli | headscope-cli) exec "$here/usr/bin/headscope-cli" "$@" ;;
esac
exec "$here/usr/bin/headscope" "$@"
RUN
chmod 755 "$folder/AppRun"
echo "$folder runs: $folder/AppRun"

if command -v appimagetool >/dev/null; then
  ARCH=$(uname -m) appimagetool "$folder" "$folder.AppImage"
else
  echo "appimagetool is not on PATH, so no AppImage was made; assets/packaging/appimage/README.md says where it is from"
fi
