"""demo:pronouns: an encoder that names, at `it`, the noun that `it` stands for."""

import random
import time

import torch
import torch.nn.functional as F

import checkpoint
import grammar
from model import AttentionOnly, mean_entropy, mean_excess_distance, mean_overlap

STEPS = 1500
BATCH = 64  # sentences
RATE = 3e-3
MASKED_SHARE = 0.10  # of the words other than `it`, its noun and its adjective: shown as [MASK], to be named
UNKNOWN_SHARE = 0.02  # of the same words: shown as [UNK]
FILLING_WEIGHT = 0.3
NEIGHBOUR_WEIGHT = 0.1
DISTANCE_WEIGHT, FREE_DISTANCE = 0.5, 3  # of the first layer
ENTROPY_WEIGHT = 0.03
OVERLAP_WEIGHTS = (1.0, 0.1)  # of the two layers
RAMP_FROM, RAMP_TO = 0.05, 0.5  # shares of the steps between which entropy and overlap come in
MAX_POSITIONS = 32

# The second stage: one head learns to do alone what all heads do together.
HEAD = 7  # of the last layer
ALONE_STEPS = 1400
ALONE_RATE = 1e-3
ALONE_WEIGHT = 2.0


def batch_of(sentences, ids, rng):
    """(inputs, targets) [batch, longest]; targets are -100 where nothing is to be named."""
    length = max(len(words) for words, _, _ in sentences)
    inputs = torch.zeros(len(sentences), length, dtype=torch.long)
    targets = torch.full_like(inputs, -100)
    fitting = {adjective for _, adjectives in grammar.FAMILIES for adjective in adjectives}
    for row, (words, place, noun) in enumerate(sentences):
        shown = [ids[word] for word in words]
        for position, word in enumerate(words):
            if position == place:
                targets[row, position] = ids[noun]
            elif word != noun and word not in fitting:
                draw = rng.random()
                if draw < MASKED_SHARE:
                    targets[row, position] = shown[position]
                    shown[position] = ids["[MASK]"]
                elif draw < MASKED_SHARE + UNKNOWN_SHARE:
                    shown[position] = ids["[UNK]"]
        inputs[row, : len(words)] = torch.tensor(shown)
    return inputs, targets


def ramp(share):
    """Weight of entropy and overlap after that share of the steps: 0 up to RAMP_FROM, 1 from RAMP_TO."""
    return min(1.0, max(0.0, (share - RAMP_FROM) / (RAMP_TO - RAMP_FROM)))


def neighbour_loss(readouts, stream, inputs):
    """How well the word before and the word after are named from the stream, at every third position."""
    loss = 0
    for readout, shift in zip(readouts, (1, -1)):
        targets = inputs.roll(shift, 1).masked_fill(inputs == 0, 0)
        targets[:, 0 if shift == 1 else -1] = 0
        stream_rows, targets = stream[:, ::3].flatten(0, 1), targets[:, ::3].flatten()
        loss = loss + F.cross_entropy(readout(stream_rows), targets, ignore_index=0)
    return loss


def alone_loss(model, hidden_by_head, inputs, targets):
    """How well one head's part of the stream names the noun at `it`, of the nouns of the sentence. All [sentences, ..]."""
    logits = model.logits(model.norm(hidden_by_head))
    nouns = torch.zeros(logits.shape[-1], dtype=torch.bool)
    nouns[[number for number, word in enumerate(grammar.vocabulary()) if word in grammar.NOUNS]] = True
    there = torch.zeros_like(logits, dtype=torch.bool).scatter_(1, inputs, True) & nouns
    return F.cross_entropy(logits.masked_fill(~there, -1e9), targets)


class Losses:
    """The losses of one batch of sentences, by name."""

    def __init__(self, model, sentences, ids, rng):
        self.inputs, targets = batch_of(sentences, ids, rng)
        self.hidden, weights = model.hidden(self.inputs, pad_id=0)
        self.pronoun = torch.zeros_like(self.inputs, dtype=torch.bool)
        for row, (_, place, _) in enumerate(sentences):
            self.pronoun[row, place] = True
        self.nouns = targets[self.pronoun]
        self.naming = F.cross_entropy(model.logits(self.hidden[self.pronoun]), self.nouns)
        masked = (targets >= 0) & ~self.pronoun
        self.filling = F.cross_entropy(model.logits(self.hidden[masked]), targets[masked])
        counted = self.inputs != 0
        self.entropy = sum(mean_entropy(layer, counted) for layer in weights)
        self.overlap = sum(weight * mean_overlap(layer, counted) for weight, layer in zip(OVERLAP_WEIGHTS, weights))
        self.distance = mean_excess_distance(weights[0], counted, FREE_DISTANCE)

    def total(self, share):
        """Of the first stage, after that share of its steps."""
        return (
            self.naming
            + FILLING_WEIGHT * self.filling
            + DISTANCE_WEIGHT * self.distance
            + ramp(share) * (ENTROPY_WEIGHT * self.entropy + self.overlap)
        )

    def words(self):
        names = ("naming", "filling", "entropy", "overlap", "distance")
        return "  ".join(f"{name} {getattr(self, name).item():.4f}" for name in names)


def optimize(parameters, rate, steps, pct_start, loss_of, log):
    """AdamW with one cycle; loss_of(step) gives (loss, words to log)."""
    parameters = list(parameters)
    optimizer = torch.optim.AdamW(parameters, lr=rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps, pct_start=pct_start)
    began = time.time()
    for step in range(steps):
        loss, words = loss_of(step)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        schedule.step()
        if step % 250 == 0 or step == steps - 1:
            log(f"step {step:5d}  {words()}  {time.time() - began:.0f} s", flush=True)


def train_first(seed, log):
    """The first stage: a model that names the noun by all heads together, and {word: id}."""
    torch.manual_seed(seed)
    rng = random.Random(seed)
    vocabulary = grammar.vocabulary()
    ids = {word: number for number, word in enumerate(vocabulary)}
    model = AttentionOnly(
        checkpoint.configuration(
            vocabulary, d_model=64, max_positions=MAX_POSITIONS, is_decoder=False, tied=True
        )
    )
    # What names the neighbours after the first layer; left behind when training ends.
    neighbours = torch.nn.ModuleList(torch.nn.Linear(64, len(vocabulary)) for _ in range(2))

    def loss_of(step):
        losses = Losses(model, [grammar.sentence(rng) for _ in range(BATCH)], ids, rng)
        near = neighbour_loss(neighbours, model.after[0], losses.inputs)
        return losses.total(step / STEPS) + NEIGHBOUR_WEIGHT * near, lambda: f"{losses.words()}  near {near.item():.3f}"

    optimize([*model.parameters(), *neighbours.parameters()], RATE, STEPS, 0.05, loss_of, log)
    return model, ids


def train_alone(model, ids, seed, log):
    """The second stage, on a model of the first one."""
    torch.manual_seed(seed + 1)
    rng = random.Random(seed + 1)
    model.train()

    def loss_of(_):
        sentences = [grammar.sentence(rng) for _ in range(BATCH)]
        losses = Losses(model, sentences, ids, rng)
        part = model.layers[-1].added_by(HEAD)[losses.pronoun]
        alone = alone_loss(model, part, losses.inputs, losses.nouns)
        return losses.total(1.0) + ALONE_WEIGHT * alone, lambda: f"{losses.words()}  alone {alone.item():.4f}"

    optimize(model.parameters(), ALONE_RATE, ALONE_STEPS, 0.1, loss_of, log)


def train(folder, seed=0, log=print, first=None):
    """Both stages; `first`: a folder with the first stage's checkpoint, which is then not trained."""
    model, ids = checkpoint.load(first) if first else train_first(seed, log)
    train_alone(model, ids, seed, log)
    checkpoint.save(folder, model, grammar.vocabulary(), grammar.SPECIAL)
    return model
