#!/usr/bin/python3
"""Computes what the README claims of both demos again, from the shipped files alone.

    ./evaluate.py [--json FILE] [--folder DIR]
"""

import argparse
import json
import os
import random

import torch

import checkpoint
import grammar
import repeats

DEMOS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "demos")
SENTENCES = 500  # of each kind, and pairs of sentences
PAIRS = {"plain": {"plain": True}, "any": {}, "never joined": {"new": True}}
SEQUENCES = 40   # of each length


def rounded(values, digits=4):
    return [round(float(value), digits) for value in values]


def weights_of(model, ids, words):
    """(logits [len, vocab], weights: one [heads, len, len] a layer) of a list of words."""
    with torch.no_grad():
        logits, weights = model(torch.tensor([[ids.get(word, ids["[UNK]"]) for word in words]]))
    return logits[0], [layer[0] for layer in weights]


def positional_scores(weights):
    """Of every head: mean weight of the token before, the token itself, the next and the first; entropy in nats."""
    entropy = -(weights * weights.clamp_min(1e-9).log()).sum(-1).mean(-1)
    return {
        "previous": weights.diagonal(-1, -2, -1).mean(-1),
        "self": weights.diagonal(0, -2, -1).mean(-1),
        "next": weights.diagonal(1, -2, -1).mean(-1),
        "first": weights[:, :, 0].mean(-1),
        "entropy": entropy,
    }


def mean_scores(each):
    """The mean of a list of dictionaries of [heads] tensors, as lists of numbers."""
    return {name: rounded(sum(scores[name] for scores in each) / len(each)) for name in each[0]}


def pronouns(folder):
    model, ids = checkpoint.load(folder)
    names = {number: word for word, number in ids.items()}
    resolved, meant = {}, []
    scores = [[], []]
    for kind in ("adjective", "verb", "both"):
        rng = random.Random(f"held out {kind}")
        right = 0
        for _ in range(SENTENCES):
            words, place, noun = grammar.sentence(rng, kind)
            logits, weights = weights_of(model, ids, words)
            right += names[int(logits[place].argmax())] == noun
            meant.append(weights[1][:, place, words.index(noun)])
            for layer in (0, 1):
                scores[layer].append(positional_scores(weights[layer]))
        resolved[kind] = right / SENTENCES
    meant = torch.stack(meant)
    head = int(meant.mean(0).argmax())
    followed = {}
    for kind, options in PAIRS.items():
        rng = random.Random(f"pairs {kind}")
        least = []  # of both sentences of each pair
        for _ in range(SENTENCES):
            both = []
            for words, place, noun in grammar.pair(rng, **options):
                both.append(weights_of(model, ids, words)[1][1][head, place, words.index(noun)])
            least.append(float(min(both)))
        followed[kind] = round(sum(weight >= 0.8 for weight in least) / len(least), 4)
    shown = {}
    for adjective, noun in (("tired", "animal"), ("wide", "street")):
        for stop in ("", "."):
            words = f"the animal didn't cross the street because it was too {adjective} {stop}".split()
            place = words.index("it")
            logits, weights = weights_of(model, ids, words)
            shown[" ".join(words)] = {
                "named": names[int(logits[place].argmax())],
                "weight": round(float(weights[1][head, place, words.index(noun)]), 4),
            }
    return {
        "held_out_resolved": resolved,
        "head": [1, head],
        "head_mean_weight_of_meant_noun": round(float(meant[:, head].mean()), 4),
        "head_share_at_least_0.8": round(float((meant[:, head] >= 0.8).float().mean()), 4),
        "head_share_of_pairs_with_0.8_in_both": followed,
        "shown": shown,
        "scores": [mean_scores(layer) for layer in scores],
    }


def induction(folder):
    model, ids = checkpoint.load(folder)
    result = {"previous_token_layer_0": [], "induction_layer_1": [], "right": [], "lengths": []}
    before, after = [], []
    for length in (6, 10, 16, 24, 32, 48, 64, 96, 128):
        rng = random.Random(f"unseen {length}")
        previous, follow, right, count = [], [], 0, 0
        for _ in range(SEQUENCES):
            period = rng.randint(3, min(length // 2, len(repeats.WORDS) - 8))
            prefix = rng.randint(0, length - 2 * period) if rng.random() < 0.5 else 0
            words, copies = repeats.sequence(rng, length, period, prefix, gaps=False)
            logits, weights = weights_of(model, ids, words)
            previous.append(weights[0].diagonal(-1, -2, -1).mean(-1))
            second = [i for i in repeats.scored_positions(copies) if i < prefix + 2 * period]
            if second:
                follow.append(torch.stack([weights[1][:, i, copies[i] + 1] for i in second]).mean(0))
            for i in repeats.scored_positions(copies):
                right += int(logits[i].argmax()) == ids[words[i + 1]]
                count += 1
        previous, follow = torch.stack(previous).mean(0), torch.stack(follow).mean(0)
        before.append(previous)
        after.append(follow)
        result["lengths"].append(length)
        result["previous_token_layer_0"].append(rounded(previous))
        result["induction_layer_1"].append(rounded(follow))
        result["right"].append(round(right / count, 4))
    result["previous_token_mean"] = rounded(torch.stack(before).mean(0))
    result["induction_mean"] = rounded(torch.stack(after).mean(0))
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", default=DEMOS, help="folder of the demos")
    parser.add_argument("--json", help="write the results there, too")
    given = parser.parse_args()
    torch.set_num_threads(1)
    results = {}
    for name, evaluate in (("pronouns", pronouns), ("induction", induction)):
        folder = os.path.join(given.folder, name)
        if os.path.exists(os.path.join(folder, "config.json")):
            results[name] = evaluate(folder)
    text = json.dumps(results, indent=1)
    print(text)
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            file.write(text + "\n")


if __name__ == "__main__":
    main()
