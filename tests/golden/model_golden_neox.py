"""Models whose attention and MLP read the same stream: GPT-NeoX (Black et al. 2022; Pythia, Biderman et al. 2023), GPT-J
(Wang and Komatsuzaki 2021) and Phi (Gunasekar et al. 2023), with Hugging Face's names."""
import torch.nn.functional as F

from model_golden_steps import Drawn, Loaded, attend, causal, frequencies, split_heads, turned


def gelu_tanh(x):
    return F.gelu(x, approximate='tanh')


class GptNeoX:
    """Two norms of one stream, rows [q_h k_h v_h] of every head, rotary positions of a head's first features."""
    exact = True

    @staticmethod
    def weights(c, draw):
        d, width, inner = Drawn(draw), c['hidden_size'], c['intermediate_size']
        bias = c.get('attention_bias', True)
        d.table('gpt_neox.embed_in', c['vocab_size'], width)
        for n in range(c['num_hidden_layers']):
            h = f'gpt_neox.layers.{n}.'
            d.norm(h + 'input_layernorm', width)
            d.norm(h + 'post_attention_layernorm', width)
            d.linear(h + 'attention.query_key_value', width, 3 * width, bias)
            d.linear(h + 'attention.dense', width, width, bias)
            d.linear(h + 'mlp.dense_h_to_4h', width, inner)
            d.linear(h + 'mlp.dense_4h_to_h', inner, width)
            d.w[h + 'attention.bias'] = causal(c['max_position_embeddings'])[None, None]
            d.w[h + 'attention.masked_bias'] = draw.normal(1)[0]
        d.norm('gpt_neox.final_layer_norm', width)
        d.linear('embed_out', width, c['vocab_size'], False)
        return d.w

    @staticmethod
    def forward(c, w, ids, stages):
        m, eps, heads = Loaded(w), c['layer_norm_eps'], c['num_attention_heads']
        size = c['hidden_size'] // heads
        inverse = frequencies(c['rotary_emb_base'], int(size * c['rotary_pct']))
        x = stages['embedded'] = w['gpt_neox.embed_in.weight'][ids]
        for n in range(c['num_hidden_layers']):
            h = f'gpt_neox.layers.{n}.'
            inside = stages[f'layers.{n}.input'] = m.layer_norm(h + 'input_layernorm', x, eps)
            qkv = split_heads(m.linear(h + 'attention.query_key_value', inside), heads)
            q, k, v = qkv.split(size, dim=-1)
            concat = attend(stages, n, turned(q, inverse), turned(k, inverse), v, causal(len(ids)))
            output = stages[f'layers.{n}.output'] = m.linear(h + 'attention.dense', concat)
            mlp_from = x if c['use_parallel_residual'] else x + output
            inner = m.layer_norm(h + 'post_attention_layernorm', mlp_from, eps)
            inner = F.gelu(m.linear(h + 'mlp.dense_h_to_4h', inner))
            x = stages[f'layers.{n}.hidden'] = x + output + m.linear(h + 'mlp.dense_4h_to_h', inner)
        x = stages['final_hidden'] = m.layer_norm('gpt_neox.final_layer_norm', x, eps)
        stages['logits'] = m.linear('embed_out', x)


class GptJ:
    """One norm for attention and MLP, neighbours turned, no biases in attention, a bias of the decoder."""
    exact = True

    @staticmethod
    def weights(c, draw):
        d, width = Drawn(draw), c['n_embd']
        d.table('transformer.wte', c['vocab_size'], width)
        for n in range(c['n_layer']):
            h = f'transformer.h.{n}.'
            d.norm(h + 'ln_1', width)
            for name in ('q_proj', 'k_proj', 'v_proj', 'out_proj'):
                d.linear(h + 'attn.' + name, width, width, False)
            d.linear(h + 'mlp.fc_in', width, 4 * width)
            d.linear(h + 'mlp.fc_out', 4 * width, width)
        d.norm('transformer.ln_f', width)
        d.linear('lm_head', width, c['vocab_size'])
        return d.w

    @staticmethod
    def forward(c, w, ids, stages):
        m, eps, heads = Loaded(w), c['layer_norm_epsilon'], c['n_head']
        inverse = frequencies(10000.0, c['rotary_dim'])
        x = stages['embedded'] = w['transformer.wte.weight'][ids]
        for n in range(c['n_layer']):
            h = f'transformer.h.{n}.'
            inside = stages[f'layers.{n}.input'] = m.layer_norm(h + 'ln_1', x, eps)
            q, k, v = (split_heads(m.linear(h + 'attn.' + name, inside), heads)
                       for name in ('q_proj', 'k_proj', 'v_proj'))
            concat = attend(stages, n, turned(q, inverse, True), turned(k, inverse, True), v, causal(len(ids)))
            output = stages[f'layers.{n}.output'] = m.linear(h + 'attn.out_proj', concat)
            inner = m.linear(h + 'mlp.fc_out', gelu_tanh(m.linear(h + 'mlp.fc_in', inside)))
            x = stages[f'layers.{n}.hidden'] = x + output + inner
        x = stages['final_hidden'] = m.layer_norm('transformer.ln_f', x, eps)
        stages['logits'] = m.linear('lm_head', x)


class Phi:
    """One norm for attention and MLP, halves turned, biases everywhere."""
    exact = True

    @staticmethod
    def weights(c, draw):
        d, width = Drawn(draw), c['hidden_size']
        d.table('model.embed_tokens', c['vocab_size'], width)
        size = width // c['num_attention_heads']
        for n in range(c['num_hidden_layers']):
            h = f'model.layers.{n}.'
            d.norm(h + 'input_layernorm', width)
            for name, rows in (('q_proj', width), ('k_proj', c['num_key_value_heads'] * size),
                               ('v_proj', c['num_key_value_heads'] * size), ('dense', width)):
                d.linear(h + 'self_attn.' + name, width, rows)
            d.linear(h + 'mlp.fc1', width, c['intermediate_size'])
            d.linear(h + 'mlp.fc2', c['intermediate_size'], width)
        d.norm('model.final_layernorm', width)
        d.linear('lm_head', width, c['vocab_size'])
        return d.w

    @staticmethod
    def forward(c, w, ids, stages):
        m, eps, heads = Loaded(w), c['layer_norm_eps'], c['num_attention_heads']
        inverse = frequencies(c['rope_theta'], int(c['hidden_size'] // heads * c['partial_rotary_factor']))
        x = stages['embedded'] = w['model.embed_tokens.weight'][ids]
        for n in range(c['num_hidden_layers']):
            h = f'model.layers.{n}.'
            inside = stages[f'layers.{n}.input'] = m.layer_norm(h + 'input_layernorm', x, eps)
            q = split_heads(m.linear(h + 'self_attn.q_proj', inside), heads)
            k, v = (split_heads(m.linear(h + 'self_attn.' + name, inside), c['num_key_value_heads'])
                    for name in ('k_proj', 'v_proj'))
            concat = attend(stages, n, turned(q, inverse), turned(k, inverse), v, causal(len(ids)))
            output = stages[f'layers.{n}.output'] = m.linear(h + 'self_attn.dense', concat)
            inner = m.linear(h + 'mlp.fc2', gelu_tanh(m.linear(h + 'mlp.fc1', inside)))
            x = stages[f'layers.{n}.hidden'] = x + output + inner
        x = stages['final_hidden'] = m.layer_norm('model.final_layernorm', x, eps)
        stages['logits'] = m.linear('lm_head', x)


NEOX = {'model_type': 'gpt_neox', 'vocab_size': 23, 'hidden_size': 30, 'num_hidden_layers': 2,
        'num_attention_heads': 3, 'intermediate_size': 17, 'hidden_act': 'gelu', 'rotary_pct': 0.45,
        'rotary_emb_base': 10000, 'max_position_embeddings': 11, 'layer_norm_eps': 1e-5,
        'use_parallel_residual': True, 'tie_word_embeddings': False}
GPTJ = {'model_type': 'gptj', 'vocab_size': 23, 'n_embd': 18, 'n_layer': 2, 'n_head': 3, 'n_positions': 11,
        'rotary_dim': 4, 'n_inner': None, 'activation_function': 'gelu_new', 'layer_norm_epsilon': 1e-5,
        'tie_word_embeddings': False}
PHI = {'model_type': 'phi', 'vocab_size': 23, 'hidden_size': 20, 'num_hidden_layers': 2, 'num_attention_heads': 2,
       'num_key_value_heads': 1, 'intermediate_size': 15, 'hidden_act': 'gelu_new', 'partial_rotary_factor': 0.4,
       'rope_theta': 10000.0, 'max_position_embeddings': 11, 'layer_norm_eps': 1e-5, 'qk_layernorm': False,
       'tie_word_embeddings': False}
CASES = [('gpt_neox', GptNeoX, NEOX),
         ('gpt_neox-sequential', GptNeoX, {**NEOX, 'use_parallel_residual': False, 'rotary_pct': 1.0,
                                           'attention_bias': False}),
         ('gptj', GptJ, GPTJ),
         ('phi', Phi, PHI)]
