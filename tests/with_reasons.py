#!/usr/bin/env python3
"""ctest, how many cases its programs ran, and why each that was skipped was:

    python3 tests/with_reasons.py BUILD [arguments of ctest]

ctest shows what a failing test printed, and of a skipped one only its name; of a program of many cases it knows one
result. Here `skipped: NAME: REASON` is printed for each, and the count of cases, before ctest's own summary, which stays
last. Ends as ctest does, or with 1 when a test gave no reason.
"""
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

SUMMARY = re.compile(r"\d+% tests passed")
# What GoogleTest prints for GTEST_SKIP() << reason: place, reason, end of the test.
GTEST = re.compile(r"^\S.*: Skipped\n(.*?)^\[  SKIPPED \]", re.M | re.S)


def reason_in(output):
    """The reason in what a skipped test printed: GoogleTest's, else the last line."""
    found = GTEST.search(output)
    if found or "[  SKIPPED ]" in output:
        return " ".join(found.group(1).split()) if found else ""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def skipped_in(report):
    """Name and reason of every test that a report in JUnit's format lists as not run."""
    for case in xml.parse(report).getroot().iter("testcase"):
        if case.get("status") == "disabled":
            yield case.get("name"), ""
        elif case.find("skipped") is not None:
            yield case.get("name"), reason_in(case.findtext("system-out") or "")


class Cases:
    """What the programs that are one test each wrote of their cases, in GoogleTest's XML."""

    def __init__(self, folder):
        self.programs = self.run = self.failed = 0
        self.skipped = []  # name and reason
        for report in sorted(folder.glob("*.xml")):
            self.programs += 1
            for case in xml.parse(report).getroot().iter("testcase"):
                self.run += case.get("status") == "run"
                self.failed += case.find("failure") is not None
                skipped = case.find("skipped")
                if skipped is not None:
                    # "file:line", then the reason.
                    reason = " ".join(skipped.get("message", "").split("\n")[1:])
                    self.skipped.append((f"{report.stem}: {case.get('classname')}.{case.get('name')}", reason.strip()))

    def summary(self):
        return (f"{self.run:,} cases in {self.programs} programs: {self.failed} failed, {len(self.skipped)} skipped\n"
                if self.programs else "")


def main():
    build, *given = sys.argv[1:]
    report = pathlib.Path(build, "Testing", "tests.xml").resolve()
    report.unlink(missing_ok=True)
    cases_folder = report.parent / "cases"
    for old in cases_folder.glob("*.xml"):
        old.unlink()
    ctest = subprocess.Popen(["ctest", "--test-dir", build, "--output-on-failure", "--output-junit", report, *given],
                             stdout=subprocess.PIPE, text=True, errors="replace")
    held = []
    for line in ctest.stdout:
        if held or SUMMARY.match(line):
            held.append(line)
        else:
            print(line, end="", flush=True)
    status = ctest.wait()
    cases = Cases(cases_folder)
    skipped = cases.skipped + (list(skipped_in(report)) if report.exists() else [])
    silent = sum(not reason for _, reason in skipped)
    for name, reason in skipped:
        print(f"skipped: {name}: {reason or 'it gives no reason'}")
    if silent:
        print(f"{silent} skipped without a reason: that counts as a failure")
    if skipped:
        print()
    print(cases.summary() + "".join(held), end="", flush=True)
    sys.exit(status or (1 if silent else 0))


if __name__ == "__main__":
    main()
