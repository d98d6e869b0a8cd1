"""OLMo 2 (OLMo Team 2024) and OLMo 3, with Hugging Face's names: norms of results only, queries and keys normalised over
all heads before they are split."""
import torch.nn.functional as F

from model_golden_steps import Drawn, Loaded, attend, causal, frequencies, split_heads, turned


class Olmo2:
    exact = True

    @staticmethod
    def weights(c, draw):
        d, width, heads = Drawn(draw), c['hidden_size'], c['num_attention_heads']
        size, groups = width // heads, c['num_key_value_heads']
        d.table('model.embed_tokens', c['vocab_size'], width)
        for n in range(c['num_hidden_layers']):
            h = f'model.layers.{n}.'
            d.norm(h + 'post_attention_layernorm', width, False)
            d.norm(h + 'post_feedforward_layernorm', width, False)
            for name, rows in (('q', heads * size), ('k', groups * size), ('v', groups * size), ('o', width)):
                d.linear(f'{h}self_attn.{name}_proj', width, rows, False)
            d.norm(h + 'self_attn.q_norm', heads * size, False, mean=1.5)
            d.norm(h + 'self_attn.k_norm', groups * size, False, mean=1.5)
            for name in ('gate_proj', 'up_proj'):
                d.linear(h + 'mlp.' + name, width, c['intermediate_size'], False)
            d.linear(h + 'mlp.down_proj', c['intermediate_size'], width, False)
        d.norm('model.norm', width, False)
        d.linear('lm_head', width, c['vocab_size'], False)
        return d.w

    @staticmethod
    def window(c, n):
        return None

    @classmethod
    def forward(cls, c, w, ids, stages):
        m, eps, heads, groups = Loaded(w), c['rms_norm_eps'], c['num_attention_heads'], c['num_key_value_heads']
        inverse = frequencies(c['rope_theta'], c['hidden_size'] // heads)
        x = stages['embedded'] = w['model.embed_tokens.weight'][ids]
        for n in range(c['num_hidden_layers']):
            h = f'model.layers.{n}.'
            stages[f'layers.{n}.input'] = x
            q = m.rms_norm(h + 'self_attn.q_norm', m.linear(h + 'self_attn.q_proj', x), eps)
            k = m.rms_norm(h + 'self_attn.k_norm', m.linear(h + 'self_attn.k_proj', x), eps)
            q, k = turned(split_heads(q, heads), inverse), turned(split_heads(k, groups), inverse)
            v = split_heads(m.linear(h + 'self_attn.v_proj', x), groups)
            concat = attend(stages, n, q, k, v, causal(len(ids), cls.window(c, n)))
            output = stages[f'layers.{n}.output'] = m.linear(h + 'self_attn.o_proj', concat)
            added = stages[f'layers.{n}.attention_norm_out'] = m.rms_norm(h + 'post_attention_layernorm', output, eps)
            x = x + added
            gate = F.silu(m.linear(h + 'mlp.gate_proj', x))
            inner = m.linear(h + 'mlp.down_proj', gate * m.linear(h + 'mlp.up_proj', x))
            x = stages[f'layers.{n}.hidden'] = x + m.rms_norm(h + 'post_feedforward_layernorm', inner, eps)
        x = stages['final_hidden'] = m.rms_norm('model.norm', x, eps)
        stages['logits'] = m.linear('lm_head', x)


class Olmo3(Olmo2):
    """Every fourth layer sees everything, the others have a window."""

    @staticmethod
    def window(c, n):
        return None if (n + 1) % 4 == 0 else c['sliding_window']


OLMO2 = {'model_type': 'olmo2', 'vocab_size': 23, 'hidden_size': 18, 'num_hidden_layers': 2, 'num_attention_heads': 3,
         'num_key_value_heads': 3, 'intermediate_size': 13, 'hidden_act': 'silu', 'max_position_embeddings': 11,
         'rms_norm_eps': 1e-6, 'rope_theta': 500000.0, 'attention_bias': False, 'tie_word_embeddings': False}
CASES = [('olmo2', Olmo2, OLMO2),
         ('olmo2-grouped', Olmo2, {**OLMO2, 'hidden_size': 24, 'num_attention_heads': 4, 'num_key_value_heads': 2}),
         ('olmo3', Olmo3, {**OLMO2, 'model_type': 'olmo3', 'num_hidden_layers': 4, 'sliding_window': 3})]
