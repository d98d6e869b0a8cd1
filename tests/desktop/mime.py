#!/usr/bin/env python3
"""Builds a database of file types from ours, as an installation does, and asks a desktop's library of what kind files are:
mime.py ASSETS [HEADSCOPE_CLI]"""
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

for tool, package in (("update-mime-database", "shared-mime-info"), ("gio", "libglib2.0-bin")):
    if shutil.which(tool) is None:
        print(f"{tool} was not found: sudo apt-get install {package} (./dev test installs it)")
        sys.exit(77)
assets = pathlib.Path(sys.argv[1]).resolve()
SESSION, CAPTURE, CORPUS = (f"application/x-headscope-{name}" for name in ("session", "capture", "corpus"))
SAFETENSORS, GGUF, NPY = (f"application/x-{name}" for name in ("safetensors", "gguf", "npy"))


def safetensors(header):
    text = json.dumps(header, separators=(",", ":")).encode()
    return struct.pack("<Q", len(text)) + text + bytes(16)


def one(name, **metadata):
    tensors = {name: {"dtype": "F32", "shape": [1, 1, 2, 2], "data_offsets": [0, 16]}}
    return safetensors({"__metadata__": metadata, **tensors} if metadata else tensors)


SESSION_TEXT = b'{\n  "headscope": "0.1.0",\n  "phrase": "a b"\n}\n'
CAPTURE_BYTES = one("layers.0.weights", tokens=json.dumps(["a", "b"]))
CORPUS_BYTES = one("heads", format="headscope-corpus", version="1")
# What a file is called, what is in it, what it is. Without an ending its bytes decide.
FILES = [
    ("a.session.json", SESSION_TEXT, SESSION),
    ("a.headscope.json", SESSION_TEXT, SESSION),
    ("kept", SESSION_TEXT, SESSION),
    ("package.json", b'{"name": "a"}', "application/json"),  # others' files stay what they are
    ("config.json", SESSION_TEXT, "application/json"),
    ("capture.safetensors", CAPTURE_BYTES, CAPTURE),
    ("b.capture.safetensors", CAPTURE_BYTES, CAPTURE),
    ("capture", CAPTURE_BYTES, CAPTURE),
    ("scores", one("layers.0.scores"), CAPTURE),
    ("queries", one("layers.0.query"), CAPTURE),
    ("model.safetensors", one("layers.0.query.weight"), SAFETENSORS),
    ("model", one("layers.0.query.weight", format="pt"), SAFETENSORS),
    ("a.hsagg", CORPUS_BYTES, CORPUS),
    ("scan", CORPUS_BYTES, CORPUS),
    ("a.gguf", b"GGUF" + bytes(20), GGUF),
    ("weights", b"GGUF" + bytes(20), GGUF),
    ("x.npy", b"\x93NUMPY\x01\x00", NPY),
    ("array", b"\x93NUMPY\x01\x00", NPY),
    ("words", b"a capture of layers.0.weights\n", "text/plain"),
    ("numbers", bytes(range(1, 64)), "application/octet-stream"),
]

with tempfile.TemporaryDirectory() as name:
    home = pathlib.Path(name)
    data = home / "share"
    (data / "mime" / "packages").mkdir(parents=True)
    shutil.copy(assets / "headscope-mime.xml", data / "mime" / "packages" / "headscope.xml")
    base = pathlib.Path("/usr/share/mime/packages/freedesktop.org.xml")
    if base.is_file():  # what every desktop knows
        shutil.copy(base, data / "mime" / "packages")
    done = subprocess.run(["update-mime-database", "-V", str(data / "mime")], stderr=subprocess.STDOUT,
                          stdout=subprocess.PIPE, text=True)
    said = [line for line in done.stdout.splitlines() if "headscope" in line.lower() or "error" in line.lower()]
    if done.returncode != 0 or any("warning" in line.lower() or "error" in line.lower() for line in said):
        sys.exit(done.stdout)
    (home / "files").mkdir()
    for file, content, _ in FILES:
        (home / "files" / file).write_bytes(content)
    wanted = {file: kind for file, _, kind in FILES}
    if len(sys.argv) > 2:  # what the program itself writes
        files, cli = home / "files", sys.argv[2]
        (home / "phrases.txt").write_text("a b c\n")
        for command in (["scan", "--model", "demo:pronouns", "--phrases", home / "phrases.txt", "--out", files / "own.hsagg"],
                        ["run", "--phrase", "a b c", "--export", "weights", "--format", "safetensors", "--out", home / "run"],
                        ["run", "--phrase", "a b c", "--export", "weights", "--format", "npy", "--out", home / "run"]):
            subprocess.run([cli, *map(str, command)], check=True, stdout=subprocess.DEVNULL)
        for file, source, kind in (("own scan", files / "own.hsagg", CORPUS), ("own tensors", home / "run/all.safetensors", SAFETENSORS),
                                   ("own array", home / "run/weights.npy", NPY)):
            shutil.copy(source, files / file)
            wanted[file] = kind
        wanted["own.hsagg"] = CORPUS
    environment = dict(os.environ, XDG_DATA_HOME=str(data), XDG_DATA_DIRS=str(data), HOME=name, LC_ALL="C.UTF-8")
    wrong = []
    for file, kind in wanted.items():
        told = subprocess.run(["gio", "info", "-a", "standard::content-type", str(home / "files" / file)], env=environment,
                              capture_output=True, text=True, check=True).stdout
        found = re.search(r"standard::content-type: (\S+)", told)
        if not found or found.group(1) != kind:
            wrong.append(f"{file}: {found.group(1) if found else told}, expected {kind}")
    if wrong:
        sys.exit("\n".join(wrong))

# The window's own list: what it opens, and each kind is one that is known.
entry = (assets / "headscope.desktop").read_text()
opened = re.search(r"^MimeType=(.*);$", entry, re.M).group(1).split(";")
known = re.findall(r'<mime-type type="([^"]+)"', (assets / "headscope-mime.xml").read_text())
if sorted(opened) != sorted(set(known)):
    sys.exit(f"headscope.desktop opens {opened}; headscope-mime.xml has {known}, and the window opens all")
print(f"{len(wanted)} files are what they are")
