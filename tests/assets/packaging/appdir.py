#!/usr/bin/env python3
"""The folder that an AppImage and the one file are made of runs from where it lies, with libraries and fonts of its own:
appdir.py SOURCE BUILD"""
import pathlib
import re
import sys
import tempfile

from packed import check, made_folder, run, version_of

source, build = (pathlib.Path(each).resolve() for each in sys.argv[1:3])

with tempfile.TemporaryDirectory() as name:
    folder = made_folder(source, build, pathlib.Path(name, "Head scope.AppDir"))  # with a blank
    version = version_of(source)
    check(run(folder / "AppRun", "--version") == f"headscope {version}\n", "AppRun is not the window's program")
    as_cli = {"ARGV0": "./headscope-cli"}
    check(run(folder / "AppRun", "--version", **as_cli) == f"headscope-cli {version}\n", "AppRun by another name is not the command line")
    table = run(folder / "AppRun", "run", "--model", "demo:pronouns", "--phrase", "a b c", **as_cli)
    check("weights" in table, f"it computes: {table}")
    for wanted in ("headscope.desktop", "headscope.svg", ".DirIcon", "usr/share/metainfo/headscope.metainfo.xml",
                   "usr/share/doc/headscope/licences/libfribidi0", "usr/share/doc/headscope/licences/fonts-inter"):
        check((folder / wanted).is_file(), f"{wanted} is not in it")
    told = run(folder / "AppRun", "doctor", **as_cli)
    for font in ("Inter-Regular.otf", "Inter-SemiBold.otf", "JetBrainsMono-Regular.ttf", "JetBrainsMono-SemiBold.ttf"):
        check((folder / "usr/share/headscope/fonts" / font).is_file(), f"{font} is not in it")
        check(font.partition(".")[0] in told, f"{font} is not what is drawn with: {told}")

    libraries = folder / "usr/share/headscope/lib"
    own = {path.name: path for path in libraries.iterdir() if path.is_file()}
    spare = {path.name: path for path in (libraries / "spare").iterdir()}
    strangers = [each for each in {**own, **spare} if re.match(r"(libc|libm|libGL|libEGL|libdrm|libstdc\+\+|ld-linux)[.-]", each)]
    check(not strangers, f"libraries of the system came along: {strangers}")
    for needed in ("libfmt", "libglfw", "libharfbuzz", "libhwy"):
        check(any(each.startswith(needed) for each in own), f"{needed} did not come along: {sorted(own)}")
    check("libX11.so.6" in spare and "libX11.so.6" not in own, f"what drivers load, too, is no spare part: {sorted(spare)}")
    for program in ("headscope", "headscope-cli"):
        loaded = run("ldd", folder / "usr/bin" / program)
        check("not found" not in loaded, loaded)
        for line in loaded.splitlines():
            each = line.split()[0]
            check(each not in own or str(folder) in line, f"{each} is taken from elsewhere: {line}")
            check(each not in spare or str(folder) not in line, f"{each} is not the system's, which has it: {line}")
    # A system that has none of them: nothing looks into its folders, though its loader's list still knows what no folder has.
    for path in (*own.values(), *spare.values(), folder / "usr/bin/headscope-cli"):
        run("patchelf", "--set-rpath", f"{libraries}:{libraries}/spare", path)
    for line in run("ldd", folder / "usr/bin/headscope-cli").splitlines():
        each = line.split()[0]
        check(each not in {**own, **spare} or str(folder) in line, f"{each} is taken from elsewhere: {line}")
    run(folder / "usr/bin/headscope-cli", "doctor")
    print(f"{len(own)} libraries and {len(spare)} spare ones, "
          f"{sum(path.stat().st_size for path in folder.rglob('*') if path.is_file()) >> 20} MiB")
