#!/usr/bin/env python3
"""demo:pronouns follows `it` in sentences that are drawn anew: pairs that differ in the adjective alone.

    pronouns_test.py HEADSCOPE_CLI HEAD_WEIGHTS [--pairs N] [--seed S]

2,000 sentences (1,000 pairs) of a seed drawn anew, which is printed, and 30 pairs of each of the seeds below; half of
each as plain as the phrase that the demo opens with, half of any shape of its grammar. Some pairs have a noun and an
adjective that training never joined; they are counted by themselves, too. A pair is right when one head, the same in all
sentences, goes from `it` to its noun with 0.8 or more in both. HEAD_WEIGHTS (head_weights.cpp) computes all of them in one
run; of the first pairs headscope-cli is asked, too.
"""

import argparse
import json
import os
import random
import secrets
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(ROOT, "assets", "train"))
import grammar  # noqa: E402  (no torch)

LAYER, HEAD = 1, 7  # that README, tour and examples tell of
SEEDS = (1, 2, 3, 4, 5, 6, 7, 8)
ENOUGH = 0.8
given = None


def place_of(sentence):
    """(place of `it`, place of the noun that it stands for)"""
    words, place, noun = sentence
    return place, words.index(noun)


def weights(sentences):
    """From `it` to the noun that it stands for, of each."""
    lines = "".join("{} {} {}\n".format(*place_of(sentence), " ".join(sentence[0])) for sentence in sentences)
    result = subprocess.run([given.head_weights, "demo:pronouns", str(LAYER), str(HEAD)], input=lines, capture_output=True,
                            text=True, check=False)
    assert result.returncode == 0, result.stderr
    found = [float(line) for line in result.stdout.splitlines()]
    assert len(found) == len(sentences), (len(found), len(sentences))
    return found


def weight_of_command_line(sentence):
    query, key = place_of(sentence)
    result = subprocess.run(
        [given.cli, "explain", "--model", "demo:pronouns", "--layer", str(LAYER), "--threads", "1", "--stage", "weights",
         "--at", f"0,{HEAD},{query},{key}", "--phrase", " ".join(sentence[0]), "--json"],
        capture_output=True, text=True, check=False)
    assert result.returncode == 0, (sentence, result.stderr)
    return json.loads(result.stdout)["value"]


def right_ones(pairs):
    """[whether the head follows the noun in both sentences]; those that it does not are printed."""
    flat = [sentence for pair in pairs for sentence in pair]
    found = weights(flat)
    right = []
    for pair, both in zip(pairs, zip(found[::2], found[1::2])):
        right.append(all(each >= ENOUGH for each in both))
        if not right[-1]:
            print("missed:", *(f"{each:.3f} of {noun}: {' '.join(words)};" for (words, _, noun), each in zip(pair, both)))
    return right


class PronounsTest(unittest.TestCase):
    def drawn(self, seed, count):
        rng = random.Random(seed)
        return [grammar.pair(rng, plain=number % 2 == 0) for number in range(count)]

    def test_the_command_line_says_the_same(self):
        sentences = [sentence for pair in self.drawn(SEEDS[0], 10) for sentence in pair]
        for sentence, found in zip(sentences, weights(sentences)):
            self.assertAlmostEqual(weight_of_command_line(sentence), found, delta=1e-6, msg=" ".join(sentence[0]))

    def test_29_of_30_pairs_of_every_seed(self):
        for seed in SEEDS:
            with self.subTest(seed=seed):
                self.assertGreaterEqual(sum(right_ones(self.drawn(seed, 30))), 29)

    def test_sentences_drawn_anew(self):
        seed = given.seed if given.seed is not None else secrets.randbits(32)
        print(f"drawn with seed {seed}: pronouns_test.py HEADSCOPE_CLI HEAD_WEIGHTS --seed {seed}")
        pairs = self.drawn(seed, given.pairs)
        right = right_ones(pairs)
        self.assertGreaterEqual(sum(right), 0.99 * len(right))
        joined = [(noun, adjective) for pair in pairs for words, _, noun in pair
                  for adjective in words if (noun, adjective) in grammar.NEW_ADJECTIVES]
        self.assertTrue(joined, "no noun with an adjective that it never had in training")

    def test_pairs_that_training_never_joined(self):
        rng = random.Random("never joined")
        pairs = [grammar.pair(rng, new=True, plain=number % 2 == 0) for number in range(120)]
        right = right_ones(pairs)
        self.assertGreaterEqual(sum(right), 29 / 30 * len(right))

    def test_no_training_sentence_joins_a_held_out_pair(self):
        rng = random.Random(0)
        for _ in range(20000):
            words, _, noun = grammar.sentence(rng)
            self.assertFalse([word for word in words if (noun, word) in grammar.NEW_ADJECTIVES], words)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("cli", type=os.path.abspath)
    parser.add_argument("head_weights", type=os.path.abspath)
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--seed", type=int)
    given = parser.parse_args()
    unittest.main(argv=sys.argv[:1])
