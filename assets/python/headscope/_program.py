"""Where the programs are, and what they say."""

import os
import pathlib
import shutil
import subprocess


class HeadscopeError(RuntimeError):
    """What headscope-cli refused: `code` is its exit code (2: the request cannot run; 3: a file cannot be used)."""

    def __init__(self, sentence, code=None):
        super().__init__(sentence)
        self.code = code


def program(name):
    """The path of `headscope` or `headscope-cli`: beside the program that HEADSCOPE names, else on PATH."""
    named = os.environ.get("HEADSCOPE")
    if named:
        folder = pathlib.Path(named) if os.path.isdir(named) else pathlib.Path(named).parent
        if os.access(folder / name, os.X_OK):
            return str(folder / name)
        raise HeadscopeError(f"{name} is not beside HEADSCOPE={named}")
    found = shutil.which(name)
    if found is None:
        raise HeadscopeError(f"{name} was not found on PATH; install Headscope, or set HEADSCOPE to one of its programs")
    return found


def call(words):
    """What headscope-cli prints. Raises HeadscopeError with its own sentence."""
    done = subprocess.run([program("headscope-cli"), *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        sentence = done.stderr.strip().removeprefix("headscope-cli: error: ") or f"headscope-cli ended with {done.returncode}"
        raise HeadscopeError(sentence, done.returncode)
    return done.stdout


def version():
    """The version of the program that is found: "1.0.0"."""
    return call(["--version"]).split()[-1]
