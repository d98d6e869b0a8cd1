"""Every allocation of headscope-cli, and of headscope while it opens, may fail, of its libraries too: exit 3 with one line that says so, or exit 0 with the
same bytes as without the failure; never a signal, a deadlock or other bytes with exit 0.

Usage: no_memory.py HEADSCOPE_CLI INJECTOR.so [--window HEADSCOPE] [--all | --tries N] [--only COMMAND] [--verbose]
"""

import argparse
import concurrent.futures
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

from preload_path import preload_path

LINE = re.compile(r"(headscope-cli: )?error: memory: [^\n]*\n\Z")
REQUEST = ["--phrase", "the cat sat", "--model", "seeded", "--d-model", "16", "--heads", "2", "--mask", "causal",
           "--threads", "2"]
PATIENCE = 60


def commands(folder):
    """Name -> arguments; OUT stands for a folder of the run's own."""
    picture = os.path.join(folder, "heads.png")
    return {
        "run": ["run", *REQUEST, "--json"],
        "render-png": ["render", *REQUEST, "--view", "heads", "--out", "OUT/heads.png"],
        "render-svg": ["render", *REQUEST, "--view", "arcs", "--out", "OUT/arcs.svg"],
        "render-pdf": ["render", *REQUEST, "--view", "heads", "--out", "OUT/heads.pdf"],
        "export": ["run", *REQUEST, "--export", "all", "--out", "OUT/all"],
        "export-safetensors": ["run", *REQUEST, "--export", "all", "--format", "safetensors", "--out", "OUT/all"],
        "worksheet": ["worksheet", "--seed", "3", "--out", "OUT/sheet.pdf", "--solutions", "OUT/sheet.csv"],
        "handout": ["handout", "--session", os.path.join(folder, "lesson.json"), "--out", "OUT/lesson.pdf"],
        "handout-page": ["handout", "--session", os.path.join(folder, "lesson.json"), "--out", "OUT/lesson.html"],
        "explain": ["explain", *REQUEST, "--stage", "weights", "--at", "0,1,2,1"],
        "info": ["info", picture],
        "info-model": ["info", "demo:pronouns"],
        "model": ["run", "--phrase", "the cat sat", "--threads", "2", "--json"],
        "scan": ["scan", "--model", "demo:induction", "--phrases", os.path.join(folder, "phrases.txt"), "--threads", "2",
                 "--out", "OUT/all.hsagg"],
    }


# The window's first frames, drawn without a display; the driver draws them in one thread, for the same pixels.
OPEN = ["--screenshot", "OUT/window.png", "--size", "1000x700", "--frames", "2"]


def without_times(text):
    """Times differ from run to run, and with them the size of a manifest."""
    return re.sub(r'"[^"]*seconds[^"]*": ?[-0-9.e]+|[0-9.]+ [KM]?B\b', "", text)


def pixels_without_status(png):
    """The rows of a PNG of the window above its last line, which says how long something took."""
    header = png.index(b"IHDR") + 4
    width, height, depth, kind = struct.unpack(">IIBB", png[header:header + 10])
    assert depth == 8 and kind in (2, 6), "eight bits a colour"
    data, place = b"", 8
    while place < len(png):
        size, name = struct.unpack(">I4s", png[place:place + 8])
        data += png[place + 8:place + 8 + size] if name == b"IDAT" else b""
        place += size + 12
    # A row's filter may look at the row above and at nothing below: equal bytes are equal pixels.
    row = width * (3 if kind == 2 else 4) + 1
    return zlib.decompress(data)[:row * (height - 40)]


def files_of(folder):
    found = {}
    for root, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(root, name), "rb") as file:
                found[os.path.relpath(os.path.join(root, name), folder)] = file.read()
    if "all/manifest.json" in found:
        found["all/manifest.json"] = without_times(found["all/manifest.json"].decode()).encode()
    if "window.png" in found:
        found["window.png"] = pixels_without_status(found["window.png"])
    return found


class Runner:
    def __init__(self, cli, injector, base):
        self.cli, self.window, self.injector, self.base = cli, None, injector, base

    def run(self, arguments, k=None, always=False, count=None):
        """Exit code (None: it hangs), output, errors, files."""
        out = tempfile.mkdtemp(dir=self.base)
        environment = dict(os.environ, HOME=self.base, XDG_STATE_HOME=self.base, LP_NUM_THREADS="0", LD_PRELOAD=self.injector)
        if k is not None:
            environment["HEADSCOPE_FAIL_ALLOCATION"] = str(k)
        if always:
            environment["HEADSCOPE_FAIL_ALWAYS"] = "1"
        if count:
            environment["HEADSCOPE_ALLOCATIONS"] = count
        words = [word.replace("OUT", out) for word in arguments]
        program = self.window if arguments is OPEN else self.cli
        try:
            done = subprocess.run([program, *words], env=environment, capture_output=True, text=True, timeout=PATIENCE,
                                  errors="replace", stdin=subprocess.DEVNULL)
            result = done.returncode, without_times(done.stdout.replace(out, "OUT")), done.stderr, files_of(out)
        except subprocess.TimeoutExpired:
            result = None, "", "", {}
        shutil.rmtree(out, ignore_errors=True)
        return result

    def verdict(self, name, arguments, whole, k, always):
        """What is wrong with a run whose k-th allocation fails; "" when nothing is."""
        code, output, errors, files = self.run(arguments, k, always)
        if code is None:
            return "hangs"
        if code < 0:
            return f"ends by signal {-code}: {errors[-300:]}"
        if code == 3:
            # The graphics driver and its compiler say a line of their own before.
            if not (LINE.search if arguments is OPEN else LINE.match)(errors):
                return f"exit 3 says: {errors[-300:]!r}"
            # All or nothing: the files may be there when memory is missing afterwards, for the report of them.
            left = {name: each for name, each in files.items() if not os.path.basename(name).startswith(".headscope-")}
            return f"exit 3 leaves {sorted(left)}" if left and left != whole[1] else ""
        if code != 0:
            return f"exit {code}: {errors[-300:]}"
        if (output, files) != whole:
            return "exit 0 with other bytes"
        return ""


def chosen(count, tries):
    """All numbers up to count, or so many of them: the first hundred, then evenly."""
    if tries is None or count <= tries:
        return list(range(1, count + 1))
    first = list(range(1, min(count, tries // 3) + 1))
    step = (count - len(first)) / (tries - len(first))
    return sorted(set(first + [min(count, int(len(first) + step * (i + 1))) for i in range(tries - len(first))]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("injector")
    parser.add_argument("--window", help="the program headscope")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--tries", type=int, default=40, help="allocations of each command, once and for good")
    parser.add_argument("--only")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    base = tempfile.mkdtemp(prefix="headscope-memory-")
    runner = Runner(os.path.abspath(options.cli), preload_path(options.injector), base)
    wrong = total = 0
    wanted = commands(base)
    if options.window:
        runner.window = os.path.abspath(options.window)
        wanted["open-in-window"] = OPEN
    try:
        subprocess.run([runner.cli, "render", *REQUEST, "--view", "heads", "--out", os.path.join(base, "heads.png")],
                       check=True, capture_output=True)
        with open(os.path.join(base, "phrases.txt"), "w") as file:
            file.write("cat box ink cat box\n\nfox jam\n")
        with open(os.path.join(base, "lesson.json"), "w") as file:
            file.write('{"headscope": "1.1.0", "model": "demo:induction", "phrase": "cat box ink cat", "threads": 2, '
                       '"window": {"lesson": [{"words": "It looks back.", "view": {"head": 7}}, {"words": ""}]}}')
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for name, arguments in wanted.items():
                if options.only and options.only != name:
                    continue
                counted = os.path.join(base, "count")
                code, output, errors, files = runner.run(arguments, count=counted)
                if code != 0:
                    sys.exit(f"{name} fails without a failure: exit {code}: {errors}")
                with open(counted) as file:
                    count = int(file.read())
                numbers = chosen(count, None if options.all else options.tries)
                tasks = [(k, always) for always in (False, True) for k in numbers]
                verdicts = pool.map(lambda task: runner.verdict(name, arguments, (output, files), *task), tasks)
                bad = [(task, verdict) for task, verdict in zip(tasks, verdicts) if verdict]
                wrong, total = wrong + len(bad), total + len(tasks)
                print(f"{name}: {count:,} allocations, {len(tasks):,} runs, {len(bad)} wrong", flush=True)
                for (k, always), verdict in bad[: None if options.verbose else 8]:
                    print(f"  {'from ' if always else ''}allocation {k}{' on' if always else ''}: {verdict}")
    finally:
        shutil.rmtree(base, ignore_errors=True)
    print(f"{total:,} runs, {wrong} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
