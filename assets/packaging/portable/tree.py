#!/usr/bin/env python3
"""The programs of a build tree with all that they need, in a folder that runs wherever it lies: tree.py BUILD FOLDER

FOLDER is as an installation: bin, share, and in share/headscope/lib the libraries that are not everywhere; those that drivers
of graphics cards load too lie in share/headscope/lib/spare, and are used where the system has none. Fonts of the window are in
share/headscope/fonts, the licences of all of that in share/doc/headscope/licences. The last line says which C and C++
libraries do for it. README.md says more.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import symbols

# Drivers of the system load these too, and a program can have one of each only: the system's, where it has one.
OF_DRIVERS = re.compile(r"lib(X[A-Za-z0-9-]*|xcb[a-z-]*|bsd|md|z|expat)\.so\.\d+")
# GLFW opens these by their names when a window is opened, so that no program names them.
OPENED = ("libXcursor.so.1", "libXrandr.so.2", "libXinerama.so.1", "libXi.so.6", "libXrender.so.1", "libXext.so.6")
# Linked anew where Debian's needs a newer glibc than the wheel promises: the static library, and what it takes from glibc.
LINKED_ANEW = {"libexpat.so.1": ("libexpat.a", "arc4random_buf.c")}
# Where systems keep their libraries: Debian and Ubuntu, Fedora and openSUSE, Arch.
SYSTEM = ("/usr/lib/{machine}-linux-gnu", "/usr/lib64", "/usr/lib")
FONTS = {"fonts-inter": ("Inter-Regular.otf", "Inter-SemiBold.otf"),
         "fonts-jetbrains-mono": ("JetBrainsMono-Regular.ttf", "JetBrainsMono-SemiBold.ttf")}
# What became part of the programs when they were built: no file of it is left that could be asked for its package.
BUILT_IN = ("libimgui-dev", "nlohmann-json3-dev", "libcli11-dev", "libeigen3-dev", "libhwy-dev", "libfmt-dev")


def stop(sentence):
    sys.exit(f"tree.py: {sentence}")


def run(*command):
    """What a command prints; the end of everything where it fails."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=dict(os.environ, LC_ALL="C"))
    if done.returncode != 0:
        stop(f"{' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def install(build, folder):
    """Programs, manual pages, demos: what a package has, without debugging information."""
    run("cmake", "--install", build, "--prefix", folder, "--component", "runtime", "--strip")
    programs = [folder / "bin/headscope", folder / "bin/headscope-cli"]
    for program in programs:
        if not os.access(program, os.X_OK):
            stop(f"{build} has no {program.name}: configure it with -DHEADSCOPE_WINDOW=ON, and build it")
    return programs


def loaded(file):
    """{name: path} of every library that a file loads, those of libraries included."""
    found = dict(re.findall(r"^\s*(\S+) => (/\S+) \(", run("ldd", file), re.M))
    missing = re.findall(r"^\s*(\S+) => not found", run("ldd", file), re.M)
    if missing:
        stop(f"{file} needs {', '.join(missing)}, not found on this machine")
    return found


def path_of(name):
    """Where the system's loader finds a library."""
    for line in run("/sbin/ldconfig", "-p").splitlines():
        words = line.split()
        if words and words[0] == name and symbols.loader_word() in line:
            return words[-1]
    stop(f"{name} is not installed, which a window opens where it is: ./dev package installs it")


def link_anew(name, to):
    """A library in place of one that needs a newer glibc than symbols.GLIBC, with the same functions."""
    static, source = LINKED_ANEW[name]
    found = run("cc", f"-print-file-name={static}").strip()
    if not os.path.isabs(found):
        stop(f"{static} was not found, of which {name} is linked")
    run("cc", "-O2", "-fPIC", "-fvisibility=hidden", "-shared", "-o", to, f"-Wl,-soname,{name}", "-Wl,-Bsymbolic",
        pathlib.Path(__file__).with_name(source), "-Wl,--whole-archive", found, "-Wl,--no-whole-archive")


def gather(programs, folder):
    """Copies the libraries, and lets every file find them from where it lies. Returns where they are from."""
    wanted = {}
    for program in programs:
        wanted.update(loaded(program))
    for name in OPENED:
        wanted[name] = path_of(name)
        wanted.update(loaded(wanted[name]))
    own, spare = folder / "share/headscope/lib", folder / "share/headscope/lib/spare"
    spare.mkdir(parents=True)
    system = ":".join(SYSTEM).format(machine=os.uname().machine)
    # Where the programs themselves need a newer glibc, another libexpat would change nothing.
    promised = not any(symbols.too_new(program) for program in programs)
    for name, path in wanted.items():
        if name in symbols.EVERYWHERE:
            continue
        to, search = (spare, f"{system}:$ORIGIN") if OF_DRIVERS.fullmatch(name) else (own, f"$ORIGIN:{system}:$ORIGIN/spare")
        shutil.copyfile(os.path.realpath(path), to / name)
        if promised and name in LINKED_ANEW and symbols.too_new(to / name):
            link_anew(name, to / name)
        run("strip", "--strip-unneeded", to / name)
        run("patchelf", "--set-rpath", search, to / name)
        (to / name).chmod(0o755)
    for program in programs:
        run("patchelf", "--set-rpath", f"$ORIGIN/../share/headscope/lib:{system}:$ORIGIN/../share/headscope/lib/spare", program)
    return {path for name, path in wanted.items() if name not in symbols.EVERYWHERE}


def add_fonts(folder):
    """The fonts of the window, so that it looks the same where none is installed."""
    fonts = folder / "share/headscope/fonts"
    fonts.mkdir(parents=True)
    for package, names in FONTS.items():
        for name in names:
            found = sorted(pathlib.Path("/usr/share/fonts").rglob(name))
            if not found:
                stop(f"{name} is not below /usr/share/fonts: sudo apt-get install {package}")
            shutil.copyfile(found[0], fonts / name)


def package_of(path):
    """Debian's package of a library; where /lib is a link to /usr/lib, its list may say either."""
    real = os.path.realpath(path)
    for each in (path, real, real.removeprefix("/usr"), "/usr" + real):
        done = subprocess.run(["dpkg-query", "-S", each], capture_output=True, text=True)
        if done.returncode == 0:
            return done.stdout.split(":")[0]
    stop(f"{path} is of no package, so that its licence is not known")


def add_licences(libraries, folder):
    """Debian's copyright file of every package of which something came along."""
    licences = folder / "share/doc/headscope/licences"
    licences.mkdir(parents=True)
    for package in sorted({package_of(path) for path in libraries} | set(FONTS) | set(BUILT_IN)):
        said = pathlib.Path("/usr/share/doc", package, "copyright")
        if not said.is_file():
            stop(f"{said} is not there, the licence of what came along of {package}")
        shutil.copyfile(said, licences / package)


def main():
    if len(sys.argv) != 3:
        stop("expected BUILD, a build tree with the window, and FOLDER, which is not there yet")
    build, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    if folder.exists():
        stop(f"{folder} is there already")
    if not (build / "CMakeCache.txt").is_file():
        stop(f"{build} is no build tree")
    for tool in ("patchelf", "objdump", "strip", "dpkg-query"):
        if shutil.which(tool) is None:
            stop(f"{tool} was not found: ./dev package installs it where apt is")
    folder.mkdir(parents=True)
    folder = folder.resolve()
    libraries = gather(install(build, folder), folder)
    add_fonts(folder)
    add_licences(libraries, folder)
    print(symbols.judge(folder, None))


if __name__ == "__main__":
    main()
