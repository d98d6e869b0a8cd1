"""Configures as ./dev run does, with headers that are compiled before, and fails where one of them can be no header:

    python3 tests/arch/precompiled.py ROOT COMPILER HEADSCOPE_WINDOW

No other build of CI has them with GCC: what is wrong in their lists would show on a user's machine first.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

INCLUDE = re.compile(r"#include (\S.*)")
SYSTEM = re.compile(r"<[\w./+-]+>")


def is_header(named):
    """A header of the system between angles, or a file between quotes."""
    return bool(SYSTEM.fullmatch(named)) or pathlib.Path(named.strip('"')).is_file()


def main():
    root, compiler, window = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as build:
        done = subprocess.run(["cmake", "-S", root, "-B", build, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={compiler}",
                               "-DHEADSCOPE_UNITY=OFF", f"-DHEADSCOPE_WINDOW={window}"], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"cmake failed:\n{done.stdout}{done.stderr}")
        lists = sorted(pathlib.Path(build).rglob("cmake_pch.hxx"))
        wrong = [f"{path.relative_to(build)}: {named}" for path in lists
                 for named in INCLUDE.findall(path.read_text()) if not is_header(named)]
    if not lists:
        sys.exit("no target has precompiled headers")
    print(f"{len(lists)} targets, {len(wrong)} headers that are none", *wrong, sep="\n")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
