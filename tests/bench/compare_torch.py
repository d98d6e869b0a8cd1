"""Headscope against PyTorch on the same sizes, in turns, with the same number of threads:

    python3 tests/bench/compare_torch.py build/release/bin/headscope-cli [--size SIZE ...] [--threads N ...] [--turns N]
        [--contender NAME ...] [--python COMMAND ...]

A turn measures ours, theirs, ours for every contender; a figure is the median of its turns, a ratio the median of the
turns' own ratios, so that a machine which slows down for a while slows both sides. --python names another interpreter
whose PyTorch takes part, several times for several ("chroot /opt/trixie python3"). Nothing is asserted: read the last
column first.
"""
import argparse
import json
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import time

import busy

# What is aimed at, by size: the contender, times faster than it with one and with two threads, and the share of the
# machine's peak with one and with two threads (None: nothing was set).
GOALS = {
    "1,4,512,512,8,none": ("mha", (3.5, 4.5), (0.75, 0.70)),
    "1,16,512,512,8,causal": ("mha", (2.1, 2.4), (0.93, 0.90)),
    "30,5,1024,512,8,none": ("tutorial", (1.5, 1.5), (0.88, 0.85)),
    "1,64,768,768,12,causal": ("mha", (1.3, 1.3), (0.86, 0.84)),
    "1,256,768,768,12,causal": ("mha", (1.2, 1.2), (0.86, 0.84)),
    "1,1024,768,768,12,causal": ("mha", (2.3, 2.3), (0.82, 0.80)),
    "1,4096,1024,1024,16,causal": ("mha", (3.0, 3.0), (0.78, 0.76)),
    "attn:4096,12,64,causal": ("tutorial", (7.0, 7.0), (0.78, None)),
}
CONTENDERS = ("mha", "tutorial", "careful", "sdpa")


class TorchSide:
    """A process that runs torch_side.py; its source is handed over, so that it may live in another file system."""

    def __init__(self, command):
        source = pathlib.Path(__file__).with_name("torch_side.py").read_text()
        self.process = subprocess.Popen([*shlex.split(command), "-c", source], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        hello = self._answer(command)
        self.version, self.libraries = hello["version"].split("+")[0], hello["libraries"]

    def _answer(self, asked):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{asked}: no answer; is PyTorch installed (sudo apt-get install python3-torch), is there memory?")
        return json.loads(line)

    def ask(self, size, threads, contender=None):
        question = {"size": size, "threads": threads, "contender": contender}
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        return self._answer(question)


def ours(cli, size, threads):
    command = [cli, "bench", "--json", "--size", size, "--threads", str(threads)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr.strip())
    return json.loads(done.stdout)["results"][0]


def compare(cli, sides, size, threads, turns, wanted):
    watch = busy.Watch([os.getpid()] + [side.process.pid for side in sides])
    mine, theirs, ratios = [], {}, {}
    for _ in range(turns):
        for side in sides:
            for name in [name for name in side.ask(size, threads) if name in wanted]:
                before = ours(cli, size, threads)
                seconds = side.ask(size, threads, name)
                after = ours(cli, size, threads)
                mine += [before, after]
                key = f"{name} {side.version}"
                theirs.setdefault(key, []).append(seconds)
                ratios.setdefault(key, []).append(2 * seconds / (before["median_s"] + after["median_s"]))
    if not mine:
        return None
    best = max(mine, key=lambda result: result["share_of_peak"])
    return {
        "size": size, "threads": threads, "mode": best["mode"],
        "seconds": statistics.median(result["median_s"] for result in mine),
        "floor": statistics.median(result["median_s"] * result["share_of_peak"] for result in mine),
        "share_of_peak": statistics.median(result["share_of_peak"] for result in mine),
        "best_share_of_peak": best["share_of_peak"],
        "torch_seconds": {name: statistics.median(seconds) for name, seconds in theirs.items()},
        "ratios": {name: statistics.median(values) for name, values in ratios.items()},
        "foreign_cores": watch.foreign(),
    }


def goal_text(row):
    if row["size"] not in GOALS:
        return "", ""
    contender, ratios, shares = GOALS[row["size"]]
    column = min(row["threads"], 2) - 1
    share = shares[column]
    return f"{ratios[column]:g}x {contender}", "" if share is None else f"{share:.0%}"


def milliseconds(seconds):
    return f"{seconds * 1e3:.3g}" if seconds < 1 else f"{seconds * 1e3:.0f}"


def table(rows, sides):
    names = [f"{name} {side.version}" for name in CONTENDERS for side in sides]
    names = [name for name in names if any(name in row["ratios"] for row in rows)]
    lines = [["size", "threads", "floor", "ours"] + names
             + ["goal", "share of peak", "best share", "goal", "others' load"]]
    lines.append(["---"] * len(lines[0]))
    for row in rows:
        ratio_goal, share_goal = goal_text(row)
        theirs = [f"{milliseconds(row['torch_seconds'][name])} ({row['ratios'][name]:.2f}x)" if name in row["ratios"]
                  else "-" for name in names]
        lines.append([row["size"], str(row["threads"]), milliseconds(row["floor"]), milliseconds(row["seconds"]), *theirs,
                      ratio_goal, f"{row['share_of_peak']:.1%}", f"{row['best_share_of_peak']:.1%}", share_goal,
                      f"{row['foreign_cores']:.2f}"])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli")
    parser.add_argument("--size", action="append", help="as headscope-cli bench takes it; default: the eight with goals")
    parser.add_argument("--threads", action="append", type=int, help="default: 1 and 2 (1 where there is one core)")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--contender", action="append", choices=CONTENDERS, help="default: all (see torch_side.py)")
    parser.add_argument("--python", action="append", help=f"default: {sys.executable}")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    threads = given.threads or ([1, 2] if (os.cpu_count() or 1) > 1 else [1])
    for text in given.size or []:
        if text.rsplit(",", 1)[-1] not in ("none", "causal"):
            parser.error(f"--size {text}: compared with PyTorch are the masks none and causal")

    sides = [TorchSide(command) for command in given.python or [sys.executable]]
    for side in sides:
        print(f"PyTorch {side.version} on {', '.join(side.libraries) or 'a BLAS of its own'}", file=sys.stderr)
        if (warning := busy.slow_blas(side.libraries)) is not None:
            print("warning: " + warning, file=sys.stderr)
    quiet = busy.Watch([os.getpid()])
    time.sleep(2)
    if quiet.foreign() > 0.1:
        print(f"warning: others keep {quiet.foreign():.1f} cores busy; compare ratios only, and those with suspicion",
              file=sys.stderr)

    rows = []
    for size in given.size or GOALS:
        for count in threads:
            row = compare(given.cli, sides, size, count, given.turns, given.contender or CONTENDERS)
            rows += [row] if row is not None else []
            print(f"  {size}, threads {count}: {'measured' if row else 'none of these contenders runs it'}", file=sys.stderr)
    print(json.dumps(rows, indent=1) if given.json else table(rows, sides))
    print("(milliseconds, medians; in brackets how many times our time that is)", file=sys.stderr)
    for row in rows:
        if row["foreign_cores"] > 0.1:
            print(f"warning: {row['size']} with threads {row['threads']}: others kept {row['foreign_cores']:.1f} cores busy",
                  file=sys.stderr)


if __name__ == "__main__":
    main()
