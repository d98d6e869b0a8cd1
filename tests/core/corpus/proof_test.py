#!/usr/bin/env python3
"""Whatever way a list is scanned and merged, the file has the same bytes; by headscope-cli as a user calls it.

    proof_test.py HEADSCOPE_CLI
"""
import collections
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "assets" / "train"))
import grammar  # noqa: E402  (no torch)

CLI = sys.argv.pop(1)
MODEL = "demo:pronouns"
LEAVES, TREES = 6, 1000  # shards of every tree of merges, trees
MOST_SHARDS = 17
EVERYTHING = ("--repeated", "3", "--ablation-sample", "4", "--loss", "--points", "6")  # what a scan counts when it is asked to
POINTS = ("--points", "20")
KILLS = 50
MANY = 20_000  # phrases, where memory is looked at


def lines(count):
    """Sentences, with a blank line and one that cannot be read among them."""
    drawn = random.Random(count)
    all_lines = [" ".join(grammar.sentence(drawn)[0]).encode() for _ in range(count)]
    all_lines[3], all_lines[8] = b"", b"a\xff"
    return b"\n".join(all_lines) + b"\n"


class Proof(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="headscope_proof_")
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)

    def call(self, *words):
        done = subprocess.run([CLI, *map(str, words)], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def scan(self, out, *more):
        self.call("scan", "--model", MODEL, "--phrases", "phrases.txt", "--threads", "1", "--out", out, *more)
        return (self.folder / out).read_bytes()

    def test_1000_random_trees_of_merges_give_the_bytes_of_one_scan(self):
        (self.folder / "phrases.txt").write_bytes(lines(25))
        files = {}  # a set of shards -> the one file that every way to merge it gives
        for leaf in range(LEAVES):
            name = f"{leaf}.hsagg"
            self.scan(name, "--shard", f"{leaf}/{LEAVES}", *EVERYTHING)
            files[frozenset([leaf])] = name
        # What a merge writes depends on the bytes of its files and their order alone, so that each is run once.
        run = {}

        def merged(parts):
            if tuple(parts) not in run:
                union = frozenset().union(*parts)
                self.call("merge", *(files[part] for part in parts), "--out", "now.hsagg")
                found = (self.folder / "now.hsagg").read_bytes()
                if union not in files:
                    files[union] = "".join(map(str, sorted(union))) + ".hsagg"
                    (self.folder / files[union]).write_bytes(found)
                self.assertEqual(found, (self.folder / files[union]).read_bytes(), parts)
                run[tuple(parts)] = union
            return run[tuple(parts)]

        drawn, shapes = random.Random(1000), collections.Counter()
        for _ in range(TREES):
            parts, shape = [frozenset([leaf]) for leaf in range(LEAVES)], []
            while len(parts) > 1:
                drawn.shuffle(parts)
                # Mostly two at a time, as a tree of many levels has it.
                taken = 2 if drawn.random() < 0.9 else drawn.randint(2, len(parts))
                taken = min(taken, len(parts))
                shape.append(tuple(parts[:taken]))
                parts = [merged(parts[:taken]), *parts[taken:]]
            shapes[tuple(shape)] += 1
        self.assertGreater(len(shapes), TREES * 9 // 10)
        whole = self.scan("whole.hsagg", *EVERYTHING)
        self.assertEqual((self.folder / files[frozenset(range(LEAVES))]).read_bytes(), whole)
        print(f"{TREES} trees, {len(shapes)} of them unlike, of {len(run)} merges")

    def test_1_to_17_shards_give_the_bytes_of_one_scan(self):
        (self.folder / "phrases.txt").write_bytes(lines(MOST_SHARDS + 3))
        whole = self.scan("whole.hsagg", *EVERYTHING)
        for shards in range(1, MOST_SHARDS + 1):
            names = [f"{shard}.hsagg" for shard in range(shards)]
            for shard, name in enumerate(names):
                self.scan(name, "--shard", f"{shard}/{shards}", "--batch", str(1 + shard % 4), *EVERYTHING)
            self.call("merge", *names, "--out", "all.hsagg")
            self.assertEqual((self.folder / "all.hsagg").read_bytes(), whole, f"{shards} shards")

    def killed_once(self, state, environment, wait):
        """Starts the scan and kills it `wait` seconds after it has kept a new state; False when it ended before."""
        kept = state.stat().st_mtime_ns if state.exists() else 0
        scan = subprocess.Popen([CLI, "scan", "--model", MODEL, "--phrases", "phrases.txt", "--threads", "1", "--out", "x.hsagg", *POINTS],
                                cwd=self.folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while scan.poll() is None:
            if state.exists() and state.stat().st_mtime_ns != kept:
                time.sleep(wait)
                scan.kill()
                break
            time.sleep(0.001)
        return scan.wait() != 0

    def test_killed_50_times_it_gives_the_bytes_of_one_that_ran_through(self):
        (self.folder / "phrases.txt").write_bytes(lines(3000))
        whole = self.scan("whole.hsagg", *POINTS)
        state = self.folder / "x.hsagg.part"
        environment = {**os.environ, "HEADSCOPE_SCAN_KEEP_SECONDS": "0"}  # a state after every phrase
        drawn = random.Random(KILLS)
        kept = []
        for kill in range(KILLS):
            self.assertTrue(self.killed_once(state, environment, drawn.random() * 0.01), f"ended before kill {kill}")
            self.assertTrue(state.exists() and not (self.folder / "x.hsagg").exists())
            kept.append(state.stat().st_mtime_ns)
        self.assertEqual(len(set(kept)), KILLS)  # it came further each time
        self.assertEqual(self.scan("x.hsagg", *POINTS), whole)
        left = sorted(path.name for path in self.folder.iterdir())
        self.assertEqual(left, ["phrases.txt", "whole.hsagg", "x.hsagg"])

    def most_memory(self, count):
        """MiB that a scan of so many short phrases needs at most."""
        drawn = random.Random(count)
        (self.folder / "phrases.txt").write_text(
            "".join(" ".join(grammar.sentence(drawn)[0][:4]) + "\n" for _ in range(count)))
        scan = subprocess.Popen([CLI, "scan", "--model", MODEL, "--phrases", "phrases.txt", "--threads", "1", "--out", "x.hsagg"],
                                cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(scan.pid, 0)
        scan.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(scan.returncode, 0)
        return used.ru_maxrss / 1024

    def test_ten_times_the_phrases_need_no_more_memory(self):
        few, many = self.most_memory(MANY // 10), self.most_memory(MANY)
        self.assertLess(many - few, 3, f"{few:.1f} and {many:.1f} MiB")  # of which the list's own pages are 0.5


if __name__ == "__main__":
    unittest.main(verbosity=2)
