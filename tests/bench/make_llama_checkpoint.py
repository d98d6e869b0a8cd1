#!/usr/bin/env python3
"""Writes a checkpoint folder of a small Llama's shape (12 layers, d_model 768, 12 heads, MLP 2048, vocabulary 2048; 88 M
parameters) with random weights and no tokenizer, for model_bench.cpp: 352 MB as float32, 176 MB as bfloat16.

    python3 tests/bench/make_llama_checkpoint.py FOLDER [F32|BF16]

Needs NumPy. Weights are drawn once and repeated: what they are does not change how long anything takes.
"""
import json
import os
import struct
import sys

import numpy as np

D, LAYERS, INNER, VOCABULARY = 768, 12, 2048, 2048
CONFIG = {'model_type': 'llama', 'vocab_size': VOCABULARY, 'hidden_size': D, 'num_hidden_layers': LAYERS,
          'num_attention_heads': 12, 'num_key_value_heads': 12, 'intermediate_size': INNER, 'hidden_act': 'silu',
          'max_position_embeddings': 2048, 'rms_norm_eps': 1e-5, 'rope_theta': 10000.0, 'tie_word_embeddings': False}
BLOCK = {'input_layernorm': (D,), 'self_attn.q_proj': (D, D), 'self_attn.k_proj': (D, D), 'self_attn.v_proj': (D, D),
         'self_attn.o_proj': (D, D), 'post_attention_layernorm': (D,), 'mlp.gate_proj': (INNER, D),
         'mlp.up_proj': (INNER, D), 'mlp.down_proj': (D, INNER)}


def main():
    folder, dtype = sys.argv[1], (sys.argv + ['F32'])[2]
    size_of = {'F32': 4, 'BF16': 2}[dtype]
    tensors = {'model.embed_tokens.weight': (VOCABULARY, D), 'model.norm.weight': (D,), 'lm_head.weight': (VOCABULARY, D)}
    for layer in range(LAYERS):
        tensors.update({f'model.layers.{layer}.{name}.weight': shape for name, shape in BLOCK.items()})
    header, at = {}, 0
    for name, shape in tensors.items():
        size = size_of * int(np.prod(shape))
        header[name] = {'dtype': dtype, 'shape': list(shape), 'data_offsets': [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    text += b' ' * (-len(text) % 8)
    drawn = np.random.default_rng(0).normal(0, 0.03, 1 << 22).astype(np.float32)
    ones = np.ones(D, np.float32)
    if dtype == 'BF16':
        drawn, ones = ((values.view(np.uint32) >> 16).astype(np.uint16) for values in (drawn, ones))
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, 'model.safetensors'), 'wb') as out:
        out.write(struct.pack('<Q', len(text)) + text)
        for shape in tensors.values():
            if len(shape) == 1:
                out.write(ones.tobytes())
                continue
            left = int(np.prod(shape))
            while left > 0:
                out.write(drawn[:left].tobytes())
                left -= drawn.size
    with open(os.path.join(folder, 'config.json'), 'w', encoding='utf-8') as out:
        json.dump(CONFIG, out)


if __name__ == '__main__':
    main()
