"""demo:stories: a small decoder for any English text, and with bytes as pieces for any text at all.

    ./stories.py --work DIR [--tokens N] [--finish]   goes on from DIR; --finish lets the rate fall to 0 and writes the demo
    ./stories.py --work DIR --first FOLDER            a new DIR goes on from a demo that was written, FIRST_STEPS steps old
"""

import argparse
import json
import os
import random
import shutil
import time

import numpy
import torch
import torch.nn.functional as F

import bpe
import checkpoint
import tales
import texts
from llama import Llama
from muon import Muon

PIECES, LENGTH, BATCH = 2048, 128, 32
RATE, TABLE_RATE = 0.02, 3e-3
FINISH_SHARE = 0.25  # of all tokens: so long the rate falls
FIRST_STEPS = 2666  # of the first stage, which ended with a rate of 0
CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "vocab_size": PIECES,
    "hidden_size": 128,
    "intermediate_size": 352,
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "num_key_value_heads": 8,
    "hidden_act": "silu",
    "max_position_embeddings": 8192,
    "rms_norm_eps": 1e-5,
    "rope_theta": 1000.0,
    "attention_bias": False,
    "tie_word_embeddings": True,
    "torch_dtype": "bfloat16",
}
# What a row of a batch is cut from, and how often. "again" is a stretch of pieces that comes again: more often once the
# pieces themselves are known, after AGAIN_FROM steps.
SHARES = {"tales": 0.36, "wordnet": 0.22, "bible": 0.18, "jargon": 0.07, "devil": 0.03, "again": 0.14}
AGAIN_SHARE, AGAIN_FROM = 0.26, 500
TALES = 60_000


def sources():
    """{name: documents}; the last 2 % of each are held out."""
    return {
        "tales": tales.tales(TALES, seed=1),
        "wordnet": random.Random(2).sample(found := texts.wordnet(), len(found)),
        "bible": texts.bible(),
        "jargon": texts.dictionary("jargon"),
        "devil": texts.dictionary("devil"),
    }


def prepare(work):
    """The tokenizer, and {name: pieces} for training and held out; made once and kept in `work`."""
    names = [name for name in SHARES if name != "again"]
    if not all(os.path.exists(os.path.join(work, f"{name}.npz")) for name in names):
        found = sources()
        learned_from = lambda: [text for name in names for text in found[name][: 12_000 if name == "tales" else None]]
        tokenizer = bpe.learn_once(os.path.join(work, "tokenizer.json"), learned_from, PIECES)
        for name in names:
            kept = int(len(found[name]) * 0.98)
            parts = [found[name][:kept], found[name][kept:]]
            ids = [numpy.array([i for text in part for i in (0, *tokenizer.encode(text))], numpy.uint16) for part in parts]
            numpy.savez(os.path.join(work, f"{name}.npz"), train=ids[0], held_out=ids[1])
            print(f"{name}: {len(ids[0])} pieces, {len(ids[1])} held out", flush=True)
    read = {name: numpy.load(os.path.join(work, f"{name}.npz")) for name in names}
    return {part: {name: read[name][part] for name in names} for part in ("train", "held_out")}


def again(rng, pieces):
    """A row in which a stretch comes again and again: of any pieces, or of the text that `pieces` holds."""
    row = []
    period = int(rng.integers(4, LENGTH // 2))
    if rng.random() < 0.5:
        stretch = rng.integers(257, PIECES, period)
    else:
        place = int(rng.integers(0, len(pieces) - period))
        stretch = pieces[place : place + period].astype(numpy.int64)
    row = rng.integers(257, PIECES, int(rng.integers(0, 8))).tolist()
    while len(row) <= LENGTH:
        row += stretch.tolist()
        if rng.random() < 0.3:
            row += rng.integers(257, PIECES, int(rng.integers(1, 6))).tolist()
    return row[: LENGTH + 1]


def shares_at(step):
    """SHARES; later with AGAIN_SHARE, the others in the same proportions."""
    again_share = SHARES["again"] if step < AGAIN_FROM else AGAIN_SHARE
    scale = (1 - again_share) / (1 - SHARES["again"])
    return [again_share if name == "again" else share * scale for name, share in SHARES.items()]


def batch(step, pieces):
    """[BATCH, LENGTH + 1]: each row from a source drawn by its share. The same for a step, however often it is drawn."""
    rng = numpy.random.default_rng([7, step])
    result = numpy.empty((BATCH, LENGTH + 1), numpy.int64)
    for row, name in enumerate(rng.choice(list(SHARES), BATCH, p=shares_at(step))):
        if name == "again":
            result[row] = again(rng, pieces["wordnet"])
        else:
            place = int(rng.integers(0, len(pieces[name]) - LENGTH - 1))
            result[row] = pieces[name][place : place + LENGTH + 1]
    return torch.from_numpy(result)


def loss_of(model, rows):
    logits, _ = model(rows[:, :-1])
    return F.cross_entropy(logits.reshape(-1, PIECES), rows[:, 1:].reshape(-1))


@torch.no_grad()
def held_out_losses(model, held_out):
    """{name: loss in nats a piece} on the same held-out rows every time."""
    rng, losses = numpy.random.default_rng(5), {}
    for name, pieces in held_out.items():
        places = rng.integers(0, len(pieces) - LENGTH - 1, 24)
        losses[name] = loss_of(model, torch.from_numpy(numpy.stack([pieces[p : p + LENGTH + 1] for p in places]).astype("int64"))).item()
    rows = numpy.array([again(rng, held_out["wordnet"]) for _ in range(24)])
    return {**losses, "again": loss_of(model, torch.from_numpy(rows)).item()}


class Training:
    """A model with its optimizers and its place, kept in `work`/state.pt; draws depend on the step alone.

    `first` is the folder of a demo whose weights a new `work` begins with, and which has taken FIRST_STEPS steps."""

    def __init__(self, work, seed=0, first=None):
        torch.manual_seed(seed)
        self.place = os.path.join(work, "state.pt")
        self.model, self.step, self.finish_from = Llama(CONFIG), 0, None
        self.first_step = 0
        if first is not None:
            tensors = checkpoint.read_safetensors(os.path.join(first, "model.safetensors"))
            self.model.load_state_dict({name: tensor.float() for name, tensor in tensors.items()})
            self.step = self.first_step = FIRST_STEPS
        inner = [weight for name, weight in self.model.named_parameters() if "_proj" in name]
        others = [weight for name, weight in self.model.named_parameters() if "_proj" not in name]
        self.optimizers = [Muon(inner, RATE), torch.optim.AdamW(others, TABLE_RATE, betas=(0.9, 0.95), weight_decay=0.0)]
        self.rates = [RATE, TABLE_RATE]
        if os.path.exists(self.place):
            state = torch.load(self.place)
            self.model.load_state_dict(state["model"])
            self.step, self.finish_from, self.first_step = state["step"], state["finish_from"], state["first_step"]
            for optimizer, kept in zip(self.optimizers, state["optimizers"]):
                optimizer.load_state_dict(kept)

    def last_step(self):
        """The end of the finish: its length is FINISH_SHARE of the steps of this stage."""
        return self.finish_from + int((self.finish_from - self.first_step) * FINISH_SHARE / (1 - FINISH_SHARE))

    def save(self):
        state = {"model": self.model.state_dict(), "step": self.step, "finish_from": self.finish_from,
                 "first_step": self.first_step, "optimizers": [optimizer.state_dict() for optimizer in self.optimizers]}
        torch.save(state, self.place + ".part")
        os.replace(self.place + ".part", self.place)

    def advance(self, pieces):
        """One step. The rate grows for 100 steps, stays, and falls in a line to 0 from finish_from to the end."""
        share = min(1.0, (self.step - self.first_step + 1) / 100)
        if self.finish_from is not None:
            share = max(0.0, 1 - (self.step - self.finish_from) / (self.last_step() - self.finish_from))
        for optimizer, rate in zip(self.optimizers, self.rates):
            for group in optimizer.param_groups:
                group["lr"] = rate * share
            optimizer.zero_grad()
        loss = loss_of(self.model, batch(self.step, pieces))
        loss.backward()
        for optimizer in self.optimizers:
            optimizer.step()
        self.step += 1
        return loss.item(), share


def write_demo(folder, work, model):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
        json.dump(CONFIG, file, indent=1)
        file.write("\n")
    bpe.read(os.path.join(work, "tokenizer.json")).write(os.path.join(folder, "tokenizer.json"))
    tensors = {name: weight.detach().to(torch.bfloat16) for name, weight in model.state_dict().items()}
    checkpoint.write_safetensors(os.path.join(folder, "model.safetensors"), tensors, {"format": "pt"})


def train(work, folder, tokens, finish, log=print, first=None):
    os.makedirs(work, exist_ok=True)
    if first is not None:
        shutil.copy(os.path.join(first, "tokenizer.json"), work)
    parts = prepare(work)
    training = Training(work, first=first)
    if finish and training.finish_from is None:
        training.finish_from = training.step
    last = tokens // (BATCH * LENGTH)
    if training.finish_from is not None:
        last = training.last_step()
    began, started, share = time.time(), training.step, 1.0
    while training.step < last:
        loss, share = training.advance(parts["train"])
        if training.step % 100 == 0:
            rate = (training.step - started) * BATCH * LENGTH / (time.time() - began)
            log(f"step {training.step}  loss {loss:.3f}  rate {share:.2f}  {rate:.0f} tokens/s", flush=True)
        if training.step % 500 == 0 or training.step == last:
            log({name: round(value, 3) for name, value in held_out_losses(training.model, parts["held_out"]).items()}, flush=True)
            training.save()
    if training.finish_from is not None:
        write_demo(folder, work, training.model)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", required=True)
    parser.add_argument("--tokens", type=int, default=50_000_000)
    parser.add_argument("--finish", action="store_true")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--first", help="the folder of the demo that a new DIR goes on from")
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    here = os.path.dirname(os.path.abspath(__file__))
    train(given.work, os.path.join(here, "..", "demos", "stories"), given.tokens, given.finish, first=given.first)


if __name__ == "__main__":
    main()
