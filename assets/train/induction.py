"""demo:induction: a decoder that continues what it has seen before."""

import random
import time

import torch
import torch.nn.functional as F

import checkpoint
import repeats
from model import AttentionOnly, mean_entropy

D_MODEL = 64
MAX_POSITIONS = 128
RATE, LATER_RATE = 3e-3, 2e-3
UNKNOWN_WEIGHT = 0.02  # of the loss where nothing says what comes next
ENTROPY_WEIGHT = 0.005

# First stage: sequences of 8 to SHORT tokens, and to ever more until they are MAX_POSITIONS after GROWN_BY of the steps.
STEPS, BATCH = 2500, 24
SHORT, GROWN_BY = 24, 0.4

# Second stage: the first copy of a stretch lies early there, and heads learned to look back one token at early positions
# alone. Now short sequences start anywhere, and in long ones a stretch does, behind other words.
LATER_STEPS, LATER_BATCH, LATER_CYCLES = 1200, 20, 2
LONG_SHARE = 0.5


def lengths_at_first(share, rng):
    """(length, first position) after that share of the first stage's steps."""
    longest = round(SHORT + (MAX_POSITIONS - SHORT) * min(1.0, share / GROWN_BY))
    return rng.randint(8, longest), 0


def lengths_later(_, rng):
    """The same in the second stage."""
    if rng.random() < LONG_SHARE:
        return rng.randint(MAX_POSITIONS // 2, MAX_POSITIONS), 0
    length = rng.randint(8, 3 * MAX_POSITIONS // 8)
    return length, rng.randint(0, MAX_POSITIONS - length)


def train_stage(model, ids, rng, steps, batch, rate, choose, late, entropy_from, log):
    """Steps of AdamW with one cycle; late: a stretch begins anywhere; entropy_from: share of the steps after which
    the penalty is whole."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps, pct_start=0.05)
    began = time.time()
    for step in range(steps):
        length, first = choose(step / steps, rng)
        rows = [repeats.sequence(rng, length, late=late) for _ in range(batch)]
        inputs = torch.tensor([[ids[word] for word in words] for words, _ in rows])
        known = torch.zeros(batch, length - 1, dtype=torch.bool)
        for row, (_, copies) in enumerate(rows):
            known[row, repeats.scored_positions(copies)] = True
        hidden, weights = model.hidden(inputs, first_position=first)
        logits = model.logits(hidden)
        losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), inputs[:, 1:], reduction="none")
        continuing = losses[known].mean()
        counted = torch.ones_like(inputs, dtype=torch.bool)
        entropy = sum(mean_entropy(layer, counted) for layer in weights)
        penalty = ENTROPY_WEIGHT * (min(1.0, step / steps / entropy_from) if entropy_from else 1.0)
        loss = continuing + UNKNOWN_WEIGHT * losses[~known].mean() + penalty * entropy
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 100 == 0 or step == steps - 1:
            right = (logits[:, :-1].argmax(-1) == inputs[:, 1:])[known].float().mean()
            log(
                f"step {step:5d}  length {length:3d}  continuing {continuing.item():.4f}  right {right.item():.3f}"
                f"  entropy {entropy.item():.3f}  {time.time() - began:.0f} s",
                flush=True,
            )


def train(folder, seed=0, log=print):
    torch.manual_seed(seed)
    vocabulary = repeats.vocabulary()
    ids = {word: number for number, word in enumerate(vocabulary)}
    model = AttentionOnly(
        checkpoint.configuration(
            vocabulary, d_model=D_MODEL, max_positions=MAX_POSITIONS, is_decoder=True, tied=False
        )
    )
    train_stage(model, ids, random.Random(seed), STEPS, BATCH, RATE, lengths_at_first, False, GROWN_BY, log)
    for cycle in range(LATER_CYCLES):
        rng = random.Random(seed + 1 + cycle)
        train_stage(model, ids, rng, LATER_STEPS, LATER_BATCH, LATER_RATE, lengths_later, True, None, log)
    checkpoint.save(folder, model, vocabulary, repeats.SPECIAL)
    return model
