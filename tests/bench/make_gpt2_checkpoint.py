#!/usr/bin/env python3
"""Writes a checkpoint folder of GPT-2 small's shape (12 layers, d_model 768, 12 heads, vocabulary 50257) with random
weights and no tokenizer: 498 MB, for model_bench.cpp.

    python3 tests/bench/make_gpt2_checkpoint.py FOLDER

Needs NumPy. Weights are drawn once and repeated: what they are does not change how long anything takes.
"""
import json
import os
import struct
import sys

import numpy as np

D, LAYERS, VOCABULARY, POSITIONS = 768, 12, 50257, 1024
CONFIG = {'model_type': 'gpt2', 'vocab_size': VOCABULARY, 'n_embd': D, 'n_layer': LAYERS, 'n_head': 12,
          'n_positions': POSITIONS, 'n_ctx': POSITIONS, 'layer_norm_epsilon': 1e-5, 'activation_function': 'gelu_new'}
BLOCK = {'ln_1.weight': (D,), 'ln_1.bias': (D,), 'ln_2.weight': (D,), 'ln_2.bias': (D,),
         'attn.c_attn.weight': (D, 3 * D), 'attn.c_attn.bias': (3 * D,), 'attn.c_proj.weight': (D, D),
         'attn.c_proj.bias': (D,), 'mlp.c_fc.weight': (D, 4 * D), 'mlp.c_fc.bias': (4 * D,),
         'mlp.c_proj.weight': (4 * D, D), 'mlp.c_proj.bias': (D,)}


def main():
    folder = sys.argv[1]
    tensors = {'wte.weight': (VOCABULARY, D), 'wpe.weight': (POSITIONS, D), 'ln_f.weight': (D,), 'ln_f.bias': (D,)}
    for layer in range(LAYERS):
        tensors.update({f'h.{layer}.{name}': shape for name, shape in BLOCK.items()})
    header, at = {}, 0
    for name, shape in tensors.items():
        size = 4 * int(np.prod(shape))
        header[name] = {'dtype': 'F32', 'shape': list(shape), 'data_offsets': [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    text += b' ' * (-len(text) % 8)
    drawn = np.random.default_rng(0).normal(0, 0.03, 1 << 22).astype(np.float32).tobytes()
    ones = np.ones(D, np.float32).tobytes()
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, 'model.safetensors'), 'wb') as out:
        out.write(struct.pack('<Q', len(text)) + text)
        for name, shape in tensors.items():
            source = ones if 'ln_' in name and name.endswith('weight') else drawn
            left = 4 * int(np.prod(shape))
            while left > 0:
                left -= out.write(source[:min(left, len(source))])
    with open(os.path.join(folder, 'config.json'), 'w') as out:
        json.dump(CONFIG, out, indent=2)


if __name__ == '__main__':
    main()
