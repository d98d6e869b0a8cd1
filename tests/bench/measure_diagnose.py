#!/usr/bin/env python3
"""What a diagnosis costs beside computing the layer: measure_diagnose.py HEADSCOPE_CLI [--long]

Makes queries, keys and values, and three wrong results of each size: a mask that is off by one, one wrong cell, and noise
that no mistake explains. Prints seconds of `diagnose`, and how many times those of `run` of the same arrays, whose stages
are not written. --long: 8,192 tokens, too. Ends with 77 where NumPy is missing.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

try:
    import numpy
except ImportError:
    print('NumPy is missing')
    sys.exit(77)


def attended(q, k, v, further):
    """softmax(q . k^T / sqrt(d), keys up to i + further) . v, some rows at a time."""
    out = numpy.empty_like(v)
    length = q.shape[2]
    for first in range(0, length, 512):
        scores = q[:, :, first:first + 512] @ k.swapaxes(-1, -2) / numpy.float32(q.shape[-1] ** 0.5)
        rows = numpy.arange(first, min(first + 512, length))[:, None]
        scores = numpy.where(numpy.arange(length)[None] <= rows + further, scores, -numpy.inf)
        powers = numpy.exp(scores - scores.max(-1, keepdims=True))
        out[:, :, first:first + 512] = powers / powers.sum(-1, keepdims=True) @ v
    return out


def seconds_of(command):
    began = time.monotonic()
    subprocess.run(command, check=True, capture_output=True)
    return time.monotonic() - began


def measured(program, folder, batch, length):
    random = numpy.random.default_rng(0)
    names = ('query', 'key', 'value')
    arrays = [random.standard_normal((batch, 8, length, 64)).astype(numpy.float32) for _ in names]
    options = ['--mask', 'causal']
    for name, array in zip(names, arrays):
        numpy.save(os.path.join(folder, name + '.npy'), array)
        options += ['--' + name, os.path.join(folder, name + '.npy')]
    right = attended(*arrays, 0)
    cell = right.copy()
    cell[batch - 1, 7, length - 7, 5] *= numpy.float32(1.24)
    noise = right * (1 + 0.1 * random.standard_normal(right.shape).astype(numpy.float32))
    theirs = os.path.join(folder, 'theirs.npy')
    plain = min(seconds_of([program, 'run', *options]) for _ in range(3))
    for what, wrong in (('causal-plus-one', attended(*arrays, 1)), ('one cell', cell), ('noise', noise)):
        numpy.save(theirs, wrong)
        seconds = min(seconds_of([program, 'diagnose', *options, '--theirs', theirs, '--stage', 'context'])
                      for _ in range(3))
        print(f'{batch} x 8 heads, {length} tokens, {what}: {seconds:.2f} s, {seconds / plain:.1f} times run', flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('program')
    parser.add_argument('--long', action='store_true')
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measured(given.program, folder, 4, 512)
        if given.long:
            measured(given.program, folder, 1, 8192)


if __name__ == '__main__':
    main()
