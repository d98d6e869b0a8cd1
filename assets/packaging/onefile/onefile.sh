#!/usr/bin/env bash
# One file that runs on any Linux of its machine: onefile.sh APPDIR FILE
# APPDIR is what appimage/appdir.sh makes. FILE is header.sh with the folder behind it.
set -euo pipefail
if (($# != 2)) || [[ ! -x ${1:-}/AppRun ]]; then
  echo "onefile.sh APPDIR FILE: a folder of appimage/appdir.sh, and the file to write" >&2
  exit 2
fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$1 file=$2
payload=$(mktemp "$file.XXXXXXXX")
trap 'rm -f "$payload" "$payload.run"' EXIT
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@1767225600 -C "$folder" -cf - . | gzip -9n >"$payload"
glibc=$(python3 "$here/../portable/symbols.py" "$folder/usr" any | sed 's/.*GLIBC \([0-9.]*\).*/\1/')
version=$("$folder/usr/bin/headscope-cli" --version)
sed -e "s/@BYTES@/$(stat -c %s "$payload")/" -e "s/@SHA256@/$(sha256sum "$payload" | cut -d ' ' -f 1)/" \
  -e "s/@MEGABYTES@/$(du -sm "$folder" | cut -f 1)/" -e "s/@GLIBC@/$glibc/" -e "s/@MACHINE@/$(uname -m)/" -e "s/@VERSION@/${version##* }/" "$here/header.sh" >"$payload.run"
cat "$payload" >>"$payload.run"
chmod 755 "$payload.run"
mv "$payload.run" "$file"
echo "$file: $(stat -c %s "$file" | awk '{printf "%.1f", $1 / 1e6}') MB"
