#!/usr/bin/env python3
"""Two wheels of the Python package: wheel.py TREE FOLDER

The pure one is what setuptools makes of assets/python. The other one is the same with the programs of TREE, a folder of
portable/tree.py: they become bin/headscope and bin/headscope-cli of whatever environment it is installed in, with their
libraries, demos, fonts and manual pages in share. Both are written into FOLDER, and named.
"""
import base64
import hashlib
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

PACKAGING = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PACKAGING / "portable"))
import symbols  # noqa: E402

MOMENT = (2026, 1, 1, 0, 0, 0)  # of every file, so that the same input gives the same wheel
# What is of use beside the programs: no menu entry, which a desktop would not find in an environment, and no second package.
LEFT_OUT = ("share/applications", "share/icons", "share/metainfo", "share/mime", "share/headscope/python")


def pure_wheel(folder):
    """The path of what setuptools makes of assets/python."""
    with tempfile.TemporaryDirectory() as work:
        # A copy is built, for setuptools leaves files where it works.
        copy = pathlib.Path(work, "package")
        shutil.copytree(PACKAGING.parent / "python", copy, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
        shutil.copyfile(PACKAGING.parent.parent / "LICENSE", copy / "LICENSE")
        code = f"from setuptools import build_meta; print(build_meta.build_wheel({str(folder)!r}))"
        done = subprocess.run([sys.executable, "-c", code], cwd=copy, capture_output=True, text=True,
                              env=dict(os.environ, SOURCE_DATE_EPOCH="1767225600"))
    if done.returncode != 0:
        sys.exit(f"wheel.py: setuptools and wheel are needed (sudo apt-get install python3-setuptools python3-wheel):\n{done.stderr}")
    return folder / done.stdout.split()[-1]


def tag():
    """What pip compares with the machine: its glibc, or a newer one, and its processor."""
    return f"manylinux_{symbols.GLIBC.replace('.', '_')}_{platform.machine()}"


def parts_of(tree, data):
    """(name in the wheel, path) of every file of the tree, in the order of their names."""
    for path in sorted(path for path in tree.rglob("*") if path.is_file()):
        inside = path.relative_to(tree)
        if not any(inside.is_relative_to(left) for left in LEFT_OUT):
            place = f"scripts/{path.name}" if inside.parts[0] == "bin" else f"data/{inside}"
            yield f"{data}/{place}", path


class Wheel:
    """A wheel that is being written, with the list that pip checks it by."""

    def __init__(self, path):
        self._zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
        self._record = []

    def add(self, name, content, mode=0o644):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self._record.append(f"{name},sha256={digest},{len(content)}")
        self._write(name, content, mode)

    def _write(self, name, content, mode):
        entry = zipfile.ZipInfo(name, MOMENT)
        entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, (0o100000 | mode) << 16
        self._zip.writestr(entry, content)

    def close(self, record):
        """Writes the list under its name, which lists itself without a sum."""
        self._write(record, ("\n".join([*self._record, f"{record},,"]) + "\n").encode(), 0o644)
        self._zip.close()


def with_programs(pure, tree):
    """The path of the wheel that is the pure one and the programs."""
    name, version = pure.name.split("-")[:2]
    to = pure.with_name(f"{name}-{version}-py3-none-{tag()}.whl")
    info = f"{name}-{version}.dist-info"
    made = Wheel(to)
    with zipfile.ZipFile(pure) as source:
        for entry in source.infolist():
            content = source.read(entry)
            if entry.filename == f"{info}/RECORD":
                continue
            if entry.filename == f"{info}/WHEEL":
                content = re.sub(rb"Root-Is-Purelib: true", b"Root-Is-Purelib: false", content)
                content = re.sub(rb"Tag: .*", f"Tag: py3-none-{tag()}".encode(), content)
            made.add(entry.filename, content)
    for inside, path in parts_of(tree, f"{name}-{version}.data"):
        made.add(inside, path.read_bytes(), 0o755 if os.access(path, os.X_OK) else 0o644)
    made.close(f"{info}/RECORD")
    return to


def main():
    if len(sys.argv) != 3:
        sys.exit("wheel.py TREE FOLDER: a folder of portable/tree.py, and where the wheels go")
    tree, folder = (pathlib.Path(each).resolve() for each in sys.argv[1:])
    symbols.judge(tree)
    folder.mkdir(parents=True, exist_ok=True)
    pure = pure_wheel(folder)
    for path in (with_programs(pure, tree), pure):
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
