"""demo:induction: a decoder that continues what it has seen before."""

import random
import time

import torch
import torch.nn.functional as F

import checkpoint
import repeats
from model import AttentionOnly, mean_entropy

STEPS = 2200
BATCH = 24
RATE = 3e-3
D_MODEL = 64
MAX_POSITIONS = 128
FIRST_LONGEST, LONGEST, GROWN_BY = 16, 48, 0.3  # longest sequence at first, later, and after which share of the steps
LONG_SHARE = 0.2  # of the steps after that: sequences of up to MAX_POSITIONS
UNKNOWN_WEIGHT = 0.02  # of the loss where nothing says what comes next
ENTROPY_WEIGHT = 0.005


def length_at(share, rng):
    """Length of the sequences after that share of the steps."""
    if share > GROWN_BY and rng.random() < LONG_SHARE:
        return rng.randint(LONGEST + 1, MAX_POSITIONS)
    return rng.randint(6, round(FIRST_LONGEST + (LONGEST - FIRST_LONGEST) * min(1.0, share / GROWN_BY)))


def train(folder, seed=0, steps=STEPS, log=print):
    torch.manual_seed(seed)
    rng = random.Random(seed)
    vocabulary = repeats.vocabulary()
    ids = {word: number for number, word in enumerate(vocabulary)}
    model = AttentionOnly(
        checkpoint.configuration(
            vocabulary, d_model=D_MODEL, max_positions=MAX_POSITIONS, is_decoder=True, tied=False
        )
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps, pct_start=0.05)
    began = time.time()
    for step in range(steps):
        length = length_at(step / steps, rng)
        # Every position is learned as often: a sequence starts anywhere, half of the time at 0.
        first = rng.randint(0, MAX_POSITIONS - length) if rng.random() < 0.5 else 0
        rows = [repeats.sequence(rng, length) for _ in range(BATCH)]
        inputs = torch.tensor([[ids[word] for word in words] for words, _ in rows])
        known = torch.zeros(BATCH, length - 1, dtype=torch.bool)
        for row, (_, copies) in enumerate(rows):
            known[row, repeats.scored_positions(copies)] = True
        hidden, weights = model.hidden(inputs, first_position=first)
        logits = model.logits(hidden)
        losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), inputs[:, 1:], reduction="none")
        continuing = losses[known].mean()
        entropy = sum(mean_entropy(layer, torch.ones_like(inputs, dtype=torch.bool)) for layer in weights)
        loss = (
            continuing
            + UNKNOWN_WEIGHT * losses[~known].mean()
            + min(1.0, step / steps / GROWN_BY) * ENTROPY_WEIGHT * entropy
        )
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 250 == 0 or step == steps - 1:
            right = (logits[:, :-1].argmax(-1) == inputs[:, 1:])[known].float().mean()
            log(
                f"step {step:5d}  length {length:3d}  continuing {continuing.item():.4f}  right {right.item():.3f}"
                f"  entropy {entropy.item():.3f}  {time.time() - began:.0f} s",
                flush=True,
            )
    checkpoint.save(folder, model, vocabulary, repeats.SPECIAL)
    return model
