#!/usr/bin/env python3
"""Builds by ninja, and says meanwhile how many steps are done and about how many minutes are left:

    python3 tests/build_steps.py BUILD [targets...]

Warnings and errors are printed whole. On a terminal one line is written over every second, elsewhere a line every half
minute; where nothing is to be built nothing is said. Runs no more steps at once than memory holds. Ends as ninja does.
"""
import os
import pathlib
import re
import select
import subprocess
import sys
import time

STEP = re.compile(r"^\[(\d+)/(\d+)\] (?!Re-checking|Re-running)(.*)")
CMAKE = re.compile(r"^\[\d+/\d+\] Re-|^-- |^ninja: (?:Entering|no work)")
OBJECT = re.compile(r"\S+\.o$")


def weight_of(build, object_file):
    """What compiling costs, in seconds of some machine, by what is compiled."""
    group = build / object_file[:-2]  # of files that are compiled as one: what CMake wrote
    if "/Unity/" in object_file and group.exists():
        return 3.0 + 0.5 * group.read_text().count("#include")
    return 12.0 if "/kernels/" in object_file else 4.0


def missing_objects(build, targets):
    """The object files that a first build still has to make, and what each costs. Ninja's own plan is not to be had: with
    folders that are looked through for new files its dry run ends before it."""
    said = subprocess.run(["ninja", "-C", str(build), "-t", "inputs", *targets], capture_output=True, text=True,
                          errors="replace").stdout
    names = {line.strip() for line in said.splitlines() if line.strip().endswith(".o")}
    return {name: weight_of(build, name) for name in names if not (build / name).exists()}


STEP_BYTES = 1.2e9  # that a compiler takes at most for files that it compiles as one


def jobs_for(processors, free_bytes):
    """How many steps run at once: a few more than there are processors, as ninja does, but no more than memory holds."""
    usual = processors + 2 if processors > 2 else processors + 1
    return usual if free_bytes is None else max(1, min(usual, int(free_bytes / STEP_BYTES)))


def free_memory():
    """Bytes that programs can take without swapping; None where the system does not say."""
    try:
        found = re.search(r"^MemAvailable:\s+(\d+) kB", pathlib.Path("/proc/meminfo").read_text(), re.M)
    except OSError:
        return None
    return int(found.group(1)) * 1024 if found else None


def left_in_words(seconds):
    if seconds < 50:
        return "less than a minute left"
    minutes = round(seconds / 60)
    return "about a minute left" if minutes == 1 else f"about {minutes} minutes left"


class Progress:
    def __init__(self, missing, terminal):
        self.missing, self.left = missing, sum(missing.values())
        self.all, self.begin, self.terminal = self.left, time.monotonic(), terminal
        self.done, self.steps, self.width = 0, 0, 0
        self.said = self.begin

    def step(self, done, steps, what):
        self.done, self.steps = done, steps
        found = OBJECT.search(what)
        if found:
            self.left -= self.missing.pop(found.group(), 0.0)

    def words(self):
        text = f"{self.done} of {self.steps} steps done" if self.steps else "The first steps are not done yet"
        elapsed, part = time.monotonic() - self.begin, 1 - self.left / self.all if self.all else 0
        if part > 0.04 or elapsed > 60 and part > 0.01:
            text += ", " + left_in_words(elapsed * (1 - part) / part)
        return text

    def say(self, every):
        now = time.monotonic()
        if (self.all or self.done) and now - self.said >= every:
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
    # CMake is asked first where it has to be: the steps are those that it then wrote.
    asked = subprocess.run([*ninja, "build.ninja"], capture_output=True, text=True, errors="replace")
    if asked.returncode:
        sys.stdout.write(asked.stdout + asked.stderr)
        return asked.returncode
    terminal = sys.stdout.isatty()
    progress = Progress(missing_objects(build, targets), terminal)
    large = len(progress.missing) > 3
    if large:
        print(f"Building in {build}: the compiler has {len(progress.missing)} steps, some of a minute each", flush=True)
    ninja.append(f"-j{jobs_for(len(os.sched_getaffinity(0)), free_memory())}")
    run = subprocess.Popen([*ninja, *targets], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    every = 1.0 if terminal else 30.0
    for line in lines_of(run.stdout, lambda: progress.say(every)):
        if found := STEP.match(line):
            done, steps = int(found.group(1)), int(found.group(2))
            progress.step(done, steps, found.group(3))
            progress.say(every)
        elif line.strip() and not CMAKE.match(line):
            progress.clear()
            print(line, flush=True)
    progress.clear()
    status = run.wait()
    if status == 0 and large:
        print(f"Built in {(time.monotonic() - progress.begin) / 60:.1f} minutes", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
