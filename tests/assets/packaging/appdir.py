#!/usr/bin/env python3
"""The folder that an AppImage is made of runs from where it lies, with libraries of its own: appdir.py SOURCE BUILD"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

source, build = (pathlib.Path(each).resolve() for each in sys.argv[1:3])


def run(*command, **environment):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=dict(os.environ, **environment))
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def check(good, sentence):
    if not good:
        sys.exit(sentence)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name, "Head scope.AppDir")  # with a blank
    # Without appimagetool: what it makes is its own business.
    said = run(source / "assets/packaging/appimage/appdir.sh", build, folder, PATH="/usr/local/bin:/usr/bin:/bin")
    check(str(folder) in said, said)
    version = re.search(r'kVersion = "([^"]+)"', (source / "core/base/version.h").read_text()).group(1)
    check(run(folder / "AppRun", "--version") == f"headscope {version}\n", "AppRun is not the window's program")
    as_cli = {"ARGV0": "./headscope-cli"}
    check(run(folder / "AppRun", "--version", **as_cli) == f"headscope-cli {version}\n", "AppRun by another name is not the command line")
    table = run(folder / "AppRun", "run", "--model", "demo:pronouns", "--phrase", "a b c", **as_cli)
    check("weights" in table, f"it computes: {table}")
    for wanted in ("headscope.desktop", "headscope.svg", ".DirIcon", "usr/share/metainfo/headscope.metainfo.xml"):
        check((folder / wanted).is_file(), f"{wanted} is not in it")

    own = {path.name for path in (folder / "usr/lib").iterdir() if path.is_file()}
    strangers = [each for each in own if re.match(r"(libc|libm|libGL|libEGL|libX11|libstdc\+\+|ld-linux)[.-]", each)]
    check(not strangers, f"libraries of the system came along: {strangers}")
    for needed in ("libfmt", "libglfw", "libharfbuzz", "libhwy"):
        check(any(each.startswith(needed) for each in own), f"{needed} did not come along: {sorted(own)}")
    loaded = run("ldd", folder / "usr/bin/headscope", LD_LIBRARY_PATH=str(folder / "usr/lib"))
    check("not found" not in loaded, loaded)
    for each in own:
        line = next((line for line in loaded.splitlines() if line.strip().startswith(each + " ")), "")
        check(not line or str(folder) in line, f"{each} is taken from elsewhere: {line}")
    print(f"{len(own)} libraries, {sum(path.stat().st_size for path in folder.rglob('*') if path.is_file()) >> 20} MiB")
