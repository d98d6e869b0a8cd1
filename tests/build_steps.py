#!/usr/bin/env python3
"""Builds by ninja, and says meanwhile how many steps are done and about how many minutes are left:

    python3 tests/build_steps.py BUILD [targets...]

Warnings and errors are printed whole. On a terminal one line is written over every second, elsewhere a line every half
minute; where nothing is to be built nothing is said. Ends as ninja does.
"""
import pathlib
import re
import select
import subprocess
import sys
import time

STEP = re.compile(r"^\[(\d+)/(\d+)\] (.*)")
OBJECT = re.compile(r"\S+\.o$")


class Weights:
    """What a step costs, in seconds of some machine: what it took here the last time, else a guess by what it compiles."""

    def __init__(self, build):
        self.build = build
        self.took = {}
        try:
            lines = (build / ".ninja_log").read_text().splitlines()
        except OSError:
            lines = []
        for line in lines:
            fields = line.split("\t")
            if len(fields) == 5 and fields[0].isdigit():
                self.took[fields[3]] = (int(fields[1]) - int(fields[0])) / 1000

    def of(self, step):
        found = OBJECT.search(step)
        if not found:
            return 1.0
        if found.group() in self.took:
            return self.took[found.group()]
        group = self.build / found.group()[:-2]  # of files that are compiled as one: what CMake wrote
        if "/Unity/" in found.group() and group.exists():
            return 3.0 + 0.8 * group.read_text().count("#include")
        return 15.0 if "/kernels/" in found.group() else 4.0


def left_in_words(seconds):
    if seconds < 50:
        return "less than a minute left"
    minutes = round(seconds / 60)
    return "about a minute left" if minutes == 1 else f"about {minutes} minutes left"


class Progress:
    def __init__(self, planned, terminal):
        self.weights, self.left = planned, sum(planned.values())
        self.all, self.begin, self.terminal = self.left, time.monotonic(), terminal
        self.done = 0
        self.said = self.begin if not terminal else 0.0
        self.width = 0

    def step(self, name):
        self.done += 1
        self.left -= self.weights.pop(name, 0.0)

    def words(self):
        elapsed, part = time.monotonic() - self.begin, 1 - self.left / self.all
        text = f"{self.done} of {self.done + len(self.weights)} steps done"
        if part > 0.04 or elapsed > 60 and part > 0.01:
            text += ", " + left_in_words(elapsed * (1 - part) / part)
        return text

    def say(self, every):
        now = time.monotonic()
        if now - self.said >= every:
            self.said = now
            if self.terminal:
                text = self.words()
                print("\r" + text.ljust(self.width), end="", flush=True)
                self.width = len(text)
            else:
                print(self.words(), flush=True)

    def clear(self):
        if self.terminal and self.width:
            print("\r" + " " * self.width + "\r", end="", flush=True)
            self.width = 0


def lines_of(stream, idle):
    """Lines as they come; calls idle() every second that none does."""
    rest = b""
    while True:
        if not select.select([stream], [], [], 1.0)[0]:
            idle()
            continue
        more = stream.read1(65536)
        if not more:
            if rest:
                yield rest.decode(errors="replace")
            return
        *whole, rest = (rest + more).split(b"\n")
        for line in whole:
            yield line.decode(errors="replace")


def main():
    build, targets = pathlib.Path(sys.argv[1]), sys.argv[2:]
    ninja = ["ninja", "-C", str(build)]
    # What CMake has to be asked first: without it the plan below would be of that one step.
    asked = subprocess.run([*ninja, "build.ninja"], capture_output=True, text=True, errors="replace")
    if asked.returncode:
        sys.stdout.write(asked.stdout + asked.stderr)
        return asked.returncode
    plan = subprocess.run([*ninja, "-n", *targets], capture_output=True, text=True, errors="replace").stdout
    weights = Weights(build)
    planned = {}
    for line in plan.splitlines():
        if found := STEP.match(line):
            planned[found.group(3)] = weights.of(found.group(3))
    if not planned:
        return subprocess.run([*ninja, "--quiet", *targets]).returncode
    terminal = sys.stdout.isatty()
    progress = Progress(planned, terminal)
    if len(planned) > 3:
        print(f"Building {build}: {len(planned)} steps", flush=True)
    run = subprocess.Popen([*ninja, *targets], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    every = 1.0 if terminal else 30.0
    for line in lines_of(run.stdout, lambda: progress.say(every)):
        if found := STEP.match(line):
            progress.step(found.group(3))
            progress.say(every)
        elif line.strip() and not line.startswith(("ninja: Entering", "ninja: no work")):
            progress.clear()
            print(line, flush=True)
    progress.clear()
    status = run.wait()
    if status == 0 and len(planned) > 3:
        print(f"Built in {(time.monotonic() - progress.begin) / 60:.1f} minutes", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
