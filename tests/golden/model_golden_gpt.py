"""GPT-2 (Radford et al. 2019; OpenAI's model.py, Hugging Face's names), nanoGPT, minGPT, and Headscope's own
attention-only models: learned positions, norms before each part."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def heads_of(x, heads):
    length, width = x.shape
    return x.view(length, heads, width // heads).transpose(0, 1)


def record_attention(stages, layer, q, k, v, scale, visible):
    """Scaled dot-product attention, head by head; [heads, len, head_dim] -> [len, heads * head_dim]."""
    scores = torch.matmul(q, k.transpose(-2, -1)) * scale
    weights = F.softmax(scores.masked_fill(~visible, float('-inf')), dim=-1)
    context = torch.matmul(weights, v)
    concat = context.transpose(0, 1).reshape(context.shape[1], -1)
    for name, value in dict(query=q, key=k, value=v, scores=scores, weights=weights, context=context).items():
        stages[f'layers.{layer}.{name}'] = value
    return concat


def pre_norm_layer(stages, layer, x, heads, visible, w, activation, eps):
    """w: norm_1, qkv, output, norm_2, up, down as (weight [out, in], bias or None)."""
    width = x.shape[1]
    inside = F.layer_norm(x, (width,), *w['norm_1'], eps)
    stages[f'layers.{layer}.input'] = inside
    q, k, v = (heads_of(part, heads) for part in F.linear(inside, *w['qkv']).split(width, dim=-1))
    concat = record_attention(stages, layer, q, k, v, 1 / math.sqrt(width // heads), visible)
    output = F.linear(concat, *w['output'])
    stages[f'layers.{layer}.output'] = output
    hidden = x + output
    if 'up' in w:
        inner = F.layer_norm(hidden, (width,), *w['norm_2'], eps)
        hidden = hidden + F.linear(activation(F.linear(inner, *w['up'])), *w['down'])
    stages[f'layers.{layer}.hidden'] = hidden
    check_with_torch(x, inside, output, hidden, heads, visible, w, activation, eps)
    return hidden


def check_with_torch(x, inside, output, hidden, heads, visible, w, activation, eps):
    width = x.shape[1]
    attention = nn.MultiheadAttention(width, heads, batch_first=True)
    zeros = torch.zeros
    attention.in_proj_weight.copy_(w['qkv'][0])
    attention.in_proj_bias.copy_(w['qkv'][1] if w['qkv'][1] is not None else zeros(3 * width))
    attention.out_proj.weight.copy_(w['output'][0])
    attention.out_proj.bias.copy_(w['output'][1] if w['output'][1] is not None else zeros(width))
    theirs, _ = attention(inside[None], inside[None], inside[None], attn_mask=~visible)
    assert torch.allclose(theirs[0], output, atol=2e-5), (theirs[0] - output).abs().max()
    if 'up' not in w:
        return
    whole = nn.TransformerEncoderLayer(width, heads, w['up'][0].shape[0], 0.0, activation, eps, True, norm_first=True)
    whole.self_attn = attention
    for linear, name in ((whole.linear1, 'up'), (whole.linear2, 'down'), (whole.norm1, 'norm_1'),
                         (whole.norm2, 'norm_2')):
        linear.weight.copy_(w[name][0])
        linear.bias.copy_(w[name][1] if w[name][1] is not None else zeros(linear.bias.shape))
    whole.train()  # the plain road, without fused kernels; dropout is 0
    theirs = whole(x[None], src_mask=~visible)[0]
    assert torch.allclose(theirs, hidden, atol=5e-5), (theirs - hidden).abs().max()


def gelu_tanh(x):
    return F.gelu(x, approximate='tanh')


def causal(length):
    return torch.ones(length, length, dtype=torch.bool).tril()


class Gpt2:
    """Conv1D matrices: [in, out]."""
    transposed = True
    prefix = 'transformer.'

    @staticmethod
    def activation(config):
        return gelu_tanh

    @classmethod
    def weights(cls, config, draw):
        width, inner = config['n_embd'], config.get('n_inner') or 4 * config['n_embd']
        positions = config.get('n_positions') or config['block_size']
        biased = config.get('bias', True)
        p = cls.prefix
        w = {p + 'wte.weight': draw.normal(config['vocab_size'], width, spread=0.8),
             p + 'wpe.weight': draw.normal(positions, width, spread=0.5)}

        def norm(name):
            w[name + '.weight'] = draw.normal(width, spread=0.3, mean=1.0)
            if biased:
                w[name + '.bias'] = draw.normal(width, spread=0.2)

        def linear(name, n_in, n_out):
            w[name + '.weight'] = draw.normal(*((n_in, n_out) if cls.transposed else (n_out, n_in)))
            if biased:
                w[name + '.bias'] = draw.normal(n_out, spread=0.3)

        for layer in range(config['n_layer']):
            h = f'{p}h.{layer}.'
            norm(h + 'ln_1')
            cls.add_buffers(w, h, positions)
            linear(h + 'attn.c_attn', width, 3 * width)
            linear(h + 'attn.c_proj', width, width)
            norm(h + 'ln_2')
            linear(h + 'mlp.c_fc', width, inner)
            linear(h + 'mlp.c_proj', inner, width)
        norm(p + 'ln_f')
        cls.add_head(w, config, draw)
        return w

    @staticmethod
    def add_buffers(w, h, positions):
        pass

    @staticmethod
    def add_head(w, config, draw):
        pass

    @classmethod
    def forward(cls, config, w, ids, stages):
        p, eps, heads = cls.prefix, config.get('layer_norm_epsilon', 1e-5), config['n_head']
        x = F.embedding(ids, w[p + 'wte.weight']) + w[p + 'wpe.weight'][:len(ids)]
        stages['embedded'] = x

        def pair(name, matrix=False):
            weight = w[name + '.weight']
            return weight.t() if matrix and cls.transposed else weight, w.get(name + '.bias')

        for layer in range(config['n_layer']):
            h = f'{p}h.{layer}.'
            parts = dict(norm_1=pair(h + 'ln_1'), norm_2=pair(h + 'ln_2'), qkv=pair(h + 'attn.c_attn', True),
                         output=pair(h + 'attn.c_proj', True), up=pair(h + 'mlp.c_fc', True),
                         down=pair(h + 'mlp.c_proj', True))
            x = pre_norm_layer(stages, layer, x, heads, causal(len(ids)), parts, cls.activation(config), eps)
        x = F.layer_norm(x, x.shape[1:], *pair(p + 'ln_f'), eps)
        stages['final_hidden'] = x
        stages['logits'] = F.linear(x, w.get('lm_head.weight', w[p + 'wte.weight']))


class NanoGpt(Gpt2):
    """torch.nn.Linear; the exact gelu since there is `bias`; the tied matrix is saved twice."""
    transposed = False

    @staticmethod
    def activation(config):
        return F.gelu

    @staticmethod
    def add_head(w, config, draw):
        w['lm_head.weight'] = w['transformer.wte.weight'].clone()


class MinGpt(NanoGpt):
    """The approximate gelu, a head of its own, the causal mask among the tensors."""

    @staticmethod
    def activation(config):
        return gelu_tanh

    @staticmethod
    def add_buffers(w, h, positions):
        w[h + 'attn.bias'] = torch.ones(1, 1, positions, positions).tril()

    @staticmethod
    def add_head(w, config, draw):
        w['lm_head.weight'] = draw.normal(config['vocab_size'], config['n_embd'])


class AttentionOnly:
    @staticmethod
    def weights(config, draw):
        width, vocab = config['hidden_size'], config['vocab_size']
        w = {'embedding.weight': draw.normal(vocab, width, spread=0.8),
             'position.weight': draw.normal(config['max_position_embeddings'], width, spread=0.5)}
        for name in [f'layers.{i}.norm' for i in range(config['num_hidden_layers'])] + ['norm']:
            w[name + '.weight'] = draw.normal(width, spread=0.3, mean=1.0)
            w[name + '.bias'] = draw.normal(width, spread=0.2)
        for layer in range(config['num_hidden_layers']):
            for name, rows in (('qkv', 3 * width), ('output', width)):
                w[f'layers.{layer}.{name}.weight'] = draw.normal(rows, width)
                w[f'layers.{layer}.{name}.bias'] = draw.normal(rows, spread=0.3)
        if not config['tie_word_embeddings']:
            w['output.weight'] = draw.normal(vocab, width)
        return w

    @staticmethod
    def forward(config, w, ids, stages):
        eps, length = config['layer_norm_eps'], len(ids)
        x = w['embedding.weight'][ids] + w['position.weight'][:length]
        stages['embedded'] = x
        visible = causal(length) if config['is_decoder'] else torch.ones(length, length, dtype=torch.bool)
        for layer in range(config['num_hidden_layers']):
            pair = lambda name: (w[f'layers.{layer}.{name}.weight'], w[f'layers.{layer}.{name}.bias'])
            parts = dict(norm_1=pair('norm'), qkv=pair('qkv'), output=pair('output'))
            x = pre_norm_layer(stages, layer, x, config['num_attention_heads'], visible, parts, None, eps)
        x = F.layer_norm(x, x.shape[1:], w['norm.weight'], w['norm.bias'], eps)
        stages['final_hidden'] = x
        stages['logits'] = F.linear(x, w.get('output.weight', w['embedding.weight']))


GPT2 = {'model_type': 'gpt2', 'vocab_size': 24, 'n_embd': 12, 'n_layer': 2, 'n_head': 3, 'n_inner': 16,
        'n_positions': 10, 'n_ctx': 10, 'layer_norm_epsilon': 1e-5, 'activation_function': 'gelu_new'}
KARPATHY = {'vocab_size': 24, 'n_embd': 12, 'n_layer': 2, 'n_head': 3, 'block_size': 8}
DEMO = {'model_type': 'attention_only', 'vocab_size': 24, 'hidden_size': 12, 'num_hidden_layers': 2,
        'num_attention_heads': 3, 'max_position_embeddings': 8, 'layer_norm_eps': 1e-5}
CASES = [('gpt2', Gpt2, GPT2),
         ('nanogpt', NanoGpt, {**KARPATHY, 'bias': False}),
         ('mingpt', MinGpt, {'model_type': 'mingpt', **KARPATHY}),
         ('attention-only-encoder', AttentionOnly, {**DEMO, 'is_decoder': False, 'tie_word_embeddings': True}),
         ('attention-only-decoder', AttentionOnly, {**DEMO, 'is_decoder': True, 'tie_word_embeddings': False})]
