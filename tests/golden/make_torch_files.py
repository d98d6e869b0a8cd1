#!/usr/bin/env python3
"""Makes tests/golden/torch_files/: files of torch.save, and the same tensors as safetensors.

    apt-get install python3-torch && /usr/bin/python3 tests/golden/make_torch_files.py

    tensors.pt, tensors-legacy.pt, tensors-protocol-4.pt   every kind of tensor, by zip, before PyTorch 1.6, by a newer
    tensors-legacy-protocol-N.pt                           protocol, by both; tensors.safetensors has the same numbers
    layer.pt, layer-legacy.pt                              nn.MultiheadAttention; layer.safetensors
    training.pt                                            a state_dict beside an optimizer's
    NAME.bin, NAME-legacy.bin, NAME-00001-of-00002.bin ... the checkpoints models/NAME, whose numbers are these
"""
import json
import os
import struct
import sys
from collections import OrderedDict

import torch

from make_model_golden import DTYPES, save_safetensors

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, 'torch_files')


def load_safetensors(path):
    with open(path, 'rb') as file:
        raw = file.read()
    length, = struct.unpack('<Q', raw[:8])
    header = json.loads(raw[8:8 + length])
    types = {name: dtype for dtype, (name, _) in DTYPES.items()}
    tensors = OrderedDict()
    for name, entry in header.items():
        if name == '__metadata__':
            continue
        begin, end = (8 + length + offset for offset in entry['data_offsets'])
        tensors[name] = torch.frombuffer(bytearray(raw[begin:end]), dtype=types[entry['dtype']]).view(entry['shape'])
    return tensors


def save(name, value, **options):
    torch.save(value, os.path.join(FOLDER, name), **options)


def save_both(stem, value, ending):
    save(stem + ending, value)
    save(stem + '-legacy' + ending, value, _use_new_zipfile_serialization=False)


def every_kind():
    draw = torch.Generator().manual_seed(5)
    whole = torch.randn(4, 6, generator=draw)
    parameter = torch.nn.Parameter(torch.randn(2, 3, generator=draw))
    with_attribute = torch.randn(3, generator=draw)
    with_attribute.note = 'kept by Python'
    return OrderedDict([
        ('whole', whole),
        ('again', whole),
        ('rows', whole[1:3]),
        ('columns', whole[:, 1:5:2]),
        ('transposed', whole.t()),
        ('one', whole[2, 3]),
        ('expanded', torch.tensor([1.5, -2.0]).expand(3, 2)),
        ('four_axes', torch.randn(2, 3, 1, 2, generator=draw).permute(3, 0, 2, 1)),
        ('none', torch.zeros(0, 3)),
        ('parameter', parameter),
        ('with_attribute', with_attribute),
        ('half', torch.randn(2, 5, generator=draw).half()),
        ('half_transposed', torch.randn(3, 4, generator=draw).half().t()),
        ('bfloat', torch.randn(5, generator=draw).bfloat16()),
        ('double', torch.randn(2, 2, generator=draw, dtype=torch.float64)),
        ('int64', torch.tensor([1, -2, 3])),
        ('int32', torch.tensor([[4, -5]], dtype=torch.int32)),
        ('int16', torch.tensor([300], dtype=torch.int16)),
        ('int8', torch.tensor([-7, 8], dtype=torch.int8)),
        ('uint8', torch.tensor([200, 1], dtype=torch.uint8)),
        ('bool', torch.tensor([True, False, True]).t()),
        ('long name ' + 'n' * 300, torch.ones(1)),
    ])


def as_float(tensors):
    return {name: tensor.detach().float().contiguous() for name, tensor in tensors.items()}


def transposed_storage(tensors):
    """The same numbers, columns first in memory."""
    return OrderedDict((name, tensor.t().contiguous().t() if tensor.dim() == 2 else tensor)
                       for name, tensor in tensors.items())


def sharded(stem, tensors):
    names = list(tensors)
    halves = names[:len(names) // 2], names[len(names) // 2:]
    weight_map = {}
    for number, half in enumerate(halves, 1):
        file = f'{stem}-{number:05}-of-00002.bin'
        save(file, OrderedDict((name, tensors[name]) for name in half))
        weight_map.update({name: file for name in half})
    with open(os.path.join(FOLDER, stem + '.bin.index.json'), 'w') as out:
        out.write(json.dumps({'metadata': {'total_size': 0}, 'weight_map': weight_map}, indent=1) + '\n')


def main():
    torch.set_num_threads(1)
    os.makedirs(FOLDER, exist_ok=True)
    tensors = every_kind()
    save_both('tensors', tensors, '.pt')
    save('tensors-protocol-4.pt', tensors, pickle_protocol=4)
    for protocol in (3, 4, 5):
        save(f'tensors-legacy-protocol-{protocol}.pt', tensors, pickle_protocol=protocol,
             _use_new_zipfile_serialization=False)
    save_safetensors(os.path.join(FOLDER, 'tensors.safetensors'), as_float(tensors))

    torch.manual_seed(3)
    layer = torch.nn.MultiheadAttention(6, 2)
    torch.nn.init.normal_(layer.in_proj_bias)
    save_both('layer', layer.state_dict(), '.pt')
    save_safetensors(os.path.join(FOLDER, 'layer.safetensors'), as_float(layer.state_dict()))

    optimizer = torch.optim.Adam(layer.parameters(), lr=1e-3)
    layer(*[torch.randn(3, 6)[:, None]] * 3)[0].sum().backward()
    optimizer.step()
    save('training.pt', {'model': layer.state_dict(), 'optimizer': optimizer.state_dict(), 'step': 1, 'loss': 0.5,
                         'config': {'name': 'tiny', 'sizes': [6, 2], 'bias': True, 'seed': None, 'big': 2 ** 70}})
    save_safetensors(os.path.join(FOLDER, 'training.safetensors'), as_float(layer.state_dict()))

    models = {name: load_safetensors(os.path.join(HERE, 'models', name, 'model.safetensors'))
              for name in ('gpt2', 'llama-bf16', 'nanogpt')}
    save_both('gpt2', models['gpt2'], '.bin')
    save('llama-bf16.bin', transposed_storage(models['llama-bf16']))
    sharded('llama-bf16', models['llama-bf16'])
    tied = models['nanogpt']
    tied['lm_head.weight'] = tied['transformer.wte.weight']
    save('nanogpt.bin', tied)
    return 0


if __name__ == '__main__':
    sys.exit(main())
