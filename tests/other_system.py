"""headscope-cli of another system against that of Linux: the same exit codes, texts and files. What tests/windows and tests/web
share: their compare.py run the rows of tests/windows/cases.py with both programs, each in a folder of its own.

Texts and files must be the same bytes, but for the \\ of paths; numbers in them may differ a little, since exp and its kind
are another library's. Both draw with the built-in font.
"""
import dataclasses
import hashlib
import os
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
NUMBER = re.compile(rb"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
LONGEST = 300  # seconds that a command may take
# What no two runs say alike: how long it took, how large a file is that says so, and hashes of numbers that may differ.
TIMES = re.compile(r'("seconds": |computed by CPU, \d+ threads? in |"\w*sha256": ")[\w.+-]+( (?:ns|µs|ms|s)\b)?'.encode())
SIZES = re.compile(rb"\d[\d.]* (?:bytes|[kKMG]i?B)\b")
NO_FONTS = "<fontconfig><dir>{}</dir><cachedir>{}</cachedir></fontconfig>"


def prepare(folder):
    """What the commands read."""
    golden = ROOT / "tests/golden/files"
    for name in ("003_x.npy", "003_layer.safetensors"):
        shutil.copy(golden / name, folder)
    shutil.copy(golden / "003_query.npy", folder / "theirs.npy")
    shutil.copytree(ROOT / "assets/demos/induction", folder / "model")
    layer = (golden / "003_layer.safetensors").read_bytes()
    (folder / "cut.safetensors").write_bytes(layer[:len(layer) // 2])
    (folder / "cut.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0")
    (folder / "empty.npy").write_bytes(b"")
    (folder / "crlf.txt").write_bytes("Über den Wolken ☁\r\n".encode())
    (folder / "model.png").mkdir()
    (folder / "phrases.txt").write_text("Anna lost the key because she was tired\nTom gave the book to Anna\n"
                                        "the dog saw that it was late\n", encoding="utf-8")


def files_of(folder):
    """path -> hash of every file below a folder, by / whatever the system."""
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in folder.rglob("*") if path.is_file()}


def with_slashes(data):
    return data.replace(b"\\\\", b"/").replace(b"\\", b"/")


def floats_difference(linux, other, near):
    """difference() of two files of NumPy or safetensors: their headers, and float32 after them."""
    start = 10 + int.from_bytes(linux[8:10], "little") if linux[:6] == b"\x93NUMPY" else 8 + int.from_bytes(linux[:8], "little")
    if len(linux) != len(other) or linux[:start] != other[:start]:
        return "their headers or lengths differ", ""
    ours, theirs = (struct.unpack(f"<{(len(data) - start) // 4}f", data[start:]) for data in (linux, other))
    scale = max(1, max(map(abs, ours), default=0))  # sums of many products: their size is that of the largest
    largest = max((abs(a - b) / scale for a, b in zip(ours, theirs) if a != b), default=0)
    return (f"numbers differ by {largest:.0e}" if not largest <= near else ""), f"numbers to {largest:.0e}"


@dataclasses.dataclass(frozen=True)
class Rules:
    """What the other program is called, and how far its numbers may lie from Linux's, as a share of their size."""
    name: str
    near: float
    only_code: dict = dataclasses.field(default_factory=dict)  # name of a row -> why only its exit code is the same here


def difference(linux, other, rules):
    """("" or what is different, a word on how much alike they are)."""
    if linux == other:
        return "", "bytes"
    if b"\r\n" in other and b"\r\n" not in linux:
        return "lines end with CRLF", ""
    if linux[:6] == other[:6] == b"\x93NUMPY" or (linux[8:9] == other[8:9] == b"{" and len(linux) == len(other)):
        return floats_difference(linux, other, rules.near)
    ours, theirs = with_slashes(linux), with_slashes(other)
    if ours == theirs:
        return "", "paths"
    ours, theirs = (SIZES.sub(b"SIZE", TIMES.sub(rb"\1TIME", text)) for text in (ours, theirs))
    if ours == theirs:
        return "", "but for times and hashes"
    ours, theirs = (re.sub(b" +", b" ", text) for text in (ours, theirs))  # a number of fewer digits has more before it
    try:
        ours.decode()
        theirs.decode()
    except UnicodeDecodeError:
        return f"{len(linux)} bytes that are no text differ from {len(other)}", ""
    if NUMBER.sub(b"#", ours) != NUMBER.sub(b"#", theirs):
        pairs = zip(ours.splitlines() + [b""], theirs.splitlines() + [b""])
        line = next(((a, b) for a, b in pairs if NUMBER.sub(b"#", a) != NUMBER.sub(b"#", b)), (ours, theirs))
        words = (text[:200].decode() for text in line)
        return "Linux: {!r}, {}: {!r}".format(next(words), rules.name, next(words)), ""
    largest = 0
    for a, b in zip(NUMBER.findall(ours), NUMBER.findall(theirs)):
        if a != b:
            one, another = float(a), float(b)
            apart = abs(one - another) / max(1, abs(one), abs(another))
            if apart > rules.near:
                return f"Linux: {one}, {rules.name}: {another}", ""
            largest = max(largest, apart)
    return "", f"numbers to {largest:.0e}"


class Side:
    """A program, and the folder that it works in."""

    def __init__(self, start, folder, environment):
        self.start, self.folder, self.environment = start, folder, environment
        folder.mkdir()
        prepare(folder)
        self.known = files_of(folder)

    def run(self, case):
        """(exit code, {what: bytes}) of a command: its two texts, and the files that it made or changed."""
        # Into files: what Wine leaves running in the background would keep a pipe open.
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            try:
                code = subprocess.run(self.start + case.words, cwd=self.folder, env=self.environment, input=case.given,
                                      stdout=out, stderr=err, timeout=LONGEST, check=False).returncode
            except subprocess.TimeoutExpired:
                code = f"nothing, for it still ran after {LONGEST} seconds"
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read())
        before, self.known = self.known, files_of(self.folder)
        made = {path: (self.folder / path).read_bytes() for path, sum in self.known.items() if before.get(path) != sum}
        return code, {"standard output": texts[0], "standard error": texts[1], **made}


def check(case, linux, other, rules):
    """(sentences about what is wrong, a word on how much alike both are)."""
    (code, expected), (found_code, found) = linux.run(case), other.run(case)
    if code != case.code:
        return [f"Linux ends with {code}, expected {case.code}: {expected['standard error'].decode().strip()}"], ""
    if found_code != code:
        return [f"{rules.name} ends with {found_code}, Linux with {code}: {found['standard error'].decode().strip()}"], ""
    wrong = [f"{path}: written by one alone" for path in sorted(expected.keys() ^ found.keys())]
    if only_code := case.only_code or rules.only_code.get(case.name):
        return wrong, f"exit code alone, since {only_code}"
    alike = set()
    for what in sorted(expected.keys() & found.keys()):
        different, how = difference(expected[what], found[what], rules)
        if different:
            wrong.append(f"{what}: {different}")
        alike.add(how)
    return wrong, "same " + ", ".join(sorted(alike - {""}))


def bare_environment(scratch):
    """The environment of both programs: no fonts, so that both draw with the built-in one, and a home in `scratch`."""
    (scratch / "fonts").mkdir()
    (scratch / "fonts.conf").write_text(NO_FONTS.format(scratch / "fonts", scratch / "fonts"), encoding="utf-8")
    return {"PATH": os.environ["PATH"], "HOME": str(scratch), "LC_ALL": "C.UTF-8", "TZ": "UTC",
            "FONTCONFIG_FILE": str(scratch / "fonts.conf"), "SOURCE_DATE_EPOCH": "0"}


def compare_all(cases, linux, other, rules):
    """Runs the rows with both sides and prints a line for each; 1 when any fails, or when there is none."""
    failed = 0
    for case in cases:
        wrong, alike = check(case, linux, other, rules)
        failed += bool(wrong)
        print(f"{'FAILED' if wrong else 'passed'}  {case.name}: {'; '.join(wrong) or alike}", flush=True)
    print(f"{len(cases)} commands, {failed} failed")
    return 1 if failed or not cases else 0
