"""Steps of model_golden_mixtures.py in NumPy: weights that are drawn, norms, rotary positions, the file format."""
import json
import math
import struct

import numpy as np

DTYPES = {np.dtype('float32'): 'F32', np.dtype('int64'): 'I64'}


def save_safetensors(path, tensors, metadata=None):
    header, data = {}, b''
    if metadata:
        header['__metadata__'] = metadata
    for name, tensor in tensors.items():
        raw = np.ascontiguousarray(tensor).tobytes()
        header[name] = {'dtype': DTYPES[tensor.dtype], 'shape': list(tensor.shape),
                        'data_offsets': [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header, separators=(',', ':')).encode()
    text += b' ' * (-len(text) % 8)
    with open(path, 'wb') as file:
        file.write(struct.pack('<Q', len(text)) + text + data)


class Drawn:
    """Collects the weights of a model under their names, as float32."""

    def __init__(self, seed):
        self.random, self.w = np.random.RandomState(seed), {}

    def normal(self, name, *shape, spread=0.4, mean=0.0):
        self.w[name] = (mean + spread * self.random.standard_normal(shape)).astype(np.float32)

    def linear(self, name, n_in, n_out, bias=False):
        self.normal(name + '.weight', n_out, n_in)
        if bias:
            self.normal(name + '.bias', n_out, spread=0.3)

    def norm(self, name, width, mean=1.0):
        self.normal(name + '.weight', width, spread=0.3, mean=mean)


def softmax(x):
    power = np.exp(x - x.max(-1, keepdims=True))
    return power / power.sum(-1, keepdims=True)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def rms_norm(x, weight, eps):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * weight


def yarn(config, size):
    """Inverse frequencies of YaRN (Peng et al. 2023), and what multiplies cos and sin."""
    rope, theta = config['rope_scaling'], config['rope_theta']
    factor, original = rope['factor'], rope['original_max_position_embeddings']
    inverse = theta ** (-np.arange(0, size, 2) / size)

    def feature(turns):  # of the pair that turns so often over the original length
        return size * math.log(original / (turns * 2 * math.pi)) / (2 * math.log(theta))

    low, high = feature(rope['beta_fast']), feature(rope['beta_slow'])
    if rope.get('truncate', True):
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, size - 1)
    ramp = np.clip((np.arange(size // 2) - low) / (high - low), 0, 1)
    return inverse / factor * ramp + inverse * (1 - ramp), 0.1 * math.log(factor) + 1


def turned(x, inverse, factor):
    """x [heads, len, size]: pairs (p, p + size / 2)."""
    angle = np.arange(x.shape[1])[:, None] * inverse[None].astype(np.float32).astype(np.float64)
    cosine, sine = np.cos(angle) * factor, np.sin(angle) * factor
    half = x.shape[-1] // 2
    a, b = x[..., :half], x[..., half:]
    return np.concatenate([a * cosine - b * sine, b * cosine + a * sine], -1)
