#!/usr/bin/env python3
"""Makes tests/golden/gguf: blocks of every GGUF type, and the numbers that they mean (needs numpy alone).

    python3 tests/golden/make_gguf_golden.py

TYPE and TYPE.3d hold random bytes, with halves that are finite: every bit pattern of scales and numbers. TYPE.near holds
what gguf_format.quantised makes of numbers from a normal distribution; it is checked here that they come back near."""
import pathlib

import numpy as np

from gguf_format import TYPES, dequantised, quantised, write_gguf, write_safetensors

FOLDER = pathlib.Path(__file__).parent / "gguf"
HALVES = {"F16": [0], "Q8_0": [0], "Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q4_K": [0, 2], "Q5_K": [0, 2],
          "Q6_K": [208]}
NEAR = {"F32": 1e-6, "F16": 1e-3, "BF16": 1e-2, "Q8_0": 0.02, "Q4_0": 0.3, "Q4_1": 0.3, "Q5_0": 0.15, "Q5_1": 0.15,
        "Q4_K": 0.35, "Q5_K": 0.2, "Q6_K": 0.12, "MXFP4": 1.0}


def random_blocks(rnd, kind, count):
    _, _, size = TYPES[kind]
    blocks = rnd.integers(0, 256, (count, size), np.uint8)
    for at in HALVES.get(kind, []):
        half = rnd.integers(0, 0x7C00, count, np.uint16) | (rnd.integers(0, 2, count, np.uint16) << 15)
        blocks[:, at:at + 2] = half.astype("<u2").reshape(-1, 1).view(np.uint8)
    if kind == "MXFP4":  # a scale whose largest number is one of float32
        blocks[:, 0] = rnd.integers(0, 253, count)
    if kind in ("F32", "BF16"):  # finite: an exponent below all ones
        blocks[:, -1] &= 0xBF
    return blocks.tobytes()


def main():
    rnd = np.random.default_rng(17)
    tensors, numbers = {}, {}
    for kind, (_, values, _) in TYPES.items():
        row = values if values > 1 else 7
        for name, shape in ((kind, (3, 2 * row)), (kind + ".3d", (2, 1, row))):
            count = int(np.prod(shape)) // values
            tensors[name] = (kind, shape, random_blocks(rnd, kind, count))
        x = rnd.normal(size=(2, row))
        tensors[kind + ".near"] = (kind, x.shape, quantised(kind, x))
        for name in (kind, kind + ".3d", kind + ".near"):
            _, shape, raw = tensors[name]
            numbers[name] = dequantised(kind, raw, shape).astype(np.float32)
        difference = np.abs(numbers[kind + ".near"] - x).max()
        assert difference <= NEAR[kind], (kind, difference)
    FOLDER.mkdir(exist_ok=True)
    write_gguf(FOLDER / "blocks.gguf", {"general.architecture": ("str", "none"), "note": ("strs", ["a", "b"])}, tensors,
               alignment=64)
    write_safetensors(FOLDER / "blocks.safetensors", numbers)


if __name__ == "__main__":
    main()
