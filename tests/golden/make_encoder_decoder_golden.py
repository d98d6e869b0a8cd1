#!/usr/bin/env python3
"""Makes tests/golden/encoder_decoders/: tiny random models with an encoder and a decoder, and what PyTorch computes.

    apt-get install python3-torch && /usr/bin/python3 tests/golden/make_encoder_decoder_golden.py [NAME...]

One folder a model: config.json, model.safetensors or pytorch_model.bin with Hugging Face's names, and
expected.safetensors:
    token_ids, decoder_ids [len]; for LIST = encoder, decoder, cross and every layer N: LIST.N.input (what enters
    attention) .query .key .value [heads, len, head_dim] .scores [heads, query_len, key_len] (scaled, before mask and
    biases) .masked .weights .context .output; encoder.final_hidden, final_hidden [len, d_model], logits [len, vocab];
    streams [layers + 1, len, d_model], what enters each layer of the decoder and what leaves the last; lens, the logits
    of each [layers + 1, len, vocab]; generated [tokens], what the decoder goes on with, the likeliest token each time.

T5 is written from Raffel et al. 2020 (section 2.1) and its published code, BART from Lewis et al. 2020, mBART from Liu
et al. 2020, Marian from Junczys-Dowmunt et al. 2018 and their published code, with PyTorch's own functions, in float64
from the numbers as they are stored, and rounded when saved. Whisper, which reads features in place of token_ids, is in
model_golden_sound.py.
"""
import json
import math
import os
import sys

import numpy as np
import torch
import torch.nn.functional as F

from make_model_golden import Draw, save_safetensors
from model_golden_sound import Whisper, WHISPER_SIZES
from model_golden_steps import Drawn, Loaded
from model_golden_t5 import T5, attend, everything, split

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'encoder_decoders')
TOKENS, DECODER_TOKENS, GENERATED = 9, 6, 5


class Bart:
    """BART's names and its two ways: norms after the sums (BART, Marian) or before (mBART)."""
    pre_norm, embedding_norm, sinusoidal, offset = False, True, False, 2
    prefix = 'model.'

    @classmethod
    def weights(cls, c, draw):
        d, width = Drawn(draw), c['d_model']
        for table in dict.fromkeys((cls.words('encoder'), cls.words('decoder'))):
            size = c['decoder_vocab_size'] if table.startswith('model.decoder') else c['vocab_size']
            d.table(table, size, width, spread=0.4)
        for stack in ('encoder', 'decoder'):
            name, inner = cls.prefix + stack, c[stack + '_ffn_dim']
            if not cls.sinusoidal:
                d.table(name + '.embed_positions', c['max_position_embeddings'] + cls.offset, width, spread=0.5)
            if cls.embedding_norm:
                d.norm(name + '.layernorm_embedding', width)
            if cls.pre_norm:
                d.norm(name + '.layer_norm', width)
            for n in range(c[stack + '_layers']):
                layer = f'{name}.layers.{n}.'
                for kind in ['self_attn'] + (['encoder_attn'] if stack == 'decoder' else []):
                    for part in ('q_proj', 'k_proj', 'v_proj', 'out_proj'):
                        d.linear(f'{layer}{kind}.{part}', width, width)
                    d.norm(f'{layer}{kind}_layer_norm', width)
                d.linear(layer + 'fc1', width, inner)
                d.linear(layer + 'fc2', inner, width)
                d.norm(layer + 'final_layer_norm', width)
        d.w['final_logits_bias'] = draw.normal(1, c.get('decoder_vocab_size', c['vocab_size']), spread=0.3)
        return d.w

    @classmethod
    def words(cls, stack):
        return cls.prefix + 'shared'

    @classmethod
    def positions(cls, m, stack, length, width):
        if not cls.sinusoidal:
            return m.w[f'{cls.prefix}{stack}.embed_positions.weight'][cls.offset:cls.offset + length]
        angles = torch.tensor([[p / 10000 ** (2 * (d // 2) / width) for d in range(width)] for p in range(length)],
                              dtype=torch.float64)
        return torch.cat([torch.sin(angles[:, 0::2]), torch.cos(angles[:, 1::2])], dim=1)

    @classmethod
    def stack(cls, c, m, stages, stack, ids, encoded=None):
        width, heads = c['d_model'], c[stack + '_attention_heads']
        act = F.silu if c['activation_function'] == 'swish' else F.gelu
        norm = lambda name, x: m.layer_norm(name, x, 1e-5)
        scale = math.sqrt(width) if c['scale_embedding'] else 1.0
        name, length = cls.prefix + stack, len(ids)
        x = m.w[cls.words(stack) + '.weight'][ids] * scale + cls.positions(m, stack, length, width)
        if cls.embedding_norm:
            x = norm(name + '.layernorm_embedding', x)
        position = torch.arange(length)
        visible = everything(length, length) if encoded is None else position[None] <= position[:, None]
        before = lambda norm_name, x: norm(norm_name, x) if cls.pre_norm else x
        after = lambda norm_name, x: x if cls.pre_norm else norm(norm_name, x)

        def attention(n, kind, label, x, source, visible):
            layer = f'{name}.layers.{n}.{kind}'
            h = stages[f'{label}.{n}.input'] = before(layer + '_layer_norm', x)
            source = h if source is None else source
            q = split(m.linear(layer + '.q_proj', h), heads)
            k, v = (split(m.linear(f'{layer}.{part}_proj', source), heads) for part in 'kv')
            concat = attend(stages, f'{label}.{n}', q, k, v, visible, (width // heads) ** -0.5)
            out = stages[f'{label}.{n}.output'] = m.linear(layer + '.out_proj', concat)
            return after(layer + '_layer_norm', x + out)

        streams = []
        for n in range(c[stack + '_layers']):
            streams.append(x)
            x = attention(n, 'self_attn', stack, x, None, visible)
            if encoded is not None:
                x = attention(n, 'encoder_attn', 'cross', x, encoded, everything(length, encoded.shape[0]))
            layer = f'{name}.layers.{n}.'
            h = before(layer + 'final_layer_norm', x)
            x = after(layer + 'final_layer_norm', x + m.linear(layer + 'fc2', act(m.linear(layer + 'fc1', h))))
        if encoded is not None:
            stages['streams'] = torch.stack(streams + [x])
        return norm(name + '.layer_norm', x) if cls.pre_norm else x

    @classmethod
    def forward(cls, c, w, ids, decoder_ids, stages):
        m = Loaded(w)
        encoded = stages['encoder.final_hidden'] = cls.stack(c, m, stages, 'encoder', ids)
        x = stages['final_hidden'] = cls.stack(c, m, stages, 'decoder', decoder_ids, encoded)
        head = lambda x: F.linear(x, w[cls.words('decoder') + '.weight']) + w['final_logits_bias']
        stages['logits'] = head(x)
        last = m.layer_norm(cls.prefix + 'decoder.layer_norm', stages['streams'], 1e-5) if cls.pre_norm else None
        stages['lens'] = head(stages['streams'] if last is None else last)


class MBart(Bart):
    pre_norm = True


class Marian(Bart):
    embedding_norm, sinusoidal, offset = False, True, 0


class MarianTwoVocabularies(Marian):
    @classmethod
    def words(cls, stack):
        return f'{cls.prefix}{stack}.embed_tokens'


T5_SIZES = dict(model_type='t5', vocab_size=43, d_model=20, d_kv=7, d_ff=33, num_heads=3, num_layers=2,
                num_decoder_layers=3, relative_attention_num_buckets=8, relative_attention_max_distance=6,
                layer_norm_epsilon=1e-6, feed_forward_proj='relu', tie_word_embeddings=True, eos_token_id=1,
                pad_token_id=0, decoder_start_token_id=0, is_encoder_decoder=True)
BART_SIZES = dict(model_type='bart', vocab_size=47, d_model=21, encoder_layers=2, decoder_layers=3,
                  encoder_attention_heads=3, decoder_attention_heads=7, encoder_ffn_dim=26, decoder_ffn_dim=35,
                  max_position_embeddings=13, activation_function='gelu', scale_embedding=False,
                  tie_word_embeddings=True, bos_token_id=0, pad_token_id=1, eos_token_id=2, decoder_start_token_id=2,
                  is_encoder_decoder=True)

CASES = [
    ('t5', T5, T5_SIZES),
    ('t5-gated', T5, {**T5_SIZES, 'feed_forward_proj': 'gated-gelu', 'tie_word_embeddings': False, 'num_layers': 3,
                      'num_decoder_layers': 2, 'd_kv': 5}),
    ('bart', Bart, BART_SIZES),
    ('mbart', MBart, {**BART_SIZES, 'model_type': 'mbart', 'scale_embedding': True}),
    ('marian', Marian, {**BART_SIZES, 'model_type': 'marian', 'scale_embedding': True, 'd_model': 15,
                        'encoder_attention_heads': 5, 'decoder_attention_heads': 3, 'activation_function': 'swish',
                        'static_position_embeddings': True, 'normalize_embedding': False, 'eos_token_id': 0,
                        'pad_token_id': 46, 'decoder_start_token_id': 46}),
    ('marian-two-vocabularies', MarianTwoVocabularies,
     {**BART_SIZES, 'model_type': 'marian', 'scale_embedding': True, 'd_model': 18, 'decoder_attention_heads': 2,
      'activation_function': 'swish', 'static_position_embeddings': True, 'normalize_embedding': False, 'eos_token_id': 0,
      'pad_token_id': 52, 'decoder_start_token_id': 52, 'share_encoder_decoder_embeddings': False, 'decoder_vocab_size': 53}),
    ('whisper', Whisper, WHISPER_SIZES),
]


def generated(family, config, weights, source, decoder_ids):
    """The likeliest token each time, until the end of the text."""
    ids = decoder_ids
    for _ in range(GENERATED):
        stages = {}
        family.forward(config, weights, source, ids, stages)
        largest = stages['logits'][-1].topk(2)
        assert largest.values[0] - largest.values[1] > 1e-3, 'another seed: two tokens are as likely'
        ids = torch.cat([ids, largest.indices[:1]])
        if ids[-1] == config['eos_token_id']:
            break
    return ids[len(decoder_ids):]


def make(name, family, config):
    draw = Draw(sum(ord(letter) for letter in name))
    weights = family.weights(config, draw)
    sound = hasattr(family, 'features')
    source = (family.features(config, draw) if sound
              else torch.randint(3, config['vocab_size'], (TOKENS,), generator=draw.generator))
    size = config.get('decoder_vocab_size', config['vocab_size'])
    decoder_ids = torch.randint(3, size, (DECODER_TOKENS,), generator=draw.generator)
    decoder_ids[0] = config['decoder_start_token_id']
    stages = {'features' if sound else 'token_ids': source, 'decoder_ids': decoder_ids}
    exact = {key: value.double() for key, value in weights.items()}
    family.forward(config, exact, source.double() if sound else source, decoder_ids, stages)
    stages['generated'] = generated(family, config, exact, source.double() if sound else source, decoder_ids)
    stages = {key: value.float() if value.dtype == torch.float64 else value for key, value in stages.items()}
    for key in ('encoder', 'decoder', 'cross'):
        largest = stages[f'{key}.0.weights'].amax(-1)[:, 1:].mean()
        assert 0.2 < largest < 0.97, (name, key, largest)
    folder = os.path.join(FOLDER, name)
    os.makedirs(folder, exist_ok=True)
    if sound:
        np.save(os.path.join(folder, 'features.npy'), source.numpy())
    with open(os.path.join(folder, 'config.json'), 'w') as file:
        file.write(json.dumps(config, indent=2) + '\n')
    if name == 'marian':
        torch.save(weights, os.path.join(folder, 'pytorch_model.bin'))
    else:
        save_safetensors(os.path.join(folder, 'model.safetensors'), weights, {'format': 'pt'})
    save_safetensors(os.path.join(folder, 'expected.safetensors'), stages)


def main():
    torch.set_num_threads(1)
    with torch.no_grad():
        for name, family, config in CASES:
            if not sys.argv[1:] or name in sys.argv[1:]:
                make(name, family, config)
    return 0


if __name__ == '__main__':
    sys.exit(main())
