"""Counts the instructions of five forwards under callgrind, and fails when one takes over a tenth more than recorded:

    python3 tests/bench/instruction_counts.py PROGRAM [--refresh]

Instructions do not depend on how busy a machine is. --refresh writes what was counted to instruction_counts.json; do so
when a change is meant, and say in the commit why.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

RECORD = pathlib.Path(__file__).with_name("instruction_counts.json")
MOST = 1.10
SKIPPED = 77


def cannot(why):
    """Skips; but where the count is required a count that was not made is a failure."""
    print(why)
    sys.exit(1 if os.environ.get("HEADSCOPE_REQUIRE_COUNTS") else SKIPPED)


def counted(program):
    """The vector instructions in use, and size -> instructions."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--collect-atstart=no", "--toggle-collect=headscope_counted",
             "--dump-after=headscope_counted", f"--callgrind-out-file={folder}/out", program],
            capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{program} under valgrind: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        target, *sizes = done.stdout.split()
        counts = {}
        for number, size in enumerate(sizes, 1):
            text = (pathlib.Path(folder) / f"out.{number}").read_text()
            counts[size] = int(re.search(r"^(?:summary|totals): (\d+)", text, re.M).group(1))
    return target, counts


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    if shutil.which("valgrind") is None:
        cannot("valgrind was not found: sudo apt-get install valgrind (./dev test installs it)")
    target, counts = counted(program)
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    if "--refresh" in sys.argv[2:]:
        record[target] = counts
        RECORD.write_text(json.dumps(record, indent=2) + "\n")
        return
    if target not in record:
        cannot(f"nothing is recorded for {target}, only for {', '.join(record)}; --refresh records it")
    failed = 0
    for size in sorted(set(counts) | set(record[target])):
        found, expected = counts.get(size, 0), record[target].get(size, 0)
        ratio = found / expected if expected else float("nan")
        good = 0 < ratio <= MOST
        failed += not good
        print(f"{'ok    ' if good else 'FAILED'}  {size:24}  recorded {expected:>11,}  counted {found:>11,}  {ratio - 1:+.1%}")
        if good and ratio < 2 - MOST:
            print(f"        {size} takes over a tenth less than recorded: --refresh, so that the next step back shows")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
