"""Families that differ from those before them in a few points, with Hugging Face's names: Phi-3 (Abdin et al. 2024),
StableLM 2 (Bellagente et al. 2024), StarCoder 2 (Lozhkov et al. 2024), Command R (Cohere 2024), OPT (Zhang et al. 2022)
and BLOOM (BigScience 2022)."""
import math

import torch
import torch.nn.functional as F

from model_golden_steps import Drawn, Loaded, alibi, attend, causal, frequencies, split_heads, turned


def gelu_tanh(x):
    return F.gelu(x, approximate='tanh')


def sizes(c):
    heads, groups = c['num_attention_heads'], c.get('num_key_value_heads', c['num_attention_heads'])
    return c['hidden_size'], heads, groups, c['hidden_size'] // heads


class Phi3:
    """Llama with one matrix for queries, keys and values, [Q K V], and one for gate and up; a window."""
    exact = True

    @staticmethod
    def weights(c, draw):
        d, (width, heads, groups, size) = Drawn(draw), sizes(c)
        d.table('model.embed_tokens', c['vocab_size'], width)
        for n in range(c['num_hidden_layers']):
            h = f'model.layers.{n}.'
            d.norm(h + 'input_layernorm', width, False)
            d.norm(h + 'post_attention_layernorm', width, False)
            d.linear(h + 'self_attn.qkv_proj', width, (heads + 2 * groups) * size, False)
            d.linear(h + 'self_attn.o_proj', width, width, False)
            d.linear(h + 'mlp.gate_up_proj', width, 2 * c['intermediate_size'], False)
            d.linear(h + 'mlp.down_proj', c['intermediate_size'], width, False)
        d.norm('model.norm', width, False)
        d.linear('lm_head', width, c['vocab_size'], False)
        return d.w

    @staticmethod
    def turns(c, features):
        """Frequencies as float32 numbers, and what multiplies cos and sin: with LongRoPE (Ding et al. 2024) of a text
        that the original context holds."""
        scaling, inverse = c.get('rope_scaling'), frequencies(c['rope_theta'], features)
        if scaling is None:
            return inverse, 1.0
        original = c['original_max_position_embeddings']
        inverse = (inverse.float() / torch.tensor(scaling['short_factor'], dtype=torch.float32)).double()
        return inverse, math.sqrt(1 + math.log(c['max_position_embeddings'] / original) / math.log(original))

    @staticmethod
    def turned(x, inverse, factor):
        count = 2 * len(inverse)
        return torch.cat([turned(x, inverse)[..., :count] * factor, x[..., count:]], dim=-1)

    @staticmethod
    def forward(c, w, ids, stages):
        m, eps, (width, heads, groups, size) = Loaded(w), c['rms_norm_eps'], sizes(c)
        inverse, factor = Phi3.turns(c, int(size * c['partial_rotary_factor']))
        x = stages['embedded'] = w['model.embed_tokens.weight'][ids]
        for n in range(c['num_hidden_layers']):
            h = f'model.layers.{n}.'
            inside = stages[f'layers.{n}.input'] = m.rms_norm(h + 'input_layernorm', x, eps)
            q, k, v = m.linear(h + 'self_attn.qkv_proj', inside).split([heads * size, groups * size, groups * size], -1)
            q, k = (Phi3.turned(split_heads(x, count), inverse, factor) for x, count in ((q, heads), (k, groups)))
            concat = attend(stages, n, q, k, split_heads(v, groups), causal(len(ids), c['sliding_window']))
            output = stages[f'layers.{n}.output'] = m.linear(h + 'self_attn.o_proj', concat)
            x = x + output
            gate, up = m.linear(h + 'mlp.gate_up_proj', m.rms_norm(h + 'post_attention_layernorm', x, eps)).chunk(2, -1)
            x = stages[f'layers.{n}.hidden'] = x + m.linear(h + 'mlp.down_proj', F.silu(gate) * up)
        x = stages['final_hidden'] = m.rms_norm('model.norm', x, eps)
        stages['logits'] = m.linear('lm_head', x)


class LayerNormLlama:
    """Llama's names with LayerNorm; what its children say is how they differ."""
    exact = True
    norm_bias, gated, tied, neighbours = True, True, False, False
    eps, up, down = 'layer_norm_eps', 'mlp.up_proj', 'mlp.down_proj'

    @staticmethod
    def activation(x):
        return F.silu(x)

    @classmethod
    def parallel(cls, c):
        return False

    @classmethod
    def biased(cls, c, name):
        return False

    @classmethod
    def weights(cls, c, draw):
        d, (width, heads, groups, size) = Drawn(draw), sizes(c)
        inner = c['intermediate_size']
        d.table('model.embed_tokens', c['vocab_size'], width)
        for n in range(c['num_hidden_layers']):
            h = f'model.layers.{n}.'
            d.norm(h + 'input_layernorm', width, cls.norm_bias)
            if not cls.parallel(c):
                d.norm(h + 'post_attention_layernorm', width, cls.norm_bias)
            for name, rows in (('q', width), ('k', groups * size), ('v', groups * size), ('o', width)):
                d.linear(f'{h}self_attn.{name}_proj', width, rows, cls.biased(c, name))
            if c.get('use_qk_norm'):
                d.table(h + 'self_attn.q_norm', heads, size)
                d.table(h + 'self_attn.k_norm', groups, size)
            if cls.gated:
                d.linear(h + 'mlp.gate_proj', width, inner, False)
            d.linear(h + cls.up, width, inner, cls.biased(c, 'up'))
            d.linear(h + cls.down, inner, width, cls.biased(c, 'down'))
        d.norm('model.norm', width, cls.norm_bias)
        if not cls.tied:
            d.linear('lm_head', width, c['vocab_size'], False)
        return d.w

    @classmethod
    def forward(cls, c, w, ids, stages):
        m, eps, (width, heads, groups, size) = Loaded(w), c[cls.eps], sizes(c)
        inverse = frequencies(c['rope_theta'], int(size * c.get('partial_rotary_factor', 1.0)))
        turn = lambda x: turned(x, inverse, cls.neighbours)
        x = stages['embedded'] = w['model.embed_tokens.weight'][ids]
        for n in range(c['num_hidden_layers']):
            h = f'model.layers.{n}.'
            inside = stages[f'layers.{n}.input'] = m.layer_norm(h + 'input_layernorm', x, eps)
            q = split_heads(m.linear(h + 'self_attn.q_proj', inside), heads)
            k, v = (split_heads(m.linear(f'{h}self_attn.{name}_proj', inside), groups) for name in 'kv')
            if c.get('use_qk_norm'):  # a LayerNorm of every head, whose weights are its own
                q, k = (F.layer_norm(x, (size,), eps=eps) * w[f'{h}self_attn.{name}_norm.weight'][:, None]
                        for x, name in ((q, 'q'), (k, 'k')))
            concat = attend(stages, n, turn(q), turn(k), v, causal(len(ids), c.get('sliding_window')))
            output = stages[f'layers.{n}.output'] = m.linear(h + 'self_attn.o_proj', concat)
            between = inside if cls.parallel(c) else m.layer_norm(h + 'post_attention_layernorm', x + output, eps)
            inner = m.linear(h + cls.up, between)
            inner = cls.activation(m.linear(h + 'mlp.gate_proj', between)) * inner if cls.gated else cls.activation(inner)
            x = stages[f'layers.{n}.hidden'] = x + output + m.linear(h + cls.down, inner)
        x = stages['final_hidden'] = m.layer_norm('model.norm', x, eps)
        logits = F.linear(x, w['lm_head.weight' if not cls.tied else 'model.embed_tokens.weight'])
        stages['logits'] = logits * c.get('logit_scale', 1.0)


class StableLm(LayerNormLlama):
    @classmethod
    def parallel(cls, c):
        return c['use_parallel_residual']

    @classmethod
    def biased(cls, c, name):
        return c['use_qkv_bias'] and name in ('q', 'k', 'v')


class StarCoder2(LayerNormLlama):
    gated, tied, eps, up, down = False, True, 'norm_epsilon', 'mlp.c_fc', 'mlp.c_proj'

    @staticmethod
    def activation(x):
        return gelu_tanh(x)

    @classmethod
    def biased(cls, c, name):
        return c['use_bias']


class Cohere(LayerNormLlama):
    norm_bias, tied, neighbours = False, True, True

    @classmethod
    def parallel(cls, c):
        return True


class Opt:
    exact = True

    @staticmethod
    def weights(c, draw):
        d, (width, heads, groups, size) = Drawn(draw), sizes(c)
        d.table('model.decoder.embed_tokens', c['vocab_size'], width)
        d.table('model.decoder.embed_positions', c['max_position_embeddings'] + 2, width, spread=0.5)
        for n in range(c['num_hidden_layers']):
            h = f'model.decoder.layers.{n}.'
            for name in ('q_proj', 'k_proj', 'v_proj', 'out_proj'):
                d.linear(h + 'self_attn.' + name, width, width)
            d.norm(h + 'self_attn_layer_norm', width)
            d.norm(h + 'final_layer_norm', width)
            d.linear(h + 'fc1', width, c['ffn_dim'])
            d.linear(h + 'fc2', c['ffn_dim'], width)
        if c['do_layer_norm_before']:
            d.norm('model.decoder.final_layer_norm', width)
        return d.w

    @staticmethod
    def forward(c, w, ids, stages):
        m, (width, heads, groups, size) = Loaded(w), sizes(c)
        before = c['do_layer_norm_before']
        norm = lambda name, x: m.layer_norm(name, x, 1e-5)
        word = w['model.decoder.embed_tokens.weight']
        x = stages['embedded'] = word[ids] + w['model.decoder.embed_positions.weight'][2:2 + len(ids)]
        for n in range(c['num_hidden_layers']):
            h = f'model.decoder.layers.{n}.'
            inside = stages[f'layers.{n}.input'] = norm(h + 'self_attn_layer_norm', x) if before else x
            q, k, v = (split_heads(m.linear(f'{h}self_attn.{name}_proj', inside), heads) for name in 'qkv')
            concat = attend(stages, n, q, k, v, causal(len(ids)))
            output = stages[f'layers.{n}.output'] = m.linear(h + 'self_attn.out_proj', concat)
            x = x + output if before else norm(h + 'self_attn_layer_norm', x + output)
            inner = norm(h + 'final_layer_norm', x) if before else x
            inner = m.linear(h + 'fc2', F.relu(m.linear(h + 'fc1', inner)))
            x = x + inner if before else norm(h + 'final_layer_norm', x + inner)
            stages[f'layers.{n}.hidden'] = x
        x = stages['final_hidden'] = norm('model.decoder.final_layer_norm', x) if before else x
        stages['logits'] = F.linear(x, word)


class Bloom:
    """Positions are biases of the scores: -slope (i - j), of five heads, no power of two."""
    exact = True

    @staticmethod
    def weights(c, draw):
        d, width = Drawn(draw), c['n_embed']
        d.table('transformer.word_embeddings', c['vocab_size'], width)
        d.norm('transformer.word_embeddings_layernorm', width)
        for n in range(c['n_layer']):
            h = f'transformer.h.{n}.'
            d.norm(h + 'input_layernorm', width)
            d.norm(h + 'post_attention_layernorm', width)
            d.linear(h + 'self_attention.query_key_value', width, 3 * width)
            d.linear(h + 'self_attention.dense', width, width)
            d.linear(h + 'mlp.dense_h_to_4h', width, 4 * width)
            d.linear(h + 'mlp.dense_4h_to_h', 4 * width, width)
        d.norm('transformer.ln_f', width)
        return d.w

    @staticmethod
    def forward(c, w, ids, stages):
        m, eps, heads, width = Loaded(w), c['layer_norm_epsilon'], c['n_head'], c['n_embed']
        norm = lambda name, x: m.layer_norm(name, x, eps)
        word = w['transformer.word_embeddings.weight']
        x = stages['embedded'] = norm('transformer.word_embeddings_layernorm', word[ids])
        for n in range(c['n_layer']):
            h = f'transformer.h.{n}.'
            inside = stages[f'layers.{n}.input'] = norm(h + 'input_layernorm', x)
            qkv = split_heads(m.linear(h + 'self_attention.query_key_value', inside), heads)
            q, k, v = qkv.split(width // heads, dim=-1)
            concat = attend(stages, n, q, k, v, causal(len(ids)), added=alibi(heads, len(ids)))
            output = stages[f'layers.{n}.output'] = m.linear(h + 'self_attention.dense', concat)
            x = x + output
            inner = gelu_tanh(m.linear(h + 'mlp.dense_h_to_4h', norm(h + 'post_attention_layernorm', x)))
            x = stages[f'layers.{n}.hidden'] = x + m.linear(h + 'mlp.dense_4h_to_h', inner)
        x = stages['final_hidden'] = norm('transformer.ln_f', x)
        stages['logits'] = F.linear(x, word)


BASE = {'vocab_size': 23, 'hidden_size': 18, 'num_hidden_layers': 2, 'num_attention_heads': 3, 'intermediate_size': 13,
        'hidden_act': 'silu', 'max_position_embeddings': 11, 'rope_theta': 10000.0}
PHI3 = {**BASE, 'model_type': 'phi3', 'hidden_size': 40, 'num_attention_heads': 4, 'num_key_value_heads': 2,
        'partial_rotary_factor': 0.6, 'rms_norm_eps': 1e-5, 'sliding_window': 3, 'rope_scaling': None,
        'tie_word_embeddings': False}
LONGROPE_SHORT, LONGROPE_LONG = [1.0, 1.05, 1.1, 1.5, 2.25], [1.0, 2.0, 4.0, 8.0, 16.0]
STABLELM = {**BASE, 'model_type': 'stablelm', 'hidden_size': 24, 'num_key_value_heads': 1, 'layer_norm_eps': 1e-5,
            'partial_rotary_factor': 0.5, 'use_qkv_bias': True, 'use_parallel_residual': False, 'qk_layernorm': False,
            'tie_word_embeddings': False}
STARCODER2 = {**BASE, 'model_type': 'starcoder2', 'num_key_value_heads': 1, 'norm_epsilon': 1e-5, 'use_bias': True,
              'hidden_act': 'gelu_pytorch_tanh', 'sliding_window': 4}
COHERE = {**BASE, 'model_type': 'cohere', 'num_key_value_heads': 3, 'layer_norm_eps': 1e-5, 'logit_scale': 0.375,
          'use_qk_norm': False}
OPT = {'model_type': 'opt', 'vocab_size': 23, 'hidden_size': 15, 'num_hidden_layers': 2, 'num_attention_heads': 3,
       'ffn_dim': 13, 'max_position_embeddings': 11, 'do_layer_norm_before': True, 'activation_function': 'relu',
       'word_embed_proj_dim': 15}
BLOOM = {'model_type': 'bloom', 'vocab_size': 23, 'n_embed': 15, 'n_layer': 2, 'n_head': 5, 'layer_norm_epsilon': 1e-5,
         'apply_residual_connection_post_layernorm': False}
CASES = [('phi3', Phi3, PHI3),
         ('phi3-longrope', Phi3, {**PHI3, 'partial_rotary_factor': 1.0, 'original_max_position_embeddings': 9,
                                  'max_position_embeddings': 36,
                                  'rope_scaling': {'type': 'longrope', 'short_factor': LONGROPE_SHORT,
                                                   'long_factor': LONGROPE_LONG}}),
         ('stablelm', StableLm, STABLELM),
         ('stablelm-parallel', StableLm, {**STABLELM, 'use_parallel_residual': True, 'use_qkv_bias': False,
                                          'num_key_value_heads': 3}),
         ('starcoder2', StarCoder2, STARCODER2),
         ('cohere', Cohere, COHERE),
         ('cohere-normed', Cohere, {**COHERE, 'use_qk_norm': True}),
         ('opt', Opt, OPT),
         ('opt-after', Opt, {**OPT, 'do_layer_norm_before': False}),
         ('bloom', Bloom, BLOOM)]
