"""Where the programs are, and what they say."""

import functools
import importlib.metadata
import os
import pathlib
import shutil
import subprocess
import sys
import warnings

NOTICE = "headscope-cli: notice: "


class HeadscopeError(RuntimeError):
    """What headscope-cli refused: `code` is its exit code (2: the request cannot run; 3: a file cannot be used)."""

    def __init__(self, sentence, code=None):
        super().__init__(sentence)
        self.code = code


class RefusedError(HeadscopeError, ValueError):
    """What headscope-cli refused because of what it was given: its exit codes 2 and 3."""


@functools.cache
def _came_along(name):
    """The path of a program that was installed together with this package, as wheels with the programs do, or None."""
    try:
        installed = importlib.metadata.distribution("headscope")
    except importlib.metadata.PackageNotFoundError:
        return None
    here = pathlib.Path(__file__).resolve().parent
    files = installed.files or ()
    if not any(file.name == "_program.py" and file.locate().resolve().parent == here for file in files):
        return None  # another copy of the package, which lies elsewhere
    places = [file.locate() for file in files if file.name == name and file.parent.name == "bin"]
    if places:
        places.append(here.parent / "bin" / name)  # pip install --target moves what it has listed elsewhere
    return next((str(place.resolve()) for place in places if os.access(place, os.X_OK)), None)


def program(name):
    """The path of `headscope` or `headscope-cli`: beside the program that HEADSCOPE names, else the one that came along with
    this package, else the one on PATH."""
    named = os.environ.get("HEADSCOPE")
    if named:
        folder = pathlib.Path(named) if os.path.isdir(named) else pathlib.Path(named).parent
        if os.access(folder / name, os.X_OK):
            return str(folder / name)
        raise HeadscopeError(f"{name} is not beside HEADSCOPE={named}")
    found = _came_along(name) or shutil.which(name)
    if found is None:
        raise HeadscopeError(f"{name} was not found on PATH; install Headscope, or set HEADSCOPE to one of its programs")
    return found


def answer(words, ends=(0,)):
    """(exit code, what headscope-cli prints, its notices). Raises HeadscopeError with its own sentence for a code that is
    not one of `ends`: RefusedError, which is a ValueError too, for 2 and 3."""
    done = subprocess.run([program("headscope-cli"), *words], capture_output=True, text=True, encoding="utf-8",
                          stdin=subprocess.DEVNULL)
    lines = done.stderr.strip().splitlines()
    notices = [line.removeprefix(NOTICE) for line in lines if line.startswith(NOTICE)]
    if done.returncode in ends:
        return done.returncode, done.stdout, notices
    sentence = "\n".join(line for line in lines if not line.startswith(NOTICE)).removeprefix("headscope-cli: error: ")
    kind = RefusedError if done.returncode in (2, 3) else HeadscopeError
    raise kind(sentence or f"headscope-cli ended with {done.returncode}", done.returncode)


def warn(notices):
    """Notices as warnings of the line outside of this package that asked."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "headscope":
        level, frame = level + 1, frame.f_back
    for notice in notices:
        warnings.warn(notice, stacklevel=level)


def call(words):
    """What headscope-cli prints. Raises HeadscopeError with its own sentence."""
    return answer(words)[1]


def version():
    """The version of the program that is found: "1.1.0"."""
    return call(["--version"]).split()[-1]
