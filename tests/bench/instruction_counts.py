"""Counts the instructions of five forwards under callgrind, and fails when one takes over a tenth more than recorded:

    python3 tests/bench/instruction_counts.py PROGRAM [--refresh]

And those of texts of N and 2N units ("text:VOCABULARY:UNIT:N"): it fails when the second takes over 2.2 times the first.

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
MOST_FOR_TWICE = 2.2  # times the instructions of half the text: linear, but for what grows with logarithms
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


def texts_grow_too_fast(counts):
    """How many texts take over MOST_FOR_TWICE times what half of them takes."""
    failed = 0
    for half in [size for size in counts if size.startswith("text:") and size.endswith(":N")]:
        twice = half.removesuffix(":N") + ":2N"
        ratio = counts[twice] / counts[half]
        good = ratio <= MOST_FOR_TWICE
        failed += not good
        print(f"{'ok    ' if good else 'FAILED'}  {half:32}  {counts[half]:>11,}  twice {counts[twice]:>11,}  x {ratio:.2f}")
    return failed


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    if shutil.which("valgrind") is None:
        cannot("valgrind was not found: sudo apt-get install valgrind (./dev test installs it)")
    target, all_counts = counted(program)
    counts = {size: count for size, count in all_counts.items() if not size.startswith("text:")}
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    if "--refresh" in sys.argv[2:]:
        record[target] = counts
        RECORD.write_text(json.dumps(record, indent=2) + "\n")
        return
    if target not in record:
        cannot(f"nothing is recorded for {target}, only for {', '.join(record)}; --refresh records it")
    failed = texts_grow_too_fast(all_counts)
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
