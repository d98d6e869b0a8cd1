"""headscope-cli of another system against that of Linux: the same exit codes, texts and files. What tests/windows and tests/web
share: their compare.py run the rows of tests/windows/cases.py with both programs, each in a folder of its own.

Texts and files must be the same bytes, but for the \\ of paths and counts of threads; numbers and colours may differ a
little, since exp and its kind are another library's. Both draw with the built-in font.
"""
import base64
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[1]
NUMBER = re.compile(rb"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
LONGEST = 300  # seconds that a command may take
# What no two runs say alike: how long it took, how large a file is that says so, and hashes of numbers that may differ.
TIMES = re.compile(r'("seconds": |computed by CPU, THREADS in |"\w*sha256": ")[\w.+-]+( (?:ns|µs|ms|s)\b)?'.encode())
THREADS = re.compile(rb"\b\d+ threads?\b")
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


HASHES = re.compile(rb'("(?:\w*sha256|checksum)": ?")\w+')
# Arrays in a page: float32, in base64.
IN_BASE64 = re.compile(rb'"values":"([\w+/]{8,}=*)"')


def numbers_of(data):
    """(what must be the same bytes, the numbers of each tensor) of a file of NumPy or safetensors."""
    if data[:6] == b"\x93NUMPY":
        start = 10 + int.from_bytes(data[8:10], "little")
        return data[:start], [struct.unpack(f"<{(len(data) - start) // 4}f", data[start:])]
    start = 8 + int.from_bytes(data[:8], "little")
    same, tensors = HASHES.sub(rb"\1HASH", data[8:start]), []
    for name, tensor in json.loads(data[8:start]).items():
        if name == "__metadata__":
            continue
        body = data[start + tensor["data_offsets"][0]:start + tensor["data_offsets"][1]]
        if letter := {"F32": "f", "F64": "d"}.get(tensor["dtype"]):
            tensors.append(struct.unpack(f"<{len(body) // struct.calcsize(letter)}{letter}", body))
        elif name.endswith("sums"):  # of a corpus: exact, in 128 bits
            tensors.append([int.from_bytes(body[k:k + 16], "little", signed=True) for k in range(0, len(body), 16)])
        else:
            same += body
    return same, tensors


def floats_difference(linux, other, near):
    """difference() of two files of NumPy or safetensors."""
    (same, ours), (its_same, theirs) = numbers_of(linux), numbers_of(other)
    if len(linux) != len(other) or same != its_same:
        return "their headers, lengths or whole numbers differ", ""
    largest = 0
    for mine, its in zip(ours, theirs):
        scale = max(1, max(map(abs, mine), default=0))  # sums of many products: their size is that of the largest
        largest = max([largest] + [abs(a - b) / scale for a, b in zip(mine, its) if a != b])
    return (f"numbers differ by {largest:.0e}" if not largest <= near else ""), f"numbers to {largest:.0e}"


def pixels_of(png):
    """(the header, the bytes of all pixels) of a PNG of 8 bits a channel without interlacing."""
    at, packed, header = 8, b"", b""
    while at < len(png):
        size, kind = int.from_bytes(png[at:at + 4], "big"), png[at + 4:at + 8]
        body, at = png[at + 8:at + 8 + size], at + 12 + size
        header = body if kind == b"IHDR" else header
        packed += body if kind == b"IDAT" else b""
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[header[9]]
    stride = int.from_bytes(header[:4], "big") * channels
    raw = zlib.decompress(packed)
    rows, above = [], bytearray(stride)
    for start in range(0, len(raw), stride + 1):
        rule, row = raw[start], bytearray(raw[start + 1:start + 1 + stride])
        for i in range(stride if rule else 0):
            left, up = row[i - channels] if i >= channels else 0, above[i]
            corner = above[i - channels] if i >= channels else 0
            way = left + up - corner
            nearest = min((abs(way - left), 0, left), (abs(way - up), 1, up), (abs(way - corner), 2, corner))[2]
            row[i] = (row[i] + (0, left, up, (left + up) // 2, nearest)[rule]) & 255
        rows.append(row)
        above = row
    return header, b"".join(rows)


def picture_difference(linux, other):
    """difference() of two PNG: a number's last bit may move a colour by one of its 255 steps."""
    (size, ours), (its_size, theirs) = pixels_of(linux), pixels_of(other)
    if size != its_size:
        return "their sizes differ", ""
    moved = [abs(a - b) for a, b in zip(ours, theirs) if a != b]
    how = f"pixels but for {len(moved)} of {len(ours)} channels, by one step"
    return (f"a colour differs by {max(moved)} of 255 steps" if max(moved, default=0) > 1 else ""), how


@dataclasses.dataclass(frozen=True)
class Rules:
    """What the other program is called, and how far its numbers may lie from Linux's, as a share of their size."""
    name: str
    near: float
    # How far numbers of a text may lie away, as a share of the largest of them, as those of arrays may; None: `near` of their
    # own size. Metrics and gradients are made of many of them.
    near_in_texts: float | None = None
    only_code: dict = dataclasses.field(default_factory=dict)  # name of a row -> why only its exit code is the same here


def spelled_out(found):
    """Numbers of an array in base64 as text."""
    data = base64.b64decode(found[1])
    return str(struct.unpack(f"<{len(data) // 4}f", data[:len(data) // 4 * 4])).encode()


def last_digit_of(number):
    """One step of the last digit of a number that was rounded to at most five; 0 of longer ones."""
    digits, _, power = number.lower().lstrip(b"+-").partition(b"e")
    _, _, behind = digits.partition(b".")
    if len(digits.replace(b".", b"").lstrip(b"0")) > 5:
        return 0
    return 10.0 ** (int(power or b"0") - len(behind))


def difference(linux, other, rules):
    """("" or what is different, a word on how much alike they are)."""
    if linux == other:
        return "", "bytes"
    if b"\r\n" in other and b"\r\n" not in linux:
        return "lines end with CRLF", ""
    if linux[:6] == other[:6] == b"\x93NUMPY" or (linux[8:9] == other[8:9] == b"{" and len(linux) == len(other)):
        of_metrics = b'"headscope-corpus"' in linux[:200] and rules.near_in_texts is not None
        return floats_difference(linux, other, rules.near_in_texts if of_metrics else rules.near)
    if linux[:4] == other[:4] == b"\x89PNG":
        return picture_difference(linux, other)
    ours, theirs = with_slashes(linux), with_slashes(other)
    if ours == theirs:
        return "", "paths"
    ours, theirs = (THREADS.sub(b"THREADS", text) for text in (ours, theirs))
    ours, theirs = (IN_BASE64.sub(spelled_out, text) for text in (ours, theirs))
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
    # A number without a point counts something.
    in_texts = rules.near_in_texts is not None
    of_all = max((abs(float(number)) for number in NUMBER.findall(ours) if in_texts and b"." in number), default=0)
    for a, b in zip(NUMBER.findall(ours), NUMBER.findall(theirs)):
        if a != b:
            one, another = float(a), float(b)
            apart = abs(one - another) / max(1, abs(one), abs(another), of_all)
            if in_texts and abs(one - another) <= 1.01 * max(last_digit_of(a), last_digit_of(b)):
                continue
            if apart > (rules.near_in_texts if in_texts else rules.near):
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
