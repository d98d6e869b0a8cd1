"""Writes mistakes/: a plain layer and a small Llama, and what PyTorch code with a mistake gives for them, in float32,
bfloat16 and float16. Run it with Debian's python3-torch; nothing of Headscope takes part. A tensor is named
LAYER/MISTAKE/STAGE/FORMAT; the mistake is 'right' where there is none."""
import json
import math
import pathlib
import struct

import numpy
import torch

FOLDER = pathlib.Path(__file__).with_name('mistakes')
INF = -math.inf
FORMATS = {'f32': torch.float32, 'bf16': torch.bfloat16, 'f16': torch.float16}


def write_safetensors(path, tensors):
    header, data = {}, b''
    for name, tensor in tensors.items():
        values = tensor.float().contiguous().numpy().astype('<f4').tobytes()
        header[name] = {'dtype': 'F32', 'shape': list(tensor.shape), 'data_offsets': [len(data), len(data) + len(values)]}
        data += values
    text = json.dumps(header).encode()
    text += b' ' * (-len(text) % 8)
    path.write_bytes(struct.pack('<Q', len(text)) + text + data)


def linear(x, weight, bias=None):
    # Sums are in float32, as kernels for half precision make them; the result has the format of x.
    y = x.float() @ weight.float().T
    return (y if bias is None else y + bias.float()).to(x.dtype)


def causal(length, diagonal=0):
    return torch.ones(length, length).tril(diagonal).bool()


def softmax(scores, mistake):
    # In float32, as kernels for half precision do.
    s = scores.float()
    over = {'softmax-over-heads': 1, 'softmax-over-queries': -2, 'softmax-over-batch': 0}
    if mistake in over:
        return s.softmax(over[mistake])
    if mistake == 'softmax-over-matrix':
        return s.flatten(-2).softmax(-1).view_as(s)
    if mistake == 'softmax-base-2':
        e = torch.exp2(s - s.amax(-1, keepdim=True))
        return e / e.sum(-1, keepdim=True)
    if mistake == 'softmax-plus-one':
        e = torch.exp(s)
        return e / (1 + e.sum(-1, keepdim=True))
    if mistake == 'sigmoid-for-softmax':
        return s.sigmoid()
    return s.bfloat16().softmax(-1).float() if mistake == 'softmax-in-half' else s.softmax(-1)


def masked(scores, mistake, terms):
    """`terms`: causal, window, padding as this layer has them."""
    length = scores.shape[-1]
    shift = {'causal-strict': -1, 'causal-plus-one': 1}.get(mistake, 0)
    visible = torch.ones(length, length).bool()
    if 'causal' in terms:
        visible &= causal(length, shift)
        if mistake == 'causal-transposed':
            visible = visible.T
    if 'window' in terms:
        width = terms['window'] + {'window-plus-one': 1, 'window-minus-one': -1}.get(mistake, 0)
        apart = (torch.arange(length)[:, None] - torch.arange(length)[None]).abs()
        visible &= apart <= width
    if 'padding' in terms:
        keys = torch.arange(length) < length - terms['padding']
        if mistake == 'padding-left':
            keys = torch.arange(length) >= terms['padding']
        visible = visible & (keys[:, None] if mistake == 'padding-on-queries' else keys[None])
    if mistake == 'mask-missing':
        return scores
    if mistake == 'mask-inverted':
        visible = ~visible
    if mistake == 'mask-added-as-01':
        return scores + visible.to(scores.dtype)
    if mistake == 'mask-multiplied':
        return scores * visible
    fill = {'mask-fill-0': 0.0, 'mask-fill-1e-9': 1e-9, 'mask-fill-minus-1': -1.0, 'mask-fill-1e9': 1e9,
            'mask-fill-1e4': -1e4}.get(mistake, INF)
    return scores.masked_fill(~visible, fill)


def scaled(q, k, mistake, sizes):
    s = (q.float() @ k.float().transpose(-2, -1))
    d, heads, length, d_model = q.shape[-1], q.shape[1], k.shape[-2], sizes['d_model']
    s = s * {'no-scale': 1, 'scale-after-softmax': 1, 'scale-by-d-model': d_model ** -0.5, 'scale-by-head-dim': 1 / d,
             'scale-multiplied': d ** 0.5, 'scale-by-heads': heads ** -0.5, 'scale-by-length': length ** -0.5,
             'scores-zero': 0}.get(mistake, d ** -0.5)
    return s.to(q.dtype)


def split(x, heads, mistake):
    b, s, f = x.shape
    d = f // heads
    if mistake in ('split-by-view', 'split-and-merge-by-view'):
        return x.reshape(b, heads, s, d)
    if mistake in ('split-features-first', 'heads-interleaved'):
        return x.view(b, s, d, heads).permute(0, 3, 1, 2)
    return x.view(b, s, heads, d).transpose(1, 2)


def merge(y, mistake):
    b, h, s, d = y.shape
    if mistake in ('merge-direct', 'split-and-merge-by-view'):
        return y.reshape(b, s, h * d)
    if mistake in ('merge-features-first', 'heads-interleaved'):
        return y.permute(0, 2, 3, 1).reshape(b, s, h * d)
    if mistake == 'heads-summed':
        return y.sum(1, keepdim=True).expand_as(y).transpose(1, 2).reshape(b, s, h * d)
    if mistake == 'heads-averaged':
        return y.mean(1, keepdim=True).expand_as(y).transpose(1, 2).reshape(b, s, h * d)
    return y.transpose(1, 2).reshape(b, s, h * d)


def rotate(x, mistake, theta, shift=0):
    d = x.shape[-1]
    if mistake == 'rotary-theta':
        theta = 500000.0
    if mistake == 'rotary-width':
        d = d // 2
    frequency = theta ** (-torch.arange(0, d, 2).float() / d)
    angle = (torch.arange(x.shape[-2]).float() + shift)[:, None] * frequency[None]
    cos, sin = angle.cos(), angle.sin() * (-1 if mistake == 'rotary-sign' else 1)
    part, rest = x[..., :d].float(), x[..., d:]
    if mistake == 'rotary-interleaved':
        a, b = part[..., 0::2], part[..., 1::2]
        turned = torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)
    else:
        a, b = part[..., :d // 2], part[..., d // 2:]
        turned = torch.cat([a * cos - b * sin, b * cos + a * sin], -1)
    return torch.cat([turned.to(x.dtype), rest], -1)


def attend(q, k, v, mistake, terms, sizes):
    """Stages from query, key and value on."""
    heads, groups = q.shape[1], k.shape[1]
    if mistake == 'head-norm-added':
        q, k = (x * (x.float().pow(2).mean(-1, keepdim=True) + 1e-6).rsqrt().to(x.dtype) for x in (q, k))
    rolls = {'key-shifted': (1, 0), 'value-shifted': (0, 1), 'ring-not-unrolled': (2, 2)}.get(mistake, (0, 0))
    k, v = k.roll(rolls[0], -2), v.roll(rolls[1], -2)
    if mistake == 'last-key-stale':
        k, v = (torch.cat([x[..., :-1, :], x[..., -2:-1, :]], -2) for x in (k, v))
    if mistake == 'last-key-zero':
        k, v = (torch.cat([x[..., :-1, :], torch.zeros_like(x[..., -1:, :])], -2) for x in (k, v))
    if mistake == 'query-rounded':
        q = q.half().float()

    def repeated(x, tiled):
        if mistake == 'one-head-for-all':
            return x[:, :1].expand(-1, heads, -1, -1)
        return x.repeat(1, heads // groups, 1, 1) if tiled else x.repeat_interleave(heads // groups, 1)

    k = repeated(k, mistake in ('heads-tiled', 'heads-tiled-key'))
    v = repeated(v, mistake in ('heads-tiled', 'heads-tiled-value'))
    scores = masked(scaled(q, k, mistake, sizes).float(), mistake, terms)
    weights = softmax(scores, mistake)
    if mistake == 'scale-after-softmax':
        weights = weights * q.shape[-1] ** -0.5
    weights = weights.to(q.dtype)
    context = (weights.float() @ v.float()).to(q.dtype)
    return {'weights': weights, 'context': context, 'concat': merge(context, mistake)}


def plain_layer(x, w, mistake, terms, heads):
    weight, bias = w['in_proj_weight'], w['in_proj_bias']
    q_w, k_w, v_w = weight.chunk(3)
    q_b, k_b, v_b = bias.chunk(3)
    if mistake == 'qkv-last-dimension':
        q_w, k_w, v_w = weight.view(-1, 3, weight.shape[1]).unbind(1)
        q_b, k_b, v_b = bias.view(-1, 3).unbind(1)
    if mistake == 'qkv-blocked-as-per-head':
        q_w, k_w, v_w = (t.reshape(-1, weight.shape[1]) for t in weight.view(heads, 3, -1, weight.shape[1]).unbind(1))
        q_b, k_b, v_b = (t.reshape(-1) for t in bias.view(heads, 3, -1).unbind(1))
    if mistake == 'query-key-swapped':
        q_w, q_b, k_w, k_b = k_w, k_b, q_w, q_b
    if mistake == 'value-by-key':
        v_w, v_b = k_w, k_b
    none = torch.zeros_like(q_b)
    if mistake in ('projection-bias-missing', 'query-bias-missing'):
        q_b = none
    if mistake in ('projection-bias-missing', 'key-bias-missing'):
        k_b = none
    if mistake in ('projection-bias-missing', 'value-bias-missing'):
        v_b = none
    if mistake == 'projection-bias-twice':
        q_b, k_b, v_b = 2 * q_b, 2 * k_b, 2 * v_b
    q, k, v = (split(linear(x, a, b), heads, mistake) for a, b in ((q_w, q_b), (k_w, k_b), (v_w, v_b)))
    stages = attend(q, k, v, mistake, terms, {'d_model': x.shape[-1]})
    out_b = torch.zeros_like(w['out_proj.bias']) if mistake == 'output-bias-missing' else w['out_proj.bias']
    if mistake == 'output-bias-twice':
        out_b = out_b + out_b
    out_w = w['out_proj.weight'].T if mistake == 'output-transposed' else w['out_proj.weight']
    out = stages['concat'] if mistake == 'output-missing' else linear(stages['concat'], out_w, out_b)
    stages['output'] = x + out if mistake == 'residual-added' else out
    return stages


def llama_layer(x, w, mistake, heads, groups, theta):
    if mistake == 'rotary-rows-permuted':  # as Meta's files have them: the two rows of a pair beside each other
        in_pairs = lambda t: t.view(-1, 2, 4, t.shape[1]).transpose(1, 2).reshape(t.shape)
        w = w | {'q': in_pairs(w['q']), 'k': in_pairs(w['k'])}
    q, k, v = (split(linear(x, w[name]), count, mistake) for name, count in (('q', heads), ('k', groups), ('v', groups)))
    if mistake != 'rotary-missing':
        if mistake != 'rotary-key-only':
            q = rotate(q, mistake, theta, 1 if mistake == 'rotary-offset' else 0)
        if mistake != 'rotary-query-only':
            k = rotate(k, mistake, theta)
        if mistake == 'rotary-on-value':
            v = rotate(v, mistake, theta)
    stages = attend(q, k, v, mistake, {'causal': True}, {'d_model': x.shape[-1]})
    out = stages['concat'] if mistake == 'output-missing' else linear(stages['concat'], w['o'])
    stages['output'] = x + out if mistake == 'residual-added' else out
    return stages


PLAIN = ('no-scale scale-by-d-model scale-by-head-dim scale-multiplied scale-by-heads scale-by-length '
         'scale-after-softmax softmax-over-heads softmax-over-queries softmax-over-batch softmax-over-matrix '
         'softmax-base-2 softmax-plus-one sigmoid-for-softmax causal-strict causal-plus-one causal-transposed '
         'mask-missing mask-added-as-01 mask-multiplied mask-fill-0 mask-fill-1e-9 mask-fill-minus-1 mask-fill-1e9 '
         'split-by-view split-and-merge-by-view split-features-first merge-features-first heads-interleaved merge-direct '
         'heads-summed heads-averaged qkv-last-dimension qkv-blocked-as-per-head query-key-swapped value-by-key '
         'projection-bias-missing query-bias-missing value-bias-missing output-bias-missing output-transposed '
         'output-missing residual-added head-norm-added key-shifted value-shifted ring-not-unrolled last-key-stale '
         'last-key-zero projection-bias-twice output-bias-twice scores-zero').split()
IN_FLOAT32 = 'softmax-in-half query-rounded'.split()  # in half precision that is what everything is rounded to
OTHER_TERMS = {'window-plus-one': {'window': 2}, 'window-minus-one': {'window': 2}, 'padding-left': {'padding': 2},
               'padding-on-queries': {'padding': 2}}
LLAMA = ('rotary-missing rotary-query-only rotary-key-only rotary-on-value rotary-interleaved rotary-sign rotary-offset '
         'rotary-theta rotary-width heads-tiled heads-tiled-key heads-tiled-value one-head-for-all no-scale '
         'causal-plus-one causal-strict split-by-view merge-direct output-missing head-norm-added '
         'rotary-rows-permuted').split()

BEHIND_WEIGHTS = ('rotary-on-value', 'heads-tiled-value', 'merge-direct', 'output-missing')


def as_type(weights, kind):
    return {name: tensor.to(kind) for name, tensor in weights.items()}


def plain_cases():
    torch.manual_seed(11)
    batch, length, width, heads = 2, 7, 24, 4
    x = torch.randn(batch, length, width)
    w = {'in_proj_weight': torch.randn(3 * width, width) * 0.35, 'in_proj_bias': torch.randn(3 * width) * 0.5,
         'out_proj.weight': torch.randn(width, width) * 0.3, 'out_proj.bias': torch.randn(width) * 0.3}
    numpy.save(FOLDER / 'x.npy', x.numpy())
    write_safetensors(FOLDER / 'layer.safetensors', w)
    theirs = {}
    for kind, dtype in FORMATS.items():
        for mistake in ['right', *PLAIN, *OTHER_TERMS, *(IN_FLOAT32 if kind == 'f32' else [])]:
            terms = OTHER_TERMS.get(mistake, {'causal': True})
            stages = plain_layer(x.to(dtype), as_type(w, dtype), mistake, terms, heads)
            # One number a mistake that torch gives as NaN in rows without keys says no more than the others.
            theirs[f'plain/{mistake}/output/{kind}'] = stages['output']
    return theirs


def llama_cases():
    torch.manual_seed(12)
    width, heads, groups, length, vocabulary, theta = 32, 4, 2, 9, 40, 10000.0
    folder = FOLDER / 'llama'
    folder.mkdir(exist_ok=True)
    draw = lambda *shape: torch.randn(shape) * 0.3
    w = {'q': draw(width, width), 'k': draw(width // 2, width), 'v': draw(width // 2, width), 'o': draw(width, width)}
    embedding, norm = torch.randn(vocabulary, width), 1 + 0.1 * torch.randn(width)
    names = {'q': 'q_proj', 'k': 'k_proj', 'v': 'v_proj', 'o': 'o_proj'}
    tensors = {f'model.layers.0.self_attn.{names[n]}.weight': t for n, t in w.items()}
    tensors |= {'model.embed_tokens.weight': embedding, 'model.norm.weight': torch.ones(width),
                'model.layers.0.input_layernorm.weight': norm, 'model.layers.0.post_attention_layernorm.weight': torch.ones(width),
                'model.layers.0.mlp.gate_proj.weight': draw(16, width), 'model.layers.0.mlp.up_proj.weight': draw(16, width),
                'model.layers.0.mlp.down_proj.weight': draw(width, 16)}
    write_safetensors(folder / 'model.safetensors', tensors)
    (folder / 'config.json').write_text(json.dumps({
        'model_type': 'llama', 'architectures': ['LlamaForCausalLM'], 'hidden_size': width, 'num_attention_heads': heads,
        'num_key_value_heads': groups, 'num_hidden_layers': 1, 'intermediate_size': 16, 'vocab_size': vocabulary,
        'rms_norm_eps': 1e-5, 'max_position_embeddings': 64, 'hidden_act': 'silu', 'rope_theta': theta,
        'tie_word_embeddings': True}) + '\n')
    ids = torch.tensor([3, 7, 21, 1, 9, 12, 30, 7, 18])
    x = embedding[ids][None]
    x = x * (x.pow(2).mean(-1, keepdim=True) + 1e-5).rsqrt() * norm
    theirs = {}
    for kind, dtype in FORMATS.items():
        for mistake in ['right', *LLAMA]:
            stages = llama_layer(x.to(dtype), as_type(w, dtype), mistake, heads, groups, theta)
            for stage in ('weights', 'output'):
                if stage == 'weights' and mistake in BEHIND_WEIGHTS:
                    continue
                theirs[f'llama/{mistake}/{stage}/{kind}'] = stages[stage]
    return theirs


if __name__ == '__main__':
    FOLDER.mkdir(exist_ok=True)
    write_safetensors(FOLDER / 'theirs.safetensors', plain_cases() | llama_cases())
