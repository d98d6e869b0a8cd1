#!/usr/bin/env python3
"""What every head of demo:pronouns does over 20,000 sentences of its own grammar: makes the files that are shipped.

    make_pronouns.py FOLDER [--sentences N]

Writes FOLDER/pronouns.txt.gz, the sentences, and FOLDER/pronouns.hsagg, what headscope-cli (on the PATH) counted over them.
The same sentences and the same .hsagg every time, on any number of threads.
"""
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "train"))
import grammar  # noqa: E402
import shipped  # noqa: E402

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


if __name__ == "__main__":
    given = shipped.given(__doc__, SENTENCES)
    shipped.make(given.folder, "pronouns", "demo:pronouns", sentences(given.sentences), ("--points", str(POINTS)))
