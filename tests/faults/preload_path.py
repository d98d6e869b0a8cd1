"""A library for LD_PRELOAD, whose value is a list with blanks and colons between its paths: a path with one of these is
reached by a link."""
import atexit
import os
import shutil
import tempfile


def preload_path(library):
    """A path of `library` that LD_PRELOAD can hold."""
    library = os.path.abspath(library)
    if not any(c.isspace() or c == ":" for c in library):
        return library
    folder = tempfile.mkdtemp(prefix="headscope-preload-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    link = os.path.join(folder, os.path.basename(library))
    os.symlink(library, link)
    return link
