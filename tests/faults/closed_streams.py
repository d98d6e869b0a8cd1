"""Standard input, output and error closed in every combination: the same files as with all of them open, the exit codes
of a stream that cannot be written, and no word of the program in a file of its own.

Usage: closed_streams.py HEADSCOPE_CLI [--window HEADSCOPE]
"""

import argparse
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile

import places

REQUEST = ["--phrase", "the cat sat", "--d-model", "8", "--heads", "2"]
# Name -> arguments, and whether it prints on standard output when all is well.
COMMANDS = {
    "export": (["run", *REQUEST, "--export", "all", "--format", "npy", "--out", "OUT/all"], True),
    "csv": (["run", *REQUEST, "--export", "weights", "--out", "OUT/csv"], True),
    "picture": (["render", *REQUEST, "--out", "OUT/heads.png"], True),
    "drawing": (["render", *REQUEST, "--out", "OUT/heads.svg"], True),
    "script": (["script", *REQUEST, "--as", "numpy", "--out", "OUT/script"], True),
    "table": (["run", *REQUEST], True),
    "refused": (["run", *REQUEST, "--weights", "OUT/none.safetensors", "--export", "all", "--out", "OUT/x"], None),
    "usage": (["run", "--no-such-option"], None),
}
REFUSED = {"refused": 3, "usage": 2}


def files_of(folder):
    found = {}
    for root, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(root, name), "rb") as file:
                found[os.path.relpath(os.path.join(root, name), folder)] = places.without_times(file.read())
    return found


def run(program, arguments, closed):
    """Exit code, what was printed, what was said, the files."""
    folder = tempfile.mkdtemp(prefix="headscope-closed-")
    try:
        command = [program, *(word.replace("OUT", folder) for word in arguments)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              # Mesa's cache of shaders is not ours, and it writes what the driver's turn comes to.
                              env=dict(os.environ, HOME=folder, XDG_STATE_HOME=folder, XDG_CONFIG_HOME=folder,
                                       MESA_SHADER_CACHE_DISABLE="true"),
                              preexec_fn=lambda: [os.close(number) for number in closed], timeout=120)
        said = done.stderr.replace(folder.encode(), b"OUT")
        return done.returncode, done.stdout.replace(folder.encode(), b"OUT"), said, files_of(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def without_sizes(printed):
    """How long a manifest is follows from how many digits its times have."""
    return re.sub(rb"[0-9][0-9.,]* (?:bytes|[KMG]B)", b"", places.without_times(printed))


def wrong(name, prints, closed, whole, found):
    code, printed, said, files = found
    expected = whole[0] if not prints or 1 not in closed else 3
    if code != expected:
        return f"exit {code} instead of {expected}: {said[-300:]}"
    if files != whole[3]:
        return f"other files: {places.difference(files, whole[3])}"
    if 1 not in closed and without_sizes(printed) != without_sizes(whole[1]):
        return f"prints {printed[-300:]!r}"
    if 2 not in closed:
        lines = said.decode(errors="replace").splitlines()
        if code != 0 and (len(lines) != 1 or "error: " not in lines[0]):
            return f"says {lines}"
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("--window")
    options = parser.parse_args()
    cases = [(name, options.cli, arguments, prints) for name, (arguments, prints) in COMMANDS.items()]
    if options.window:
        # Drawn without a display. Its picture says how long something took.
        picture = ["--screenshot", "OUT/window.png", "--size", "1000x700", "--frames", "1"]
        if run(options.window, picture, ())[0] == 0:
            cases += [("window", options.window, picture, True)]
        else:
            print("skipped: the window's picture: no OpenGL without a display here")
        cases += [("window-help", options.window, ["--help"], True), ("window-usage", options.window, ["--none"], None)]
    failures = total = 0
    for name, program, arguments, prints in cases:
        whole = run(program, arguments, ())
        expected = REFUSED.get(name, 2 if name == "window-usage" else 0)
        if whole[0] != expected:
            sys.exit(f"{name}: exit {whole[0]} instead of {expected}: {whole[2]}")
        for size in (1, 2, 3):
            for closed in itertools.combinations(range(3), size):
                found = run(program, arguments, closed)
                if name == "window":
                    for each in (whole, found):
                        if each[3].get("window.png", b"").startswith(b"\x89PNG"):
                            each[3]["window.png"] = b"a picture"
                verdict = wrong(name, prints, closed, whole, found)
                total += 1
                if verdict:
                    failures += 1
                    print(f"{name} without {closed}: {verdict}")
    print(f"{total} runs, {failures} wrong: closed streams")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
