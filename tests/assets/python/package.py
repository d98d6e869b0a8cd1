"""What tests of the Python package share: the package of this tree, and headscope-cli beside it."""
import json
import os
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
try:
    import numpy as np  # noqa: F401
except ImportError:
    print("numpy was not found: sudo apt-get install python3-numpy (./dev test installs it)")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "assets" / "python"
sys.path.insert(0, str(PACKAGE))
CLI = pathlib.Path(sys.argv.pop(1)).resolve()
os.environ["HEADSCOPE"] = str(CLI)


def said(*words):
    """What headscope-cli prints for the words of a command line."""
    done = subprocess.run([str(CLI), *words], capture_output=True, text=True, encoding="utf-8", stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise AssertionError(f"{words} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def as_json(*words):
    """The JSON of a command line."""
    return json.loads(said(*words, "--json"))
