#!/usr/bin/env python3
"""Makes the folders of tests/golden/models/ that hold mixtures of experts: Mixtral (Jiang et al. 2024), Qwen3-MoE (Yang et
al. 2025) and gpt-oss (OpenAI 2025), tiny and with random weights, and what plain formulas in float64 make of them.

    /usr/bin/python3 tests/golden/model_golden_mixtures.py [NAME...]       needs python3-numpy alone

The files are as make_model_golden.py describes them, with two stages more: layers.N.router [len, experts] (the softmax
over all experts) and layers.N.experts [len, chosen] (the largest first) of layers with experts, and of models with sinks
layers.N.sink_weights [heads, len]. Weights are drawn as float32; every formula is written out here, position by
position where that is the plainer way, and rounded to float32 when saved.
"""
import json
import math
import os
import sys

import numpy as np

from model_golden_mixture_steps import Drawn, rms_norm, save_safetensors, sigmoid, softmax, turned, yarn

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'models')
LENGTH = 7


class Mixture:
    seed, head_norm, attention_bias, window, sinks = 1, False, False, None, False

    @classmethod
    def weights(cls, c):
        d, width = Drawn(cls.seed), c['hidden_size']
        heads, groups = c['num_attention_heads'], c['num_key_value_heads']
        size = c.get('head_dim') or width // heads
        d.normal('model.embed_tokens.weight', c['vocab_size'], width, spread=0.8)
        for n in range(c['num_hidden_layers']):
            h = f'model.layers.{n}.'
            d.norm(h + 'input_layernorm', width)
            d.norm(h + 'post_attention_layernorm', width)
            for name, rows in (('q', heads * size), ('k', groups * size), ('v', groups * size)):
                d.linear(f'{h}self_attn.{name}_proj', width, rows, cls.attention_bias)
            d.linear(h + 'self_attn.o_proj', heads * size, width, cls.attention_bias)
            if cls.head_norm:
                d.norm(h + 'self_attn.q_norm', size, 1.5)
                d.norm(h + 'self_attn.k_norm', size, 1.5)
            if cls.sinks:
                d.normal(h + 'self_attn.sinks', heads, spread=1.0, mean=0.5)
            cls.draw_mlp(c, d, h, n)
        d.norm('model.norm', width)
        d.linear('lm_head', width, c['vocab_size'])
        return d

    @staticmethod
    def rotation(c, size):
        return c['rope_theta'] ** (-np.arange(0, size, 2) / size), 1.0

    @classmethod
    def forward(cls, c, w, ids, stages):
        eps, width = c['rms_norm_eps'], c['hidden_size']
        heads, groups = c['num_attention_heads'], c['num_key_value_heads']
        size, length = c.get('head_dim') or width // heads, len(ids)
        inverse, factor = cls.rotation(c, size)
        i, j = np.arange(length)[:, None], np.arange(length)[None]

        def linear(name, x):
            y = x @ w[name + '.weight'].T
            return y + w[name + '.bias'] if name + '.bias' in w else y

        def split(x, count):
            return x.reshape(length, count, size).transpose(1, 0, 2)

        x = stages['embedded'] = w['model.embed_tokens.weight'][ids]
        for n in range(c['num_hidden_layers']):
            h, record = f'model.layers.{n}.', f'layers.{n}.'
            inside = stages[record + 'input'] = rms_norm(x, w[h + 'input_layernorm.weight'], eps)
            q = split(linear(h + 'self_attn.q_proj', inside), heads)
            k = split(linear(h + 'self_attn.k_proj', inside), groups)
            v = split(linear(h + 'self_attn.v_proj', inside), groups)
            if cls.head_norm:
                q = rms_norm(q, w[h + 'self_attn.q_norm.weight'], eps)
                k = rms_norm(k, w[h + 'self_attn.k_norm.weight'], eps)
            q, k = turned(q, inverse, factor), turned(k, inverse, factor)
            scores = np.stack([q[a] @ k[a * groups // heads].T for a in range(heads)]) / math.sqrt(size)
            window = cls.window_of(c, n)
            visible = (j <= i) if window is None else (j <= i) & (i - j < window)
            masked = np.where(visible, scores, -np.inf)
            if cls.sinks:
                column = np.broadcast_to(w[h + 'self_attn.sinks'][:, None, None], (heads, length, 1))
                joined = softmax(np.concatenate([masked, column], -1))
                weights, stages[record + 'sink_weights'] = joined[..., :-1], joined[..., -1]
            else:
                weights = softmax(masked)
            context = np.stack([weights[a] @ v[a * groups // heads] for a in range(heads)])
            for name, value in dict(query=q, key=k, value=v, scores=scores, weights=weights, context=context).items():
                stages[record + name] = value
            output = linear(h + 'self_attn.o_proj', context.transpose(1, 0, 2).reshape(length, heads * size))
            stages[record + 'output'] = output
            x = x + output
            inner = rms_norm(x, w[h + 'post_attention_layernorm.weight'], eps)
            x = stages[record + 'hidden'] = x + cls.mlp(c, w, h, n, inner, stages)
        x = stages['final_hidden'] = rms_norm(x, w['model.norm.weight'], eps)
        stages['logits'] = linear('lm_head', x)

    @classmethod
    def window_of(cls, c, n):
        return None

    @staticmethod
    def choose(logits, count):
        """The numbers of the largest, token by token, the largest first."""
        return np.stack([sorted(range(len(row)), key=lambda e: -row[e])[:count] for row in logits])


class Mixtral(Mixture):
    seed = 11

    @classmethod
    def window_of(cls, c, n):
        return c['sliding_window']

    @staticmethod
    def draw_mlp(c, d, h, n):
        width, inner = c['hidden_size'], c['intermediate_size']
        d.normal(h + 'block_sparse_moe.gate.weight', c['num_local_experts'], width, spread=0.8)
        for e in range(c['num_local_experts']):
            for name, n_in, n_out in (('w1', width, inner), ('w2', inner, width), ('w3', width, inner)):
                d.linear(f'{h}block_sparse_moe.experts.{e}.{name}', n_in, n_out)

    @classmethod
    def mlp(cls, c, w, h, n, x, stages):
        probabilities = softmax(x @ w[h + 'block_sparse_moe.gate.weight'].T)
        chosen = cls.choose(probabilities, c['num_experts_per_tok'])
        stages[f'layers.{n}.router'], stages[f'layers.{n}.experts'] = probabilities, chosen
        result = np.zeros_like(x)
        for t in range(len(x)):
            total = sum(probabilities[t, e] for e in chosen[t])
            for e in chosen[t]:
                of = lambda name: w[f'{h}block_sparse_moe.experts.{e}.{name}.weight']
                gate, up = of('w1') @ x[t], of('w3') @ x[t]
                result[t] += probabilities[t, e] / total * (of('w2') @ (gate * sigmoid(gate) * up))
        return result


class Qwen3Moe(Mixture):
    seed, head_norm = 12, True

    @staticmethod
    def sparse(c, n):
        return n not in c['mlp_only_layers'] and (n + 1) % c['decoder_sparse_step'] == 0

    @classmethod
    def draw_mlp(cls, c, d, h, n):
        width = c['hidden_size']

        def draw(name, inner):
            d.linear(name + 'gate_proj', width, inner)
            d.linear(name + 'up_proj', width, inner)
            d.linear(name + 'down_proj', inner, width)

        if not cls.sparse(c, n):
            draw(h + 'mlp.', c['intermediate_size'])
            return
        d.normal(h + 'mlp.gate.weight', c['num_experts'], width, spread=0.8)
        for e in range(c['num_experts']):
            draw(f'{h}mlp.experts.{e}.', c['moe_intermediate_size'])

    @classmethod
    def mlp(cls, c, w, h, n, x, stages):
        def gated(name, x):
            gate = w[name + 'gate_proj.weight'] @ x
            return w[name + 'down_proj.weight'] @ (gate * sigmoid(gate) * (w[name + 'up_proj.weight'] @ x))

        if not cls.sparse(c, n):
            return np.stack([gated(h + 'mlp.', row) for row in x])
        probabilities = softmax(x @ w[h + 'mlp.gate.weight'].T)
        chosen = cls.choose(probabilities, c['num_experts_per_tok'])
        stages[f'layers.{n}.router'], stages[f'layers.{n}.experts'] = probabilities, chosen
        result = np.zeros_like(x)
        for t in range(len(x)):
            total = sum(probabilities[t, e] for e in chosen[t]) if c['norm_topk_prob'] else 1.0
            for e in chosen[t]:
                result[t] += probabilities[t, e] / total * gated(f'{h}mlp.experts.{e}.', x[t])
        return result


class GptOss(Mixture):
    """The factors are a softmax over the chosen logits alone, as the published definition has it."""
    seed, attention_bias, sinks = 13, True, True

    @classmethod
    def window_of(cls, c, n):
        return c['sliding_window'] if c['layer_types'][n] == 'sliding_attention' else None

    @staticmethod
    def rotation(c, size):
        return yarn(c, size)

    @staticmethod
    def draw_mlp(c, d, h, n):
        width, inner, experts = c['hidden_size'], c['intermediate_size'], c['num_local_experts']
        d.normal(h + 'mlp.router.weight', experts, width, spread=0.8)
        d.normal(h + 'mlp.router.bias', experts, spread=0.3)
        d.normal(h + 'mlp.experts.gate_up_proj', experts, width, 2 * inner, spread=1.2)
        d.normal(h + 'mlp.experts.gate_up_proj_bias', experts, 2 * inner, spread=0.3)
        d.normal(h + 'mlp.experts.down_proj', experts, inner, width)
        d.normal(h + 'mlp.experts.down_proj_bias', experts, width, spread=0.3)

    @classmethod
    def mlp(cls, c, w, h, n, x, stages):
        logits = x @ w[h + 'mlp.router.weight'].T + w[h + 'mlp.router.bias']
        chosen = cls.choose(logits, c['num_experts_per_tok'])
        stages[f'layers.{n}.router'], stages[f'layers.{n}.experts'] = softmax(logits), chosen
        result, limit = np.zeros_like(x), c['swiglu_limit']
        clamped = 0
        for t in range(len(x)):
            factors = softmax(logits[t][chosen[t]])
            for factor, e in zip(factors, chosen[t]):
                both = x[t] @ w[h + 'mlp.experts.gate_up_proj'][e] + w[h + 'mlp.experts.gate_up_proj_bias'][e]
                clamped += np.sum(np.abs(both) > limit)
                gate, up = np.minimum(both[::2], limit), np.clip(both[1::2], -limit, limit)
                inner = gate * sigmoid(1.702 * gate) * (up + 1)
                result[t] += factor * (inner @ w[h + 'mlp.experts.down_proj'][e] + w[h + 'mlp.experts.down_proj_bias'][e])
        assert clamped > 0, 'no number reaches the limit'
        return result


BASE = {'vocab_size': 23, 'hidden_size': 18, 'num_hidden_layers': 2, 'num_attention_heads': 3, 'num_key_value_heads': 1,
        'hidden_act': 'silu', 'max_position_embeddings': 64, 'rms_norm_eps': 1e-6, 'rope_theta': 10000.0,
        'tie_word_embeddings': False}
MIXTRAL = {'model_type': 'mixtral', **BASE, 'intermediate_size': 11, 'rms_norm_eps': 1e-5, 'sliding_window': None,
           'num_local_experts': 5, 'num_experts_per_tok': 2}
QWEN3 = {'model_type': 'qwen3_moe', **BASE, 'head_dim': 10, 'num_attention_heads': 4, 'num_key_value_heads': 2,
         'intermediate_size': 13, 'moe_intermediate_size': 5, 'num_experts': 7, 'num_experts_per_tok': 3,
         'norm_topk_prob': True, 'decoder_sparse_step': 1, 'mlp_only_layers': [], 'attention_bias': False,
         'use_sliding_window': False}
GPT_OSS = {'model_type': 'gpt_oss', **BASE, 'head_dim': 10, 'num_attention_heads': 4, 'num_key_value_heads': 2,
           'intermediate_size': 9, 'rms_norm_eps': 1e-5, 'num_local_experts': 5, 'num_experts_per_tok': 3,
           'attention_bias': True, 'sliding_window': 3, 'layer_types': ['sliding_attention', 'full_attention'],
           'rope_theta': 150000.0, 'swiglu_limit': 3.0,
           'rope_scaling': {'rope_type': 'yarn', 'factor': 4.0, 'beta_fast': 32.0, 'beta_slow': 1.0, 'truncate': False,
                            'original_max_position_embeddings': 16}}
CASES = [('mixtral', Mixtral, MIXTRAL),
         ('mixtral-window', Mixtral, {**MIXTRAL, 'sliding_window': 3}),
         ('qwen3_moe', Qwen3Moe, QWEN3),
         ('qwen3_moe-dense', Qwen3Moe, {**QWEN3, 'num_hidden_layers': 3, 'decoder_sparse_step': 1,
                                        'mlp_only_layers': [1], 'norm_topk_prob': False}),
         ('gpt_oss', GptOss, GPT_OSS)]


def make(name, family, config):
    drawn = family.weights(config)
    ids = drawn.random.randint(0, config['vocab_size'], LENGTH)
    stages = {'token_ids': ids.astype(np.int64)}
    family.forward(config, {key: value.astype(np.float64) for key, value in drawn.w.items()}, ids, stages)
    stages = {key: value.astype(np.float32) if value.dtype == np.float64 else value for key, value in stages.items()}
    largest = stages['layers.0.weights'].max(-1)[:, 1:].mean()
    assert 0.3 < largest < 0.97, (name, largest)
    # No choice hangs on the last bit.
    for key, value in stages.items():
        assert np.isfinite(value).all(), (name, key)
        if key.endswith('.router'):
            gaps = np.diff(np.sort(-value, -1), axis=-1)[..., :config['num_experts_per_tok']]
            assert gaps.min() > 1e-5, (name, key, gaps.min())
    folder = os.path.join(FOLDER, name)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, 'config.json'), 'w') as file:
        file.write(json.dumps(config, indent=2) + '\n')
    save_safetensors(os.path.join(folder, 'model.safetensors'), drawn.w, {'format': 'pt'})
    save_safetensors(os.path.join(folder, 'expected.safetensors'), stages)


def main():
    wanted = set(sys.argv[1:])
    for name, family, config in CASES:
        if not wanted or name in wanted:
            make(name, family, config)
    return 0


if __name__ == '__main__':
    sys.exit(main())
