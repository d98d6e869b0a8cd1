"""Runs every headscope-cli line of the README, in order, in one empty folder; each must succeed and say something."""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

root, cli = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
blocks = re.findall(r"```sh\n(.*?)```", (root / "README.md").read_text(), re.S)
# What the examples read is written by printf.
lines = [line for block in blocks for line in block.splitlines() if line.startswith(("headscope-cli ", "printf "))]
if len(lines) < 6:
    sys.exit(f"only {len(lines)} examples found in README.md")
failed = 0
with tempfile.TemporaryDirectory() as folder:
    for line in lines:
        arguments = ["sh", "-c", line] if line.startswith("printf ") else [str(cli), *shlex.split(line)[1:]]
        done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
        ok = done.returncode == 0 and (done.stdout or any(pathlib.Path(folder).iterdir()))
        print(("ok      " if ok else "FAILED  ") + line)
        if not ok:
            failed += 1
            print(done.stderr)
for picture in re.findall(r"\]\((assets/[^)]+)\)", (root / "README.md").read_text()):
    if not (root / picture).is_file():
        failed += 1
        print(f"FAILED  the README shows {picture}, which does not exist")
sys.exit(1 if failed else 0)
