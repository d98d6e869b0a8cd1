#!/usr/bin/env python3
"""What every head of demo:stories does over tales of 20,000 sentences that it was not trained on: makes the files that are
shipped.

    make_stories.py FOLDER [--sentences N]

Writes FOLDER/stories.txt.gz, a tale a line, and FOLDER/stories.hsagg, what headscope-cli (on the PATH) counted over them.
The same tales and the same .hsagg every time, on any number of threads.
"""
import pathlib
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "train"))
import shipped  # noqa: E402
import tales  # noqa: E402

SENTENCES = 20_000
SEED = 20_000  # training's are others (assets/train/stories.py)
OPTIONS = ("--loss", "--repeated", "24", "--ablation-sample", "32", "--points", "64")


def stories(count):
    """Tales of at least `count` sentences together, a line each."""
    drawn = random.Random(SEED)
    lines, sentences = [], 0
    while sentences < count:
        lines.append(tales.tale(drawn) + "\n")
        sentences += len(re.findall(r"[.!?](?=[\" \n])", lines[-1]))
    return "".join(lines)


if __name__ == "__main__":
    given = shipped.given(__doc__, SENTENCES)
    shipped.make(given.folder, "stories", "demo:stories", stories(given.sentences), OPTIONS)
