#!/usr/bin/python3
"""Trains the demos anew and writes their checkpoint folders.

    ./train.py [pronouns] [induction] [--out DIR] [--seed N] [--threads N]
"""

import argparse
import os

import torch

import induction
import pronouns

DEMOS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "demos")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("demo", nargs="*", choices=["pronouns", "induction", []], help="default: both")
    parser.add_argument("--out", default=DEMOS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1, help="other counts round differently")
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    for name in given.demo or ["pronouns", "induction"]:
        print(name)
        trainer = {"pronouns": pronouns, "induction": induction}[name]
        trainer.train(os.path.join(given.out, name), seed=given.seed)


if __name__ == "__main__":
    main()
