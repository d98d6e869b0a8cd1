#!/usr/bin/env python3
"""What scanning a corpus costs, on paper, from rates that were measured: the tables of assets/guide/07-a-corpus.md.

    costs.py [RATES.json] [--tokens-a-phrase T]

RATES.json is what tests/bench/measure_scan.py writes; without it, assets/corpus/rates.json. Of a model with P numbers in
the matrices of its layers, L layers, H heads of D numbers and phrases of T tokens, a token is

    W = 2 P + 4 L H D (T + 1) / 2     operations: two a weight, four a number of a head and key that a row sees

and on C cores, each with its own process, N tokens take N W / (R C) seconds. R, operations a second on one core, is W of
GPT-2 small's shape over the seconds a token that were measured there.
"""
import argparse
import json
import pathlib
from dataclasses import dataclass

CORES, TOKENS = (2, 64, 4096), (10**6, 10**9)


@dataclass
class Model:
    """A shape; `weights` are the bytes of its files as the hub has them."""

    name: str
    layers: int
    width: int
    heads: int
    kv_heads: int
    head_size: int
    inner: int
    inner_matrices: int  # of the MLP: two, or three where one is a gate
    weights: float

    def matrices(self):
        """P."""
        query, key = self.heads * self.head_size, self.kv_heads * self.head_size
        return self.layers * self.width * (2 * query + 2 * key + self.inner_matrices * self.inner)

    def work(self, phrase):
        """W: operations a token in phrases of so many tokens."""
        return 2 * self.matrices() + 4 * self.layers * self.heads * self.head_size * (phrase + 1) / 2


MODELS = [Model("GPT-2 small", 12, 768, 12, 12, 64, 3072, 2, 0.498e9),
          Model("Llama 3.2 1B", 16, 2048, 32, 8, 64, 8192, 3, 2.47e9),
          Model("Llama 3.1 8B", 32, 4096, 32, 8, 128, 14336, 3, 16.1e9),
          Model("Llama 3.1 70B", 80, 8192, 64, 8, 128, 28672, 3, 141e9)]


def rate(rates, phrase):
    """R, and the seconds a byte that a scan takes to start: both of one thread on GPT-2 small's shape."""
    row, = [row for row in rates["scans"]
            if (row["model"], row["threads"], row["tokens_a_phrase"]) == ("gpt2-shape", 1, phrase)]
    return (MODELS[0].work(phrase) / (row["microseconds_a_token_processor"] * 1e-6),
            row["seconds_to_start_processor"] / MODELS[0].weights)


def merge_seconds(rates, heads):
    """Of one file more."""
    return next(row["seconds_a_file"] for row in rates["merges"] if row["heads"] == heads)


def file_bytes(rates, heads):
    return next(row["bytes"] for row in rates["merges"] if row["heads"] == heads)


def two_digits(number):
    """Figures on paper have two digits, and no more are claimed."""
    if number >= 10:
        digits = len(str(int(number))) - 2
        return f"{round(number / 10**digits) * 10**digits:,}"
    return f"{number:.2g}"


def time_text(seconds):
    for unit, length, most in (("s", 1, 100), ("min", 60, 6000), ("h", 3600, 172_800), ("days", 86_400, 63e6)):
        if seconds < most:
            return f"{two_digits(seconds / length)} {unit}"
    return f"{two_digits(seconds / 31_557_600)} years"


def size_text(size):
    for unit, length in (("KB", 1e3), ("MB", 1e6)):
        if size < 1000 * length:
            return f"{two_digits(size / length)} {unit}"
    return f"{two_digits(size / 1e9)} GB"


def table(head, rows):
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows])


def tables(rates, phrase):
    """(time, size and merging) as Markdown."""
    operations, start = rate(rates, phrase)
    head = ["model"] + [f"10^{len(str(tokens)) - 1}: {cores:,} cores" for tokens in TOKENS for cores in CORES]
    times = [[model.name] + [time_text(tokens * model.work(phrase) / (operations * cores)) for tokens in TOKENS for cores in CORES]
             for model in MODELS]
    sizes = []
    for model in MODELS:
        heads = model.layers * model.heads
        sizes.append([model.name, f"{heads:,}", two_digits(model.work(phrase) / 1e9), size_text(model.weights),
                      time_text(start * model.weights), size_text(file_bytes(rates, heads)),
                      time_text(64 * merge_seconds(rates, heads)), time_text(4096 * merge_seconds(rates, heads))])
    return (table(head, times),
            table(["model", "heads", "10^9 operations a token", "weights", "start of a shard", ".hsagg", "64 merged",
                   "4,096 merged"], sizes))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rates", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).with_name("rates.json"))
    parser.add_argument("--tokens-a-phrase", type=int, default=512)
    given = parser.parse_args()
    rates = json.loads(given.rates.read_text())
    print(f"R = {two_digits(rate(rates, given.tokens_a_phrase)[0] / 1e9)} x 10^9 operations a second on one core\n")
    print("\n\n".join(tables(rates, given.tokens_a_phrase)))


if __name__ == "__main__":
    main()
