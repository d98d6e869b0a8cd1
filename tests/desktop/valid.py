#!/usr/bin/env python3
"""Runs a checker, and skips where its package is not installed: valid.py PACKAGE COMMAND..."""
import shutil
import subprocess
import sys

package, *command = sys.argv[1:]
if shutil.which(command[0]) is None:
    print(f"{command[0]} was not found: sudo apt-get install {package} (./dev test installs it)")
    sys.exit(77)
done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
print(done.stdout, end="")
# desktop-file-validate ends with 0 after a warning. Hints are no faults: AppStream 0.16 has one for a tag of 1.0.
sys.exit(done.returncode or (1 if "warning:" in done.stdout else 0))
