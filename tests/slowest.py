#!/usr/bin/env python3
"""Runs tests one after the other and prints where their time goes:

    python3 tests/slowest.py BUILD [arguments of ctest that choose tests]

A row a test: seconds by the clock, seconds of processor (its own and that of the programs that it started), and their
difference, which is what it waited. The rows that waited longest come first: a test that waits for a time, and not for an
event, stands at the top. On two threads a test may have used more than the clock says; its difference is then 0.
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import time

SHOWN = 40


def chosen_tests(build, arguments):
    """ctest's own list: name, command, folder, environment, seconds allowed."""
    said = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1", *arguments], capture_output=True, text=True,
                          check=True).stdout
    for test in json.loads(said)["tests"]:
        properties = {entry["name"]: entry["value"] for entry in test.get("properties", [])}
        if "command" in test and not properties.get("DISABLED"):
            yield test["name"], test["command"], properties


def in_words(status, properties):
    if status == 0:
        return ""
    return "skipped" if status == properties.get("SKIP_RETURN_CODE") else f"failed: {status}"


def run(command, properties):
    """(seconds by the clock, seconds of processor, how it ended)"""
    environment = dict(os.environ)
    for entry in properties.get("ENVIRONMENT", []):
        name, _, value = entry.partition("=")
        environment[name] = value
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    try:
        status = subprocess.run(command, cwd=properties.get("WORKING_DIRECTORY"), env=environment, capture_output=True,
                                timeout=properties.get("TIMEOUT", 1500)).returncode
    except subprocess.TimeoutExpired:
        status = "timed out"
    took = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, in_words(status, properties)


def main():
    build, *arguments = sys.argv[1:]
    rows = []
    for name, command, properties in chosen_tests(build, arguments):
        took, processor, ended = run(command, properties)
        rows.append((max(0.0, took - processor), took, processor, name, ended))
    rows.sort(reverse=True)
    lines = ["  waited  by clock  processor  test",
             *(f"{waited:8.2f}{took:10.2f}{processor:11.2f}  {name}{'  ' + ended if ended else ''}"
               for waited, took, processor, name, ended in rows[:SHOWN]),
             f"{sum(row[0] for row in rows):8.0f}{sum(row[1] for row in rows):10.0f}{sum(row[2] for row in rows):11.0f}"
             f"  all {len(rows)} tests, one after the other, in seconds"]
    text = "\n".join(lines)
    pathlib.Path(build, "Testing", "slowest.txt").write_text(text + "\n")
    print(text)
    return 1 if any(row[4].startswith("failed") for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
