#!/usr/bin/env python3
"""Makes tests/golden/encoder_decoders/: tiny random models with an encoder and a decoder, and what PyTorch computes.

    apt-get install python3-torch && /usr/bin/python3 tests/golden/make_encoder_decoder_golden.py [NAME...]

One folder a model: config.json, model.safetensors or pytorch_model.bin with Hugging Face's names, and
expected.safetensors:
    token_ids, decoder_ids [len]; for LIST = encoder, decoder, cross and every layer N: LIST.N.input (what enters
    attention) .query .key .value [heads, len, head_dim] .scores [heads, query_len, key_len] (scaled, before mask and
    biases) .masked .weights .context .output; encoder.final_hidden, final_hidden [len, d_model], logits [len, vocab].

T5 is written from Raffel et al. 2020 (section 2.1) and its published code, BART from Lewis et al. 2020, mBART from Liu et
al. 2020, Marian from Junczys-Dowmunt et al. 2018 and their published code, with PyTorch's own functions, in float64 from
the numbers as they are stored, and rounded when saved.
"""
import json
import math
import os
import sys

import torch
import torch.nn.functional as F

from make_model_golden import Draw, save_safetensors
from model_golden_steps import Drawn, Loaded

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'encoder_decoders')
TOKENS, DECODER_TOKENS = 9, 6


def attend(stages, name, q, k, v, visible, scale, added=None):
    """q, k, v [heads, len, head_dim] -> [query_len, heads * head_dim]."""
    scores = q @ k.transpose(-2, -1) * scale
    masked = (scores if added is None else scores + added).masked_fill(~visible, float('-inf'))
    weights = F.softmax(masked, dim=-1)
    context = weights @ v
    for part, value in dict(query=q, key=k, value=v, scores=scores, masked=masked, weights=weights,
                            context=context).items():
        stages[f'{name}.{part}'] = value
    return context.transpose(0, 1).reshape(q.shape[1], -1)


def everything(queries, keys):
    return torch.ones(queries, keys, dtype=torch.bool)


def split(x, heads):
    return x.view(x.shape[0], heads, -1).transpose(0, 1)


def bucket(distance, buckets, most, both):
    """T5, _relative_position_bucket: distance = j - i, an int64 tensor."""
    first = torch.zeros_like(distance)
    if both:
        buckets //= 2
        first = (distance > 0).long() * buckets
        away = distance.abs()
    else:
        away = -torch.min(distance, torch.zeros_like(distance))
    single = buckets // 2
    far = single + (torch.log(away.float() / single) / math.log(most / single) * (buckets - single)).long()
    return first + torch.where(away < single, away, torch.min(far, torch.full_like(far, buckets - 1)))


class T5:
    """Config keys as T5's; gated where feed_forward_proj says so."""

    @staticmethod
    def mlp_names(c):
        gated = c.get('feed_forward_proj', 'relu').startswith('gated')
        return ['wi_0', 'wi_1'] if gated else ['wi']

    @classmethod
    def weights(cls, c, draw):
        d, width, inner, rows = Drawn(draw), c['d_model'], c['d_ff'], c['num_heads'] * c['d_kv']
        d.table('shared', c['vocab_size'], width)
        for stack, layers in (('encoder', c['num_layers']), ('decoder', c['num_decoder_layers'])):
            for n in range(layers):
                block = f'{stack}.block.{n}.layer.'
                kinds = ['SelfAttention'] + (['EncDecAttention'] if stack == 'decoder' else [])
                for place, kind in enumerate(kinds):
                    for part in 'qkv':
                        d.w[f'{block}{place}.{kind}.{part}.weight'] = draw.normal(rows, width, spread=0.25)
                    d.linear(f'{block}{place}.{kind}.o', rows, width, bias=False)
                    d.norm(f'{block}{place}.layer_norm', width, bias=False)
                    if n == 0 and kind == 'SelfAttention':
                        d.table(f'{block}0.SelfAttention.relative_attention_bias',
                                c['relative_attention_num_buckets'], c['num_heads'])
                for name in cls.mlp_names(c):
                    d.linear(f'{block}{len(kinds)}.DenseReluDense.{name}', width, inner, bias=False)
                d.linear(f'{block}{len(kinds)}.DenseReluDense.wo', inner, width, bias=False)
                d.norm(f'{block}{len(kinds)}.layer_norm', width, bias=False)
            d.norm(f'{stack}.final_layer_norm', width, bias=False)
        if not c['tie_word_embeddings']:
            d.linear('lm_head', width, c['vocab_size'], bias=False)
        else:
            d.w['encoder.embed_tokens.weight'] = d.w['shared.weight'].clone()
        return d.w

    @classmethod
    def mlp(cls, c, m, name, x):
        h = lambda part: m.linear(name + part, x)
        if cls.mlp_names(c) == ['wi']:
            return m.linear(name + 'wo', F.relu(h('wi')))
        return m.linear(name + 'wo', F.gelu(h('wi_0'), approximate='tanh') * h('wi_1'))

    @classmethod
    def stack(cls, c, m, stages, name, x, encoded=None):
        eps, heads, length = c['layer_norm_epsilon'], c['num_heads'], x.shape[0]
        position = torch.arange(length)
        rows = bucket(position[None] - position[:, None], c['relative_attention_num_buckets'],
                      c['relative_attention_max_distance'], name == 'encoder')
        bias = m.w[f'{name}.block.0.layer.0.SelfAttention.relative_attention_bias.weight'][rows].permute(2, 0, 1)
        visible = everything(length, length) if encoded is None else position[None] <= position[:, None]
        for n in range(c['num_layers'] if encoded is None else c['num_decoder_layers']):
            block = f'{name}.block.{n}.layer.'
            h = stages[f'{name}.{n}.input'] = m.rms_norm(block + '0.layer_norm', x, eps)
            q, k, v = (split(m.linear(block + '0.SelfAttention.' + part, h), heads) for part in 'qkv')
            concat = attend(stages, f'{name}.{n}', q, k, v, visible, 1.0, bias)
            out = stages[f'{name}.{n}.output'] = m.linear(block + '0.SelfAttention.o', concat)
            x = x + out
            if encoded is not None:
                h = stages[f'cross.{n}.input'] = m.rms_norm(block + '1.layer_norm', x, eps)
                q = split(m.linear(block + '1.EncDecAttention.q', h), heads)
                k, v = (split(m.linear(block + '1.EncDecAttention.' + part, encoded), heads) for part in 'kv')
                concat = attend(stages, f'cross.{n}', q, k, v, everything(length, encoded.shape[0]), 1.0)
                out = stages[f'cross.{n}.output'] = m.linear(block + '1.EncDecAttention.o', concat)
                x = x + out
            last = block + ('1.' if encoded is None else '2.')
            x = x + cls.mlp(c, m, last + 'DenseReluDense.', m.rms_norm(last + 'layer_norm', x, eps))
        return m.rms_norm(f'{name}.final_layer_norm', x, eps)

    @classmethod
    def forward(cls, c, w, ids, decoder_ids, stages):
        m = Loaded(w)
        encoded = stages['encoder.final_hidden'] = cls.stack(c, m, stages, 'encoder', w['shared.weight'][ids])
        x = stages['final_hidden'] = cls.stack(c, m, stages, 'decoder', w['shared.weight'][decoder_ids], encoded)
        tied = c['tie_word_embeddings']
        stages['logits'] = F.linear(x * c['d_model'] ** -0.5 if tied else x,
                                    w['shared.weight' if tied else 'lm_head.weight'])


class Bart:
    """BART's names and its two ways: norms after the sums (BART, Marian) or before (mBART)."""
    pre_norm, embedding_norm, sinusoidal, offset = False, True, False, 2
    prefix = 'model.'

    @classmethod
    def weights(cls, c, draw):
        d, width = Drawn(draw), c['d_model']
        d.table(cls.prefix + 'shared', c['vocab_size'], width, spread=0.4)
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
        d.w['final_logits_bias'] = draw.normal(1, c['vocab_size'], spread=0.3)
        return d.w

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
        x = m.w[cls.prefix + 'shared.weight'][ids] * scale + cls.positions(m, stack, length, width)
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

        for n in range(c[stack + '_layers']):
            x = attention(n, 'self_attn', stack, x, None, visible)
            if encoded is not None:
                x = attention(n, 'encoder_attn', 'cross', x, encoded, everything(length, encoded.shape[0]))
            layer = f'{name}.layers.{n}.'
            h = before(layer + 'final_layer_norm', x)
            x = after(layer + 'final_layer_norm', x + m.linear(layer + 'fc2', act(m.linear(layer + 'fc1', h))))
        return norm(name + '.layer_norm', x) if cls.pre_norm else x

    @classmethod
    def forward(cls, c, w, ids, decoder_ids, stages):
        m = Loaded(w)
        encoded = stages['encoder.final_hidden'] = cls.stack(c, m, stages, 'encoder', ids)
        x = stages['final_hidden'] = cls.stack(c, m, stages, 'decoder', decoder_ids, encoded)
        stages['logits'] = F.linear(x, w[cls.prefix + 'shared.weight']) + w['final_logits_bias']


class MBart(Bart):
    pre_norm = True


class Marian(Bart):
    embedding_norm, sinusoidal, offset = False, True, 0


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
]


def make(name, family, config):
    draw = Draw(sum(ord(letter) for letter in name))
    weights = family.weights(config, draw)
    ids = torch.randint(3, config['vocab_size'], (TOKENS,), generator=draw.generator)
    decoder_ids = torch.randint(3, config['vocab_size'], (DECODER_TOKENS,), generator=draw.generator)
    decoder_ids[0] = config['decoder_start_token_id']
    stages = {'token_ids': ids, 'decoder_ids': decoder_ids}
    family.forward(config, {key: value.double() for key, value in weights.items()}, ids, decoder_ids, stages)
    stages = {key: value.float() if value.dtype == torch.float64 else value for key, value in stages.items()}
    for key in ('encoder', 'decoder', 'cross'):
        largest = stages[f'{key}.0.weights'].amax(-1)[:, 1:].mean()
        assert 0.2 < largest < 0.97, (name, key, largest)
    folder = os.path.join(FOLDER, name)
    os.makedirs(folder, exist_ok=True)
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
