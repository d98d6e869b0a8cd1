"""Steps that the families of model_golden_neox.py, _gemma.py, _olmo.py and _others.py share: weights that are drawn,
rotary positions, attention with everything that is recorded of it. All of it runs in float64."""
import math

import torch
import torch.nn.functional as F


class Drawn:
    """Collects the weights of a model under their names."""

    def __init__(self, draw):
        self.draw, self.w = draw, {}

    def table(self, name, rows, columns, spread=0.8):
        self.w[name + '.weight'] = self.draw.normal(rows, columns, spread=spread)

    def linear(self, name, n_in, n_out, bias=True):
        self.w[name + '.weight'] = self.draw.normal(n_out, n_in)
        if bias:
            self.w[name + '.bias'] = self.draw.normal(n_out, spread=0.3)

    def norm(self, name, width, bias=True, mean=1.0):
        self.w[name + '.weight'] = self.draw.normal(width, spread=0.3, mean=mean)
        if bias:
            self.w[name + '.bias'] = self.draw.normal(width, spread=0.2)


class Loaded:
    """The same weights as functions of rows x [len, features]."""

    def __init__(self, w):
        self.w = w

    def linear(self, name, x):
        return F.linear(x, self.w[name + '.weight'], self.w.get(name + '.bias'))

    def layer_norm(self, name, x, eps):
        return F.layer_norm(x, x.shape[-1:], self.w[name + '.weight'], self.w.get(name + '.bias'), eps)

    def rms_norm(self, name, x, eps, plus_one=False):
        normed = x / torch.sqrt(x.pow(2).mean(-1, keepdim=True) + eps)
        return normed * (self.w[name + '.weight'] + (1.0 if plus_one else 0.0))


def split_heads(x, heads):
    return x.view(x.shape[0], heads, -1).transpose(0, 1)


def frequencies(theta, features):
    """1 / theta^(2 p / features), as float32 numbers, which models keep."""
    return (1.0 / (theta ** (torch.arange(0, features, 2).float() / features))).double()


def turned(x, inverse, neighbours=False):
    """x [heads, len, head_dim]: its first 2 * len(inverse) features are turned in pairs, the others stay. Pairs are
    (2 p, 2 p + 1), or (p, p + half)."""
    count = 2 * len(inverse)
    angles = torch.outer(torch.arange(x.shape[1]).double(), inverse)
    turn = torch.polar(torch.ones_like(angles), angles)
    first, rest = x[..., :count], x[..., count:]
    if neighbours:
        pairs = torch.view_as_complex(first.reshape(*first.shape[:-1], count // 2, 2).contiguous())
        first = torch.view_as_real(pairs * turn).flatten(-2)
    else:
        pairs = torch.complex(first[..., :count // 2].contiguous(), first[..., count // 2:].contiguous()) * turn
        first = torch.cat([pairs.real, pairs.imag], dim=-1)
    return torch.cat([first, rest], dim=-1)


def causal(length, window=None):
    i, j = torch.arange(length)[:, None], torch.arange(length)[None]
    return (j <= i) if window is None else (j <= i) & (i - j < window)


def alibi(heads, length):
    """-slope * (i - j), Press et al. 2022: powers of 2^(-8 / n), and for n no power of two every other one of twice
    the next smaller."""
    def powers(n):
        return [2 ** (-8 * (k + 1) / n) for k in range(n)]

    near = 2 ** math.floor(math.log2(heads))
    slopes = powers(near) + powers(2 * near)[0::2][:heads - near]
    distance = (torch.arange(length)[:, None] - torch.arange(length)[None]).abs().double()
    return -torch.tensor(slopes, dtype=torch.float64)[:, None, None] * distance


def attend(stages, layer, q, k, v, visible, scale=None, cap=None, added=None):
    """q [heads, len, head_dim], k and v [groups, len, head_dim] -> [len, heads * head_dim]."""
    record = lambda name, value: stages.__setitem__(f'layers.{layer}.{name}', value)
    repeats = q.shape[0] // k.shape[0]
    keys, values = k.repeat_interleave(repeats, 0), v.repeat_interleave(repeats, 0)
    scores = torch.matmul(q, keys.transpose(-2, -1)) * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    for name, value in dict(query=q, key=k, value=v, scores=scores).items():
        record(name, value)
    if cap is not None:
        scores = cap * torch.tanh(scores / cap)
        record('capped_scores', scores)
    if added is not None:
        scores = scores + added
    weights = F.softmax(scores.masked_fill(~visible, float('-inf')), dim=-1)
    context = torch.matmul(weights, values)
    record('weights', weights)
    record('context', context)
    return context.transpose(0, 1).reshape(q.shape[1], -1)
