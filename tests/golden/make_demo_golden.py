#!/usr/bin/env python3
"""Makes tests/golden/demos/: what the shipped demos compute, and what they are asked in tests.

    apt-get install python3-torch && /usr/bin/python3 tests/golden/make_demo_golden.py

NAME-K.safetensors: token_ids [len], layers.N.weights [heads, len, len], .hidden [len, d_model] (after the layer),
final_hidden (what enters the head) and logits [len, vocab] of one phrase, by the forward of model_golden_gpt.py, with
the phrase as metadata.
pronouns.jsonl: sentences whose noun and adjective, or noun and verb, or both were never together in training, with the
noun that `it` stands for.
"""
import json
import os
import random
import sys

import torch

from make_model_golden import save_safetensors
from model_golden_gpt import AttentionOnly

HERE = os.path.dirname(os.path.abspath(__file__))
ASSETS = os.path.join(HERE, '..', '..', 'assets')
sys.path.insert(0, os.path.join(ASSETS, 'train'))
import checkpoint  # noqa: E402
import grammar  # noqa: E402

FOLDER = os.path.join(HERE, 'demos')
PHRASES = {
    'pronouns': ["the animal didn't cross the street because it was too tired .",
                 'because it was heavy , tom left the box'],
    'induction': ['cat sun map dog cat sun map', 'key owl hen ink owl hen ink owl hen'],
}
KEPT = ('token_ids', 'final_hidden', 'logits')
SENTENCES = 100  # of each kind


def main():
    torch.set_num_threads(1)
    os.makedirs(FOLDER, exist_ok=True)
    for name, phrases in PHRASES.items():
        folder = os.path.join(ASSETS, 'demos', name)
        model, vocabulary = checkpoint.load(folder)
        weights = checkpoint.read_safetensors(os.path.join(folder, 'model.safetensors'))
        for number, phrase in enumerate(phrases):
            stages = {'token_ids': torch.tensor([vocabulary[word] for word in phrase.split()])}
            with torch.no_grad():
                AttentionOnly.forward(model.config, weights, stages['token_ids'], stages)
            kept = {key: value for key, value in stages.items()
                    if key in KEPT or key.endswith('.weights') or key.endswith('.hidden')}
            save_safetensors(os.path.join(FOLDER, f'{name}-{number}.safetensors'), kept, {'phrase': phrase})
    with open(os.path.join(FOLDER, 'pronouns.jsonl'), 'w', encoding='utf-8') as file:
        for kind in ('adjective', 'verb', 'both'):
            rng = random.Random(f'tested {kind}')
            for _ in range(SENTENCES):
                words, place, noun = grammar.sentence(rng, kind)
                line = {'phrase': ' '.join(words), 'it': place, 'noun': noun, 'at': words.index(noun)}
                file.write(json.dumps(line) + '\n')


if __name__ == '__main__':
    main()
