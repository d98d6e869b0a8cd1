"""Layers from files: tutorial 004's with separate projections, half precision, and grouped heads."""
import math

import torch
import torch.nn as nn

from torch_golden_files import save_npy, save_safetensors, stage
from torch_golden_fused import FusedAttention


class SelfAttention(nn.Module):
    """Tutorial 004's class."""

    def __init__(self, embed_size, heads):
        super().__init__()
        self.heads, self.head_dim = heads, embed_size // heads
        self.values = nn.Linear(embed_size, embed_size, bias=False)
        self.keys = nn.Linear(embed_size, embed_size, bias=False)
        self.queries = nn.Linear(embed_size, embed_size, bias=False)
        self.fc_out = nn.Linear(embed_size, embed_size, bias=False)

    def forward(self, values, keys, query, mask=None):
        def split(vectors):
            return vectors.reshape(vectors.shape[0], vectors.shape[1], self.heads, self.head_dim)

        scores = torch.einsum('nqhd,nkhd->nhqk', split(self.queries(query)), split(self.keys(keys)))
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float('-1e20'))
        weights = torch.softmax(scores / self.head_dim**0.5, dim=3)
        context = torch.einsum('nhql,nlhd->nqhd', weights, split(self.values(values)))
        concat = context.reshape(query.shape[0], query.shape[1], -1)
        return {'weights': weights, 'concat': concat, 'output': self.fc_out(concat)}


def separate_cases():
    torch.manual_seed(13)
    model = SelfAttention(8, 2)
    query, keys, values = torch.randn((2, 3, 8)), torch.randn((2, 5, 8)), torch.randn((2, 5, 8))
    mask = torch.ones((2, 1, 3, 5))
    mask[0, 0, :, 3:] = 0
    mask[1, 0, 1, :] = 0
    options = {'weights': save_safetensors('tutorial_004.safetensors', model.state_dict()), 'heads': '2',
               'input': save_npy('tutorial_004_query.npy', query), 'key-input': save_npy('tutorial_004_keys.npy', keys),
               'value-input': save_npy('tutorial_004_values.npy', values)}
    masked = {'mask': save_npy('tutorial_004_mask.npy', mask), 'mask-kind': 'keep', 'mask-order': 'before-scale',
              'mask-fill': '-1e20'}
    return [{'name': f'tutorial 004 {name}', 'options': {**options, **more},
             'stages': {k: stage(v) for k, v in model(values, keys, query, given).items()}}
            for name, more, given in [('three inputs', {}, None), ('masked with -1e20', masked, mask)]]


def grouped_attention(x, weights, heads, kv_heads):
    """Grouped heads: kv_heads keys and values, each serving heads / kv_heads neighbouring query heads."""
    def split(name, count):
        projected = x @ weights[f'{name}.weight'].T + weights[f'{name}.bias']
        return projected.reshape(x.shape[0], x.shape[1], count, -1).transpose(1, 2)

    query = split('queries', heads)
    key, value = (split(name, kv_heads).repeat_interleave(heads // kv_heads, dim=1) for name in ['keys', 'values'])
    attention = torch.softmax(query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1]), dim=-1)
    concat = (attention @ value).transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
    return {'weights': attention, 'concat': concat,
            'output': concat @ weights['fc_out.weight'].T + weights['fc_out.bias']}


def file_cases():
    cases = []
    for seed, dtype, word in [(20, torch.float16, 'half'), (21, torch.bfloat16, 'bfloat16')]:
        torch.manual_seed(seed)
        model = FusedAttention(5, 8, 2)
        x = torch.randn((2, 3, 5))
        stored = {key: tensor.to(dtype) for key, tensor in model.state_dict().items()}
        model.load_state_dict({key: tensor.float() for key, tensor in stored.items()})
        cases.append({'name': f'file in {word}',
                      'options': {'weights': save_safetensors(f'fused_{word}.safetensors', stored, {'num_heads': '2'}),
                                  'input': save_npy(f'fused_{word}_x.npy', x)},
                      'stages': {k: stage(v) for k, v in model(x).items() if k in ['query', 'weights', 'output']}})
    torch.manual_seed(22)
    # Four query heads of 3, two key heads of 3, two value heads of 2: concat has 8 features.
    rows = {'queries': (12, 5), 'keys': (6, 5), 'values': (4, 5), 'fc_out': (7, 8)}
    linears = {name: nn.Linear(columns, count) for name, (count, columns) in rows.items()}
    weights = {f'{name}.{part}': getattr(linear, part) for name, linear in linears.items()
               for part in ['weight', 'bias']}
    x = torch.randn((2, 4, 5))
    cases.append({'name': 'file with grouped heads',
                  'options': {'weights': save_safetensors('grouped.safetensors', weights), 'heads': '4',
                              'kv-heads': '2', 'input': save_npy('grouped_x.npy', x)},
                  'stages': {k: stage(v) for k, v in grouped_attention(x, weights, 4, 2).items()}})
    return cases
