#!/usr/bin/env python3
"""Random requests through the built headscope-cli, every stage held to an implementation of the contract in NumPy.

    python3 tests/golden/contract_fuzz.py build/release/bin/headscope-cli [--count 40] [--seed 1] [--only SEED]

Ends with 77 where neither this Python nor the system's has NumPy. Without PyTorch seeded layers are held to it from their projections on.
"""
import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy as np
except ImportError:
    system = '/usr/bin/python3'
    if os.path.exists(system) and os.path.realpath(system) != os.path.realpath(sys.executable):
        os.execv(system, [system, *sys.argv])
    print('NumPy is missing (apt-get install python3-numpy): skipped')
    sys.exit(77)

from contract_cases import Maker
from contract_files import FOUR_AXES, Wrong, check_statistics, read_export, sizes
from contract_oracle import difference, expected_stages
from contract_sources import torch

FORMS = {'csv': ['--format', 'csv'], 'long': ['--csv', 'long'], 'npy': ['--format', 'npy'],
         'json': ['--format', 'json'], 'safetensors': ['--format', 'safetensors']}


def arguments_of(options, rng=None):
    """--name value or --name=value."""
    words = []
    for name, value in options.items():
        if rng is None or rng.random() < 0.5:
            words += ['--' + name, str(value)]
        else:
            words.append(f'--{name}={value}')
    return words


def run(cli, words, expected=0):
    done = subprocess.run([cli, *words], capture_output=True, timeout=120)
    error = done.stderr.decode('utf-8', 'replace')
    if done.returncode != expected:
        raise Wrong(f'exit code {done.returncode}, expected {expected}: {error}')
    # How a mask was read that could be read otherwise may be said; nothing else.
    if expected == 0 and not all(line.startswith('headscope-cli: notice: ') for line in error.splitlines()):
        raise Wrong(f'said {error!r}')
    return done.stdout


def files_in(folder):
    """Name -> bytes; of the manifest what does not tell the time."""
    held = {name: open(os.path.join(folder, name), 'rb').read() for name in os.listdir(folder)}
    manifest = json.loads(held['manifest.json'])
    manifest.pop('seconds')
    for entry in manifest['stages'].values():
        entry.pop('seconds')
    for name in ('threads', 'backend'):
        manifest['request'].pop(name, None)
    held['manifest.json'] = json.dumps(manifest)
    return held


def take_from(case, got):
    """Words' own vectors are not spelled out by the contract: they are taken as they come."""
    for name, stage in (('x', 'input'), ('key_x', 'key_input'), ('value_x', 'value_input')):
        if name in case and case[name] is None:
            case[name] = (got[stage], 0.0)


def check_words(case, got):
    """The same word has the same vector wherever it stands (without positions)."""
    if case.get('same_words'):
        for tokens, stage in ((case['tokens'], 'input'), (case.get('key_tokens'), 'key_input')):
            if stage in got:
                vectors = {}
                for i, word in enumerate(tokens):
                    if not (got[stage][:, i] == vectors.setdefault(word, got[stage][0, i])).all():
                        raise Wrong(f'{stage}: {word!r} has two vectors')


def compare(case, manifest, got):
    take_from(case, got)
    expected = expected_stages(case, got)
    if list(expected) != list(got):
        raise Wrong(f'stages {list(got)}, expected {list(expected)}')
    for name, values in expected.items():
        wrong = difference(values, got[name])
        if wrong:
            raise Wrong(f'{name}: {wrong}')
    check_words(case, got)
    check_statistics(manifest, got)
    if manifest['fully_masked_rows'] != case['fully_masked_rows']:
        raise Wrong(f'fully_masked_rows {manifest["fully_masked_rows"]}, expected {case["fully_masked_rows"]}')
    if case.get('tokens') and manifest['tokens'] != case['tokens']:
        raise Wrong(f'tokens {manifest["tokens"]}, expected {case["tokens"]}')
    keys = case.get('key_tokens', case.get('tokens'))
    if keys and manifest['key_tokens'][:len(keys)] != keys:
        raise Wrong(f'key_tokens {manifest["key_tokens"]}, expected {keys}')
    return len(expected)


def session_texts(request, rng):
    """The same request as a session: flat, nested, numbers as strings, lists for commas."""
    loose = {}
    for key, value in request.items():
        if key in ('mask', 'variant', 'ablate') and rng.random() < 0.5:
            value = value.split(',')
        elif not isinstance(value, str) and rng.random() < 0.5:
            value = str(value)
        loose[key] = value
    return [request, {'request': loose}, {'headscope': '0.1.0', **loose}]


def check_region(cli, base, got, folder, rng):
    """A region holds what the whole holds there."""
    batch, heads, queries, keys = got['weights'].shape
    cut = []
    for size in (batch, heads, queries, keys):
        cut.append(sorted(int(k) for k in rng.choice(size + 1, 2, replace=False)))
    b, h = cut[0][0], cut[1][0]
    text = f'{b},{h},{cut[2][0]}:{cut[2][1]},{cut[3][0]}:{cut[3][1]}'
    run(cli, ['run', *base, '--format', 'npy', '--export', 'weights,raw_scores', '--region', text, '--out', folder])
    for name in ('weights', 'raw_scores'):
        part = np.load(os.path.join(folder, name + '.npy'))
        whole = got[name][b:b + 1, h:h + 1, cut[2][0]:cut[2][1], cut[3][0]:cut[3][1]]
        if part.shape != whole.shape or not np.array_equal(part, whole.astype(np.float32), equal_nan=True):
            raise Wrong(f'--region {text}: {name} {part.shape} is not that part of the whole')


def check_one(cli, seed, folder):
    """How many stages were compared, and whether what hidden keys hold was varied."""
    maker = Maker(seed, folder)
    options, case = maker.make()
    rng = maker.rng
    case['same_words'] = 'phrase' in options and 'position' not in options and 'embedding' not in options
    words = ['run', *arguments_of(options, rng)]
    shown = shlex.join([cli, *words])
    out = lambda name: os.path.join(folder, name)
    try:
        stages = 0
        form = maker.pick(['npy', 'safetensors'] if maker.large else list(FORMS))
        run(cli, words + FORMS[form] + ['--backend', 'cpu', '--threads', '1', '--out', out('one')])
        manifest, got = read_export(out('one'), form)
        stages += compare(case, manifest, got)
        run(cli, words + FORMS[form] + ['--backend', 'cpu', '--threads', '7', '--out', out('seven')])
        if files_in(out('one')) != files_in(out('seven')):
            raise Wrong('1 and 7 threads give different bytes')
        run(cli, words + ['--format', 'npy', '--backend', 'reference', '--out', out('reference')])
        reference, plain = read_export(out('reference'), 'npy')
        stages += compare(case, reference, plain)
        for number, session in enumerate(session_texts(manifest['request'], rng)):
            path = out(f'session {number}.json')
            with open(path, 'w', encoding='utf-8') as file:
                json.dump(session, file, ensure_ascii=bool(number))
            run(cli, ['run', '--session', path] + FORMS[form] + ['--out', out(f'again{number}')])
            if files_in(out('one')) != files_in(out(f'again{number}')):
                raise Wrong(f'the session {session} gives other bytes')
        if rng.random() < 0.3:
            check_region(cli, words[1:], read_export_npy(cli, words, out('whole')), out('part'), rng)
        return stages, check_hidden(cli, words, maker, case, folder)
    except Wrong as wrong:
        raise Wrong(f'{wrong}\n  {shown}') from None


def check_hidden(cli, words, maker, case, folder):
    """What a key holds that no query sees changes no bit."""
    options = maker.options
    sources = [name for name in ('key', 'value', 'key-input', 'value-input') if name in options]
    unread = case['fill'] <= -1e9 and not case['fully_masked_rows'] and case.get('scale', 1) > 0
    unread = unread or np.isneginf(case['fill']) and case.get('fully-masked', 'as-computed') != 'uniform'
    mistaken = {'mask-after-softmax', 'key-not-transposed', 'softmax-over-queries'} & set(case['variants'])
    hidden = case['hidden'].all(2)  # [batch, head, key]
    if case['extra_key']:
        hidden = hidden[..., :-1]
    groups = hidden.reshape(hidden.shape[0], case['kv_heads'], -1, hidden.shape[2]).all(2)
    if not sources or not unread or mistaken or not groups.any():
        return 0
    plain = ['--format', 'npy', '--export', 'all', '--out']
    run(cli, words + plain + [os.path.join(folder, 'clean')])
    for name in sources:
        values = np.load(options[name])
        spoilt = groups if name in ('key', 'value') else groups.all(1).reshape(values.shape[:-1])
        values[spoilt] = maker.pick([np.nan, np.inf, -np.inf])
        np.save(options[name], values)
    for backend in ('cpu', 'reference'):
        out = os.path.join(folder, 'spoilt ' + backend)
        run(cli, words + ['--backend', backend] + plain + [out])
        for stage in ('masked_scores', 'weights', 'dropped_weights', 'context', 'concat', 'output'):
            paths = [os.path.join(each, stage + '.npy') for each in (os.path.join(folder, 'clean'), out)]
            if not os.path.exists(paths[0]):
                continue
            clean, spoilt = [np.load(path) for path in paths]
            same = clean.tobytes() == spoilt.tobytes() if backend == 'cpu' else np.allclose(
                clean, spoilt, 1e-3, 1e-4, equal_nan=True)
            if not same:
                raise Wrong(f'{backend}: {stage} depends on what hidden keys hold')
    return 1


def read_export_npy(cli, words, folder):
    run(cli, words + ['--format', 'npy', '--out', folder])
    return read_export(folder, 'npy')[1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('cli')
    parser.add_argument('--count', type=int, default=40)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--only', type=int)
    given = parser.parse_args()
    warnings.simplefilter('ignore')
    seeds = [given.only] if given.only is not None else range(given.seed, given.seed + given.count)
    memory = '/dev/shm' if os.access('/dev/shm', os.W_OK) else None  # every file is synced, which disks take time for
    stages, varied, failures = 0, 0, 0
    for seed in seeds:
        folder = tempfile.mkdtemp(prefix='headscope contract ', dir=memory)
        try:
            compared, hidden = check_one(os.path.abspath(given.cli), seed, folder)
            stages, varied = stages + compared, varied + hidden
        except Wrong as wrong:
            failures += 1
            print(f'case {seed}: {wrong}\n  files are left in {folder}')
            continue
        shutil.rmtree(folder)
    print(f'{len(seeds)} requests, {stages} stages compared{"" if torch else " (without PyTorch)"}, hidden keys varied in '
          f'{varied}, {failures} wrong')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
