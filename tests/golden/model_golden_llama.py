"""Llama (Touvron et al. 2023, Meta's model.py and Hugging Face's names) and its relatives: Mistral, Qwen2, Qwen3, Gemma,
and llama2.c's names. Rotary positions are written with complex numbers, as the paper has them."""
import math

import torch
import torch.nn.functional as F

from model_golden_gpt import gelu_tanh, heads_of, record_attention


def inverse_frequencies(config, features):
    rope = config.get('rope_parameters') or {}
    theta = rope.get('rope_theta', config.get('rope_theta', 10000.0))
    inverse = 1.0 / (theta ** (torch.arange(0, features, 2).float() / features))
    scaling = config.get('rope_scaling') or rope
    kind = scaling.get('rope_type', scaling.get('type', 'default'))
    if kind == 'linear':
        return inverse / scaling['factor']
    if kind == 'llama3':
        # Llama 3.1: long wavelengths are stretched, short ones kept, those between are mixed.
        kept = []
        for frequency in inverse:
            wavelength = 2 * math.pi / frequency
            low = scaling['original_max_position_embeddings'] / scaling['low_freq_factor']
            high = scaling['original_max_position_embeddings'] / scaling['high_freq_factor']
            if wavelength < high:
                kept.append(frequency)
            elif wavelength > low:
                kept.append(frequency / scaling['factor'])
            else:
                smooth = (scaling['original_max_position_embeddings'] / wavelength - scaling['low_freq_factor']) / (
                    scaling['high_freq_factor'] - scaling['low_freq_factor'])
                kept.append((1 - smooth) * frequency / scaling['factor'] + smooth * frequency)
        return torch.stack(kept)
    assert kind == 'default', kind
    return inverse


def rotated(x, inverse, neighbours):
    """x [heads, len, head_dim]; pairs (2 p, 2 p + 1), or (p, p + head_dim / 2)."""
    heads, length, size = x.shape
    angles = torch.outer(torch.arange(length).float(), inverse)
    turn = torch.polar(torch.ones_like(angles), angles)
    if neighbours:
        return torch.view_as_real(torch.view_as_complex(x.reshape(heads, length, size // 2, 2)) * turn).flatten(2)
    turned = torch.complex(x[..., :size // 2], x[..., size // 2:]) * turn
    return torch.cat([turned.real, turned.imag], dim=-1)


class Llama:
    body = 'model.'
    names = dict(word='embed_tokens', layer='layers.{}.', norm_1='input_layernorm', query='self_attn.q_proj',
                 key='self_attn.k_proj', value='self_attn.v_proj', output='self_attn.o_proj',
                 norm_2='post_attention_layernorm', gate='mlp.gate_proj', up='mlp.up_proj', down='mlp.down_proj',
                 final='norm', decoder='lm_head.weight')
    neighbours = False
    head_norm = False
    tied = False  # where the configuration does not say

    @staticmethod
    def sizes(c):
        heads = c['num_attention_heads']
        return dict(width=c['hidden_size'], inner=c['intermediate_size'], layers=c['num_hidden_layers'], heads=heads,
                    groups=c.get('num_key_value_heads', heads),
                    size=c.get('head_dim') or c['hidden_size'] // heads, eps=c['rms_norm_eps'])

    @staticmethod
    def biased(config, role):
        return config.get('mlp_bias' if role in ('gate', 'up', 'down') else 'attention_bias', False)

    @staticmethod
    def activation(x):
        return F.silu(x)

    @staticmethod
    def norm(x, weight, eps):
        return weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps))

    @staticmethod
    def embed(config, rows):
        return rows

    @staticmethod
    def visible(config, length):
        return torch.ones(length, length, dtype=torch.bool).tril()

    norm_mean = 1.0  # of the weights that are drawn for norms

    @classmethod
    def weights(cls, config, draw):
        s, n = cls.sizes(config), cls.names
        w = {cls.body + n['word'] + '.weight': draw.normal(config['vocab_size'], s['width'], spread=0.8)}
        q, k = s['heads'] * s['size'], s['groups'] * s['size']
        shapes = dict(query=(q, s['width']), key=(k, s['width']), value=(k, s['width']), output=(s['width'], q),
                      gate=(s['inner'], s['width']), up=(s['inner'], s['width']), down=(s['width'], s['inner']))
        for number in range(s['layers']):
            inside = cls.body + n['layer'].format(number)
            for role, shape in shapes.items():
                w[inside + n[role] + '.weight'] = draw.normal(*shape)
                if cls.biased(config, role):
                    w[inside + n[role] + '.bias'] = draw.normal(shape[0], spread=0.3)
            for role in ('norm_1', 'norm_2'):
                w[inside + n[role] + '.weight'] = draw.normal(s['width'], spread=0.3, mean=cls.norm_mean)
            if cls.head_norm:
                for name in ('q_norm', 'k_norm'):
                    w[inside + f'self_attn.{name}.weight'] = draw.normal(s['size'], spread=0.3, mean=1.5)
        w[cls.body + n['final'] + '.weight'] = draw.normal(s['width'], spread=0.3, mean=cls.norm_mean)
        if not config.get('tie_word_embeddings', cls.tied):
            w[n['decoder']] = draw.normal(config['vocab_size'], s['width'])
        cls.add_buffers(w, config)
        return w

    @classmethod
    def add_buffers(cls, w, config):
        size = cls.sizes(config)['size']
        w['model.layers.0.self_attn.rotary_emb.inv_freq'] = inverse_frequencies(config, size)

    @classmethod
    def forward(cls, config, w, ids, stages):
        s, n = cls.sizes(config), cls.names
        length, eps = len(ids), s['eps']
        word = w[cls.body + n['word'] + '.weight']
        inverse = inverse_frequencies(config, s['size'])
        x = cls.embed(config, word[ids])
        stages['embedded'] = x
        for number in range(s['layers']):
            inside = cls.body + n['layer'].format(number)

            def linear(role, value):
                return F.linear(value, w[inside + n[role] + '.weight'], w.get(inside + n[role] + '.bias'))

            normed = cls.norm(x, w[inside + n['norm_1'] + '.weight'], eps)
            stages[f'layers.{number}.input'] = normed
            q = heads_of(linear('query', normed), s['heads'])
            k = heads_of(linear('key', normed), s['groups'])
            v = heads_of(linear('value', normed), s['groups'])
            if cls.head_norm:
                q = cls.norm(q, w[inside + 'self_attn.q_norm.weight'], eps)
                k = cls.norm(k, w[inside + 'self_attn.k_norm.weight'], eps)
            q, k = rotated(q, inverse, cls.neighbours), rotated(k, inverse, cls.neighbours)
            repeats = s['heads'] // s['groups']
            concat = record_attention(stages, number, q, k.repeat_interleave(repeats, 0),
                                      v.repeat_interleave(repeats, 0), 1 / math.sqrt(s['size']),
                                      cls.visible(config, length))
            stages[f'layers.{number}.key'], stages[f'layers.{number}.value'] = k, v
            output = linear('output', concat)
            stages[f'layers.{number}.output'] = output
            x = x + output
            inner = cls.norm(x, w[inside + n['norm_2'] + '.weight'], eps)
            x = x + linear('down', cls.activation(linear('gate', inner)) * linear('up', inner))
            stages[f'layers.{number}.hidden'] = x
        x = cls.norm(x, w[cls.body + n['final'] + '.weight'], eps)
        stages['final_hidden'] = x
        stages['logits'] = F.linear(x, w.get(n['decoder'], word))


class Mistral(Llama):
    @staticmethod
    def visible(config, length):
        i, j = torch.arange(length)[:, None], torch.arange(length)[None]
        return (j <= i) & (i - j < config['sliding_window'])


class Qwen2(Llama):
    @staticmethod
    def biased(config, role):
        return role in ('query', 'key', 'value')


class Qwen3(Llama):
    head_norm = True


class Gemma(Llama):
    norm_mean = 0.0

    @staticmethod
    def activation(x):
        return gelu_tanh(x)

    @staticmethod
    def norm(x, weight, eps):
        return (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)) * (1.0 + weight)

    @staticmethod
    def embed(config, rows):
        return rows * torch.tensor(config['hidden_size'] ** 0.5, dtype=rows.dtype)


class Llama2C(Llama):
    """Karpathy's names, which are those of Meta's own code; pairs of neighbours, as in the paper."""
    body = ''
    names = dict(word='tok_embeddings', layer='layers.{}.', norm_1='attention_norm', query='attention.wq',
                 key='attention.wk', value='attention.wv', output='attention.wo', norm_2='ffn_norm',
                 gate='feed_forward.w1', up='feed_forward.w3', down='feed_forward.w2', final='norm',
                 decoder='output.weight')
    neighbours = True
    tied = True

    @staticmethod
    def sizes(c):
        inner = int(2 * 4 * c['dim'] / 3)
        inner = c['multiple_of'] * ((inner + c['multiple_of'] - 1) // c['multiple_of'])
        return dict(width=c['dim'], inner=inner, layers=c['n_layers'], heads=c['n_heads'], groups=c['n_kv_heads'],
                    size=c['dim'] // c['n_heads'], eps=c['norm_eps'])

    @classmethod
    def add_buffers(cls, w, config):
        angles = torch.outer(torch.arange(config['max_seq_len']).float(),
                             inverse_frequencies(config, config['dim'] // config['n_heads']))
        w['freqs_cos'], w['freqs_sin'] = angles.cos(), angles.sin()


LLAMA = {'model_type': 'llama', 'vocab_size': 24, 'hidden_size': 16, 'num_hidden_layers': 2, 'num_attention_heads': 4,
         'num_key_value_heads': 2, 'intermediate_size': 16, 'hidden_act': 'silu', 'max_position_embeddings': 64,
         'rms_norm_eps': 1e-6, 'rope_theta': 10000.0, 'tie_word_embeddings': False}
WIDE = {**LLAMA, 'hidden_size': 12, 'num_attention_heads': 2, 'num_key_value_heads': 1, 'tie_word_embeddings': True}
LLAMA3 = {'rope_type': 'llama3', 'factor': 8.0, 'low_freq_factor': 1.0, 'high_freq_factor': 4.0,
          'original_max_position_embeddings': 256}
CASES = [('llama', Llama, LLAMA),
         ('llama-linear', Llama, {**WIDE, 'rope_scaling': {'type': 'linear', 'factor': 2.5}, 'attention_bias': True,
                                  'mlp_bias': True}),
         ('llama-llama3', Llama, {**WIDE, 'rope_scaling': LLAMA3}),
         ('mistral', Mistral, {**WIDE, 'model_type': 'mistral', 'sliding_window': 3}),
         ('qwen2', Qwen2, {**WIDE, 'model_type': 'qwen2', 'rope_theta': 1000000.0, 'use_sliding_window': False,
                           'sliding_window': 32768, 'max_window_layers': 2}),
         # As newer versions write it: rope_parameters and dtype.
         ('qwen3', Qwen3, {**{k: v for k, v in WIDE.items() if k != 'rope_theta'}, 'model_type': 'qwen3',
                           'head_dim': 10, 'rope_parameters': {'rope_theta': 1000000.0, 'rope_type': 'default'},
                           'dtype': 'float32', 'attention_bias': False, 'layer_types': ['full_attention'] * 2}),
         ('gemma', Gemma, {**WIDE, 'model_type': 'gemma', 'head_dim': 8,
                           'hidden_act': 'gelu', 'hidden_activation': None}),
         ('llama2c', Llama2C, {'dim': 12, 'n_layers': 2, 'n_heads': 3, 'n_kv_heads': 3, 'vocab_size': 24,
                               'multiple_of': 8, 'max_seq_len': 8, 'norm_eps': 1e-5})]
