#!/usr/bin/env python3
"""Makes tests/golden/explain.json: single cells with everything that feeds them, by PyTorch, for `explain`.

    apt-get install python3-torch && /usr/bin/python3 tests/golden/make_explain_golden.py

Layers are drawn as the tutorials draw them; which cells feed a cell is worked out here from the definitions, with the
tensors that torch computed, and not from Headscope. A cell is {options, stage, at, value, operands: [[stage, index,
value]...]}, operands in the order of the contract: of a sum the two factors of each term, then the bias.
"""
import json
import math
import os

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

HERE = os.path.dirname(os.path.abspath(__file__))


def number(value):
    value = float(np.float32(float(value)))
    return value if math.isfinite(value) else ('nan' if math.isnan(value) else 'inf' if value > 0 else '-inf')


class Layer:
    """One fused layer and every tensor of its forward, by the contract's names."""

    def __init__(self, seed, batch, length, input_dim, d_model, heads, mask=None, fill=float('-inf'), before_scale=False,
                 scale=None, softcap=None, merge='transpose', variant=None):
        torch.manual_seed(seed)
        x = torch.randn(batch, length, input_dim)
        fused, out = nn.Linear(input_dim, 3 * d_model), nn.Linear(d_model, d_model)
        size = d_model // heads
        self.size, self.heads, self.length, self.merge, self.variant = size, heads, length, merge, variant
        self.before_scale, self.softcap = before_scale, softcap
        self.scale = 1 / math.sqrt(size) if scale is None else scale
        t = self.t = {'input': x, 'qkv_layer.weight': fused.weight, 'qkv_layer.bias': fused.bias,
                      'linear_layer.weight': out.weight, 'linear_layer.bias': out.bias}
        t['qkv'] = fused(x)
        t['qkv_split'] = t['qkv'].reshape(batch, length, heads, 3 * size)
        t['qkv_heads'] = t['qkv_split'].permute(0, 2, 1, 3)
        t['query'], t['key'], t['value'] = t['qkv_heads'].chunk(3, dim=-1)
        t['raw_scores'] = t['query'] @ t['key'].transpose(-2, -1)
        self.hidden = torch.zeros(length, length, dtype=torch.bool)
        if mask == 'causal':
            self.hidden = torch.triu(torch.ones(length, length, dtype=torch.bool), 1)
        elif mask:
            self.hidden[:, length - mask:] = True
        if before_scale:
            t['scores'] = t['raw_scores'].masked_fill(self.hidden, fill) * self.scale
            t['masked_scores'] = t['scores']
        else:
            t['scores'] = t['raw_scores'] * self.scale
            before = t['scores']
            if softcap:
                t['capped_scores'] = before = softcap * torch.tanh(t['scores'] / softcap)
            t['masked_scores'] = before.masked_fill(self.hidden, fill)
        t['weights'] = F.softmax(t['masked_scores'], dim=-2 if variant == 'softmax-over-queries' else -1)
        t['context'] = t['weights'] @ t['value']
        heads_last = t['context'].permute(0, 2, 1, 3) if merge == 'transpose' else t['context']
        t['concat'] = heads_last.reshape(batch, length, d_model)
        t['output'] = out(t['concat'])

    def operands(self, stage, at):
        """[[name, index]] of what feeds the cell."""
        b = at[0]
        if stage == 'input':
            return []
        if stage in ('qkv', 'output'):
            i, o = at[1:]
            source, layer = ('input', 'qkv_layer') if stage == 'qkv' else ('concat', 'linear_layer')
            terms = [pair for d in range(self.t[source].shape[-1])
                     for pair in ([source, [b, i, d]], [layer + '.weight', [o, d]])]
            return terms + [[layer + '.bias', [o]]]
        if stage == 'qkv_split':
            _, i, h, f = at
            return [['qkv', [b, i, h * 3 * self.size + f]]]
        if stage == 'concat':
            _, i, o = at
            if self.merge == 'transpose':
                return [['context', [b, o // self.size, i, o % self.size]]]
            flat = i * self.heads * self.size + o
            return [['context', [b, flat // (self.length * self.size), flat // self.size % self.length,
                                 flat % self.size]]]
        _, h, i, j = at
        if stage == 'qkv_heads':
            return [['qkv_split', [b, i, h, j]]]
        if stage in ('query', 'key', 'value'):
            return [['qkv_heads', [b, h, i, ('query', 'key', 'value').index(stage) * self.size + j]]]
        if stage == 'raw_scores':
            return [pair for d in range(self.size) for pair in (['query', [b, h, i, d]], ['key', [b, h, j, d]])]
        if stage == 'scores':
            return [] if self.before_scale and self.hidden[i, j] else [['raw_scores', at]]
        if stage == 'capped_scores':
            return [['scores', at]]
        if stage == 'masked_scores':
            if self.before_scale:
                return [['scores', at]]
            return [] if self.hidden[i, j] else [['capped_scores' if self.softcap else 'scores', at]]
        if stage == 'weights':
            down = self.variant == 'softmax-over-queries'
            return [['masked_scores', [b, h, k, j] if down else [b, h, i, k]] for k in range(self.length)]
        if stage == 'context':
            read = [k for k in range(self.length)
                    if not (self.hidden[i, k] and float(self.t['weights'][b, h, i, k]) == 0)]
            return [pair for k in read for pair in (['weights', [b, h, i, k]], ['value', [b, h, k, j]])]
        raise KeyError(stage)

    def cell(self, options, stage, at):
        values = [[name, index, number(self.t[name][tuple(index)])] for name, index in self.operands(stage, at)]
        return {'options': options, 'stage': stage, 'at': at, 'value': number(self.t[stage][tuple(at)]),
                'operands': values}


def cells():
    rng = np.random.default_rng(5)
    requests = [
        (dict(seed=0, batch=1, length=3, input_dim=4, d_model=4, heads=2), {}),
        (dict(seed=1, batch=2, length=4, input_dim=5, d_model=6, heads=3, mask='causal'), {'mask': 'causal'}),
        (dict(seed=2, batch=1, length=5, input_dim=6, d_model=8, heads=2, mask='causal', fill=-1e20, before_scale=True),
         {'mask': 'causal', 'mask-fill': '-1e20', 'mask-order': 'before-scale'}),
        (dict(seed=3, batch=1, length=4, input_dim=3, d_model=8, heads=4, mask=1), {'mask': 'padding:1'}),
        (dict(seed=4, batch=1, length=4, input_dim=4, d_model=8, heads=2, merge='direct'), {'merge': 'direct'}),
        (dict(seed=5, batch=1, length=4, input_dim=4, d_model=6, heads=2, softcap=0.5), {'softcap': '0.5'}),
        (dict(seed=6, batch=2, length=3, input_dim=4, d_model=6, heads=2, scale=0.75), {'scale': '0.75'}),
        (dict(seed=7, batch=1, length=4, input_dim=4, d_model=6, heads=2, variant='softmax-over-queries'),
         {'variant': 'softmax-over-queries'}),
        (dict(seed=42, batch=1, length=1, input_dim=4, d_model=4, heads=1), {}),
    ]
    for made, given in requests:
        with torch.no_grad():
            layer = Layer(**made)
        options = {'model': 'seeded', 'embedding': 'sequence', 'seed': str(made['seed']), 'batch': str(made['batch']),
                   'input-dim': str(made['input_dim']), 'd-model': str(made['d_model']), 'heads': str(made['heads']),
                   'phrase': ' '.join('abcdefgh'[:made['length']]), **given}
        for stage in [name for name in layer.t if '.' not in name]:
            at = [int(rng.integers(size)) for size in layer.t[stage].shape]
            yield layer.cell(options, stage, at)


def main():
    kept = list(cells())
    with open(os.path.join(HERE, 'explain.json'), 'w') as file:
        file.write('{"torch":"%s","tolerance":2e-6,"cells":[\n' % torch.__version__.split('+')[0])
        file.write(',\n'.join(json.dumps(cell, separators=(',', ':')) for cell in kept))
        file.write('\n]}\n')
    print(len(kept), 'cells')


if __name__ == '__main__':
    main()
