"""Every allocation of headscope-cli may fail, of its libraries too: exit 3 with one line that says so, or exit 0 with the
same bytes as without the failure; never a signal, a deadlock or other bytes with exit 0.

Usage: no_memory.py HEADSCOPE_CLI INJECTOR.so [--all | --tries N] [--only COMMAND] [--verbose]
"""

import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

LINE = re.compile(r"headscope-cli: error: memory: [^\n]*\n\Z")
REQUEST = ["--phrase", "the cat sat", "--d-model", "16", "--heads", "2", "--mask", "causal", "--threads", "2"]
PATIENCE = 60


def commands(folder):
    """Name -> arguments; OUT stands for a folder of the run's own."""
    picture = os.path.join(folder, "heads.png")
    return {
        "run": ["run", *REQUEST, "--json"],
        "render-png": ["render", *REQUEST, "--view", "heads", "--out", "OUT/heads.png"],
        "render-svg": ["render", *REQUEST, "--view", "arcs", "--out", "OUT/arcs.svg"],
        "render-pdf": ["render", *REQUEST, "--view", "heads", "--out", "OUT/heads.pdf"],
        "export": ["run", *REQUEST, "--export", "all", "--out", "OUT/all"],
        "export-safetensors": ["run", *REQUEST, "--export", "all", "--format", "safetensors", "--out", "OUT/all"],
        "explain": ["explain", *REQUEST, "--stage", "weights", "--at", "0,1,2,1"],
        "info": ["info", picture],
        "info-model": ["info", "demo:pronouns"],
        "model": ["run", "--phrase", "the cat sat", "--threads", "2", "--json"],
    }


def without_times(text):
    """Times differ from run to run, and with them the size of a manifest."""
    return re.sub(r'"[^"]*seconds[^"]*": ?[-0-9.e]+|[0-9.]+ [KM]?B\b', "", text)


def files_of(folder):
    found = {}
    for root, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(root, name), "rb") as file:
                found[os.path.relpath(os.path.join(root, name), folder)] = file.read()
    if "all/manifest.json" in found:
        found["all/manifest.json"] = without_times(found["all/manifest.json"].decode()).encode()
    return found


class Runner:
    def __init__(self, cli, injector, base):
        self.cli, self.injector, self.base = cli, injector, base

    def run(self, arguments, k=None, always=False, count=None):
        """Exit code (None: it hangs), output, errors, files."""
        out = tempfile.mkdtemp(dir=self.base)
        environment = dict(os.environ, HOME=self.base, XDG_STATE_HOME=self.base, LD_PRELOAD=self.injector)
        if k is not None:
            environment["HEADSCOPE_FAIL_ALLOCATION"] = str(k)
        if always:
            environment["HEADSCOPE_FAIL_ALWAYS"] = "1"
        if count:
            environment["HEADSCOPE_ALLOCATIONS"] = count
        words = [word.replace("OUT", out) for word in arguments]
        try:
            done = subprocess.run([self.cli, *words], env=environment, capture_output=True, text=True, timeout=PATIENCE,
                                  errors="replace", stdin=subprocess.DEVNULL)
            result = done.returncode, without_times(done.stdout.replace(out, "OUT")), done.stderr, files_of(out)
        except subprocess.TimeoutExpired:
            result = None, "", "", {}
        shutil.rmtree(out, ignore_errors=True)
        return result

    def verdict(self, name, arguments, whole, k, always):
        """What is wrong with a run whose k-th allocation fails; "" when nothing is."""
        code, output, errors, files = self.run(arguments, k, always)
        if code is None:
            return "hangs"
        if code < 0:
            return f"ends by signal {-code}: {errors[-300:]}"
        if code == 3:
            if not LINE.match(errors):
                return f"exit 3 says: {errors[-300:]!r}"
            # All or nothing: the files may be there when memory is missing afterwards, for the report of them.
            left = {name: each for name, each in files.items() if not os.path.basename(name).startswith(".headscope-")}
            return f"exit 3 leaves {sorted(left)}" if left and left != whole[1] else ""
        if code != 0:
            return f"exit {code}: {errors[-300:]}"
        if (output, files) != whole:
            return "exit 0 with other bytes"
        return ""


def chosen(count, tries):
    """All numbers up to count, or so many of them: the first hundred, then evenly."""
    if tries is None or count <= tries:
        return list(range(1, count + 1))
    first = list(range(1, min(count, tries // 3) + 1))
    step = (count - len(first)) / (tries - len(first))
    return sorted(set(first + [min(count, int(len(first) + step * (i + 1))) for i in range(tries - len(first))]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("injector")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--tries", type=int, default=40, help="allocations of each command, once and for good")
    parser.add_argument("--only")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    base = tempfile.mkdtemp(prefix="headscope-memory-")
    runner = Runner(os.path.abspath(options.cli), os.path.abspath(options.injector), base)
    wrong = total = 0
    try:
        subprocess.run([runner.cli, "render", *REQUEST, "--view", "heads", "--out", os.path.join(base, "heads.png")],
                       check=True, capture_output=True)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for name, arguments in commands(base).items():
                if options.only and options.only != name:
                    continue
                counted = os.path.join(base, "count")
                code, output, errors, files = runner.run(arguments, count=counted)
                if code != 0:
                    sys.exit(f"{name} fails without a failure: exit {code}: {errors}")
                with open(counted) as file:
                    count = int(file.read())
                numbers = chosen(count, None if options.all else options.tries)
                tasks = [(k, always) for always in (False, True) for k in numbers]
                verdicts = pool.map(lambda task: runner.verdict(name, arguments, (output, files), *task), tasks)
                bad = [(task, verdict) for task, verdict in zip(tasks, verdicts) if verdict]
                wrong, total = wrong + len(bad), total + len(tasks)
                print(f"{name}: {count:,} allocations, {len(tasks):,} runs, {len(bad)} wrong", flush=True)
                for (k, always), verdict in bad[: None if options.verbose else 8]:
                    print(f"  {'from ' if always else ''}allocation {k}{' on' if always else ''}: {verdict}")
    finally:
        shutil.rmtree(base, ignore_errors=True)
    print(f"{total:,} runs, {wrong} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
