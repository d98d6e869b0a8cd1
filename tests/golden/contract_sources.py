"""Where a random request takes its query, key and value from: their own files, a seed, or the file of a layer."""
import os

import numpy as np

from contract_draws import Draws
from contract_files import save_safetensors
from contract_oracle import sinusoidal

try:
    import torch
    torch.manual_seed  # the data folder torch/ beside this file is no PyTorch, but Python takes it for a package
except (ImportError, AttributeError):
    torch = None

SCHEMES = ['qkv_layer', 'in_proj', 'q_proj', 'queries', 'Wq']
DTYPES = ['F32', 'F16', 'BF16']


class Sources(Draws):
    """Each of alone, seeded and layer_file returns (batch, queries, keys, width of a head's query)."""

    def sizes(self):
        case = self.case
        case['heads'] = self.pick([1, 2, 3, 4, 6, 8])
        case['kv_heads'] = case['heads']
        case['d_model'] = case['heads'] * (self.width() if self.large else self.pick([1, 2, 3, 5, 8]))

    def grouped(self):
        heads = self.case['heads']
        return self.pick([n for n in range(1, heads + 1) if heads % n == 0])

    def alone(self):
        self.sizes()
        case, batch = self.case, self.whole(1, 3)
        if self.chance(0.4):
            case['kv_heads'] = self.grouped()
        width, value_width = self.width(9), self.width(9)
        queries, keys = self.length(), self.length()
        if self.chance(0.15):
            keys = width  # key-not-transposed runs
        gain = self.pick([1.0, 1.0, 30.0])
        case['query_values'] = self.file('query', gain * self.normal(batch, case['heads'], queries, width))
        case['key_values'] = self.file('key', self.normal(batch, case['kv_heads'], keys, width))
        case['value_values'] = self.file('value', self.normal(batch, case['kv_heads'], keys, value_width))
        case['d_model'] = case['heads'] * width  # of scale-by-d-model: what the queries' heads make together
        case['layout'] = None
        return batch, queries, keys, width

    def inputs(self, width, key_width, value_width, drawn=None):
        """x of a layer: files, or words whose vectors are taken as exported."""
        case, options = self.case, self.options
        batch, queries, keys = self.whole(1, 3), self.length(), None
        case['cross'] = bool(self.chance(0.4)) or key_width != width or value_width != width
        position = self.chance(0.15)
        if position:
            options['position'] = 'sinusoidal'
        if self.chance(0.5):
            def source(name, length, w):
                flat = batch == 1 and self.chance(0.3)
                values = self.file(name, self.normal(*([length, w] if flat else [batch, length, w])))
                values = values.reshape(batch, length, w).astype(np.float64)
                return values + sinusoidal(length, w) if position else values
            places = lambda count: [str(i) for i in range(count)]
            bound = 1e-6 if position else 0.0
            case['x'], case['tokens'] = (source('input', queries, width), bound), places(queries)
            if case['cross']:
                keys = self.length()
                case['key_x'] = (source('key-input', keys, key_width), bound)
                case['value_x'], case['key_tokens'] = case['key_x'], places(keys)
                if value_width != key_width or self.chance(0.4):
                    case['value_x'] = (source('value-input', keys, value_width), bound)
        else:
            case['tokens'], options['phrase'] = self.phrase()
            queries = len(case['tokens'])
            case['x'] = None
            if case['cross']:
                case['key_tokens'], options['key-phrase'] = self.phrase()
                keys = len(case['key_tokens'])
                case['key_x'] = case['value_x'] = None
            if batch > 1:
                options['batch'] = batch
            if drawn and self.chance(0.6):
                options['embedding'] = 'sequence'
                case['x'] = drawn('x', batch, queries)
                if case['cross']:
                    case['key_x'] = case['value_x'] = drawn('key_x', batch, keys)
                if position:
                    for name in ('x', 'key_x', 'value_x'):
                        if case.get(name) is not None:
                            values, bound = case[name]
                            case[name] = (values + sinusoidal(values.shape[1], width), bound + 1e-6)
        return batch, queries, queries if keys is None else keys

    def seeded(self):
        self.sizes()
        case, options = self.case, self.options
        width = case['d_model'] if self.chance(0.5) else self.width()
        if self.chance(0.25):
            case['kv_heads'] = self.grouped()
            options['kv-heads'] = case['kv_heads']
        seed = int(self.pick([0, 1, 42, 2 ** 32 + 5, 2 ** 64 - 1]))
        options.update({'model': 'seeded', 'seed': seed, 'heads': case['heads'], 'd-model': case['d_model']})
        if width != case['d_model'] or self.chance(0.3):
            options['input-dim'] = width
        torch.manual_seed(seed if seed < 2 ** 63 else seed - 2 ** 64)
        drawn = lambda name, batch, length: (torch.randn(batch, length, width).numpy().astype(np.float64), 2e-6)
        batch, queries, keys = self.inputs(width, width, width, drawn)
        if 'input' in options:
            options.pop('input-dim', None)
        gain = self.pick([1, 1, 2.5])
        if gain != 1:
            options['init-gain'] = gain
        case['layout'] = 'per-head'
        if case['kv_heads'] == case['heads'] and self.chance(0.25):
            case['layout'] = options['qkv-layout'] = 'blocked'
        group = case['kv_heads'] * case['d_model'] // case['heads']
        outs = [3 * case['d_model']] if case['kv_heads'] == case['heads'] else [case['d_model'], group, group]
        drawn_layers = [torch.nn.Linear(width, out) for out in outs] + [torch.nn.Linear(*[case['d_model']] * 2)]
        pairs = [((m.weight.detach().numpy() * np.float32(gain)), m.bias.detach().numpy()) for m in drawn_layers]
        if len(outs) == 1:
            self.layer(*pairs[0], None, pairs[-1])
        else:
            self.layer(None, None, pairs[:3], pairs[-1])
        return batch, queries, keys, case['d_model'] // case['heads']

    def layer(self, weight, bias, parts, out, extra=()):
        """What the oracle knows of a layer; a fused one also as the parts that cross-attention uses."""
        case = self.case
        case['layer'] = layer = {'fused': weight is not None, 'read': case['layout'], 'weight': weight, 'bias': bias,
                                 'out': out[0] if out else None, 'out_bias': out[1] if out else None}
        for name, values in zip(('bias_k', 'bias_v'), extra):
            layer[name] = values
            case['extra_key'] = 1
        layer['parts'] = dict(zip(('query', 'key', 'value'), parts)) if parts else None

    def fused_parts(self):
        case, layer = self.case, self.case['layer']
        if not layer or not layer['fused']:
            return
        heads, kv_heads = case['heads'], case['kv_heads']
        rows = np.arange(layer['weight'].shape[0])
        width = len(rows) // (heads + 2 * kv_heads)
        if layer['read'] == 'per-head':
            cuts = [part.reshape(-1) for part in np.split(rows.reshape(heads, 3 * width), 3, 1)]
        else:
            cuts = np.split(rows, [heads * width, (heads + kv_heads) * width])
        layer['parts'] = {name: (layer['weight'][cut], None if layer['bias'] is None else layer['bias'][cut])
                          for name, cut in zip(('query', 'key', 'value'), cuts)}

    def layer_file(self):
        self.sizes()
        case, options = self.case, self.options
        scheme, dtype = self.pick(SCHEMES), self.pick(DTYPES)
        heads, width = case['heads'], case['d_model'] // case['heads']
        fused = scheme in ('qkv_layer', 'in_proj')
        dims = [self.width()] * 3
        value_width = width
        if not fused:
            if self.chance(0.4):
                dims = [self.width() for _ in range(3)]
            if self.chance(0.3):
                case['kv_heads'] = self.grouped()
            if self.chance(0.3):
                value_width = self.width(7)
        elif scheme == 'in_proj' and self.chance(0.25):
            case['kv_heads'] = options['kv-heads'] = self.grouped()
        counts = [heads * width, case['kv_heads'] * width, case['kv_heads'] * value_width]
        out_width = heads * value_width if fused or self.chance(0.6) else self.width()
        tensors, with_bias = {}, self.chance(0.6)
        with_out, with_extra = self.chance(0.75), scheme in ('in_proj', 'q_proj') and self.chance(0.35)

        def add(name, *shape):
            tensors[name] = self.normal(*shape)

        if fused:
            prefix, mark = ('qkv_layer', '.') if scheme == 'qkv_layer' else ('in_proj', '_')
            names = [prefix + mark + 'weight', prefix + mark + 'bias']
            add(names[0], sum(counts), dims[0])
        else:
            names = {'q_proj': ['q_proj_weight', 'k_proj_weight', 'v_proj_weight'], 'Wq': ['Wq', 'Wk', 'Wv'],
                     'queries': ['queries.weight', 'keys.weight', 'values.weight']}[scheme]
            for name, count, dim in zip(names, counts, dims):
                add(name, *([dim, count] if scheme == 'Wq' else [count, dim]))
        if with_bias and fused:
            add(names[1], sum(counts))
        elif with_bias and scheme == 'q_proj':
            add('in_proj_bias', sum(counts))
        elif with_bias and scheme == 'queries':
            for name, count in zip(['queries.bias', 'keys.bias', 'values.bias'], counts):
                if self.chance(0.7):
                    add(name, count)
        if with_extra:
            add('bias_k', 1, 1, counts[1])
            add('bias_v', 1, 1, counts[2])
        out_name = {'qkv_layer': 'linear_layer', 'queries': 'fc_out', 'Wq': 'Wo'}.get(scheme, 'out_proj')
        if with_out and scheme == 'Wq':
            add('Wo', heads * value_width, out_width)
        elif with_out:
            add(out_name + '.weight', out_width, heads * value_width)
            if self.chance(0.6):
                add(out_name + '.bias', out_width)
        metadata = {'num_heads': str(heads)} if self.chance(0.5) else None
        if not metadata or self.chance(0.3):
            options['heads'] = heads
        if case['kv_heads'] != heads and self.chance(0.5):
            options['kv-heads'] = case['kv_heads']
        options['weights'] = os.path.join(self.folder, self.pick(['layer.safetensors', 'my layer é.safetensors']))
        held = save_safetensors(options['weights'], tensors, dtype, metadata)

        case['layout'] = {'qkv_layer': 'per-head', 'in_proj': 'blocked'}.get(scheme)
        if fused and case['kv_heads'] == heads and self.chance(0.25):
            case['layout'] = options['qkv-layout'] = self.pick(['per-head', 'blocked'])
        out = None
        if with_out:
            out = (held['Wo'].T, None) if scheme == 'Wq' else (held[out_name + '.weight'], held.get(out_name + '.bias'))
        extra = (held['bias_k'], held['bias_v']) if with_extra else ()
        if fused:
            self.layer(held[names[0]], held.get(names[1]), None, out, extra)
        else:
            parts = [held[name].T if scheme == 'Wq' else held[name] for name in names]
            biases = [held.get(name) for name in ('queries.bias', 'keys.bias', 'values.bias')]
            if 'in_proj_bias' in held:
                biases = np.split(held['in_proj_bias'], np.cumsum(counts)[:2])
            self.layer(None, None, list(zip(parts, biases)), out, extra)
        batch, queries, keys = self.inputs(*dims)
        case['d_model'] = out[0].shape[0] if out else heads * value_width
        return batch, queries, keys, width
