#!/usr/bin/env python3
"""What every head of demo:pronouns does over 20,000 sentences of its own grammar: makes the files that are shipped.

    make_pronouns.py FOLDER [--sentences N]

Writes FOLDER/pronouns.txt.gz, the sentences, and FOLDER/pronouns.hsagg, what headscope-cli (on the PATH) counted over them.
The same sentences and the same .hsagg every time, on any number of threads.
"""
import argparse
import gzip
import pathlib
import random
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "train"))
import grammar  # noqa: E402

SENTENCES = 20_000
SEED = 20_000
POINTS = 256


def sentences(count):
    """The first `count` sentences, a line each. One in eight joins a noun and an adjective, or a noun and a verb, that
    training never joined."""
    drawn = random.Random(SEED)
    kinds = [None] * 21 + ["adjective", "verb", "both"]
    lines = []
    for number in range(count):
        words, _, _ = grammar.sentence(drawn, kinds[number % len(kinds)])
        lines.append(" ".join(words) + "\n")
    return "".join(lines)


def make(folder, count):
    # No time and no name in the packed file.
    packed = gzip.compress(sentences(count).encode(), compresslevel=9, mtime=0)
    (folder / "pronouns.txt.gz").write_bytes(packed)
    subprocess.run(["headscope-cli", "scan", "--model", "demo:pronouns", "--phrases", folder / "pronouns.txt.gz",
                    "--points", str(POINTS), "--out", folder / "pronouns.hsagg"], check=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--sentences", type=int, default=SENTENCES)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    make(given.folder, given.sentences)
