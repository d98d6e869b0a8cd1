"""Gemma 2 (Gemma Team 2024) and the text models of Gemma 3 (2025), with Hugging Face's names: norms before and after
attention and MLP, weights of norms added to 1, windows in some layers, caps of scores and logits (2), norms of heads and
two bases of rotary positions (3)."""
import torch
import torch.nn.functional as F

from model_golden_steps import Drawn, Loaded, attend, causal, frequencies, split_heads, turned


class Gemma2:
    exact = True
    body = 'model.'

    @classmethod
    def weights(cls, c, draw):
        d, width, size = Drawn(draw), c['hidden_size'], c['head_dim']
        d.table(cls.body + 'embed_tokens', c['vocab_size'], width)
        rows = dict(q_proj=c['num_attention_heads'], k_proj=c['num_key_value_heads'], v_proj=c['num_key_value_heads'])
        for n in range(c['num_hidden_layers']):
            h = f'{cls.body}layers.{n}.'
            for name in ('input', 'post_attention', 'pre_feedforward', 'post_feedforward'):
                d.norm(f'{h}{name}_layernorm', width, False, mean=0.0)
            for name, heads in rows.items():
                d.linear(h + 'self_attn.' + name, width, heads * size, False)
            d.linear(h + 'self_attn.o_proj', c['num_attention_heads'] * size, width, False)
            cls.add_head_norms(d, h, size)
            for name in ('gate_proj', 'up_proj'):
                d.linear(h + 'mlp.' + name, width, c['intermediate_size'], False)
            d.linear(h + 'mlp.down_proj', c['intermediate_size'], width, False)
        d.norm(cls.body + 'norm', width, False, mean=0.0)
        return d.w

    @staticmethod
    def add_head_norms(d, h, size):
        pass

    @staticmethod
    def has_window(c, n):
        return n % 2 == 0

    @staticmethod
    def head_norm(m, c, name, x):
        return x

    @staticmethod
    def inverse(c, windowed):
        return frequencies(c['rope_theta'], c['head_dim'])

    @classmethod
    def forward(cls, c, w, ids, stages):
        m, eps, body = Loaded(w), c['rms_norm_eps'], cls.body
        norm = lambda name, x: m.rms_norm(name, x, eps, True)
        word = w[body + 'embed_tokens.weight']
        x = stages['embedded'] = word[ids] * torch.tensor(c['hidden_size'] ** 0.5).double()
        for n in range(c['num_hidden_layers']):
            h, windowed = f'{body}layers.{n}.', cls.has_window(c, n)
            inverse = cls.inverse(c, windowed)
            inside = stages[f'layers.{n}.input'] = norm(h + 'input_layernorm', x)
            q = split_heads(m.linear(h + 'self_attn.q_proj', inside), c['num_attention_heads'])
            k = split_heads(m.linear(h + 'self_attn.k_proj', inside), c['num_key_value_heads'])
            v = split_heads(m.linear(h + 'self_attn.v_proj', inside), c['num_key_value_heads'])
            q, k = (cls.head_norm(m, c, f'{h}self_attn.{name}_norm', part) for name, part in (('q', q), ('k', k)))
            concat = attend(stages, n, turned(q, inverse), turned(k, inverse), v,
                            causal(len(ids), c['sliding_window'] if windowed else None),
                            c['query_pre_attn_scalar'] ** -0.5, c.get('attn_logit_softcapping'))
            output = stages[f'layers.{n}.output'] = m.linear(h + 'self_attn.o_proj', concat)
            added = stages[f'layers.{n}.attention_norm_out'] = norm(h + 'post_attention_layernorm', output)
            x = x + added
            inner = norm(h + 'pre_feedforward_layernorm', x)
            gate = F.gelu(m.linear(h + 'mlp.gate_proj', inner), approximate='tanh')
            inner = m.linear(h + 'mlp.down_proj', gate * m.linear(h + 'mlp.up_proj', inner))
            x = stages[f'layers.{n}.hidden'] = x + norm(h + 'post_feedforward_layernorm', inner)
        x = stages['final_hidden'] = norm(body + 'norm', x)
        logits = F.linear(x, word)
        cap = c.get('final_logit_softcapping')
        stages['logits'] = logits if cap is None else cap * torch.tanh(logits / cap)


class Gemma3(Gemma2):
    @staticmethod
    def add_head_norms(d, h, size):
        for name in ('q_norm', 'k_norm'):
            d.norm(h + 'self_attn.' + name, size, False, mean=0.3)

    @staticmethod
    def has_window(c, n):
        if 'layer_types' in c:
            return c['layer_types'][n] == 'sliding_attention'
        return (n + 1) % c['sliding_window_pattern'] != 0

    @staticmethod
    def head_norm(m, c, name, x):
        return m.rms_norm(name, x, c['rms_norm_eps'], True)

    @staticmethod
    def inverse(c, windowed):
        if windowed:
            return frequencies(c['rope_local_base_freq'], c['head_dim'])
        scaling = c.get('rope_scaling') or {'factor': 1.0}
        return (frequencies(c['rope_theta'], c['head_dim']).float() / scaling['factor']).double()


class Gemma3Wrapped(Gemma3):
    """The text model inside of one that also sees: its configuration and tensors lie one step deeper."""
    body = 'language_model.model.'

    @classmethod
    def weights(cls, c, draw):
        return super().weights(c['text_config'], draw)

    @classmethod
    def forward(cls, c, w, ids, stages):
        super().forward(c['text_config'], w, ids, stages)


GEMMA2 = {'model_type': 'gemma2', 'vocab_size': 23, 'hidden_size': 15, 'num_hidden_layers': 3,
          'num_attention_heads': 4, 'num_key_value_heads': 2, 'head_dim': 6, 'intermediate_size': 13,
          'hidden_activation': 'gelu_pytorch_tanh', 'max_position_embeddings': 64, 'rms_norm_eps': 1e-6,
          'rope_theta': 10000.0, 'query_pre_attn_scalar': 11, 'sliding_window': 3, 'attn_logit_softcapping': 3.0,
          'final_logit_softcapping': 2.5, 'attention_bias': False}
GEMMA3 = {'model_type': 'gemma3_text', 'vocab_size': 23, 'hidden_size': 15, 'num_hidden_layers': 3,
          'num_attention_heads': 3, 'num_key_value_heads': 1, 'head_dim': 6, 'intermediate_size': 13,
          'hidden_activation': 'gelu_pytorch_tanh', 'max_position_embeddings': 64, 'rms_norm_eps': 1e-6,
          'rope_theta': 1000000.0, 'rope_local_base_freq': 10000.0, 'query_pre_attn_scalar': 7, 'sliding_window': 3,
          'sliding_window_pattern': 2, 'attention_bias': False}
CASES = [('gemma2', Gemma2, GEMMA2),
         ('gemma3', Gemma3, GEMMA3),
         ('gemma3-wrapped', Gemma3Wrapped, {
             'model_type': 'gemma3', 'vocab_size': 23, 'text_config': {
                 **{k: v for k, v in GEMMA3.items() if k != 'sliding_window_pattern'},
                 'layer_types': ['full_attention', 'sliding_attention', 'full_attention'],
                 'rope_scaling': {'rope_type': 'linear', 'factor': 8.0}}})]
