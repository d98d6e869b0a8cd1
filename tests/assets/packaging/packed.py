"""What the tests of packages share: running commands, and the folder that packages are made of."""
import os
import pathlib
import re
import shutil
import subprocess
import sys


def run(*command, **environment):
    """What a command prints; the end of the test where it fails."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=dict(os.environ, **environment))
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def check(good, sentence):
    if not good:
        sys.exit(sentence)


def version_of(source):
    """The version that stands in core/base/version.h."""
    return re.search(r'kVersion = "([^"]+)"', (source / "core/base/version.h").read_text()).group(1)


def made_folder(source, build, folder):
    """`folder` as appdir.sh makes it, without appimagetool: what that makes is its own business. Skips the test where a tool or
    a font is missing."""
    for tool in ("patchelf", "objdump", "dpkg-query", "cc"):
        if shutil.which(tool) is None:
            print(f"{tool} was not found: sudo apt-get install patchelf binutils gcc (./dev test installs them)")
            sys.exit(77)
    if not any(pathlib.Path("/usr/share/fonts").rglob("Inter-Regular.otf")):
        print("Inter was not found: sudo apt-get install fonts-inter fonts-jetbrains-mono (./dev test installs them)")
        sys.exit(77)
    said = run(source / "assets/packaging/appimage/appdir.sh", build, folder, PATH="/usr/local/bin:/usr/bin:/bin")
    check(str(folder) in said, said)
    return folder
