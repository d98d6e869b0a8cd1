"""How PyTorch's numbers are written down: the stages of a case, .npy, .safetensors and the two lists of cases."""
import json
import os
import struct

import numpy as np
import torch

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'torch')
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


def write_json(name, header, entries):
    """One entry a line, so that a change reads as a change of that entry."""
    lines = ',\n'.join(json.dumps(entry, separators=(',', ':')) for entry in entries)
    with open(os.path.join(FOLDER, name), 'w') as file:
        file.write(f'{{"torch":{json.dumps(torch.__version__)},"tolerance":2e-6,"{header}":[\n{lines}\n]}}\n')
