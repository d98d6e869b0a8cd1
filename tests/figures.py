#!/usr/bin/env python3
"""How much the tests try: writes the marked block of tests/README.md.

    python3 tests/figures.py BUILD            counts, and takes what was measured from the last run of ctest there
    python3 tests/figures.py BUILD --check    ends with 1 where the block is not what would be counted now

Counted are tables and lists, by the tests' own programs or from the files that ctest reads. Measured are numbers that
tests print while they run; where the last run of ctest (BUILD/Testing/Temporary/LastTest.log, or --log FILE) has none, the
one that stands in the block stays. --check looks at what is counted only: COUNTED has a row for each.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
README = ROOT / "tests" / "README.md"
BEGIN, END = "<!-- figures: tests/figures.py writes this block -->", "<!-- end of figures -->"
# Sizes of small files that zlib and libpng have packed differ by their versions.
TOLERANCE = 0.02


def text_of(path):
    return (ROOT / path).read_text()


def faults(build):
    """What tests/faults/figures_test.cpp counts in its tables."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run([str(build / "bin" / "faults_tests"), "--gtest_filter=FaultFigures.*", "--gtest_brief=1"],
                       check=True, capture_output=True, env=dict(os.environ, HEADSCOPE_FIGURES=file.name))
        return json.loads(pathlib.Path(file.name).read_text())


def from_tables(key):
    def count(build, found={}):
        if build not in found:
            found[build] = faults(build)
        return found[build][key]
    return count


def matches(path, pattern):
    return lambda build: len(re.findall(pattern, text_of(path), re.M))


def files(pattern):
    return lambda build: len(list(ROOT.glob(pattern)))


def names_in(path, name):
    """Entries of a list that a Python file defines as NAME = [...]."""
    def count(build):
        return len(re.findall(r"[\w\"']+", re.search(rf"^{name} = \[(.*?)\]", text_of(path), re.M | re.S).group(1)))
    return count


def journeys(build):
    listed = re.search(r"set\(journeys\n(.*?)\n\)", text_of("tests/window/CMakeLists.txt"), re.S).group(1)
    return sum(len(line.split("=")[1].split(",")) for line in listed.split())


def monkey_kinds(build):
    return sum(len(re.findall(r'\{"\w+", \d+, [a-z]', text_of(f"tests/monkey/{name}_events.cpp"), re.M))
               for name in ("mouse", "key", "world"))


def monkey_events(build):
    return sum(int(n) for n in re.findall(r"--events (\d+)", text_of("tests/monkey/CMakeLists.txt")))


def walk_steps(build):
    text = "".join(text_of(f"tests/core/{name}_walk_test.cpp")
                   for name in ("attention/reuse", "generate/generate", "sweep/sweep"))
    return sum(int(one or other) for one, other in re.findall(r"(\d+), files\)|walk_steps\((\d+)\)", text))


# What, how it is counted.
COUNTED = [
    ("readers of files, each with all that follows", from_tables("readers")),
    ("files cut short at every length", from_tables("truncations")),
    ("files with a changed byte, four changes of each", from_tables("changed_bytes")),
    ("traps in JSON", from_tables("json_traps")),
    ("files with such a trap, over all readers of JSON", from_tables("json_traps_read")),
    ("kinds of files, of which a reader reads one", from_tables("wrong_kinds")),
    ("files of another kind, over all readers", from_tables("wrong_kinds_read")),
    ("writers of files", from_tables("writers")),
    ("kinds of system calls that are made to fail", names_in("tests/faults/failing_writes.py", "KINDS")),
    ("places where writing fails or goes through links", names_in("tests/faults/places.py", "PLACES")),
    ("commands that run without memory", matches("tests/faults/no_memory.py", r'^        "[\w-]+": \[')),
    ("commands with standard streams closed, in seven ways each",
     matches("tests/faults/closed_streams.py", r'^    "[\w-]+": \(\[')),
    ("fuzz targets", files("tests/fuzz/*_fuzz.cpp")),
    ("kinds of events of the random user", monkey_kinds),
    ("events of the random user in ctest", monkey_events),
    ("steps of random walks over requests in ctest", walk_steps),
    ("journeys in the real window", journeys),
]

def said(pattern):
    """The numbers that tests print so, added up; None where none did."""
    def add(build, log):
        found = [int(number.replace(",", "")) for number in re.findall(pattern, log, re.M)]
        return sum(found) if found else None
    return add


def cases(build, log):
    found = [int(number) for report in (build / "Testing" / "cases").glob("*.xml")
             for number in re.findall(r'<testsuites tests="(\d+)"', report.read_text())]
    return sum(found) if found else None


# What, and how it is taken from what the last run left behind.
MEASURED = [
    ("cases of the programs that are one test each", cases),
    ("calls of writers that can fail, each in up to six ways", said(r"^\w+: ([\d,]+) ways to fail, ")),
    ("of them tried, each with all old files or all new ones", said(r"ways to fail, ([\d,]+) tried, 0 wrong")),
    ("allocations that failed, with the same bytes or a sentence", said(r"allocations, ([\d,]+) runs, 0 wrong")),
    ("truncations while a file was read", said(r"^seed \d+: ([\d,]+) truncations")),
    ("standard streams closed", said(r"^([\d,]+) runs, 0 wrong: closed streams")),
    ("signals, each answered within half a second", said(r"^([\d,]+) signals, 0 wrong")),
    ("inputs that fuzzing tried", said(r"^stat::number_of_executed_units: (\d+)")),
]


def counted(build):
    return {name: count(build) for name, count in COUNTED}


def measured(build, log, before):
    text = log.read_text(errors="replace") if log.is_file() else ""
    found = {name: measure(build, text) for name, measure in MEASURED}
    return {name: before.get(name) if number is None else number for name, number in found.items()}


def block_in(readme):
    """The lines of the block as name -> number, and the text before and after it."""
    head, rest = readme.split(BEGIN)
    block, tail = rest.split(END)
    rows = re.findall(r"^\| (.+?) \| ([\d,]+) \|$", block, re.M)
    return {name: int(number.replace(",", "")) for name, number in rows}, head, tail


def block_of(count, measure):
    lines = [BEGIN, "| counted in tables and lists | |", "|---|---|"]
    lines += [f"| {name} | {number:,} |" for name, number in count.items()]
    known = {name: number for name, number in measure.items() if number is not None}
    if known:
        lines += ["", "| measured by the last run that was written down | |", "|---|---|"]
        lines += [f"| {name} | {number:,} |" for name, number in known.items()]
    return "\n".join([*lines, END])


def differs(name, now, there):
    packed = name.startswith("files ")
    return there is None or abs(now - there) > (TOLERANCE * now if packed else 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--log", type=pathlib.Path)
    options = parser.parse_args()
    build = options.build.resolve()
    before, head, tail = block_in(README.read_text())
    now = counted(build)
    stale = [f"{name}: {before.get(name)} stands there, {number} are counted" for name, number in now.items()
             if differs(name, number, before.get(name))]
    nothing = [name for name, number in now.items() if number == 0]
    if nothing:
        sys.exit(f"nothing is counted for {nothing}: tests/figures.py looks for it where it is not")
    if options.check:
        for line in stale:
            print(line)
        if stale:
            sys.exit(f"tests/README.md is stale: python3 tests/figures.py {os.path.relpath(build, ROOT)}")
        return
    log = options.log or build / "Testing" / "Temporary" / "LastTest.log"
    kept = {name: number if differs(name, number, before.get(name)) else before[name] for name, number in now.items()}
    README.write_text(head + block_of(kept, measured(build, log, before)) + tail)


if __name__ == "__main__":
    main()
