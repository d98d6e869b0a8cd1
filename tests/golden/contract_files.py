"""Files in and out, written apart from Headscope: what a request names, and what `run --out` leaves."""
import csv
import json
import os
import struct

import numpy as np

from contract_oracle import SCORE_LIKE

FOUR_AXES = SCORE_LIKE + ('query', 'key', 'value', 'qkv_split', 'qkv_heads', 'context')
NAMES = ('input', 'key_input', 'value_input', 'qkv', 'qkv_split', 'qkv_heads', 'query_proj', 'key_proj', 'value_proj',
         'query', 'key', 'value', 'raw_scores', 'scores', 'capped_scores', 'masked_scores', 'weights',
         'dropped_weights', 'context', 'concat', 'output')


class Wrong(Exception):
    """What Headscope did is not what the contract says."""


def save_npy(path, values, order='C'):
    np.save(path, np.asfortranarray(values) if order == 'F' else np.ascontiguousarray(values))
    return path


def as_bfloat16(values):
    """Nearest even, as bits."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def stored(values, dtype):
    """(bytes in the file, the float32 that they stand for)."""
    if dtype == 'BF16':
        bits = as_bfloat16(values)
        return bits.tobytes(), (bits.astype(np.uint32) << 16).view(np.float32).reshape(values.shape)
    kept = np.ascontiguousarray(values, {'F32': np.float32, 'F16': np.float16}[dtype])
    return kept.tobytes(), kept.astype(np.float32)


def save_safetensors(path, tensors, dtype, metadata=None):
    """Returns the values as the file holds them."""
    header, data, held = {}, b'', {}
    if metadata:
        header['__metadata__'] = metadata
    for name, values in tensors.items():
        raw, held[name] = stored(values, dtype)
        header[name] = {'dtype': dtype, 'shape': list(values.shape), 'data_offsets': [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b' ' * (-len(text) % 8)
    with open(path, 'wb') as file:
        file.write(struct.pack('<Q', len(text)) + text + data)
    return held


def number(text):
    """A number of a CSV or JSON export; it reads back to a float32, and no shorter text would."""
    if not isinstance(text, str):
        return float(text)
    value = float(text)
    single = np.float32(value)
    if text not in ('nan', 'inf', '-inf'):
        if not np.isfinite(single):
            raise Wrong(f'{text!r} is no float32 number')
        shortest = min((np.format_float_positional(single, unique=True, trim='-'),
                        np.format_float_scientific(single, unique=True, trim='-')), key=len)
        if len(text) > len(shortest):
            raise Wrong(f'{text!r} is not the shortest float32 number ({shortest})')
    return float(single)


def table(path):
    raw = open(path, 'rb').read()
    if raw.startswith(b'\xef\xbb\xbf') or b'\r' in raw or not raw.endswith(b'\n'):
        raise Wrong(f'{path}: a BOM, a carriage return or no newline at the end')
    with open(path, encoding='utf-8', newline='') as file:
        return list(csv.reader(file, strict=True))


def names_of(manifest, stage, axis_rows, count):
    keys = stage in ('key', 'value', 'key_input', 'value_input', 'key_proj', 'value_proj')
    if axis_rows:
        return manifest['key_tokens' if keys else 'tokens'][:count]
    return manifest['key_tokens'] if stage in SCORE_LIKE else [str(d) for d in range(count)]


def sizes(stage, shape):
    """batch, heads, rows, columns of a stage on paper."""
    if len(shape) == 3:
        return shape[0], 1, shape[1], shape[2]
    return (shape[0], shape[2], shape[1], shape[3]) if stage == 'qkv_split' else tuple(shape)


def read_matrix_csv(folder, manifest, stage, shape):
    four = stage in FOUR_AXES
    batches, heads, rows, columns = sizes(stage, shape)
    values = np.zeros((batches, heads, rows, columns))
    files = []
    for b in range(batches):
        for h in range(heads):
            name = f'{stage}.b{b}.h{h}.csv' if four else f'{stage}.b{b}.csv'
            files.append(name)
            lines = table(os.path.join(folder, name))
            corner = 'query\\key' if stage in SCORE_LIKE else 'token\\feature'
            if lines[0] != [corner] + names_of(manifest, stage, False, columns):
                raise Wrong(f'{name}: first row {lines[0]}')
            if [line[0] for line in lines[1:]] != names_of(manifest, stage, True, rows):
                raise Wrong(f'{name}: first column {[line[0] for line in lines[1:]]}')
            values[b, h] = [[number(cell) for cell in line[1:]] for line in lines[1:]]
    return in_own_axes(stage, values, shape), files


def in_own_axes(stage, values, shape):
    return (values.transpose(0, 2, 1, 3) if stage == 'qkv_split' else values).reshape(shape)


def read_long_csv(folder, manifest, stage, shape):
    lines = table(os.path.join(folder, f'{stage}.csv'))
    batches, heads, rows, columns = sizes(stage, shape)
    values = np.full((batches, heads, rows, columns), np.inf)
    row_names, column_names = names_of(manifest, stage, True, rows), names_of(manifest, stage, False, columns)
    if stage in SCORE_LIKE:
        wanted = 'batch,head,query,key,query_token,key_token,value'
    else:
        wanted = 'batch,head,position,feature,token,value' if stage in FOUR_AXES else 'batch,position,feature,token,value'
    if lines[0] != wanted.split(','):
        raise Wrong(f'{stage}.csv: first row {lines[0]}')
    if len(lines) - 1 != values.size:
        raise Wrong(f'{stage}.csv: {len(lines) - 1} rows for {values.size} values')
    for line in lines[1:]:
        place = [int(k) for k in line[:4 if stage in FOUR_AXES else 3]]
        if stage not in FOUR_AXES:
            place.insert(1, 0)
        names = [row_names[place[2]]] + ([column_names[place[3]]] if stage in SCORE_LIKE else [])
        if line[len(line) - 1 - len(names):-1] != names:
            raise Wrong(f'{stage}.csv: {line}, expected the names {names}')
        values[tuple(place)] = number(line[-1])
    return in_own_axes(stage, values, shape), [f'{stage}.csv']


def read_safetensors(path):
    raw = open(path, 'rb').read()
    length = struct.unpack('<Q', raw[:8])[0]
    header = json.loads(raw[8:8 + length])
    metadata = header.pop('__metadata__', {})
    tensors = {}
    for name, entry in header.items():
        begin, end = entry['data_offsets']
        tensors[name] = np.frombuffer(raw[8 + length + begin:8 + length + end], '<f4').reshape(entry['shape'])
    return tensors, metadata


def no_constants(word):
    raise Wrong(f'JSON holds {word}, which is no JSON')


def read_json(path):
    with open(path, encoding='utf-8') as file:
        return json.load(file, parse_constant=no_constants)


def float_array(nested):
    if isinstance(nested, list):
        return [float_array(each) for each in nested]
    return number(nested) if isinstance(nested, str) else float(nested)


def read_export(folder, form):
    """manifest, {stage: float64 array}; everything that the manifest says about files is checked."""
    manifest = read_json(os.path.join(folder, 'manifest.json'))
    stages, all_files = {}, {'manifest.json'}
    for stage, entry in manifest['stages'].items():
        shape = entry['shape']
        if form == 'csv':
            values, files = read_matrix_csv(folder, manifest, stage, shape)
        elif form == 'long':
            values, files = read_long_csv(folder, manifest, stage, shape)
        elif form == 'npy':
            values, files = np.load(os.path.join(folder, f'{stage}.npy')), [f'{stage}.npy']
            if values.dtype != np.float32:
                raise Wrong(f'{stage}.npy is {values.dtype}')
        elif form == 'json':
            files = [f'{stage}.json']
            held = read_json(os.path.join(folder, files[0]))
            values = np.array(float_array(held['values'] if isinstance(held, dict) else held), np.float32)
        else:
            files = ['all.safetensors']
            tensors, metadata = read_safetensors(os.path.join(folder, files[0]))
            values = tensors[stage]
            if json.loads(metadata['tokens']) != manifest['tokens']:
                raise Wrong(f'all.safetensors: tokens {metadata["tokens"]}')
        if entry['files'] != files or entry['dtype'] != 'float32':
            raise Wrong(f'manifest: {stage} has {entry["files"]} of {entry["dtype"]}, expected {files} of float32')
        if list(values.shape) != shape:
            raise Wrong(f'{stage}: shape {list(values.shape)}, manifest {shape}')
        all_files.update(files)
        stages[stage] = values.astype(np.float64)
    found = set(os.listdir(folder))
    if found != all_files:
        raise Wrong(f'files {sorted(found ^ all_files)} are only in the folder or only in the manifest')
    order = list(stages)
    if order != [name for name in NAMES if name in stages]:
        raise Wrong(f'stages in the order {order}')
    return manifest, stages


def check_statistics(manifest, stages):
    """min, max and mean over the finite values, and the counts of the others."""
    for stage, values in stages.items():
        entry, finite = manifest['stages'][stage], values[np.isfinite(values)]
        if entry['nan_count'] != int(np.isnan(values).sum()):
            raise Wrong(f'manifest: {stage} nan_count {entry["nan_count"]}')
        wanted = {'min': finite.min(), 'max': finite.max(), 'mean': finite.mean()} if finite.size else {}
        for name, value in wanted.items():
            if not abs(entry[name] - value) <= 1e-6 * max(1.0, float(np.abs(finite).max())):
                raise Wrong(f'manifest: {stage} {name} {entry[name]}, expected {value}')
