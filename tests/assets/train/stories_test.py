#!/usr/bin/env python3
"""demo:stories reads any text, tells tales that it has not seen, and has the heads that its README names.

    stories_test.py HEADSCOPE_CLI [--seed S]

Texts, tales and sentences are drawn anew from a seed, which is printed.
"""

import argparse
import concurrent.futures
import json
import math
import os
import random
import secrets
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(ROOT, "assets", "train"))
import bpe  # noqa: E402  (no torch)
import tales  # noqa: E402

MODEL = "demo:stories"
TOKENIZER = os.path.join(ROOT, "assets", "demos", "stories", "tokenizer.json")
# What assets/train/README.md says of it.
MOST_LOSS, LEAST_RIGHT = 0.9, 0.6
TOKEN_BEFORE, CONTINUES = [(2, 7), (2, 3)], [(3, 1), (3, 4)]
given = None


def cli(*words):
    result = subprocess.run([given.cli, *words], capture_output=True, text=True, check=False)
    assert result.returncode == 0, (words, result.stderr)
    return result.stdout


def likelier(case):
    """Whether the model finds the receiver likelier than the giver."""
    text, receiver, giver = case
    found = json.loads(cli("attribute", "--model", MODEL, "--threads", "1", "--phrase", text, "--at",
                           str(len(tokenizer().encode(text)) - 1), "--token", f" {receiver}, {giver}", "--json"))
    return found["total"] > 0


def tokenizer():
    return bpe.read(TOKENIZER)


class StoriesTest(unittest.TestCase):
    def setUp(self):
        self.seed = given.seed if given.seed is not None else secrets.randbits(32)
        print(f"drawn with seed {self.seed}: stories_test.py HEADSCOPE_CLI --seed {self.seed}")
        self.rng = random.Random(self.seed)

    def test_no_text_is_unknown(self):
        known = tokenizer()
        pieces = {number: piece for piece, number in known.ids.items()}
        byte_of = {letter: byte for byte, letter in bpe.LETTERS.items()}
        texts = ["na\u00efve caf\u00e9, \u4f60\u597d, \U0001f600!", "x" * 300, "  two  blanks\tand a tab"]
        texts += ["".join(chr(self.rng.choice((self.rng.randrange(32, 127), self.rng.randrange(0x400, 0x500))))
                          for _ in range(60)) for _ in range(10)]
        for text in texts:
            with self.subTest(text=text):
                found = json.loads(cli("tokenize", "--model", MODEL, "--phrase", text, "--json"))
                ids = found["ids"]
                spelled = bytes(byte_of[letter] for number in ids for letter in pieces[number])
                self.assertEqual(spelled.decode(), text)
                self.assertNotIn(0, ids, "the end of a text is nothing that one types")

    def test_tokens_are_those_of_training(self):
        known = tokenizer()
        for tale in tales.tales(20, self.seed):
            found = json.loads(cli("tokenize", "--model", MODEL, "--phrase", tale, "--json"))
            self.assertEqual(found["ids"], known.encode(tale))

    def test_fresh_tales_are_told(self):
        with tempfile.TemporaryDirectory() as folder:
            path, out = os.path.join(folder, "tales.txt"), os.path.join(folder, "tales.hsagg")
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(tales.tales(60, self.seed)) + "\n")
            cli("scan", "--model", MODEL, "--phrases", path, "--ablation-sample", "30", "--out", out)
            report = json.loads(cli("report", out, "--json"))
        print(f"mean loss of fresh tales: {report['loss']['mean']:.3f} nats a token, of chance {math.log(2048):.2f}")
        self.assertLess(report["loss"]["mean"], MOST_LOSS)

    def test_the_receiver_is_named(self):
        cases = []
        for _ in range(60):
            first, second = self.rng.sample(tales.WOMEN + tales.MEN, 2)
            giver, receiver = self.rng.sample([first, second], 2)
            cases.append((f"When {first} and {second} went to the {self.rng.choice(tales.PLACES)}, {giver} gave "
                          f"{tales.a(self.rng.choice(tales.THINGS))} to", receiver, giver))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            right = list(pool.map(likelier, cases))
        print(f"the receiver is likelier in {sum(right)} of {len(right)}")
        self.assertGreaterEqual(sum(right), LEAST_RIGHT * len(right))

    def test_heads_are_what_the_readme_says(self):
        for _ in range(5):
            stretch = [str(self.rng.randrange(300, 2048)) for _ in range(24)]
            found = json.loads(cli("run", "--model", MODEL, "--token-ids", ",".join(stretch * 2), "--metrics", "--json"))
            of_head = {(each["layer"], each["head"]): each for each in found["metrics"]}
            for head in TOKEN_BEFORE:
                self.assertGreater(of_head[head]["previous_token"], 0.8, head)
            for head in CONTINUES:
                self.assertGreater(of_head[head]["induction"], 0.5, head)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("cli", type=os.path.abspath)
    parser.add_argument("--seed", type=int)
    given = parser.parse_args()
    unittest.main(argv=sys.argv[:1])
