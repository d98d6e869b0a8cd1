"""What a random request does with the scores: masks, scale, softcap, variants, dropout, ablation."""
import os

import numpy as np

from contract_draws import Draws
from contract_files import save_npy


class Scores(Draws):
    """Draws what is asked of scores of [batch, heads, queries, keys], for a source that has been drawn."""

    def mask_file(self, number, batch, queries, keys):
        heads = self.case['heads']
        shape = [1 if self.chance(0.4) else n for n in (batch, heads, queries, keys)][self.whole(0, 3):]
        kind = self.options.get('mask-kind')
        kept = self.rng.random(shape) < 0.7
        if kind in ('keep', 'hide') or (kind is None and self.chance(0.5)):
            values = kept if kind != 'hide' else ~kept
            if kind is not None:
                values = values.astype(self.pick([bool, '<f4', '<f8', 'u1', '<i4', '<i8']))
        else:
            values = np.where(kept | (self.rng.random(shape) < 0.5), 2 * self.rng.standard_normal(shape), -np.inf)
            values = values.astype(self.pick(['<f4', '<f8', '>f4', '<f2']))
        path = os.path.join(self.folder, f'mask {number}.npy')
        plain = values.dtype != bool
        if plain and len(shape) == 2 and self.chance(0.5):
            path = path[:-3] + 'csv'
            with open(path, 'w', encoding='utf-8', newline='') as file:
                for row in values.astype(np.float32):
                    file.write(','.join(str(v) for v in row) + '\n')
        else:
            save_npy(path, values, self.pick('CCF'))
        return path, values

    def scores(self, batch, queries, keys, width):
        case, options = self.case, self.options
        if self.chance(0.4):
            options['causal-align'] = self.pick(['top-left', 'bottom-right'])
        elif self.chance(0.3):
            case['past'] = options['past'] = self.whole(1, keys)
        if self.chance(0.5):
            options['mask-kind'] = self.pick(['additive', 'keep', 'hide'])
        terms = []
        # Keys that nobody sees, where they have files of their own: what these hold can then be varied.
        unseen = keys > 1 and {'key', 'key-input'} & set(options) and self.chance(0.4)
        if unseen:
            size = self.whole(1, keys - 1)
            terms.append(f'padding:{size}')
            case['mask_terms'].append(('padding', size))
        for number in range(self.pick([0, 1, 1, 1, 2, 3])):
            kind = self.pick(['causal', 'padding', 'window', 'prefix', 'file', 'file'])
            if kind == 'file':
                path, values = self.mask_file(number, batch, queries, keys)
                terms.append(path)
                case['mask_terms'].append(('file', values))
            elif kind == 'causal':
                terms.append('causal')
                case['mask_terms'].append(('causal',))
            else:
                size = self.whole(0, keys + (1 if kind == 'padding' else 2))
                terms.append(f'{kind}:{size}')
                case['mask_terms'].append((kind, size))
        if terms:
            options['mask'] = ','.join(terms)
        elif self.chance(0.2):
            options['mask'] = 'none'
        if self.chance(0.5):
            options['mask-order'] = self.pick(['after-scale', 'before-scale'])
        if self.chance(0.5):
            case['fill'] = self.pick([-np.inf, -1e20, -1e9] + ([] if unseen else [-5.0, 0.0, 2.5]))
            options['mask-fill'] = '-inf' if case['fill'] == -np.inf else self.pick([repr, '{:g}'.format])(case['fill'])
        if self.chance(0.5):
            options['fully-masked'] = self.pick(['as-computed', 'zero', 'uniform'])
        if options.get('mask-order') != 'before-scale' and self.chance(0.25):
            case['softcap'] = options['softcap'] = self.pick([0.5, 3, 50])
            if self.chance(0.5):
                options['softcap-order'] = self.pick(['before-mask', 'after-mask'])
        possible = ['softmax-over-queries', 'mask-after-softmax', 'no-scale', 'scale-by-d-model']
        if terms:
            possible.append('mask-inverted')
        if keys + case['extra_key'] == width:
            possible += ['key-not-transposed'] * 3
        layer = case['layer']
        if case['layout'] and layer and case['kv_heads'] == case['heads']:
            possible.append({'per-head': 'qkv-per-head-as-blocked', 'blocked': 'qkv-blocked-as-per-head'}[case['layout']])
        for _ in range(0 if unseen else self.pick([0, 0, 1, 2])):
            name = self.pick(possible)
            if {'no-scale', 'scale-by-d-model'} <= {name, *case['variants']} or name in case['variants']:
                continue
            case['variants'].append(name)
            if name.startswith('qkv-'):
                layer['read'] = 'blocked' if case['layout'] == 'per-head' else 'per-head'
        case['merge'] = self.pick(['transpose', 'transpose', 'direct'])
        direct = case['merge'] == 'direct'
        if direct and self.chance(0.5):
            options['variant'] = ','.join(case['variants'] + ['merge-direct'])
        else:
            if case['variants']:
                options['variant'] = ','.join(case['variants'])
            if direct:
                options['merge'] = 'direct'
        if not {'no-scale', 'scale-by-d-model'} & set(case['variants']) and self.chance(0.3):
            case['scale'] = options['scale'] = self.pick([0.3, -0.5, 2, 0, 1, 1e-3])
        if self.chance(0.25):
            case['dropout'] = options['dropout'] = self.pick([0.1, 0.5, 0.9, 1])
            if self.chance(0.5):
                shape = [1 if self.chance(0.3) else n for n in (batch, case['heads'], queries, keys + case['extra_key'])]
                case['kept'] = self.rng.random(shape[self.whole(0, 3):]) < 0.6
                path = os.path.join(self.folder, 'kept.npy')
                options['dropout-mask'] = save_npy(path, case['kept'].astype(self.pick([bool, '<f4', 'u1', '<i8'])))
            elif self.chance(0.5):
                options['dropout-seed'] = self.whole(0, 9)
        if self.chance(0.2):
            case['ablate'] = sorted({self.whole(0, case['heads'] - 1) for _ in range(2)})
            options['ablate'] = ','.join(f'0.{h}' for h in case['ablate'])
