#!/usr/bin/env python3
"""Whether the programs and libraries in a folder run with an older C library than this system's: symbols.py FOLDER [GLIBC|any]

A wheel that is called manylinux_2_35 promises that nothing in it needs a newer glibc than 2.35, nor what the C++ library of
its time has not (PEP 600). Every file is asked which versions of symbols it needs, and which libraries: those of EVERYWHERE
are the system's, all others must lie in the folder. Ends with 1 and a line for each that breaks it.
"""
import os
import pathlib
import re
import subprocess
import sys

GLIBC = "2.35"
# What GCC 12 has, the compiler of systems with glibc 2.35 and 2.36.
NEWEST = {"GLIBCXX": "3.4.30", "CXXABI": "1.3.13", "GCC": "12.0.0"}
EVERYWHERE = ("libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1", "libresolv.so.2",
              "libgcc_s.so.1", "libstdc++.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1")


def loader_word():
    """How `ldconfig -p` marks libraries of this machine's kind."""
    return {"x86_64": "x86-64", "aarch64": "AArch64"}.get(os.uname().machine, "")


def number(version):
    """"2.35" as (2, 35)."""
    return tuple(int(part) for part in version.split("."))


def is_elf(path):
    """Whether a file is a program or a library."""
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def needs(path):
    """(the libraries, {(library, word): the newest version}) that a file names: ("libc.so.6", "GLIBC") -> "2.34". A version
    without a number, as GLIBC_PRIVATE or GLIBC_ABI_DT_RELR, is a word by itself."""
    said = subprocess.run(["objdump", "-p", str(path)], capture_output=True, text=True, check=True,
                          env=dict(os.environ, LC_ALL="C")).stdout
    libraries = re.findall(r"^  NEEDED +(\S+)", said, re.M)
    newest, library = {}, ""
    for line in said.partition("Version References:")[2].splitlines():
        of = re.match(r"  required from (\S+):", line)
        library = of[1] if of else library
        version = re.match(r"    0x\w+ 0x\w+ \d+ (?:([A-Z]+)_(\d[\d.]*)|(\S+))$", line)
        if version:
            key = library, version[1] or version[3]
            newest[key] = max(newest.get(key, "0"), version[2] or "0", key=number)
    return libraries, newest


def too_new(path, glibc=GLIBC):
    """[(word, version, library)] of what a file needs of the system's libraries and systems with `glibc` have not."""
    allowed = {**NEWEST, "GLIBC": glibc}
    return [(word, version, library) for (library, word), version in needs(path)[1].items()
            if library in EVERYWHERE and (word not in allowed or number(version) > number(allowed[word]))]


def judge(folder, glibc=GLIBC):
    """A sentence on what is needed at most; ends the program with the reasons where systems with `glibc` (None: as new a one
    as this system's) would not do."""
    folder = pathlib.Path(folder)
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink() and is_elf(path))
    here = {path.name for path in files}
    wrong, most = [], {}
    for path in files:
        libraries, newest = needs(path)
        name = path.relative_to(folder)
        wrong += [f"{name} needs {each}, neither in the folder nor on every system" for each in libraries
                  if each not in here and each not in EVERYWHERE]
        if glibc:
            wrong += [f"{name} needs {word} {version} of {library}" for word, version, library in too_new(path, glibc)]
        for (library, word), version in newest.items():
            if library in EVERYWHERE:
                most[word] = max(most.get(word, "0"), version, key=number)
    if not files:
        wrong.append(f"{folder} has no program")
    if wrong:
        sys.exit("\n".join([f"symbols.py: this does not run on every system {f'with glibc {glibc}' if glibc else 'as new as this one'}; "
                            "a build on Debian 12 does (./dev fresh bookworm --command './dev package')", *wrong]))
    return f"{len(files)} files need at most " + ", ".join(f"{word} {version}" for word, version in sorted(most.items()))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit("symbols.py FOLDER [GLIBC|any]")
    print(judge(sys.argv[1], None if sys.argv[2:] == ["any"] else (sys.argv[2:] or [GLIBC])[0]))
