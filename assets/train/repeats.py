"""Random sequences of words in which a stretch comes again, with or without other words between."""

import random

# Sixty words that one types quickly; no sentence is meant.
WORDS = """cat sun map dog cup red box key hat pen sky tea bus car egg fox ice jam kit leg mud net oak pig rod sea
toy van wax zoo ant bed cow day ear fan gem hen ink jar log man nut owl pan rug sap tin urn web yak arm bee cot dew
elm fog gum hut""".split()

SPECIAL = ["[PAD]", "[UNK]"]


def vocabulary():
    """Special tokens first, then the words, sorted."""
    return SPECIAL + sorted(WORDS)


def sequence(rng, length, period=None, prefix=None, gaps=True, late=False):
    """`length` words: a prefix, then a stretch of `period` different words again and again, sometimes with other words
    between two copies. `late`: the prefix is any that leaves room for two copies, else it has at most 8 words.

    Returns (words, copies): for every position the index of the position where its word came first in the stretch, or
    None before the second copy and in prefix and gaps.
    """
    words = rng.sample(WORDS, len(WORDS))
    if period is None:
        period = rng.randint(2, max(2, min(len(WORDS) - 8, length // 2)))
    if prefix is None:
        room = max(0, length - 2 * period)
        prefix = rng.randint(0, room if late else min(8, room))
    stretch, others = words[:period], words[period:]
    row = [rng.choice(others) for _ in range(prefix)]
    copies = [None] * prefix
    first = True
    while len(row) < length:
        row += stretch
        copies += [None if first else prefix + place for place in range(period)]
        first = False
        if gaps and rng.random() < 0.3:
            gap = rng.randint(1, 6)
            row += [rng.choice(others) for _ in range(gap)]
            copies += [None] * gap
    return row[:length], copies[:length]


def scored_positions(copies):
    """Positions i whose word came before and whose next word is known from there: copies[i + 1] = copies[i] + 1."""
    return [
        i
        for i in range(len(copies) - 1)
        if copies[i] is not None and copies[i + 1] is not None and copies[i + 1] == copies[i] + 1
    ]
