#!/usr/bin/env python3
"""Makes tests/golden/torch/: numbers that PyTorch itself computes, for the golden tests to compare with.

    apt-get install python3-torch && /usr/bin/python3 tests/golden/make_torch_golden.py

draws.json   what the CPU generator draws after torch.manual_seed
cases.json   whole forwards: `options` are Headscope's own, file names are relative to the folder, `stages` what
             torch gave. A large stage is kept as its sum and a selection of cells.
*.npy, *.safetensors  the files that the options name
"""
import json
import math
import os
import struct

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'torch')
SEEDS = [0, 1, 42, 2**32 + 5, 2**63 + 1]
LARGE = 700  # values; above, cells are selected


def number(value):
    value = np.float32(value)
    if not np.isfinite(value):
        return 'nan' if np.isnan(value) else ('inf' if value > 0 else '-inf')
    return float(np.format_float_scientific(value, unique=True))  # the shortest that reads back to the same float32


def numbers(tensor):
    return [number(v) for v in tensor.detach().to(torch.float32).reshape(-1).numpy()]


def stage(tensor):
    tensor = tensor.detach()
    kept = {'shape': list(tensor.shape)}
    if tensor.numel() <= LARGE:
        kept['values'] = numbers(tensor)
        return kept
    flat = tensor.reshape(-1)
    step = flat.numel() // 61 | 1
    kept['sum'] = float(flat.double().sum())
    kept['cells'] = [[i, number(flat[i])] for i in sorted({*range(0, flat.numel(), step), flat.numel() - 1})]
    return kept


def save_npy(name, tensor):
    np.save(os.path.join(FOLDER, name), tensor.detach().numpy())
    return name


DTYPES = {torch.float32: ('F32', torch.int32), torch.float16: ('F16', torch.int16),
          torch.bfloat16: ('BF16', torch.int16)}


def save_safetensors(name, tensors, metadata=None):
    header, data = {}, b''
    if metadata:
        header['__metadata__'] = metadata
    for key, tensor in tensors.items():
        dtype, bits = DTYPES[tensor.dtype]
        raw = tensor.detach().contiguous().view(bits).numpy().tobytes()  # little-endian, as on every machine of today
        header[key] = {'dtype': dtype, 'shape': list(tensor.shape), 'data_offsets': [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b' ' * (-len(text) % 8)
    with open(os.path.join(FOLDER, name), 'wb') as file:
        file.write(struct.pack('<Q', len(text)) + text + data)
    return name


# Draws

def draws():
    cases = []

    def case(seed, steps):
        """steps: ['randn', n], ['uniform', n, low, high] or ['linear', in, out], drawn one after the other."""
        torch.manual_seed(seed)
        drawn = []
        for kind, *sizes in steps:
            if kind == 'randn':
                drawn.append(stage(torch.randn(sizes[0])))
            elif kind == 'uniform':
                drawn.append(stage(torch.empty(sizes[0]).uniform_(sizes[1], sizes[2])))
            else:
                linear = nn.Linear(*sizes)
                drawn += [stage(linear.weight), stage(linear.bias)]
        cases.append({'seed': str(seed), 'steps': steps, 'drawn': drawn})

    for seed in SEEDS:
        for n in [1, 2, 5, 15, 16, 17, 24, 31, 100, 1000]:
            case(seed, [['randn', n]])
        case(seed, [['randn', 5], ['uniform', 3, -0.5, 2.0], ['randn', 2], ['randn', 17], ['randn', 4]])
        case(seed, [['randn', 3], ['linear', 6, 4], ['randn', 3], ['linear', 7, 3], ['linear', 1, 1]])
        case(seed, [['linear', 512, 1536], ['linear', 512, 512], ['randn', 20]])
    return cases


# The tutorials' class (000), with both merges

class FusedAttention(nn.Module):
    def __init__(self, input_dim, d_model, num_heads):
        super().__init__()
        self.num_heads, self.head_dim = num_heads, d_model // num_heads
        self.qkv_layer = nn.Linear(input_dim, 3 * d_model)
        self.linear_layer = nn.Linear(d_model, d_model)

    def forward(self, x, key_x=None, mask=None, blocked=False, direct=False):
        def split(vectors):
            qkv = self.qkv_layer(vectors)
            batch, length = qkv.shape[:2]
            if blocked:
                return [part.reshape(batch, length, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
                        for part in qkv.chunk(3, dim=-1)]
            return qkv.reshape(batch, length, self.num_heads, 3 * self.head_dim).permute(0, 2, 1, 3).chunk(3, dim=-1)

        query, key, value = split(x)
        if key_x is not None:
            _, key, value = split(key_x)
        scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(self.head_dim)
        if mask is not None:
            scores = scores + mask
        weights = F.softmax(scores, dim=-1)
        context = torch.matmul(weights, value)
        batch, _, length, _ = context.shape
        merged = context if direct else context.permute(0, 2, 1, 3)
        concat = merged.reshape(batch, length, self.num_heads * self.head_dim)
        return {'input': x, 'query': query, 'key': key, 'value': value, 'masked_scores': scores, 'weights': weights,
                'context': context, 'concat': concat, 'output': self.linear_layer(concat)}


def words(count, first='a'):
    return ' '.join(chr(ord(first) + i) for i in range(count))


def causal(query_len, key_len):
    return torch.triu(torch.full((query_len, key_len), float('-inf')), diagonal=1)


def seeded_cases():
    cases = []
    sizes = [(1, 1, 5, 6, 3), (1, 3, 4, 4, 2), (1, 5, 6, 12, 4), (2, 3, 7, 8, 2), (1, 4, 8, 16, 8), (30, 5, 1024, 512, 8)]
    for number_of_seed, seed in enumerate(SEEDS):
        for batch, length, input_dim, d_model, heads in sizes:
            large = input_dim > 100
            if large and number_of_seed > 1:
                continue
            options = {'model': 'seeded', 'seed': str(seed), 'embedding': 'sequence', 'batch': str(batch),
                       'input-dim': str(input_dim), 'd-model': str(d_model), 'heads': str(heads),
                       'phrase': words(length)}
            torch.manual_seed(seed)
            x = torch.randn((batch, length, input_dim))
            model = FusedAttention(input_dim, d_model, heads)
            kept = ['input', 'weights', 'context', 'output'] if large or number_of_seed == 0 else ['input', 'output']
            forms = {'': ({}, {}), ' causal': ({'mask': 'causal'}, {'mask': causal(length, length)}),
                     ' merged directly': ({'merge': 'direct'}, {'direct': True}),
                     ' blocked': ({'qkv-layout': 'blocked'}, {'blocked': True})}
            for form, (more, arguments) in forms.items():
                if form and number_of_seed > 0:
                    continue
                stages = model(x, **arguments)
                cases.append({'name': f'seeded {seed} {batch}x{length}x{input_dim} {d_model}/{heads}{form}',
                              'options': {**options, **more}, 'stages': {k: stage(stages[k]) for k in kept}})
    for seed in [0, 42]:
        torch.manual_seed(seed)
        x, key_x = torch.randn((2, 3, 5)), torch.randn((2, 4, 5))
        stages = FusedAttention(5, 8, 2)(x, key_x=key_x, mask=causal(3, 4))
        stages['key_input'] = key_x
        cases.append({'name': f'seeded {seed} cross-attention',
                      'options': {'model': 'seeded', 'seed': str(seed), 'embedding': 'sequence', 'batch': '2',
                                  'input-dim': '5', 'd-model': '8', 'heads': '2', 'phrase': words(3),
                                  'key-phrase': words(4, 'p'), 'mask': 'causal'},
                      'stages': {k: stage(stages[k]) for k in ['input', 'key_input', 'query', 'key', 'weights',
                                                              'output']}})
    # The layer follows at once when x comes from a file.
    torch.manual_seed(7)
    model = FusedAttention(6, 8, 4)
    x = torch.randn((3, 6))
    stages = model(x[None])
    cases.append({'name': 'seeded 7 with x from a file',
                  'options': {'model': 'seeded', 'seed': '7', 'd-model': '8', 'heads': '4',
                              'input': save_npy('seeded_input.npy', x)},
                  'stages': {k: stage(stages[k]) for k in ['input', 'weights', 'output']}})
    return cases


# torch.nn.MultiheadAttention

def multihead_cases():
    cases = []

    def case(name, seed, embed, heads, arguments, options=None, self_attention=False, **call):
        torch.manual_seed(seed)
        module = nn.MultiheadAttention(embed, heads, batch_first=True, **arguments)
        with torch.no_grad():  # the biases start as zeros, which would hide a wrong slice
            for bias in [module.in_proj_bias, module.out_proj.bias]:
                if bias is not None:
                    bias.uniform_(-0.5, 0.5)
        x = torch.randn((2, 3, embed))
        files = name.replace(' ', '_')
        key = value = x
        given = {'weights': save_safetensors(f'mha_{files}.safetensors', module.state_dict(), {'num_heads': str(heads)}),
                 'input': save_npy(f'mha_{files}_x.npy', x)}
        if not self_attention:
            key = torch.randn((2, 4, module.kdim))
            value = torch.randn((2, 4, module.vdim))
            given['key-input'] = save_npy(f'mha_{files}_key.npy', key)
            given['value-input'] = save_npy(f'mha_{files}_value.npy', value)
        output, weights = module(x, key, value, need_weights=True, average_attn_weights=False, **call)
        cases.append({'name': f'nn.MultiheadAttention {name}', 'options': {**given, **(options or {})},
                      'stages': {'weights': stage(weights), 'output': stage(output)}})

    case('self', 1, 12, 3, {}, self_attention=True)
    case('self causal', 2, 12, 4, {}, {'mask': 'causal'}, self_attention=True, attn_mask=causal(3, 3))
    case('three inputs', 3, 8, 2, {})
    case('no bias', 4, 8, 4, {'bias': False})
    case('kdim and vdim', 5, 8, 2, {'kdim': 5, 'vdim': 7})
    case('bias_k', 6, 8, 2, {'add_bias_kv': True})
    case('bias_k and kdim causal', 7, 8, 4, {'add_bias_kv': True, 'kdim': 3, 'vdim': 6}, {'mask': 'causal'},
         attn_mask=causal(3, 4))
    float_mask = torch.tensor([[0.5, -1.0, 0.0, 2.0], [0.0, float('-inf'), 0.25, 0.0], [-3.0, 0.0, 0.0, 0.125]])
    case('float mask', 8, 8, 2, {}, {'mask': save_npy('mask_float.npy', float_mask)}, attn_mask=float_mask)
    hide = torch.tensor([[False, True, False, False], [True, False, False, True], [False, False, False, False]])
    case('boolean mask', 9, 8, 2, {}, {'mask': save_npy('mask_hide.npy', hide), 'mask-kind': 'hide'}, attn_mask=hide)
    padded = torch.tensor([[False, False, False, True], [False, False, False, True]])
    case('padded keys', 10, 8, 2, {}, {'mask': 'padding:1'}, key_padding_mask=padded)
    # [batch, heads, query_len, key_len], one mask for every head and item.
    per_head = torch.randn((2, 2, 3, 4), generator=torch.Generator().manual_seed(11))
    case('mask of every head', 11, 8, 2, {}, {'mask': save_npy('mask_per_head.npy', per_head)},
         attn_mask=per_head.reshape(4, 3, 4))
    return cases


# Attention alone. F._scaled_dot_product_attention is what 1.13 calls F.scaled_dot_product_attention.

def attention_cases():
    cases = []
    generator = torch.Generator().manual_seed(12)
    query = torch.randn((2, 2, 3, 5), generator=generator)
    key = torch.randn((2, 2, 6, 5), generator=generator)
    value = torch.randn((2, 2, 6, 4), generator=generator)
    files = {'query': save_npy('sdpa_query.npy', query), 'key': save_npy('sdpa_key.npy', key),
             'value': save_npy('sdpa_value.npy', value)}
    keep = torch.rand((3, 6), generator=generator) > 0.4
    keep[1] = torch.tensor([False, True, False, False, True, False])
    add = torch.randn((2, 1, 3, 6), generator=generator)

    def case(name, options, **call):
        context, weights = F._scaled_dot_product_attention(query, key, value, need_attn_weights=True, **call)
        cases.append({'name': f'scaled_dot_product_attention {name}', 'options': {**files, **options},
                      'stages': {'weights': stage(weights), 'context': stage(context)}})

    case('plain', {})
    case('causal, more keys than queries', {'mask': 'causal'}, is_causal=True)
    case('boolean keep mask', {'mask': save_npy('sdpa_keep.npy', keep)}, attn_mask=keep)
    case('added mask', {'mask': save_npy('sdpa_add.npy', add)}, attn_mask=add)
    hidden_row = keep.clone()
    hidden_row[2] = False
    case('a row without keys', {'mask': save_npy('sdpa_hidden_row.npy', hidden_row)}, attn_mask=hidden_row)
    large = 40.0 * query
    context, weights = F._scaled_dot_product_attention(large, key, value, need_attn_weights=True)
    cases.append({'name': 'scaled_dot_product_attention large scores',
                  'options': {**files, 'query': save_npy('sdpa_large_query.npy', large)},
                  'stages': {'weights': stage(weights), 'context': stage(context)}, 'tolerance': 2e-5})
    return cases


# Tutorial 004's class

class SelfAttention(nn.Module):
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


# What the contract's other rows can hold

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


def write_json(name, header, entries):
    """One entry a line, so that a change reads as a change of that entry."""
    lines = ',\n'.join(json.dumps(entry, separators=(',', ':')) for entry in entries)
    with open(os.path.join(FOLDER, name), 'w') as file:
        file.write(f'{{"torch":{json.dumps(torch.__version__)},"tolerance":2e-6,"{header}":[\n{lines}\n]}}\n')


if __name__ == '__main__':
    torch.set_num_threads(1)
    os.makedirs(FOLDER, exist_ok=True)
    write_json('draws.json', 'draws', draws())
    write_json('cases.json', 'cases', seeded_cases() + multihead_cases() + attention_cases() + separate_cases() +
               file_cases())
