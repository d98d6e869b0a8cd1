#!/usr/bin/env python3
"""Makes a Llama-shaped checkpoint of about SIZE gigabytes in shards of 1 GB, to see what opening it costs.

    tests/bench/make_large_checkpoint.py FOLDER [--gigabytes 5] [--filled]

Without --filled the shards are holes: they read as zeros and take no room on the disk. With it every tensor holds one
random megabyte again and again, as BF16 numbers of both signs from 2^-7 to 2^-3.
"""
import argparse
import json
import os
import random
import struct

SHARD = 10**9
BLOCK = 2**20


def tensors_of(config):
    width, inner = config['hidden_size'], config['intermediate_size']
    key_rows = width // config['num_attention_heads'] * config['num_key_value_heads']
    yield 'model.embed_tokens.weight', [config['vocab_size'], width]
    for layer in range(config['num_hidden_layers']):
        p = f'model.layers.{layer}.'
        yield p + 'input_layernorm.weight', [width]
        for name, rows in (('q', width), ('k', key_rows), ('v', key_rows), ('o', width)):
            yield p + f'self_attn.{name}_proj.weight', [rows, width]
        yield p + 'post_attention_layernorm.weight', [width]
        yield p + 'mlp.gate_proj.weight', [inner, width]
        yield p + 'mlp.up_proj.weight', [inner, width]
        yield p + 'mlp.down_proj.weight', [width, inner]
    yield 'model.norm.weight', [width]
    yield 'lm_head.weight', [config['vocab_size'], width]


def bytes_of(shape):
    count = 2
    for size in shape:
        count *= size
    return count


def random_block():
    draw = random.Random(4)
    low = draw.randbytes(BLOCK // 2)
    high = bytes(draw.choice((0x3C, 0x3D, 0xBC, 0xBD)) for _ in range(BLOCK // 2))
    return bytes(byte for pair in zip(low, high) for byte in pair)


def write_shard(path, tensors, block):
    header, at = {}, 0
    for name, shape in tensors:
        header[name] = {'dtype': 'BF16', 'shape': shape, 'data_offsets': [at, at + bytes_of(shape)]}
        at += bytes_of(shape)
    text = json.dumps(header).encode()
    text += b' ' * (-len(text) % 8)
    with open(path, 'wb') as file:
        file.write(struct.pack('<Q', len(text)) + text)
        if block is None:
            file.truncate(8 + len(text) + at)
            return
        while at > 0:
            file.write(block[:at])
            at -= min(at, len(block))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folder')
    parser.add_argument('--gigabytes', type=float, default=5)
    parser.add_argument('--filled', action='store_true')
    given = parser.parse_args()
    config = {'model_type': 'llama', 'vocab_size': 32000, 'hidden_size': 2560, 'num_attention_heads': 20,
              'num_key_value_heads': 4, 'intermediate_size': 6912, 'num_hidden_layers': 1, 'hidden_act': 'silu',
              'max_position_embeddings': 4096, 'rms_norm_eps': 1e-5, 'rope_theta': 10000.0,
              'tie_word_embeddings': False, 'torch_dtype': 'bfloat16'}
    one, two = (sum(bytes_of(shape) for _, shape in tensors_of({**config, 'num_hidden_layers': n})) for n in (1, 2))
    config['num_hidden_layers'] = max(1, round((given.gigabytes * 1e9 - one) / (two - one)) + 1)
    shards = [[]]
    room = SHARD
    for name, shape in tensors_of(config):
        if bytes_of(shape) > room and shards[-1]:
            shards.append([])
            room = SHARD
        shards[-1].append((name, shape))
        room -= bytes_of(shape)
    os.makedirs(given.folder, exist_ok=True)
    with open(os.path.join(given.folder, 'config.json'), 'w') as file:
        json.dump(config, file, indent=2)
    block = random_block() if given.filled else None
    weight_map, total = {}, 0
    for number, tensors in enumerate(shards, 1):
        name = f'model-{number:05}-of-{len(shards):05}.safetensors'
        write_shard(os.path.join(given.folder, name), tensors, block)
        weight_map.update((tensor, name) for tensor, _ in tensors)
        total += sum(bytes_of(shape) for _, shape in tensors)
    with open(os.path.join(given.folder, 'model.safetensors.index.json'), 'w') as file:
        json.dump({'metadata': {'total_size': total}, 'weight_map': weight_map}, file, indent=2)
    print(f'{given.folder}: {config["num_hidden_layers"]} layers, {total / 1e9:.2f} GB in {len(shards)} files')


if __name__ == '__main__':
    main()
