#!/usr/bin/env bash
# What an AppImage holds, as a folder that runs: appdir.sh BUILD FOLDER
# With appimagetool on PATH an AppImage is made of it, beside it.
set -euo pipefail
if (($# != 2)); then
  echo "appdir.sh BUILD FOLDER: a build tree with the window, and a folder that is not there yet" >&2
  exit 2
fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$1 folder=$2
if [[ -e $folder ]]; then
  echo "appdir.sh: $folder is there already" >&2
  exit 2
fi
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
python3 "$here/../portable/tree.py" "$build" "$folder/usr"

cp "$folder/usr/share/applications/headscope.desktop" "$folder/usr/share/icons/hicolor/scalable/apps/headscope.svg" "$folder"
cp "$folder/usr/share/icons/hicolor/256x256/apps/headscope.png" "$folder/.DirIcon"
# Called by the name headscope-cli (a link to the AppImage), it is the command line.
cat >"$folder/AppRun" <<'RUN'
#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
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
