#!/usr/bin/env python3
"""Makes tests/golden/files/: the inputs of tutorials 003 and 004 that the pages' commands name.

    apt-get install python3-numpy && /usr/bin/python3 tests/golden/make_tutorial_files.py

003's numbers are those of seeds.json, as the tutorial prints them; 004's are the sines of the derived cases.
"""
import json
import os
import struct

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, 'files')


def save_npy(name, array):
    np.save(os.path.join(FOLDER, name), np.asarray(array, dtype=np.float32))


def save_safetensors(name, tensors):
    header, data = {'__metadata__': {'num_heads': '2'}}, b''
    for key, array in tensors.items():
        raw = np.ascontiguousarray(array, dtype='<f4').tobytes()
        header[key] = {'dtype': 'F32', 'shape': list(np.shape(array)),
                       'data_offsets': [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b' ' * (-len(text) % 8)
    with open(os.path.join(FOLDER, name), 'wb') as file:
        file.write(struct.pack('<Q', len(text)) + text + data)


def sine(rows, columns, phase):
    return np.sin(0.37 * np.arange(rows * columns).reshape(rows, columns) + phase)


if __name__ == '__main__':
    os.makedirs(FOLDER, exist_ok=True)
    with open(os.path.join(HERE, 'seeds.json')) as file:
        cases = {case['id']: case['inputs'] for case in json.load(file)['cases']}
    chain = cases['s003.chain.step6_to_11']
    for name, letter in [('query', 'Q'), ('key', 'K'), ('value', 'V')]:
        save_npy(f'003_{name}.npy', chain[letter])
    save_npy('003_keep.npy', cases['s003.step8.dropout']['keep'])
    forward = cases['s003.chain.true_forward']
    save_npy('003_x.npy', forward['X'])
    save_safetensors('003_layer.safetensors', {name: forward[name] for name in ['Wq', 'Wk', 'Wv']})
    save_npy('004_query.npy', sine(3, 4, 0.3))
    save_npy('004_keys.npy', sine(4, 4, 0.8))
    save_npy('004_values.npy', sine(4, 4, 1.9))
    save_safetensors('004_layer.safetensors', {'queries.weight': sine(4, 4, 0.15), 'keys.weight': sine(4, 4, 0.45),
                                               'values.weight': sine(4, 4, 0.95), 'fc_out.weight': sine(4, 4, 1.55)})
    save_npy('004_mask.npy', cases['derived.s004.cross.row_fully_masked']['mask'])
