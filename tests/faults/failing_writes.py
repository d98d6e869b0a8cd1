"""Every call of the system by which a writer writes may fail, and every place may be full: the old files or the new ones,
never a half, never other bytes with exit 0; one line that says why; and the next export leaves nothing behind.

Usage: failing_writes.py HEADSCOPE_CLI WRITE_ONE INJECTOR.so [--all | --tries N] [--only WRITER] [--verbose]

Rows are those of writers.h. Each is run once to count its calls of each kind; then the k-th one fails by EIO, ENOSPC,
EDQUOT, a write that is short, EINTR, and a kill. Of what could be tried, --tries cases of each row are, spread evenly.
"""

import argparse
import concurrent.futures
import errno
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile

import places
from preload_path import preload_path

OLD, NEW = "the cat sat", "the dog ran off today"
KINDS = ["write", "open", "rename", "fsync", "link", "close", "unlink", "mkdir", "truncate"]
ERRORS = {"EIO": errno.EIO, "ENOSPC": errno.ENOSPC, "EDQUOT": errno.EDQUOT, "EINTR": errno.EINTR}
# What has to succeed: a part of a write is no failure, nor is a signal that comes between.
MUST_SUCCEED = {("write", "short"), ("write", "EINTR"), ("open", "EINTR"), ("fsync", "EINTR"), ("close", "EINTR")}
PATIENCE = 60


def files_of(folder):
    """Name -> bytes of what an export wrote; times in a manifest left out."""
    found = {}
    for root, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(root, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    if "manifest.json" in found:
        found["manifest.json"] = places.without_times(found["manifest.json"])
    return found


def parts_in(files):
    return [name for name in files if os.path.basename(name).startswith(".headscope-")]


class Writers:
    """The rows, and how one is run."""

    def __init__(self, cli, write_one, injector, base):
        self.cli, self.write_one, self.injector, self.base = cli, write_one, injector, base
        listed = json.loads(subprocess.run([write_one, "--list"], check=True, capture_output=True).stdout)
        self.rows = {row["name"]: row["command"] for row in listed}
        self.session = os.path.join(base, "session.json")
        with open(self.session, "w") as file:
            json.dump({"phrase": "the cat", "d_model": 8, "heads": 2}, file)
        self.model = os.path.join(base, "model.json")
        with open(self.model, "w") as file:
            json.dump({"phrase": "the street was wide", "model": "demo:pronouns"}, file)
        self.results = {}  # (row, words) -> the files of a run without failure
        self.old = {}  # row -> a folder with the old files, as the writer left them

    def command(self, name, folder, words):
        if not self.rows[name]:
            return [self.write_one, name, folder, words]
        given = {"WORDS": words, "SESSION": self.session, "MODEL": self.model}
        return [self.cli, *(given.get(word, word).replace("OUT", folder, 1) for word in self.rows[name])]

    def run(self, name, folder, words, environment=None, limit=None):
        """Exit code (None: it hangs) and what was said."""

        def lower():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        try:
            done = subprocess.run(self.command(name, folder, words), capture_output=True, timeout=PATIENCE,
                                  env=dict(os.environ, HOME=self.base, XDG_STATE_HOME=self.base, **(environment or {})),
                                  stdin=subprocess.DEVNULL, preexec_fn=lower if limit is not None else None)
        except subprocess.TimeoutExpired:
            return None, ""
        return done.returncode, done.stderr.decode(errors="replace")

    def whole(self, name, words):
        if (name, words) not in self.results:
            folder = tempfile.mkdtemp(dir=self.base)
            code, said = self.run(name, folder, words)
            if code != 0:
                sys.exit(f"{name} fails without a failure: exit {code}: {said}")
            self.results[name, words] = files_of(folder)
            if words == OLD:
                self.old[name] = folder
            else:
                shutil.rmtree(folder)
        return self.results[name, words]

    def prepared(self, name, old):
        """A folder that holds the old files, or nothing yet."""
        folder = tempfile.mkdtemp(dir=self.base)
        if old:
            shutil.copytree(self.old[name], folder, symlinks=True, dirs_exist_ok=True)
        return folder

    def counts(self, name, old, no_links):
        """Kind -> how many calls of it the writer makes."""
        folder, counted = self.prepared(name, old), tempfile.mktemp(dir=self.base)
        environment = self.injection(folder, no_links)
        environment["HEADSCOPE_CALLS"] = counted
        self.run(name, folder, NEW, environment)
        with open(counted) as file:
            found = {line.split()[0]: int(line.split()[1]) for line in file}
        shutil.rmtree(folder)
        return found

    def injection(self, folder, no_links):
        environment = {"LD_PRELOAD": self.injector, "HEADSCOPE_CALLS_BELOW": folder}
        return dict(environment, HEADSCOPE_NO_LINKS="1") if no_links else environment

    def fault(self, name, old, no_links, kind, number, how):
        """What is wrong with a run whose number-th call of a kind fails; "" when nothing is."""
        folder = self.prepared(name, old)
        try:
            environment = self.injection(folder, no_links)
            environment["HEADSCOPE_FAIL_CALL"] = f"{kind}:{number}:{ERRORS.get(how, how)}"
            code, said = self.run(name, folder, NEW, environment)
            before = self.whole(name, OLD) if old else {}
            after = self.whole(name, NEW)
            if how == "kill":
                return self.after_kill(name, folder, code, before, after)
            wrong = self.verdict(code, said, files_of(folder), before, after)
            if not wrong and (kind, how) in MUST_SUCCEED and code != 0:
                wrong = f"exit {code}: {said}"
            return wrong or self.after_next(name, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def verdict(self, code, said, found, before, after):
        if code is None:
            return "hangs"
        whole = {name: each for name, each in found.items() if name not in parts_in(found)}
        if code == 0:
            return "" if places.holds(whole, before, after) else f"exit 0 with {places.difference(whole, after)}"
        if code != 3:
            return f"exit {code}: {said[-300:]}"
        if said.count("\n") != 1 or "error: " not in said:
            return f"exit 3 says {said[-300:]!r}"
        return "" if whole == before else f"exit 3 leaves {places.difference(whole, before)}"

    def after_kill(self, name, folder, code, before, after):
        """The next export of anything finishes what was begun, or takes it away."""
        if code != -9:
            return f"exit {code} instead of a kill"
        if any(os.path.dirname(each) for each in after):
            return self.after_next(name, folder, after)  # a tree: what lies in its folders is finished by its own next one
        code, said = self.run("table", self.where(folder), OLD)
        if code != 0:
            return f"the next export fails: {said}"
        found = files_of(folder)
        table = set(self.whole("table", OLD))
        found = {each: found[each] for each in found if os.path.basename(each) not in table or each in after}
        if parts_in(found):
            return f"the next export leaves {parts_in(found)}"
        if name == "table" or found == before or places.holds(found, before, after):
            return ""
        return f"neither old nor new: {places.difference(found, after)}"

    def where(self, folder):
        """Where the writer puts its files: settings lie in a folder of their own."""
        below = os.path.join(folder, "headscope")
        return below if os.path.isdir(below) else folder

    def after_next(self, name, folder, after=None):
        code, said = self.run(name, folder, NEW)
        found = files_of(folder)
        if code != 0:
            return f"the next export fails: {said}"
        left = parts_in(found)
        if left:
            return f"the next export leaves {left}"
        return "" if after is None or places.holds(found, after, after) else f"not new: {places.difference(found, after)}"


def chosen(cases, tries):
    """Of all cases so many, spread evenly over what they are."""
    if tries is None or len(cases) <= tries:
        return cases
    step = len(cases) / tries
    return [cases[int(i * step)] for i in range(tries)]


def cases_of(writers, name):
    cases = []
    for old, no_links in ((True, False), (True, True), (False, False)):
        counts = writers.counts(name, old, no_links)
        for kind in KINDS:
            hows = [*ERRORS, "kill"] + (["short"] if kind == "write" else [])
            for number in range(1, counts[kind] + 1):
                cases += [(old, no_links, kind, number, how) for how in hows]
    return cases


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("write_one")
    parser.add_argument("injector")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--tries", type=int, default=24, help="of each writer")
    parser.add_argument("--only")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    base = tempfile.mkdtemp(prefix="headscope-writes-")
    writers = Writers(os.path.abspath(options.cli), os.path.abspath(options.write_one), preload_path(options.injector), base)
    wrong = total = 0
    try:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for name in writers.rows:
                if options.only and options.only != name:
                    continue
                for words in (OLD, NEW):
                    writers.whole(name, words)
                writers.whole("table", OLD)
                cases = cases_of(writers, name)
                tried = chosen(cases, None if options.all else options.tries)
                verdicts = pool.map(lambda case: writers.fault(name, *case), tried)
                bad = [(case, verdict) for case, verdict in zip(tried, verdicts) if verdict]
                bad += places.wrong_places(writers, name, OLD, NEW)
                wrong, total = wrong + len(bad), total + len(tried)
                print(f"{name}: {len(cases):,} ways to fail, {len(tried):,} tried, {len(bad)} wrong", flush=True)
                for case, verdict in bad[: None if options.verbose else 5]:
                    print(f"  {case}: {verdict}", flush=True)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    for reason in sorted(places.skipped):
        print(f"skipped: {reason}")
    print(f"{total:,} runs, {wrong} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
