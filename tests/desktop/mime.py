#!/usr/bin/env python3
"""Builds a database of file types from ours, as an installation does, and asks it: mime.py FILE"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

if shutil.which("update-mime-database") is None:
    print("update-mime-database was not found: sudo apt-get install shared-mime-info (./dev test installs it)")
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    packages = pathlib.Path(folder, "packages")
    packages.mkdir()
    shutil.copy(sys.argv[1], packages)
    done = subprocess.run(["update-mime-database", "-V", folder], stderr=subprocess.STDOUT, stdout=subprocess.PIPE, text=True)
    globs = pathlib.Path(folder, "globs").read_text()
    for line in ("application/x-headscope-corpus:*.hsagg", "application/x-safetensors:*.safetensors"):
        if line not in globs:
            sys.exit(f"{line} is missing\n{done.stdout}{globs}")
    if done.returncode != 0 or "warning" in done.stdout.lower():
        sys.exit(done.stdout)
