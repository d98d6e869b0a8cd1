"""Installs the build tree into a folder, and builds and runs a program against it: install_test.py BUILD COMPILER CLI"""
import csv
import pathlib
import re
import subprocess
import sys
import tempfile

build, compiler, cli = sys.argv[1:]
here = pathlib.Path(__file__).resolve().parent


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


with tempfile.TemporaryDirectory() as folder:
    prefix, work = pathlib.Path(folder, "a prefix"), pathlib.Path(folder, "work")
    run("cmake", "--install", build, "--prefix", prefix)
    for wanted in ("bin/headscope-cli", "share/headscope/demos/induction/config.json",
                   "share/man/man1/headscope-cli.1", "share/bash-completion/completions/headscope-cli",
                   "share/doc/headscope/copyright", "share/headscope/python/headscope/__init__.py",
                   "share/headscope/python/headscope/capture.py", "share/headscope/python/headscope/_diagnose.py",
                   "share/headscope/python/headscope/adapters/multihead.py", "share/headscope/python/pyproject.toml",
                   "share/headscope/python/examples/headscope.ipynb", "share/headscope/corpus/pronouns.hsagg",
                   "share/headscope/corpus/pronouns.txt.gz", "share/headscope/corpus/engines/slurm.sh",
                   "include/headscope/core/attention/engine.h"):
        if not (prefix / wanted).exists():
            sys.exit(f"{wanted} was not installed")
    if list(prefix.rglob("precompiled.h")) or list(prefix.rglob("*-inl.h")):
        sys.exit("headers of this tree alone were installed")
    # The generator of the build tree: CMake's default one may lack its program here (make).
    generator = re.search(r"^CMAKE_GENERATOR:INTERNAL=(.+)$", pathlib.Path(build, "CMakeCache.txt").read_text(), re.M)[1]
    run("cmake", "-G", generator, "-S", here / "example", "-B", work, f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror",
        "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
    if "-Wconversion" in (work / "compile_commands.json").read_text():
        sys.exit("the library's warnings are its user's")
    run("cmake", "--build", work)
    said = run(work / "diagnosis").splitlines()
    if said[0] != "explained" or "2 of 2 cells" not in said[1] or said[2].split(":")[0] != "no-scale":
        sys.exit(f"the judgement of tensors in memory says: {said}")
    head, *rows = run(work / "example").splitlines()
    # The same request at the installed command line.
    run(prefix / "bin/headscope-cli", "run", "--phrase", "a stitch in time saves nine", "--d-model", "16", "--heads", "2",
        "--mask", "causal", "--export", "weights", "--out", work / "out")
    if not re.fullmatch(r"headscope [0-9.]+, \[1, 2, 6, 6\]", head) or len(rows) != 6:
        sys.exit(f"the example says: {head}")
    files = sorted((work / "out").glob("*weights*head0*.csv")) or sorted((work / "out").glob("*.csv"))
    with open(files[0], newline="") as file:
        table = [[float(cell) for cell in line[1:]] for line in list(csv.reader(file))[1:]]
    found = [[float(number) for number in row.split()] for row in rows]
    worst = max(abs(a - b) for left, right in zip(table, found) for a, b in zip(left, right))
    if len(table) != 6 or not worst <= 1e-7:
        sys.exit(f"the example's numbers are not the command line's ({files[0].name}): off by {worst}")
    print(f"installed, found, built and run: {head}; off by at most {worst:g}")
