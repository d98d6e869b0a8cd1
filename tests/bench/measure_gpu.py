#!/usr/bin/env python3
"""How fast the GPU backend is here: device and driver, times of the CPU and of the GPU with their ratio, and the GPU's share
of the multiply-adds that the device can do at all. ./dev gpu runs it after the tests of the backend.

    tests/bench/measure_gpu.py build/bench/bin/headscope_bench

`layer`: self-attention of so many tokens, d_model 1024, 16 heads, causal, all weights in memory afterwards, and when
weights are computed only where they are looked at. The CPU's side has two threads, as the goals are said.
`tile`: 256 x 256 weights in a map of 32,768 tokens. `picture`: one head of weights to its picture (device_map_bench.cpp).
Needs nothing but Python; ends with 77 where there is no OpenGL 4.3.
"""
import json
import subprocess
import sys

FILTER = '^(layer|tile_of_large_map|map_to_picture)'
# A driver that computes on the processor takes minutes for a layer, and there is nothing to learn from it.
SLOW_FILTER = '^map_to_picture/tokens:2048'
SLOW_RENDERERS = ('llvmpipe', 'softpipe', 'SwiftShader')


def measured(program, chosen):
    """What the benchmarks print whose names match."""
    ran = subprocess.run([program, f'--benchmark_filter={chosen}', '--benchmark_format=json', '--benchmark_min_time=0.2'],
                         stdout=subprocess.PIPE, check=True)
    return json.loads(ran.stdout)['benchmarks']


def times_of(results):
    """Milliseconds by name, such as 'layer/tokens:64/gpu:1'."""
    return {row['name'].replace('/real_time', ''): row for row in results if 'real_time' in row and not row.get('error_occurred')}


def pairs(rows):
    """What was measured on both: (words, CPU's name, GPU's name)."""
    for tokens in (64, 1024, 4096):
        yield f'layer, {tokens:,} tokens, weights to memory', f'layer/tokens:{tokens}/gpu:0', f'layer/tokens:{tokens}/gpu:1'
    for tokens in (1024, 4096):
        name = f'layer_on_demand/tokens:{tokens}/gpu:'
        yield f'layer, {tokens:,} tokens, weights when looked at', f'{name}0', f'{name}1'
    yield 'tile of 32,768 tokens', 'tile_of_large_map/gpu:0', 'tile_of_large_map/gpu:1'
    for tokens in (2048, 8192):
        cpu = f'map_to_picture/tokens:{tokens}/way:0'
        yield f'picture of {tokens:,} tokens, through memory', cpu, f'map_to_picture/tokens:{tokens}/way:1'
        yield f'picture of {tokens:,} tokens, left on the device', cpu, f'map_to_picture/tokens:{tokens}/way:2'


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    results = measured(sys.argv[1], '^device_peak')
    peak = times_of(results).get('device_peak')
    if peak is None:
        reasons = [row['error_message'] for row in results if row.get('error_occurred')]
        print(f'Nothing was measured: {reasons[0] if reasons else "the benchmarks did not run"}')
        sys.exit(77)
    device = peak['label']
    print(f'Device: {device}')
    print(f'Multiply-adds of the device: {peak["operations"] / 1e9:,.0f} GFLOP/s')
    slow = any(name in device for name in SLOW_RENDERERS)
    if slow:
        print('This driver computes on the processor: layers are left out, and ratios say nothing of a card.')
    rows = times_of(measured(sys.argv[1], SLOW_FILTER if slow else FILTER))
    print(f'{"":50}{"CPU ms":>10}{"GPU ms":>10}{"CPU : GPU":>11}{"share of peak":>15}')
    for words, cpu, gpu in pairs(rows):
        if cpu not in rows or gpu not in rows:
            print(f'{words:50}was not measured')
            continue
        one, two = rows[cpu]['real_time'], rows[gpu]['real_time']
        operations = rows[gpu].get('operations')
        share = f'{100 * operations / peak["operations"]:.1f} %' if operations else ''
        print(f'{words:50}{one:10.3f}{two:10.3f}{one / two:10.2f}x{share:>15}')


if __name__ == '__main__':
    main()
