#!/usr/bin/env python3
"""Manual pages as two programs read them: manual.py HEADSCOPE_CLI PAGE..."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

cli, *pages = sys.argv[1:]
readers = [tool for tool in ("mandoc", "man") if shutil.which(tool)]
if not readers:
    print("mandoc was not found: sudo apt-get install mandoc (./dev test installs it)")
    sys.exit(77)
# Undated on purpose: what headscope-cli writes has the same bytes on every day.
ALLOWED = re.compile(r'WARNING: missing date, using "": TH$')
with tempfile.TemporaryDirectory() as folder:
    written = pathlib.Path(folder, "headscope-cli.1")
    subprocess.run([cli, "manual", "--as", "man", "--out", str(written)], check=True)
    for page in (*pages, str(written)):
        wrong, shown = [], {}
        if "mandoc" in readers:  # style is what lines in the source are as long as
            said = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page], capture_output=True, text=True)
            wrong += [line for line in (said.stdout + said.stderr).splitlines() if not ALLOWED.search(line)]
            shown["mandoc"] = subprocess.run(["mandoc", "-T", "utf8", page], capture_output=True, text=True).stdout
        if "man" in readers:
            said = subprocess.run(["man", "--warnings", "-l", "-P", "cat", page], capture_output=True, text=True,
                                  env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "MANWIDTH": "80"})
            wrong += (["man failed"] if said.returncode else []) + said.stderr.splitlines()
            shown["man"] = said.stdout
        if wrong:
            sys.exit(f"{page}:\n" + "\n".join(wrong))
        for reader, text in shown.items():
            plain = re.sub(r".\x08", "", text)
            for heading in ("NAME", "SYNOPSIS", "EXIT STATUS", "SEE ALSO"):
                if not re.search(rf"^{heading}$", plain, re.M):
                    sys.exit(f"{page} has no {heading}, as {reader} shows it")
print(f"{len(pages) + 1} pages by {' and '.join(readers)}")
