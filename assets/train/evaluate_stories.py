#!/usr/bin/python3
"""Computes what the README claims of demo:stories again, from its folder, or from the state of a training.

    ./evaluate_stories.py [--folder DIR | --state FILE --work DIR] [--text TEXT ...]

With --text: of every head the largest weights of the last token, and what the model says next.
"""

import argparse
import json
import os
import random

import torch

import bpe
import checkpoint
import tales
from llama import Llama

DEMO = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "demos", "stories")
REPEATS, SENTENCES = 40, 200


def load(folder):
    with open(os.path.join(folder, "config.json"), encoding="utf-8") as file:
        model = Llama(json.load(file))
    tensors = checkpoint.read_safetensors(os.path.join(folder, "model.safetensors"))
    model.load_state_dict({name: tensor.float() for name, tensor in tensors.items()})
    return model.eval(), bpe.read(os.path.join(folder, "tokenizer.json"))


def load_state(state, work):
    from stories import CONFIG

    model = Llama(CONFIG)
    model.load_state_dict(torch.load(state)["model"])
    return model.eval(), bpe.read(os.path.join(work, "tokenizer.json"))


def run(model, ids):
    """(logits [len, vocab], weights [layers, heads, len, len]) of a list of ids."""
    with torch.no_grad():
        logits, weights = model(torch.tensor([ids]))
    return logits[0], torch.stack([layer[0] for layer in weights])


def named(scores):
    """The heads of a [layers, heads] tensor with the largest scores: {"2.5": 0.81}."""
    heads = scores.shape[1]
    best = scores.flatten().topk(5)
    return {f"{int(at) // heads}.{int(at) % heads}": round(float(value), 3) for value, at in zip(*best)}


def repeated(model, pieces):
    """Of random pieces that come again: heads that go to what followed the first copy, heads that go to the token before,
    and the share of the second copy that is said rightly."""
    rng, follow, previous, right, count = random.Random("unseen"), [], [], 0, 0
    for _ in range(REPEATS):
        stretch = [rng.randrange(257, pieces) for _ in range(24)]
        logits, weights = run(model, stretch * 2)
        second = range(24, 47)
        follow.append(torch.stack([weights[:, :, i, i - 23] for i in second]).mean(0))
        previous.append(torch.stack([weights[:, :, i, i - 1] for i in range(1, 48)]).mean(0))
        right += sum(int(logits[i].argmax()) == stretch[i - 23] for i in second)
        count += len(second)
    return {
        "continues": named(torch.stack(follow).mean(0)),
        "token_before": named(torch.stack(previous).mean(0)),
        "right": round(right / count, 3),
    }


def receivers(model, tokenizer):
    """Fresh sentences 'When A and B went to the P, A gave a T to': how often B is likelier than A, and which heads look
    at B from the last token."""
    rng, right, looks = random.Random("receivers"), 0, []
    for _ in range(SENTENCES):
        first, second = rng.sample(tales.WOMEN + tales.MEN, 2)
        giver, taker = rng.sample([first, second], 2)
        text = (f"When {first} and {second} went to the {rng.choice(tales.PLACES)}, {giver} gave "
                f"{tales.a(rng.choice(tales.THINGS))} to")
        ids = tokenizer.encode(text)
        wanted, other = (tokenizer.encode(f" {name}")[0] for name in (taker, giver))
        logits, weights = run(model, ids)
        right += wanted != other and bool(logits[-1, wanted] > logits[-1, other])
        places = [k for k, piece in enumerate(ids) if piece == wanted]
        looks.append(weights[:, :, -1, places].sum(-1))
    return {"right": round(right / SENTENCES, 3), "look_at_receiver": named(torch.stack(looks).mean(0))}


def evaluate(model, tokenizer):
    return {"repeated": repeated(model, len(tokenizer.ids)), "receivers": receivers(model, tokenizer)}


def show(model, tokenizer, text):
    """What every head looks at from the last token, and what comes next."""
    names = {number: piece.replace("\u0120", " ") for piece, number in tokenizer.ids.items()}
    ids = tokenizer.encode(text)
    logits, weights = run(model, ids)
    print("|".join(names[each] for each in ids))
    for layer in range(weights.shape[0]):
        for head in range(weights.shape[1]):
            row = weights[layer, head, -1]
            best = row.topk(min(4, len(ids)))
            print(f"  {layer}.{head}", ", ".join(f"{names[ids[at]]}@{int(at)} {value:.2f}" for value, at in zip(*best)))
    chances = logits[-1].softmax(-1).topk(8)
    print("  next:", ", ".join(f"'{names[int(at)]}' {value:.2f}" for value, at in zip(*chances)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default=DEMO)
    parser.add_argument("--state")
    parser.add_argument("--work")
    parser.add_argument("--text", action="append", default=[])
    given = parser.parse_args()
    torch.set_num_threads(1)
    model, tokenizer = load_state(given.state, given.work) if given.state else load(given.folder)
    for text in given.text:
        show(model, tokenizer, text)
    if not given.text:
        print(json.dumps(evaluate(model, tokenizer), indent=1))


if __name__ == "__main__":
    main()
