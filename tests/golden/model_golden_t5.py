"""T5 for make_encoder_decoder_golden.py, and the attention of all encoder-decoders with everything that is recorded of
it."""
import math

import torch
import torch.nn.functional as F

from model_golden_steps import Drawn, Loaded


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
        streams = []
        for n in range(c['num_layers'] if encoded is None else c['num_decoder_layers']):
            block, entered = f'{name}.block.{n}.layer.', x
            h = stages[f'{name}.{n}.input'] = m.rms_norm(block + '0.layer_norm', x, eps)
            q, k, v = (split(m.linear(block + '0.SelfAttention.' + part, h), heads) for part in 'qkv')
            concat = attend(stages, f'{name}.{n}', q, k, v, visible, 1.0, bias)
            out = stages[f'{name}.{n}.output'] = m.linear(block + '0.SelfAttention.o', concat)
            x = x + out
            if encoded is not None:
                streams.append(entered)
                h = stages[f'cross.{n}.input'] = m.rms_norm(block + '1.layer_norm', x, eps)
                q = split(m.linear(block + '1.EncDecAttention.q', h), heads)
                k, v = (split(m.linear(block + '1.EncDecAttention.' + part, encoded), heads) for part in 'kv')
                concat = attend(stages, f'cross.{n}', q, k, v, everything(length, encoded.shape[0]), 1.0)
                out = stages[f'cross.{n}.output'] = m.linear(block + '1.EncDecAttention.o', concat)
                x = x + out
            last = block + ('1.' if encoded is None else '2.')
            x = x + cls.mlp(c, m, last + 'DenseReluDense.', m.rms_norm(last + 'layer_norm', x, eps))
        if encoded is not None:
            stages['streams'] = torch.stack(streams + [x])
        return m.rms_norm(f'{name}.final_layer_norm', x, eps)

    @classmethod
    def forward(cls, c, w, ids, decoder_ids, stages):
        m = Loaded(w)
        encoded = stages['encoder.final_hidden'] = cls.stack(c, m, stages, 'encoder', w['shared.weight'][ids])
        x = stages['final_hidden'] = cls.stack(c, m, stages, 'decoder', w['shared.weight'][decoder_ids], encoded)
        tied = c['tie_word_embeddings']
        head = lambda x: F.linear(x * c['d_model'] ** -0.5 if tied else x,
                                  w['shared.weight' if tied else 'lm_head.weight'])
        stages['logits'] = head(x)
        stages['lens'] = head(m.rms_norm('decoder.final_layer_norm', stages['streams'], c['layer_norm_epsilon']))
