"""Places where nothing can be written, or not all: for failing_writes.py."""

import contextlib
import os
import re
import shutil
import subprocess
import tempfile

skipped = set()  # reasons, each once


def without_times(text):
    """Times differ from run to run: those of a manifest, and the one below a table of shapes."""
    return re.sub(rb'"[^"]*seconds[^"]*": ?[-0-9.e]+|\bin [0-9.]+ ms\b', b"", text)


def holds(found, before, after):
    """The new files, and of the old ones those that the new export does not have."""
    return found == {**{name: each for name, each in before.items() if name not in after}, **after}


def difference(found, wanted):
    return sorted({name for name in {*found, *wanted} if found.get(name) != wanted.get(name)})[:5]


@contextlib.contextmanager
def mounted(folder, *arguments):
    """Whether it could be mounted there."""
    done = subprocess.run(["mount", *arguments, folder], capture_output=True, text=True)
    try:
        yield done.returncode == 0
    finally:
        if done.returncode == 0:
            subprocess.run(["umount", "-l", folder], capture_output=True)


def on_full_tmpfs(writers, name, old, new):
    folder = tempfile.mkdtemp(dir=writers.base)
    with mounted(folder, "-t", "tmpfs", "-o", "size=256k", "none") as done:
        if not done:
            skipped.add("a tmpfs of 256 KB: it cannot be mounted here")
            return ""
        # What is left is less than any writer needs beside its old files.
        code, said = writers.run(name, folder, old)
        before = writers.whole(name, old)
        if code == 0:
            with open(os.path.join(folder, "filler"), "wb", buffering=0) as file:
                with contextlib.suppress(OSError):
                    while True:
                        file.write(bytes(4096))
            code, said = writers.run(name, folder, new)
        else:
            before = {}
        return judged(writers, name, code, said, folder, before, new)


def on_read_only(writers, name, old, new):
    folder = writers.prepared(name, True)
    with mounted(folder, "-t", "tmpfs", "-o", "ro", "none") as done:
        if not done:
            skipped.add("a folder that may not be written: nothing can be mounted here, and root may write everywhere")
            return ""
        code, said = writers.run(name, folder, new)
        return judged(writers, name, code, said, folder, {}, new)


def on_vfat(writers, name, old, new):
    image, folder = tempfile.mktemp(dir=writers.base), tempfile.mkdtemp(dir=writers.base)
    with open(image, "wb") as file:
        file.truncate(4 << 20)
    made = shutil.which("mkfs.vfat") and subprocess.run(["mkfs.vfat", image], capture_output=True).returncode == 0
    if not made:
        skipped.add("vfat: mkfs.vfat is not there (runs without links stand for it)")
        return ""
    with mounted(folder, "-o", "loop", image) as done:
        if not done:
            skipped.add("vfat: a loop device cannot be mounted here (runs without links stand for it)")
            return ""
        for words in (old, new):
            code, said = writers.run(name, folder, words)
        return judged(writers, name, code, said, folder, writers.whole(name, old), new) or ("" if code == 0 else said)


def under_file_limit(writers, name, old, new):
    """No file may be larger than some bytes."""
    for limit in (0, 20):
        folder = writers.prepared(name, True)
        code, said = writers.run(name, folder, new, limit=limit)
        wrong = judged(writers, name, code, said, folder, writers.whole(name, old), new)
        if wrong:
            return f"limit of {limit} bytes: {wrong}"
        if code == 0 and limit == 0:
            return "a limit of no byte is not noticed"
    return ""


def onto_dev_full(writers, name, old, new):
    """A device in the place of each of its files: what is written there is lost, and it says so."""
    for file in writers.whole(name, new):
        folder = tempfile.mkdtemp(dir=writers.base)
        os.makedirs(os.path.dirname(os.path.join(folder, file)), exist_ok=True)
        os.symlink("/dev/full", os.path.join(folder, file))
        code, said = writers.run(name, folder, new)
        if code != 3 or "No space left on device" not in said or said.count("\n") != 1:
            return f"{file} is /dev/full: exit {code}: {said[-300:]}"
        if os.readlink(os.path.join(folder, file)) != "/dev/full":
            return f"{file} was a link to /dev/full"
        break
    return ""


def through_links(writers, name, old, new):
    """Each of its files is a symbolic link into another folder: links stay, and what they lead to is replaced."""
    folder, elsewhere = writers.prepared(name, True), tempfile.mkdtemp(dir=writers.base)
    where = writers.where(folder)
    links = {}
    for number, file in enumerate(sorted(os.listdir(where))):
        path, target = os.path.join(where, file), os.path.join(elsewhere, str(number))
        if os.path.isfile(path):
            os.rename(path, target)
            os.symlink(target, path)
            links[path] = target
    code, said = writers.run(name, folder, new)
    wrong = judged(writers, name, code, said, folder, writers.whole(name, old), new) or ("" if code == 0 else said)
    broken = [path for path, target in links.items() if not os.path.islink(path) or os.readlink(path) != target]
    parts = [file for file in os.listdir(elsewhere) if file.startswith(".headscope-")]
    return wrong or (f"no link any more: {broken}" if broken else "") or (f"leaves {parts}" if parts else "")


def onto_dangling_links(writers, name, old, new):
    """What a link leads to is made where it is missing."""
    folder, elsewhere = tempfile.mkdtemp(dir=writers.base), tempfile.mkdtemp(dir=writers.base)
    for number, file in enumerate(writers.whole(name, new)):
        os.makedirs(os.path.dirname(os.path.join(folder, file)), exist_ok=True)
        os.symlink(os.path.join(elsewhere, str(number)), os.path.join(folder, file))
    code, said = writers.run(name, folder, new)
    lost = [file for file in writers.whole(name, new) if not os.path.islink(os.path.join(folder, file))]
    wrong = judged(writers, name, code, said, folder, {}, new)
    return wrong or (f"exit {code}: {said}" if code != 0 else "") or (f"no link any more: {lost}" if lost else "")


def onto_a_link_to_itself(writers, name, old, new):
    """It leads nowhere: one sentence, and nothing of the others."""
    for file in writers.whole(name, new):
        folder = tempfile.mkdtemp(dir=writers.base)
        path = os.path.join(folder, file)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.symlink(os.path.basename(path), path)
        code, said = writers.run(name, folder, new)
        if code != 3 or said.count("\n") != 1 or "error: " not in said:
            return f"{file} is a link to itself: exit {code}: {said[-300:]}"
        left = [each for _, _, names in os.walk(folder) for each in names]
        if left != [os.path.basename(path)]:
            return f"{file} is a link to itself: leaves {left}"
    return ""


def judged(writers, name, code, said, folder, before, new):
    found = {}
    for root, _, names in os.walk(folder):
        for each in names:
            path = os.path.join(root, each)
            if each != "filler" and os.path.isfile(path):
                with open(path, "rb") as file:
                    found[os.path.relpath(path, folder)] = file.read()
    if "manifest.json" in found:
        found["manifest.json"] = without_times(found["manifest.json"])
    parts = [each for each in found if os.path.basename(each).startswith(".headscope-")]
    if parts:
        return f"leaves {parts}"
    return writers.verdict(code, said, found, before, writers.whole(name, new))


PLACES = [on_full_tmpfs, on_read_only, on_vfat, under_file_limit, onto_dev_full, through_links, onto_dangling_links,
          onto_a_link_to_itself]


def wrong_places(writers, name, old, new):
    return [(place.__name__, wrong) for place in PLACES if (wrong := place(writers, name, old, new))]
