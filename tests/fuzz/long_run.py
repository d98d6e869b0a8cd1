#!/usr/bin/env python3
"""Fuzzes for long, and keeps what it found. BUILD is build/asan, built by `./dev fuzz`.

long_run.py BUILD --seconds S [--slice S] [--only TARGET ...]
                          every target in turn, a slice each (60 s), until the time is over; what is found goes to
                          BUILD/fuzz/corpus, from where every later run starts. Executions are added up in
                          BUILD/fuzz/executions.json. Ends with 1 at the first input that breaks a promise.
long_run.py BUILD --merge [--most-bytes N]
                          tests/fuzz/corpus/TARGET becomes the smallest set of inputs that reaches every line that all
                          inputs of that target reach; where all targets together would take more than N bytes (2,000,000), the
                          largest inputs of the largest targets are left out
long_run.py BUILD --figures
                          adds the executions to the table in tests/fuzz/README.md, and begins to count from 0
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
EXECUTED = re.compile(r"^stat::number_of_executed_units:\s*(\d+)", re.M)
ROW = re.compile(r"^\| `(\w+)` \| ([\d,]+) \|", re.M)
TABLE = re.compile(r"(?<=<!-- executions -->\n).*?(?=<!-- end -->)", re.S)


def targets():
    return sorted(path.name[:-len("_fuzz.cpp")] for path in HERE.glob("*_fuzz.cpp"))


def commands(build):
    """{target: what ctest runs}: one place knows the limits and dictionaries of a target."""
    listed = subprocess.run(["ctest", "--show-only=json-v1", "-L", "fuzz"], cwd=build, capture_output=True, check=True)
    return {test["name"].removeprefix("fuzz/"): test["command"] for test in json.loads(listed.stdout)["tests"]}


class Record:
    """Executions of every target since the last --figures."""

    def __init__(self, build):
        self.path = build / "fuzz" / "executions.json"
        self.executions = json.loads(self.path.read_text()) if self.path.exists() else {}

    def add(self, target, executions):
        self.executions[target] = self.executions.get(target, 0) + executions
        self.path.write_text(json.dumps(self.executions, indent=1, sort_keys=True) + "\n")


def run(build, seconds, slice_seconds, only):
    record, end = Record(build), time.monotonic() + seconds
    of_target = {name: command for name, command in commands(build).items() if not only or name in only}
    while True:
        for target, command in of_target.items():
            left = int(end - time.monotonic())
            if left < 1:
                return 0
            environment = os.environ | {"HEADSCOPE_FUZZ_SECONDS": str(min(slice_seconds, left))}
            done = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace")
            said = done.stdout + done.stderr
            executed = EXECUTED.search(said)
            record.add(target, int(executed[1]) if executed else 0)
            print(f"{target}: {executed[1] if executed else '?'}, {sum(record.executions.values()):,} in all", flush=True)
            if done.returncode:
                print(said[-6000:], f"\n{target} failed; its input lies in {build}/fuzz/crashes")
                return 1


def merge(build, most_bytes):
    for target in targets():
        kept, merged = HERE / "corpus" / target, build / "fuzz" / "merged" / target
        shutil.rmtree(merged, ignore_errors=True)
        merged.mkdir(parents=True)
        sources = [build / "fuzz" / "corpus" / target, kept, build / "fuzz" / "seeds" / target]
        subprocess.run([build / "bin" / f"fuzz_{target}", "-merge=1", "-use_counters=0", "-max_len=4096", "-timeout=10", merged,
                        *[path for path in sources if path.exists()]], check=True, capture_output=True)
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(merged, kept)
    inputs = {path: path.stat().st_size for path in (HERE / "corpus").glob("*/*")}
    while sum(inputs.values()) > most_bytes:
        of_target = {}
        for path, size in inputs.items():
            of_target[path.parent] = of_target.get(path.parent, 0) + size
        largest = max(of_target, key=of_target.get)
        gone = max((path for path in inputs if path.parent == largest), key=inputs.get)
        gone.unlink()
        del inputs[gone]
    print(f"{len(inputs):,} inputs of {sum(inputs.values()):,} bytes")
    return 0


def figures(build):
    readme, record = HERE / "README.md", Record(build)
    text = readme.read_text()
    total = {name: int(count.replace(",", "")) for name, count in ROW.findall(text)}
    rows = ["| target | executions | inputs kept | bytes |", "|---|---:|---:|---:|"]
    sums = [0, 0, 0]
    for target in targets():
        kept = [path.stat().st_size for path in (HERE / "corpus" / target).glob("*")]
        of_target = [total.get(target, 0) + record.executions.get(target, 0), len(kept), sum(kept)]
        rows.append(f"| `{target}` | " + " | ".join(f"{number:,}" for number in of_target) + " |")
        sums = [a + b for a, b in zip(sums, of_target)]
    rows.append(f"| all {len(targets())} | " + " | ".join(f"{number:,}" for number in sums) + " |")
    table = f"Up to {datetime.date.today()}:\n\n" + "\n".join(rows) + "\n"
    readme.write_text(TABLE.sub(lambda _: table, text))
    record.path.unlink(missing_ok=True)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--seconds", type=int)
    parser.add_argument("--slice", type=int, default=60)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--merge", action="store_true")
    parser.add_argument("--most-bytes", type=int, default=2_000_000)
    parser.add_argument("--figures", action="store_true")
    given = parser.parse_args()
    build = given.build.resolve()
    status = run(build, given.seconds, given.slice, given.only) if given.seconds else 0
    if not status and given.merge:
        status = merge(build, given.most_bytes)
    if not status and given.figures:
        status = figures(build)
    return status


if __name__ == "__main__":
    sys.exit(main())
