#!/usr/bin/env python3
"""Finds the files that compile only together with others: apart.py BUILD [--compiler NAME] [--jobs N] [FILE ...]

BUILD is a build directory that was configured with files apart and a compile_commands.json. No object is made: the compiler
reads each file alone and makes its templates (-fsyntax-only), with the warnings that the build asks for. Reading the same
headers two thousand times would take most of the time, so files that include the same headers, themselves or through their
headers, share one precompiled header of exactly those. A file therefore sees nothing before its first line but what it includes
anyway, and a header that it forgot is missing as ever. Headers below a #define or an #if of a file are not shared, because
their meaning may depend on it.

Prints the compiler's words on each file that has an error or a warning, and ends with 1 if there is one. Files that passed are
kept in BUILD/apart.json by a digest of the file, its headers, the flags and the compiler's version, and are not read again.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile

INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
STOP = re.compile(r'\s*#\s*(define|undef|if|ifdef|ifndef)\b')
# A header of others, in lines of ours: how long it takes to read, roughly. Those that are not here are the standard library's.
HEAVY = {"gtest/gtest.h": 60000, "gmock/gmock.h": 80000, "nlohmann/json.hpp": 60000, "Eigen/Dense": 90000, "Eigen/Core": 60000,
         "regex": 20000}
LIGHT = 1500
# Highway reads a file once for each kind of processor, from between its own headers.
NEVER = re.compile(r"(^|/)hwy/")


class Headers:
    """The headers that a file includes, directly and through its headers, and how long each takes to read."""

    def __init__(self, folders):
        self.folders = folders
        self.direct, self.closure, self.weight, self.every = {}, {}, {}, {}

    def path_of(self, name, beside):
        for folder in (beside, *self.folders):
            path = os.path.normpath(os.path.join(folder, name))
            if os.path.isfile(path):
                return path
        return None

    def includes(self, path):
        """The headers at the top of a file, up to its first #define or #if: ours by path, those of others as <name>."""
        if path not in self.direct:
            found, lines = [], pathlib.Path(path).read_text(errors="replace").splitlines()
            self.weight[path] = len(lines)
            for line in lines:
                if STOP.match(line):
                    break
                match = INCLUDE.match(line)
                if not match or NEVER.search(match.group(2)):
                    continue
                own = self.path_of(match.group(2), os.path.dirname(path)) if match.group(1) == '"' else None
                node = own or f"<{match.group(2)}>"
                self.weight.setdefault(node, HEAVY.get(match.group(2), LIGHT))
                found.append(node)
            self.direct[path] = found
        return self.direct[path]

    def digest(self, path, words):
        """Changes where the file changes, or a header of ours that it may read in any way, or the words."""
        seen, left = set(), [path]
        while left:
            file = left.pop()
            if file in seen:
                continue
            seen.add(file)
            if file not in self.every:
                text = pathlib.Path(file).read_bytes()
                names = [match.group(2) for line in text.decode(errors="replace").splitlines() if (match := INCLUDE.match(line))]
                found = [own for name in names if (own := self.path_of(name, os.path.dirname(file)))]
                self.every[file] = (hashlib.sha256(text).hexdigest(), found)
            left += self.every[file][1]
        parts = [path, *words, *sorted(self.every[file][0] for file in seen)]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def of(self, path):
        """All of them, in the order in which the compiler would read them to the end."""
        if path not in self.closure:
            self.closure[path] = {}  # a circle ends here
            every = {}
            for node in self.includes(path):
                if not node.startswith("<"):
                    every.update(self.of(node))
                every[node] = True
            self.closure[path] = every
        return self.closure[path]


def clusters(files, headers):
    """Groups of files, each with the headers that all of its files include: greedy, from the file with most to read."""
    def cost(nodes):
        return sum(headers.weight[node] for node in nodes)

    left = sorted(files, key=lambda file: -cost(headers.of(file)))
    while left:
        group, shared = [left[0]], headers.of(left[0]).keys()
        del left[0]
        while left:
            best = max(left, key=lambda file: cost(shared & headers.of(file).keys()))
            kept = shared & headers.of(best).keys()
            # One more saves what is kept; each of those that are there, and their header, reads again what is lost.
            if cost(kept) <= len(group) * (cost(shared) - cost(kept)) or 2 * cost(kept) < cost(shared):
                break
            group.append(best)
            left.remove(best)
            shared = kept
        yield group, [node for node in headers.of(group[0]) if node in shared]


def flags_of(command, compiler):
    """The options of a compile command, as CMakeLists.txt has them for this compiler."""
    words = shlex.split(command)[1:]
    del words[words.index("-o"):words.index("-o") + 2]
    words.remove("-c")
    words.pop()
    if "clang" in compiler:
        words = [word for word in words if not word.startswith("--param")] + ["-Wno-missing-braces"]
    # A warning is a finding here, whichever of them the build makes errors.
    return [word for word in words if not word.startswith(("-Werror", "-Wno-error"))] + ["-fsyntax-only"]


def header_of(nodes, compiler, flags, folder):
    """The words by which a compile uses one precompiled header of these; none where it cannot be made."""
    header = os.path.join(folder, "shared.h")
    with open(header, "w") as out:
        for node in nodes:
            out.write(f"#include {node}\n" if node.startswith("<") else f'#include "{node}"\n')
    clang = "clang" in compiler
    made = header + (".pch" if clang else ".gch")
    command = [compiler, *(flag for flag in flags if flag != "-fsyntax-only"), "-x", "c++-header", header, "-o", made]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        print(f"apart: these files read their headers one by one: {done.stdout[:500]}", file=sys.stderr)
        return []
    return ["-include-pch", made] if clang else ["-include", header]


def judge(group, nodes, flags, compiler):
    """The compiler's words on each file of a group; nothing where it is content."""
    said = []
    folder = tempfile.mkdtemp(prefix="apart-")
    try:
        use = header_of(nodes, compiler, flags, folder) if len(group) > 1 and nodes else []
        for file in group:
            done = subprocess.run([compiler, *flags, *use, file], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            text = done.stdout
            said.append(text or f"{file}: {done.returncode}" if done.returncode or "warning:" in text else "")
    finally:
        shutil.rmtree(folder)
    return said


def jobs_of(build, compiler, wanted, passed):
    """Everything that has to be compiled: (files, their headers, flags, digest of each file), the most files first."""
    version = subprocess.run([compiler, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[0]
    rooms, headers = {}, {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = os.path.normpath(os.path.join(entry["directory"], entry["file"]))
        if not file.endswith(".cpp") or not os.path.exists(file) or (wanted and file not in wanted):
            continue  # what the build itself writes is there only after it was built
        flags = tuple(flags_of(entry["command"], compiler))
        folders = tuple(flag[2:] for flag in flags if flag.startswith("-I"))
        known = headers.setdefault(folders, Headers(folders))
        digest = known.digest(file, [version, *flags])
        if digest not in passed:
            # The files of a room are much alike, and to compare all with all would take minutes.
            rooms.setdefault((flags, folders, pathlib.Path(file).parent.parent), {})[file] = digest
    jobs = []
    for (flags, folders, _), files in rooms.items():
        for group, nodes in clusters(sorted(files), headers[folders]):
            jobs.append((group, nodes, list(flags), [files[file] for file in group]))
    return sorted(jobs, key=lambda job: -len(job[0]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--compiler", default=os.environ.get("CXX") or "c++")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("files", nargs="*")
    asked = parser.parse_intermixed_args()
    report = asked.build / "apart.json"
    passed = set(json.loads(report.read_text())) if report.exists() else set()
    jobs = jobs_of(asked.build, asked.compiler, {os.path.abspath(file) for file in asked.files}, passed)
    total, done, bad = sum(len(job[0]) for job in jobs), 0, 0
    print(f"apart: {total} files in {len(jobs)} groups, {asked.compiler}", file=sys.stderr, flush=True)
    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        futures = {pool.submit(judge, *job[:3], asked.compiler): job[3] for job in jobs}
        for future in concurrent.futures.as_completed(futures):
            for digest, text in zip(futures[future], future.result()):
                done += 1
                if text:
                    bad += 1
                    print(text, flush=True)
                else:
                    passed.add(digest)
            report.write_text(json.dumps(sorted(passed)))
            print(f"apart: {done} of {total}, {bad} with errors or warnings", file=sys.stderr, flush=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"apart: {done} files read, {bad} with errors or warnings, {(used.ru_utime + used.ru_stime) / 60:.0f} minutes of processor")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
