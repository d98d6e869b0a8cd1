"""The contract's computation in NumPy, float64, written from the contract alone.

Every stage is computed from the exported stages before it, so that each step is held to the rounding of its own
arithmetic: `bound` is what float32 may lose there, cell by cell.
"""
import numpy as np

EPSILON = 2.0 ** -24
SCORE_LIKE = ('raw_scores', 'scores', 'capped_scores', 'masked_scores', 'weights', 'dropped_weights')


class Expected:
    """One stage: its values, and how far each may be off."""

    def __init__(self, values, bound=0.0):
        self.values = np.asarray(values, np.float64)
        self.bound = np.broadcast_to(np.asarray(bound, np.float64), self.values.shape)


def product(a, b, extra=0.0):
    """a @ b with the bound of a float32 sum in any order."""
    terms = a.shape[-1] + 2
    with np.errstate(all='ignore'):
        return Expected(a @ b + extra, 2 * terms * EPSILON * (np.abs(a) @ np.abs(b) + np.abs(extra)))


def linear(x, weight, bias):
    return product(x, weight.T, 0.0 if bias is None else bias)


def split_heads(x, heads):
    return x.reshape(x.shape[0], x.shape[1], heads, -1).transpose(0, 2, 1, 3)


def sinusoidal(length, width):
    angle = np.arange(length)[:, None] / 10000.0 ** (np.arange(0, width, 2) / width)
    table = np.zeros((length, width))
    table[:, 0::2] = np.sin(angle)
    table[:, 1::2] = np.cos(angle)[:, :width // 2]
    return table


def hidden_and_added(case, batch, heads, queries, keys):
    """The cells that no softmax may see, and what is added to the others; `keys` without the key of bias_k."""
    shape = (batch, heads, queries, keys)
    hidden, added = np.zeros(shape, bool), np.zeros(shape)
    shift = keys - queries if case.get('causal-align') == 'bottom-right' else case.get('past', 0)
    i, j = np.arange(queries)[:, None] + shift, np.arange(keys)[None, :]
    for term in case['mask_terms']:
        if term[0] == 'causal':
            hidden |= j > i
        elif term[0] == 'padding':
            hidden |= (j >= keys - term[1]) & (i == i)
        elif term[0] == 'window':
            hidden |= np.abs(i - j) > term[1]
        elif term[0] == 'prefix':
            hidden |= (j > i) & (j >= term[1])
        else:
            values = term[1]
            kind = case.get('mask-kind', 'keep' if values.dtype == bool else 'additive')
            values = np.broadcast_to(values.astype(np.float32).astype(np.float64), shape)
            if kind == 'additive':
                hidden |= np.isneginf(values)
                added += np.where(np.isneginf(values), 0.0, values)
            else:
                hidden |= values == (0 if kind == 'keep' else 1)
    if 'mask-inverted' in case['variants']:
        hidden = ~hidden
    if case['extra_key']:
        hidden = np.concatenate([hidden, np.zeros(shape[:3] + (1,), bool)], 3)
        added = np.concatenate([added, np.zeros(shape[:3] + (1,))], 3)
    return hidden, added


def softmax(scores, axis):
    with np.errstate(all='ignore'):
        shifted = scores - scores.max(axis, keepdims=True)
        powers = np.exp(shifted)
        weights = powers / powers.sum(axis, keepdims=True)
        length = scores.shape[axis]
        loss = EPSILON * (8 + 2 * length + 4 * np.abs(np.where(np.isfinite(shifted), shifted, 0)))
        return weights, np.nan_to_num(np.abs(weights)) * loss + 2 * EPSILON * loss + 1e-37


def projected(case, stages, got):
    """input ... query, key, value."""
    layer, heads, kv_heads = case['layer'], case['heads'], case['kv_heads']
    alone = {'query': case.get('query_values'), 'key': case.get('key_values'), 'value': case.get('value_values')}
    if alone['query'] is not None:
        for name, values in alone.items():
            stages[name] = Expected(values)
        return
    stages['input'] = Expected(*case['x'])
    key, value = 'input', 'input'
    if case['cross']:
        key, value = 'key_input', 'value_input'
        stages['key_input'], stages['value_input'] = Expected(*case['key_x']), Expected(*case['value_x'])
    if layer is None:  # weights that the contract does not spell out: the shapes, and what follows from them
        width = case['d_model'] // heads
        for name, count in (('query', heads), ('key', kv_heads), ('value', kv_heads)):
            source = got['input' if name == 'query' else key]
            stages[name + '_proj'] = Expected(got[name + '_proj'].reshape(source.shape[:2] + (count * width,)))
    elif layer['fused'] and not case['cross']:
        stages['qkv'] = linear(got['input'], layer['weight'], layer['bias'])
        if layer['read'] == 'per-head':
            b, s, f = got['qkv'].shape
            stages['qkv_split'] = Expected(got['qkv'].reshape(b, s, heads, f // heads))
            stages['qkv_heads'] = Expected(got['qkv_split'].transpose(0, 2, 1, 3))
            parts = np.split(got['qkv_heads'], 3, -1)
        else:
            width = layer['weight'].shape[0] // (heads + 2 * kv_heads)
            cuts = np.split(got['qkv'], [heads * width, (heads + kv_heads) * width], -1)
            for name, cut in zip(('query_proj', 'key_proj', 'value_proj'), cuts):
                stages[name] = Expected(cut)
    else:
        for name, source in (('query', 'input'), ('key', key), ('value', value)):
            stages[name + '_proj'] = linear(got[source], *layer['parts'][name])
    if 'qkv_heads' not in stages:
        parts = [split_heads(got[name + '_proj'], count)
                 for name, count in (('query', heads), ('key', kv_heads), ('value', kv_heads))]
    for name, part in zip(('query', 'key', 'value'), parts):
        if case['extra_key'] and name != 'query':
            extra = layer['bias_' + name[0]].reshape(1, kv_heads, 1, -1)
            part = np.concatenate([part, np.broadcast_to(extra, part.shape[:2] + (1, part.shape[3]))], 2)
        stages[name] = Expected(part)


def weighted(weights, value, hidden):
    """weights @ value, but a hidden key of weight 0 is not read."""
    unread = hidden & (weights == 0)
    result = np.zeros(weights.shape[:3] + value.shape[3:])
    size = np.zeros_like(result)
    with np.errstate(all='ignore'):
        for j in range(value.shape[2]):
            term = weights[..., j, None] * value[:, :, None, j, :]
            term = np.where(unread[..., j, None], 0.0, term)
            result += term
            size += np.abs(term)
    return Expected(result, 2 * (value.shape[2] + 2) * EPSILON * size)


def expected_stages(case, got):
    """Name -> Expected, in order; None when there is no such value (a draw of our own)."""
    stages = {}
    projected(case, stages, got)
    query, key, value = got['query'], got['key'], got['value']
    batch, heads, queries, width = query.shape
    group = heads // key.shape[1]
    key, value = np.repeat(key, group, 1), np.repeat(value, group, 1)
    variants = case['variants']
    stages['raw_scores'] = product(query, key if 'key-not-transposed' in variants else key.transpose(0, 1, 3, 2))
    raw = got['raw_scores']
    hidden, added = hidden_and_added(case, batch, heads, queries, key.shape[2] - case['extra_key'])
    case['hidden'] = hidden

    scale = case['scale'] if case.get('scale') is not None else width ** -0.5
    scale = 1.0 if 'no-scale' in variants else case['d_model'] ** -0.5 if 'scale-by-d-model' in variants else scale
    fill = case['fill']
    now_hidden = np.zeros_like(hidden) if 'mask-after-softmax' in variants else hidden
    with np.errstate(all='ignore'):
        if case.get('mask-order') == 'before-scale':
            filled = fill if np.isneginf(fill) else fill * scale
            masked = np.where(now_hidden, filled, (raw + added) * scale)
            bound = np.where(now_hidden, abs(filled), (np.abs(raw) + np.abs(added)) * abs(scale)) * 4 * EPSILON
            stages['scores'] = Expected(masked, np.nan_to_num(bound, posinf=0))
            stages['masked_scores'] = Expected(got['scores'])
        else:
            stages['scores'] = Expected(raw * scale, np.abs(raw * scale) * 2 * EPSILON)
            last = got['scores']
            if case.get('softcap'):
                cap = case['softcap']
                summed = last + added if case.get('softcap-order') == 'after-mask' else last
                size = np.abs(last) + (np.abs(added) if summed is not last else 0)
                stages['capped_scores'] = Expected(cap * np.tanh(summed / cap), 8 * EPSILON * size)
                if summed is not last:
                    added = np.zeros_like(added)
                last = got['capped_scores']
            masked = np.where(now_hidden, fill, last + added)
            bound = np.where(now_hidden, abs(fill), np.abs(last) + np.abs(added)) * 2 * EPSILON
            stages['masked_scores'] = Expected(masked, np.nan_to_num(bound, posinf=0))

    weights, bound = softmax(got['masked_scores'], -2 if 'softmax-over-queries' in variants else -1)
    if 'mask-after-softmax' in variants:
        weights = np.where(hidden, 0.0, weights)
    rows = hidden.all(-1, keepdims=True)
    case['fully_masked_rows'] = int(rows.sum())
    policy = case.get('fully-masked', 'as-computed')
    if policy != 'as-computed':
        weights = np.where(rows, 0.0 if policy == 'zero' else 1.0 / weights.shape[-1], weights)
        bound = bound + EPSILON
    stages['weights'] = Expected(weights, bound)
    last = got['weights']
    if case.get('dropout'):
        p = case['dropout']
        gain = 1 / (1 - p) if p < 1 else 0.0
        kept = case.get('kept')
        if kept is None:
            with np.errstate(all='ignore'):
                kept = got['dropped_weights'] != 0
        kept = np.broadcast_to(kept, last.shape)
        stages['dropped_weights'] = Expected(np.where(kept, last * gain, last * 0.0), np.abs(last * gain) * 4 * EPSILON)
        last = got['dropped_weights']
    stages['context'] = weighted(last, value, hidden)
    for head in case['ablate']:
        stages['context'].values[:, head] = 0
    context = got['context']
    merged = context if case['merge'] == 'direct' else context.transpose(0, 2, 1, 3)
    stages['concat'] = Expected(merged.reshape(batch, queries, -1))
    if layer_has_output(case):
        if case['layer'] is None:
            stages['output'] = Expected(got['output'].reshape(batch, queries, case['d_model']))
        else:
            stages['output'] = linear(got['concat'], case['layer']['out'], case['layer']['out_bias'])
    return stages


def layer_has_output(case):
    if case.get('query_values') is not None:
        return False
    return case['layer'] is None or case['layer']['out'] is not None


def difference(expected, found):
    """'' or what is wrong, in words."""
    want = expected.values
    if found.shape != want.shape:
        return f'shape {list(found.shape)}, expected {list(want.shape)}'
    with np.errstate(all='ignore'):
        same = (want == found) | (np.isnan(want) & np.isnan(found))
        near = np.abs(found - want) <= expected.bound + 1e-44
    wrong = ~(same | (near & np.isfinite(want) & np.isfinite(found)))
    if not wrong.any():
        return ''
    at = tuple(int(k) for k in np.argwhere(wrong)[0])
    return (f'{int(wrong.sum())} of {want.size} cells, first at {list(at)}: {found[at]!r}, expected {want[at]!r} '
            f'within {expected.bound[at]:.2g}')
