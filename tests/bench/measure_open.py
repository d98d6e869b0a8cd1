#!/usr/bin/env python3
"""What opening a model of real size costs: seconds and memory of headscope-cli on checkpoints that are holes.

    tests/bench/measure_open.py CLI [--folder DIR] [--shapes llama-8b,...]

Of each shape: `info` (the model opens), and `run --layer 0` on 16 tokens, whole processes, the quickest of five, with the
largest resident memory. Goals for Llama 8B, as BF16 and as Q4_K: open in 1 s, layer 0 in 2 s, in what that layer and the
embeddings of the tokens need and 300 MB more. Exit code 1 where one of them is missed.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time

import shapes

TOKENS = ','.join(str(7 * k + 1) for k in range(16))
LAYER_MB = {'llama-8b': 4096 * (4096 * 2 + 1024 * 2) * 2 / 1e6, 'llama-8b-q4_k': 4096 * (4096 * 2 + 1024 * 2) * 144 / 256 / 1e6}
MORE_MB = 300
OPEN_SECONDS, LAYER_SECONDS = 1.0, 2.0


def measured(command):
    """Seconds and largest resident megabytes of a process."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    error = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - begin
    if status != 0:
        sys.exit(f'{" ".join(command)}\n{error}')
    return seconds, usage.ru_maxrss / 1000


def best(command, times=5):
    found = [measured(command) for _ in range(times)]
    return min(seconds for seconds, _ in found), max(megabytes for _, megabytes in found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('cli')
    parser.add_argument('--folder')
    parser.add_argument('--shapes', default=','.join([*shapes.SHAPES, 'llama-8b-q4_k']))
    given = parser.parse_args()
    folder = given.folder or tempfile.mkdtemp(prefix='headscope-shapes-')
    missed = []
    print(f'{"shape":16} {"GB":>7} {"open s":>8} {"MB":>7} {"layer 0 s":>10} {"MB":>7}')
    try:
        for shape in given.shapes.split(','):
            path = os.path.join(folder, shape)
            if shape == 'llama-8b-q4_k':
                path += '.gguf'
                size = shapes.write_gguf(path)
            else:
                size = shapes.write_folder(path, shape)
            opened, open_mb = best([given.cli, 'info', path])
            layer, layer_mb = best([given.cli, 'run', '--model', path, '--token-ids', TOKENS, '--layer', '0'])
            print(f'{shape:16} {size / 1e9:7.2f} {opened:8.3f} {open_mb:7.0f} {layer:10.3f} {layer_mb:7.0f}')
            if shape not in LAYER_MB:
                continue
            for what, value, most in (('open, seconds', opened, OPEN_SECONDS), ('layer 0, seconds', layer, LAYER_SECONDS),
                                      ('layer 0, MB', layer_mb, LAYER_MB[shape] + MORE_MB)):
                if value > most:
                    missed.append(f'{shape}: {what}: {value:.2f}, at most {most:.2f} wanted')
    finally:
        if given.folder is None:
            shutil.rmtree(folder)
    for line in missed:
        print(line)
    sys.exit(1 if missed else 0)


if __name__ == '__main__':
    main()
