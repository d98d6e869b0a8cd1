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


def train(folder, seed=0, steps=STEPS, log=print):
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
    parameters = [*model.parameters(), *neighbours.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=RATE, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps, pct_start=0.05)
    began = time.time()
    for step in range(steps):
        sentences = [grammar.sentence(rng) for _ in range(BATCH)]
        inputs, targets = batch_of(sentences, ids, rng)
        hidden, weights = model.hidden(inputs, pad_id=0)
        pronoun = torch.zeros_like(inputs, dtype=torch.bool)
        for row, (_, place, _) in enumerate(sentences):
            pronoun[row, place] = True
        naming = F.cross_entropy(model.logits(hidden[pronoun]), targets[pronoun])
        masked = (targets >= 0) & ~pronoun
        filling = F.cross_entropy(model.logits(hidden[masked]), targets[masked])
        counted = inputs != 0
        entropy = sum(mean_entropy(layer, counted) for layer in weights)
        overlap = sum(weight * mean_overlap(layer, counted) for weight, layer in zip(OVERLAP_WEIGHTS, weights))
        distance = mean_excess_distance(weights[0], counted, FREE_DISTANCE)
        near = neighbour_loss(neighbours, model.after[0], inputs)
        loss = (
            naming
            + NEIGHBOUR_WEIGHT * near
            + FILLING_WEIGHT * filling
            + DISTANCE_WEIGHT * distance
            + ramp(step / steps) * (ENTROPY_WEIGHT * entropy + overlap)
        )
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        schedule.step()
        if step % 250 == 0 or step == steps - 1:
            log(
                f"step {step:5d}  naming {naming.item():.4f}  filling {filling.item():.3f}"
                f"  entropy {entropy.item():.3f}  overlap {overlap.item():.3f}"
                f"  distance {distance.item():.3f}  near {near.item():.3f}  {time.time() - began:.0f} s",
                flush=True,
            )
    checkpoint.save(folder, model, vocabulary, grammar.SPECIAL)
    return model
