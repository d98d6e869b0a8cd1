"""A fault is injected also where the build lies in a folder whose name has a blank: preload_path_test.py HEADSCOPE_CLI INJECTOR.so"""
import os
import shutil
import subprocess
import sys
import tempfile

from preload_path import preload_path

cli, injector = map(os.path.abspath, sys.argv[1:])
with tempfile.TemporaryDirectory() as base:
    folder = os.path.join(base, "a blank")
    os.mkdir(folder)
    counted = os.path.join(folder, "count")
    inside = shutil.copy(injector, folder)
    environment = dict(os.environ, LD_PRELOAD=preload_path(inside), HEADSCOPE_ALLOCATIONS=counted)
    done = subprocess.run([cli, "--version"], env=environment, capture_output=True, text=True)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"exit {done.returncode}: {done.stderr}")
    if not os.path.exists(counted):
        sys.exit("nothing was injected: no allocation was counted")
