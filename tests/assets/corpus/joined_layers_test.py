#!/usr/bin/env python3
"""The guide's lines that join captures of one layer each: a scan of what they make counts what one of whole captures does.

    joined_layers_test.py HEADSCOPE_CLI
"""
import json
import math
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
GUIDE = ROOT / "assets" / "guide" / "07-a-corpus.md"
CLI = sys.argv.pop(1)
HEADS, LAYERS, PHRASES = 2, 11, ("cat box ink", "fox jam cat box", "hat")


def weights(drawn, length):
    """Causal rows that add up to 1, as bytes of [1, heads, length, length]."""
    values = []
    for _ in range(HEADS):
        for query in range(length):
            row = [drawn.random() + 0.1 if key <= query else 0.0 for key in range(length)]
            values += [value / math.fsum(row) for value in row]
    return struct.pack(f"<{len(values)}f", *values)


def capture(path, layers, words):
    """One file with the layers {number: bytes}."""
    size = len(words)
    header = {"__metadata__": {"tokens": json.dumps(words), "phrase": " ".join(words), "model": "ours", "causal": "true"}}
    data = b""
    for number, values in layers.items():
        header[f"layers.{number}.weights"] = {"dtype": "F32", "shape": [1, HEADS, size, size],
                                              "data_offsets": [len(data), len(data) + len(values)]}
        data += values
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


class JoinedLayers(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="headscope_joined_")
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)
        for name in ("layers", "whole"):
            (self.folder / name).mkdir()
        drawn = random.Random(7)
        for index, phrase in enumerate(PHRASES):
            words = phrase.split()
            layers = {number: weights(drawn, len(words)) for number in range(LAYERS)}
            capture(self.folder / "whole" / f"{index:04}.safetensors", layers, words)
            for number, values in layers.items():
                capture(self.folder / "layers" / f"{index:04}.layer{number}.safetensors", {number: values}, words)

    def call(self, *words):
        return subprocess.run([CLI, *words], cwd=self.folder, capture_output=True, text=True, check=False)

    def report(self, captures):
        done = self.call("scan", "--captures", captures, "--out", captures + ".hsagg")
        self.assertEqual(done.returncode, 0, done.stderr)
        said = json.loads(self.call("report", captures + ".hsagg", "--json").stdout)
        self.assertEqual(said["list"].pop("size"), len(PHRASES))
        said["list"].pop("sha256")  # of headers, which may be written in many ways
        return said

    def test_they_are_joined_by_the_lines_of_the_guide(self):
        done = self.call("scan", "--captures", "layers", "--out", "x.hsagg")
        self.assertEqual(done.returncode, 2)
        for words in ("0000.layer0.safetensors", "no layer in common", "one file", "guide"):
            self.assertIn(words, done.stderr)
        lines, = [block for block in re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.S) if "def join" in block]
        subprocess.run([sys.executable, "-c", lines], cwd=self.folder, check=True)
        joined, whole = self.report("captures"), self.report("whole")
        self.assertEqual(joined, whole)
        self.assertEqual(len(joined["heads"]), LAYERS * HEADS)


if __name__ == "__main__":
    unittest.main(verbosity=2)
