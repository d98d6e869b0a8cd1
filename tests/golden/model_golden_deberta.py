"""DeBERTa-v2 and v3 (He et al. 2020 and 2021), under Hugging Face's names: BERT's layers, whose scores have two more
parts, of queries with keys of relative positions and of keys with queries of relative positions.

Scores are summed pair by pair, as the paper has them (section 3.1): no matrix is gathered. Of the paper's algorithm and
its code, which read different rows for the third part, the code decides: both parts read the row of i - j."""
import math

import torch
import torch.nn.functional as F

from model_golden_steps import Drawn, Loaded, split_heads

BODY = 'deberta.'


def bucket(distance, buckets, most):
    """Distances of up to half of the buckets have one of their own, the others share them, farther ones more."""
    middle = buckets // 2
    if buckets < 1 or abs(distance) <= middle:
        return distance
    shared = math.ceil(math.log(abs(distance) / middle) / math.log((most - 1) / middle) * (middle - 1))
    return (shared + middle) * (1 if distance > 0 else -1)


class Deberta:
    exact = True

    @staticmethod
    def rule(c):
        most = c['max_relative_positions'] if c['max_relative_positions'] > 0 else c['max_position_embeddings']
        types = c['pos_att_type']
        return most, c['position_buckets'], types.split('|') if isinstance(types, str) else types

    @classmethod
    def weights(cls, c, draw):
        d, width, inner = Drawn(draw), c['hidden_size'], c['intermediate_size']
        most, buckets, types = cls.rule(c)
        narrow = c.get('embedding_size', width)
        d.table(BODY + 'embeddings.word_embeddings', c['vocab_size'], narrow)
        if c['position_biased_input']:
            d.table(BODY + 'embeddings.position_embeddings', c['max_position_embeddings'], narrow, spread=0.5)
        if c['type_vocab_size'] > 0:
            d.table(BODY + 'embeddings.token_type_embeddings', c['type_vocab_size'], narrow, spread=0.5)
        if narrow != width:
            d.linear(BODY + 'embeddings.embed_proj', narrow, width, False)
        d.norm(BODY + 'embeddings.LayerNorm', width)
        d.table(BODY + 'encoder.rel_embeddings', 2 * (buckets if buckets > 0 else most), width)
        if 'layer_norm' in c['norm_rel_ebd']:
            d.norm(BODY + 'encoder.LayerNorm', width)
        for n in range(c['num_hidden_layers']):
            h = f'{BODY}encoder.layer.{n}.'
            for part in ('query', 'key', 'value'):
                d.linear(f'{h}attention.self.{part}_proj', width, width)
            if not c['share_att_key']:
                for part in [name for name, kind in (('key', 'c2p'), ('query', 'p2c')) if kind in types]:
                    d.linear(f'{h}attention.self.pos_{part}_proj', width, width)
            d.linear(h + 'attention.output.dense', width, width)
            d.norm(h + 'attention.output.LayerNorm', width)
            d.linear(h + 'intermediate.dense', width, inner)
            d.linear(h + 'output.dense', inner, width)
            d.norm(h + 'output.LayerNorm', width)
        if c.get('conv_kernel_size', 0) > 0:
            h, channels = BODY + 'encoder.conv.', width // c.get('conv_groups', 1)
            d.w[h + 'conv.weight'] = d.draw.normal(width, channels, c['conv_kernel_size'], spread=0.3)
            d.w[h + 'conv.bias'] = d.draw.normal(width, spread=0.3)
            d.norm(h + 'LayerNorm', width)
        cls.add_head(d, c)
        return d.w

    @staticmethod
    def add_head(d, c):
        """As the published code stores it; beside it the head of a discriminator."""
        width = c['hidden_size']
        d.linear('lm_predictions.lm_head.dense', width, width)
        d.norm('lm_predictions.lm_head.LayerNorm', width)
        d.w['lm_predictions.lm_head.bias'] = d.draw.normal(c['vocab_size'], spread=0.3)
        d.linear('mask_predictions.dense', width, width)
        d.norm('mask_predictions.LayerNorm', width)
        d.linear('mask_predictions.classifier', width, 1)
        d.w[BODY + 'embeddings.position_ids'] = torch.arange(c['max_position_embeddings'])[None]

    transform, transform_norm = 'lm_predictions.lm_head.dense', 'lm_predictions.lm_head.LayerNorm'
    decoder_bias = 'lm_predictions.lm_head.bias'

    @classmethod
    def positions(cls, c, m, h, part, heads):
        """The table's rows as keys or queries, [heads, rows, head_dim]."""
        rows = m.w[BODY + 'encoder.rel_embeddings.weight']
        if 'layer_norm' in c['norm_rel_ebd']:
            rows = m.layer_norm(BODY + 'encoder.LayerNorm', rows, c['layer_norm_eps'])
        name = f'{part}_proj' if c['share_att_key'] else f'pos_{part}_proj'
        return split_heads(m.linear(f'{h}attention.self.{name}', rows), heads)

    @classmethod
    def attend(cls, c, m, n, x, stages):
        h, heads, length = f'{BODY}encoder.layer.{n}.', c['num_attention_heads'], len(x)
        most, buckets, types = cls.rule(c)
        span = buckets if buckets > 0 else most
        q, k, v = (split_heads(m.linear(f'{h}attention.self.{part}_proj', x), heads)
                   for part in ('query', 'key', 'value'))
        scale = 1 / math.sqrt(q.shape[-1] * (1 + len(types)))
        parts = {name: torch.zeros(heads, length, length, dtype=x.dtype) for name in ['scores'] + types}
        keys = cls.positions(c, m, h, 'key', heads) if 'c2p' in types else None
        queries = cls.positions(c, m, h, 'query', heads) if 'p2c' in types else None
        for i in range(length):
            for j in range(length):
                row = min(max(bucket(i - j, buckets, most) + span, 0), 2 * span - 1)
                parts['scores'][:, i, j] = scale * (q[:, i] * k[:, j]).sum(-1)
                if 'c2p' in types:
                    parts['c2p'][:, i, j] = scale * (q[:, i] * keys[:, row]).sum(-1)
                if 'p2c' in types:
                    parts['p2c'][:, i, j] = scale * (k[:, j] * queries[:, row]).sum(-1)
        total = sum(parts.values())
        weights = F.softmax(total, dim=-1)
        context = torch.matmul(weights, v)
        for name, value in dict(query=q, key=k, value=v, masked_scores=total, weights=weights, context=context,
                                **parts).items():
            stages[f'layers.{n}.{name}'] = value
        return m.linear(h + 'attention.output.dense', context.transpose(0, 1).reshape(length, -1))

    @staticmethod
    def convolved(c, w, x):
        """What the convolution makes of the rows x [len, hidden_size] that enter the first layer, pair by pair."""
        weight, bias = w[BODY + 'encoder.conv.conv.weight'], w[BODY + 'encoder.conv.conv.bias']
        taps, channels = c['conv_kernel_size'], weight.shape[1]
        made = torch.zeros_like(x)
        for i in range(len(x)):
            for d in range(x.shape[1]):
                first = d // channels * channels
                rows = [(t, i + t - (taps - 1) // 2) for t in range(taps)]
                made[i, d] = bias[d] + sum((weight[d, :, t] * x[row, first:first + channels]).sum()
                                           for t, row in rows if 0 <= row < len(x))
        whole = F.conv1d(x.T[None], weight, bias, padding=(taps - 1) // 2, groups=c.get('conv_groups', 1))[0].T
        assert torch.allclose(made, whole)
        return torch.tanh(made) if c.get('conv_act', 'tanh') == 'tanh' else F.gelu(made)

    @classmethod
    def forward(cls, c, w, ids, stages):
        m, eps, e = Loaded(w), c['layer_norm_eps'], BODY + 'embeddings.'
        x = w[e + 'word_embeddings.weight'][ids]
        if c['position_biased_input']:
            x = x + w[e + 'position_embeddings.weight'][:len(ids)]
        if c['type_vocab_size'] > 0:
            x = x + w[e + 'token_type_embeddings.weight'][0]
        if e + 'embed_proj.weight' in w:
            x = m.linear(e + 'embed_proj', x)
        first = x = stages['embedded'] = m.layer_norm(e + 'LayerNorm', x, eps)
        for n in range(c['num_hidden_layers']):
            h = f'{BODY}encoder.layer.{n}.'
            stages[f'layers.{n}.input'] = x
            output = stages[f'layers.{n}.output'] = cls.attend(c, m, n, x, stages)
            x = m.layer_norm(h + 'attention.output.LayerNorm', x + output, eps)
            inner = m.linear(h + 'output.dense', F.gelu(m.linear(h + 'intermediate.dense', x)))
            x = m.layer_norm(h + 'output.LayerNorm', x + inner, eps)
            if n == 0 and c.get('conv_kernel_size', 0) > 0:
                stages['conv_out'] = cls.convolved(c, w, first)
                x = m.layer_norm(BODY + 'encoder.conv.LayerNorm', x + stages['conv_out'], eps)
            stages[f'layers.{n}.hidden'] = x
        stages['final_hidden'] = x
        x = m.layer_norm(cls.transform_norm, F.gelu(m.linear(cls.transform, x)), eps)
        stages['logits'] = F.linear(x, w[e + 'word_embeddings.weight'], w[cls.decoder_bias])


class DebertaTrainedOn(Deberta):
    """With the names that the head has in files of Hugging Face's own masked model."""
    transform, transform_norm = 'cls.predictions.transform.dense', 'cls.predictions.transform.LayerNorm'
    decoder_bias = 'cls.predictions.bias'

    @classmethod
    def add_head(cls, d, c):
        width, narrow = c['hidden_size'], c.get('embedding_size', c['hidden_size'])
        d.linear(cls.transform, width, narrow)
        d.norm(cls.transform_norm, narrow)
        d.w[cls.decoder_bias] = d.draw.normal(c['vocab_size'], spread=0.3)
        d.w['cls.predictions.decoder.weight'] = d.w[BODY + 'embeddings.word_embeddings.weight'].clone()
        d.w['cls.predictions.decoder.bias'] = d.w[cls.decoder_bias].clone()


SIZES = {'architectures': ['DebertaV2ForMaskedLM'], 'model_type': 'deberta-v2', 'vocab_size': 29, 'hidden_size': 18,
         'num_hidden_layers': 2, 'num_attention_heads': 3, 'intermediate_size': 26, 'hidden_act': 'gelu',
         'max_position_embeddings': 12, 'layer_norm_eps': 1e-07, 'pad_token_id': 0, 'relative_attention': True}

# Of 7 tokens the distances reach 6: with 4 buckets beside a most of 6 the last of them lie beyond the table.
CASES = [
    ('deberta_v2', Deberta, {**SIZES, 'type_vocab_size': 0, 'position_biased_input': False,
                             'pos_att_type': 'p2c|c2p', 'share_att_key': True, 'norm_rel_ebd': 'layer_norm',
                             'position_buckets': 4, 'max_relative_positions': 6}),
    ('deberta_v2-wide', Deberta, {**SIZES, 'type_vocab_size': 0, 'position_biased_input': False,
                                  'pos_att_type': ['c2p', 'p2c'], 'share_att_key': True,
                                  'norm_rel_ebd': 'layer_norm', 'position_buckets': 6,
                                  'max_relative_positions': -1}),
    ('deberta_v2-own', DebertaTrainedOn, {**SIZES, 'type_vocab_size': 2, 'position_biased_input': True,
                                          'pos_att_type': ['c2p', 'p2c'], 'share_att_key': False,
                                          'norm_rel_ebd': 'none', 'position_buckets': -1,
                                          'max_relative_positions': 4}),
    ('deberta_v2-c2p', Deberta, {**SIZES, 'type_vocab_size': 0, 'position_biased_input': False,
                                 'pos_att_type': ['c2p'], 'share_att_key': False, 'norm_rel_ebd': 'layer_norm',
                                 'position_buckets': 4, 'max_relative_positions': 9}),
    ('deberta_v2-p2c', Deberta, {**SIZES, 'type_vocab_size': 0, 'position_biased_input': False,
                                 'pos_att_type': ['p2c'], 'share_att_key': True, 'norm_rel_ebd': 'none',
                                 'position_buckets': 0, 'max_relative_positions': 20}),
    ('deberta_v2-conv', Deberta, {**SIZES, 'type_vocab_size': 0, 'position_biased_input': False,
                                  'pos_att_type': 'p2c|c2p', 'share_att_key': True, 'norm_rel_ebd': 'layer_norm',
                                  'position_buckets': 4, 'max_relative_positions': 6, 'conv_kernel_size': 3,
                                  'conv_act': 'gelu'}),
    ('deberta_v2-narrow', DebertaTrainedOn, {**SIZES, 'type_vocab_size': 2, 'position_biased_input': True,
                                             'pos_att_type': ['c2p', 'p2c'], 'share_att_key': False,
                                             'norm_rel_ebd': 'none', 'position_buckets': -1,
                                             'max_relative_positions': 4, 'embedding_size': 11, 'conv_kernel_size': 5,
                                             'conv_groups': 3}),
]
