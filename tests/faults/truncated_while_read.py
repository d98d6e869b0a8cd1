"""A file that becomes shorter at a random moment while headscope-cli reads it: the numbers of the whole file, or exit 3
and nothing written; never other numbers with exit 0.

Usage: truncated_while_read.py HEADSCOPE_CLI [--times N] [--seed S]
"""

import argparse
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time

SIZE = 1024  # of the layer's matrices: 4 MB each


def write_layer(path):
    """One attention layer with separate projections, F32, of the same numbers each time."""
    names = ["queries.weight", "keys.weight", "values.weight", "fc_out.weight"]
    header, offset = {"__metadata__": {"num_heads": "4"}}, 0
    for name in names:
        header[name] = {"dtype": "F32", "shape": [SIZE, SIZE], "data_offsets": [offset, offset + 4 * SIZE * SIZE]}
        offset += 4 * SIZE * SIZE
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    block = random.Random(1)
    row = struct.pack(f"<{SIZE}f", *(block.uniform(-0.03, 0.03) for _ in range(SIZE)))
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for k in range(4 * SIZE):
            shift = 4 * ((k * 37) % SIZE)
            file.write(row[shift:] + row[:shift])


def write_input(path):
    """x of 12 MB: [1, 3000, 1024]."""
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3000, 1024), }"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    row = struct.pack(f"<{SIZE}f", *(0.001 * (k % 97) - 0.05 for k in range(SIZE)))
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for k in range(3000):
            shift = 4 * ((k * 13) % SIZE)
            file.write(row[shift:] + row[:shift])


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(each) for key, each in value.items() if "seconds" not in key}
    return [without_times(each) for each in value] if isinstance(value, list) else value


def files_of(folder):
    found = {}
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        with open(os.path.join(folder, name), "rb") as file:
            found[name] = file.read()
    if "manifest.json" in found:
        found["manifest.json"] = json.dumps(without_times(json.loads(found["manifest.json"])), sort_keys=True).encode()
    return found


def cases(cli, place):
    """name -> (the file that is cut, the command; OUT stands for the folder that it writes to)"""
    layer, x = os.path.join(place, "layer.safetensors"), os.path.join(place, "x.npy")
    layer_run = ["--weights", layer, "--phrase", "one two three"]
    return {
        "run a layer": (layer, [cli, "run", *layer_run, "--export", "weights,output", "--format", "npy", "--out", "OUT"]),
        "render a layer": (layer, [cli, "render", *layer_run, "--view", "heads", "--out", "OUT/heads.svg"]),
        "read an input": (x, [cli, "run", "--input", x, "--heads", "4", "--d-model", "64", "--export", "concat",
                              "--region", "0,0,0:64,0:64", "--format", "npy", "--out", "OUT"]),
    }


def outcome(command, out):
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    words = [word.replace("OUT", out, 1) if word.startswith("OUT") else word for word in command]
    done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return done.returncode, done.stderr.decode(errors="replace"), files_of(out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("--times", type=int, default=36)
    parser.add_argument("--seed", type=int, default=None)
    given = parser.parse_args()
    seed = given.seed if given.seed is not None else random.randrange(1 << 30)
    chance = random.Random(seed)
    place = tempfile.mkdtemp(prefix="headscope-truncated-")
    wrong, refused, whole = [], 0, 0
    try:
        write_layer(os.path.join(place, "layer.safetensors"))
        write_input(os.path.join(place, "x.npy"))
        for path in ("layer.safetensors", "x.npy"):
            shutil.copy(os.path.join(place, path), os.path.join(place, path + ".whole"))
        all_cases = cases(given.cli, place)
        expected, seconds = {}, {}
        for name, (_, command) in all_cases.items():
            begin = time.monotonic()
            code, said, files = outcome(command, os.path.join(place, "out"))
            seconds[name] = time.monotonic() - begin
            if code != 0 or not files:
                sys.exit(f"{name}: exit {code}: {said}")
            expected[name] = files
        for k in range(given.times):
            name = list(all_cases)[k % len(all_cases)]
            path, command = all_cases[name]
            shutil.copy(path + ".whole", path)
            size = chance.choice([0, 4096, chance.randrange(os.path.getsize(path)), os.path.getsize(path) - 1])
            moment = chance.uniform(0, 0.8 * seconds[name])
            timer = threading.Timer(moment, os.truncate, (path, size))
            timer.start()
            code, said, files = outcome(command, os.path.join(place, "out"))
            timer.join()
            if code == 0 and files == expected[name]:
                whole += 1
            elif code == 3 and not files and os.path.basename(path) in said:
                refused += 1
            else:
                other = [file for file in files if files[file] != expected[name].get(file)]
                wrong.append(f"{name}, cut to {size} bytes after {moment:.4f} s: exit {code}, files {sorted(files)}, other than expected {other}: {said}")
    finally:
        shutil.rmtree(place, ignore_errors=True)
    print(f"seed {seed}: {given.times} truncations: {refused} refused, {whole} whole, {len(wrong)} wrong")
    if wrong:
        sys.exit("\n".join(wrong[:20]))
    if given.times >= 30 and refused == 0:
        sys.exit("no truncation was noticed: this test tests nothing")


if __name__ == "__main__":
    main()
