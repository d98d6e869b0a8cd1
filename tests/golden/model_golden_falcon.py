"""Falcon (Almazrouei et al. 2023) and MPT (MosaicML 2023), with Hugging Face's names: one key for all heads, or one a
head; rotary positions, or biases of the scores (Press et al. 2022), which Falcon computes in bfloat16."""
import math

import torch
import torch.nn.functional as F

from model_golden_steps import Drawn, Loaded, alibi, attend, causal, frequencies, split_heads, turned


def falcon_alibi(heads, length, size):
    """slope * j in bfloat16, as numbers of the scores, which are divided by the root of a head's size."""
    near = 2 ** math.floor(math.log2(heads))
    slopes = [2 ** (-8 * (k + 1) / near) for k in range(near)]
    slopes += [2 ** (-8 * (k + 0.5) / near) for k in range(heads - near)]
    positions = torch.arange(length)
    rounded = torch.tensor(slopes, dtype=torch.float32)[:, None].bfloat16() * positions[None]
    assert rounded.dtype == torch.bfloat16
    return rounded.double()[:, None] / math.sqrt(size)


class Falcon:
    """Three layouts of the fused rows: [Q K V] of one key for all heads, [q_h k_h v_h] of every head, and, in the new
    architecture, [q_h .. k_g v_g] of every group of heads."""
    exact = True

    @staticmethod
    def rows(c, size):
        if c['new_decoder_architecture']:
            return (c['num_attention_heads'] + 2 * c['num_kv_heads']) * size
        return (c['num_attention_heads'] + 2) * size if c['multi_query'] else 3 * c['hidden_size']

    @staticmethod
    def norms(c):
        """Of attention, and of the MLP where it has its own."""
        if c['new_decoder_architecture'] and c.get('num_ln_in_parallel_attn') in (None, 2):
            return 'ln_attn', 'ln_mlp'
        return 'input_layernorm', None if c['parallel_attn'] else 'post_attention_layernorm'

    @staticmethod
    def weights(c, draw):
        d, width, bias = Drawn(draw), c['hidden_size'], c['bias']
        size, inner = width // c['num_attention_heads'], c.get('ffn_hidden_size') or 4 * width
        d.table('transformer.word_embeddings', c['vocab_size'], width)
        for n in range(c['num_hidden_layers']):
            h = f'transformer.h.{n}.'
            for name in Falcon.norms(c):
                if name is not None:
                    d.norm(h + name, width)
            d.linear(h + 'self_attention.query_key_value', width, Falcon.rows(c, size), bias)
            d.linear(h + 'self_attention.dense', width, width, bias)
            d.linear(h + 'mlp.dense_h_to_4h', width, inner, bias)
            d.linear(h + 'mlp.dense_4h_to_h', inner, width, bias)
        d.norm('transformer.ln_f', width)
        d.w['lm_head.weight'] = d.w['transformer.word_embeddings.weight'].clone()
        return d.w

    @staticmethod
    def heads_of(c, qkv):
        heads = c['num_attention_heads']
        size = c['hidden_size'] // heads
        if c['new_decoder_architecture']:
            groups = qkv.view(len(qkv), c['num_kv_heads'], -1, size)
            q = groups[:, :, :-2].reshape(len(qkv), heads, size)
            return q.transpose(0, 1), groups[:, :, -2].transpose(0, 1), groups[:, :, -1].transpose(0, 1)
        if c['multi_query']:
            q, k, v = qkv.split([heads * size, size, size], -1)
            return split_heads(q, heads), split_heads(k, 1), split_heads(v, 1)
        return split_heads(qkv, heads).split(size, dim=-1)

    @classmethod
    def forward(cls, c, w, ids, stages):
        m, eps, heads, length = Loaded(w), c['layer_norm_epsilon'], c['num_attention_heads'], len(ids)
        size = c['hidden_size'] // heads
        norm = lambda name, x: m.layer_norm(name, x, eps)
        added = falcon_alibi(heads, length, size) if c['alibi'] else None
        turn = (lambda x: x) if c['alibi'] else (lambda x: turned(x, frequencies(c['rope_theta'], size)))
        word = w['transformer.word_embeddings.weight']
        x = stages['embedded'] = word[ids]
        for n in range(c['num_hidden_layers']):
            h = f'transformer.h.{n}.'
            first, second = cls.norms(c)
            inside = stages[f'layers.{n}.input'] = norm(h + first, x)
            q, k, v = cls.heads_of(c, m.linear(h + 'self_attention.query_key_value', inside))
            concat = attend(stages, n, turn(q), turn(k), v, causal(length), added=added)
            output = stages[f'layers.{n}.output'] = m.linear(h + 'self_attention.dense', concat)
            between = norm(h + second, x if c['parallel_attn'] else x + output) if second else inside
            inner = m.linear(h + 'mlp.dense_4h_to_h', F.gelu(m.linear(h + 'mlp.dense_h_to_4h', between)))
            x = stages[f'layers.{n}.hidden'] = x + output + inner
        x = stages['final_hidden'] = norm('transformer.ln_f', x)
        stages['logits'] = F.linear(x, word)


def mpt_alibi(heads, length, most):
    """Slopes of twice as many heads as the next smaller power of two, every second one first."""
    near = 2 ** math.ceil(math.log2(heads))
    slopes = [2 ** (-most * (k + 1) / near) for k in range(near)]
    if near != heads:
        slopes = (slopes[1::2] + slopes[::2])[:heads]
    assert most != 8 or torch.allclose(torch.tensor(slopes)[:, None, None] * -distances(length), alibi(heads, length))
    return -torch.tensor(slopes, dtype=torch.float64)[:, None, None] * distances(length)


def distances(length):
    return (torch.arange(length)[:, None] - torch.arange(length)[None]).abs().double()


class Mpt:
    exact = True

    @staticmethod
    def weights(c, draw):
        d, width, inner, bias = Drawn(draw), c['d_model'], c['d_model'] * c['expansion_ratio'], not c['no_bias']
        d.table('transformer.wte', c['vocab_size'], width)
        for n in range(c['n_layers']):
            h = f'transformer.blocks.{n}.'
            d.norm(h + 'norm_1', width, bias)
            d.linear(h + 'attn.Wqkv', width, 3 * width, bias)
            d.linear(h + 'attn.out_proj', width, width, bias)
            if c['attn_config']['qk_ln']:
                d.norm(h + 'attn.q_ln', width, bias)
                d.norm(h + 'attn.k_ln', width, bias)
            d.norm(h + 'norm_2', width, bias)
            d.linear(h + 'ffn.up_proj', width, inner, bias)
            d.linear(h + 'ffn.down_proj', inner, width, bias)
        d.norm('transformer.norm_f', width, bias)
        return d.w

    @staticmethod
    def forward(c, w, ids, stages):
        m, heads, length, attention = Loaded(w), c['n_heads'], len(ids), c['attn_config']
        norm = lambda name, x: m.layer_norm(name, x, c['layer_norm_epsilon'])
        added = mpt_alibi(heads, length, attention['alibi_bias_max'])
        word = w['transformer.wte.weight']
        x = stages['embedded'] = word[ids]
        for n in range(c['n_layers']):
            h = f'transformer.blocks.{n}.'
            inside = stages[f'layers.{n}.input'] = norm(h + 'norm_1', x)
            qkv = m.linear(h + 'attn.Wqkv', inside)
            if attention['clip_qkv']:
                assert 0.02 < (qkv.abs() > attention['clip_qkv']).double().mean() < 0.7
                qkv = qkv.clamp(-attention['clip_qkv'], attention['clip_qkv'])
            q, k, v = qkv.chunk(3, -1)
            if attention['qk_ln']:
                q, k = norm(h + 'attn.q_ln', q), norm(h + 'attn.k_ln', k)
            q, k, v = (split_heads(part, heads) for part in (q, k, v))
            concat = attend(stages, n, q, k, v, causal(length), attention['softmax_scale'], added=added)
            output = stages[f'layers.{n}.output'] = m.linear(h + 'attn.out_proj', concat)
            x = x + output
            inner = F.gelu(m.linear(h + 'ffn.up_proj', norm(h + 'norm_2', x)))
            x = stages[f'layers.{n}.hidden'] = x + m.linear(h + 'ffn.down_proj', inner)
        x = stages['final_hidden'] = norm('transformer.norm_f', x)
        scale = c['logit_scale'] or 1.0
        stages['logits'] = F.linear(x, word) * (c['d_model'] ** -0.5 if scale == 'inv_sqrt_d_model' else scale)


FALCON = {'model_type': 'falcon', 'vocab_size': 23, 'hidden_size': 18, 'num_hidden_layers': 2,
          'num_attention_heads': 3, 'layer_norm_epsilon': 1e-5, 'max_position_embeddings': 11, 'rope_theta': 10000.0,
          'alibi': False, 'bias': False, 'multi_query': True, 'parallel_attn': True,
          'new_decoder_architecture': False, 'ffn_hidden_size': 17}
MPT = {'model_type': 'mpt', 'vocab_size': 23, 'd_model': 20, 'n_layers': 2, 'n_heads': 5, 'expansion_ratio': 2,
       'max_seq_len': 11, 'layer_norm_epsilon': 1e-5, 'no_bias': True, 'learned_pos_emb': True, 'logit_scale': None,
       'norm_type': 'low_precision_layernorm',
       'attn_config': {'alibi': True, 'alibi_bias_max': 8, 'attn_impl': 'torch', 'attn_pdrop': 0.0,
                       'attn_type': 'multihead_attention', 'attn_uses_sequence_id': False, 'clip_qkv': None,
                       'prefix_lm': False, 'qk_ln': False, 'softmax_scale': None}}
CASES = [('falcon', Falcon, FALCON),
         ('falcon-alibi', Falcon, {**FALCON, 'hidden_size': 20, 'num_attention_heads': 5, 'alibi': True, 'bias': True,
                                   'multi_query': False, 'parallel_attn': False}),
         ('falcon-grouped', Falcon, {**FALCON, 'hidden_size': 24, 'num_attention_heads': 6, 'num_kv_heads': 2,
                                     'new_decoder_architecture': True, 'bias': True}),
         ('falcon-grouped-one-norm', Falcon, {**FALCON, 'hidden_size': 16, 'num_attention_heads': 4, 'num_kv_heads': 2,
                                              'new_decoder_architecture': True, 'num_ln_in_parallel_attn': 1}),
         ('mpt', Mpt, MPT),
         ('mpt-steep', Mpt, {**MPT, 'attn_config': {**MPT['attn_config'], 'alibi_bias_max': 3,
                                                    'softmax_scale': 0.3}}),
         ('mpt-held', Mpt, {**MPT, 'no_bias': False, 'logit_scale': 'inv_sqrt_d_model',
                            'attn_config': {**MPT['attn_config'], 'clip_qkv': 1.5}}),
         ('mpt-normed', Mpt, {**MPT, 'logit_scale': 0.5,
                              'attn_config': {**MPT['attn_config'], 'clip_qkv': 2, 'qk_ln': True}})]
