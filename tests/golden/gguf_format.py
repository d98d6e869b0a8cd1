"""GGUF for the tests: a writer, and what a block of each type means, in float64 numpy, from the format's public
description (docs/gguf.md of ggml, and the layouts of its block types). Nothing here is of headscope."""
import struct

import numpy as np

TYPES = {  # name: (number, numbers a block, bytes a block)
    "F32": (0, 1, 4), "F16": (1, 1, 2), "BF16": (30, 1, 2), "Q8_0": (8, 32, 34), "Q4_0": (2, 32, 18), "Q4_1": (3, 32, 20),
    "Q5_0": (6, 32, 22), "Q5_1": (7, 32, 24), "Q4_K": (12, 256, 144), "Q5_K": (13, 256, 176), "Q6_K": (14, 256, 210),
    "MXFP4": (39, 32, 17)}

# OCP Microscaling: the sizes that three bits of E2M1 have; the fourth bit is the sign.
FP4_SIZES = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])


def halves(blocks, at):
    """float16 numbers at byte `at` of every block, as float64 [blocks, 1]."""
    return blocks[:, at:at + 2].copy().view("<f2").astype(np.float64)


def bits(blocks, begin, end, count):
    """Bytes [begin, end) of every block as `8 // count`-times as many numbers of `count` bits, lowest first."""
    raw = blocks[:, begin:end].astype(np.int64)
    return np.stack([(raw >> shift) & ((1 << count) - 1) for shift in range(0, 8, count)], axis=1)


def group_scales(blocks):
    """Eight scales and eight least values of six bits in bytes 4 to 16."""
    packed = blocks[:, 4:16].astype(np.int64)
    first, second, third = packed[:, 0:4], packed[:, 4:8], packed[:, 8:12]
    scales = np.concatenate([first & 63, (third & 15) + 16 * (first >> 6)], axis=1)
    least = np.concatenate([second & 63, (third >> 4) + 16 * (second >> 6)], axis=1)
    return scales.astype(np.float64), least.astype(np.float64)


def unpack_groups(blocks, q):
    """d scale q - dmin least, q [blocks, 8, 32]."""
    scales, least = group_scales(blocks)
    d, dmin = halves(blocks, 0)[:, :, None], halves(blocks, 2)[:, :, None]
    return d * scales[:, :, None] * q - dmin * least[:, :, None]


def nibble_groups(blocks, begin):
    """128 bytes: of every 32 the low halves are one group, the high ones the next."""
    raw = blocks[:, begin:begin + 128].astype(np.int64).reshape(-1, 4, 1, 32)
    return np.concatenate([raw & 15, raw >> 4], axis=2).reshape(-1, 8, 32)


def fifth_bits(blocks, begin):
    """Bits 0..31 of the little-endian number in four bytes."""
    raw = blocks[:, begin:begin + 4].copy().view("<u4").astype(np.int64)
    return (raw >> np.arange(32)) & 1


def dequantised(kind, data, shape):
    """The numbers of a tensor in float64."""
    _, values, size = TYPES[kind]
    if kind == "F32":
        return np.frombuffer(data, "<f4").astype(np.float64).reshape(shape)
    if kind == "F16":
        return np.frombuffer(data, "<f2").astype(np.float64).reshape(shape)
    if kind == "BF16":
        return (np.frombuffer(data, "<u2").astype(np.uint32) << 16).view(np.float32).astype(np.float64).reshape(shape)
    blocks = np.frombuffer(data, np.uint8).reshape(-1, size)
    if kind == "Q8_0":
        x = halves(blocks, 0) * blocks[:, 2:].copy().view(np.int8)
    elif kind == "Q4_0":
        x = halves(blocks, 0) * (bits(blocks, 2, 18, 4).reshape(-1, 32) - 8)
    elif kind == "Q4_1":
        x = halves(blocks, 0) * bits(blocks, 4, 20, 4).reshape(-1, 32) + halves(blocks, 2)
    elif kind == "Q5_0":
        x = halves(blocks, 0) * (bits(blocks, 6, 22, 4).reshape(-1, 32) + 16 * fifth_bits(blocks, 2) - 16)
    elif kind == "Q5_1":
        x = halves(blocks, 0) * (bits(blocks, 8, 24, 4).reshape(-1, 32) + 16 * fifth_bits(blocks, 4)) + halves(blocks, 2)
    elif kind == "Q4_K":
        x = unpack_groups(blocks, nibble_groups(blocks, 16))
    elif kind == "Q5_K":
        x = unpack_groups(blocks, nibble_groups(blocks, 48) + 16 * bits(blocks, 16, 48, 1))
    elif kind == "Q6_K":
        # Halves of 128 numbers, each four runs of 32.
        low = blocks[:, :128].astype(np.int64).reshape(-1, 2, 2, 32)
        low = np.concatenate([low & 15, low >> 4], axis=2)
        upper = blocks[:, 128:192].astype(np.int64).reshape(-1, 2, 1, 32)
        upper = np.concatenate([(upper >> shift) & 3 for shift in (0, 2, 4, 6)], axis=2)
        scales = blocks[:, 192:208].copy().view(np.int8).astype(np.float64).reshape(-1, 2, 4, 2, 1)
        q = (low + 16 * upper - 32).reshape(-1, 2, 4, 2, 16)
        x = halves(blocks, 208)[:, :, None, None, None] * scales * q
    elif kind == "MXFP4":
        q = bits(blocks, 1, 17, 4).reshape(-1, 32)
        exponent = blocks[:, :1].astype(np.float64) - 127  # E8M0, whose 255 is no number
        scale = np.where(exponent == 128, np.nan, 2.0 ** exponent)
        x = scale * np.where(q & 8, -1.0, 1.0) * FP4_SIZES[q & 7]
    return x.reshape(shape)


def quantised(kind, x):
    """Bytes of blocks whose numbers are near x: a plain rounding, no search."""
    _, values, size = TYPES[kind]
    x = np.asarray(x, np.float64)
    if kind in ("F32", "F16"):
        return x.astype("<f4" if kind == "F32" else "<f2").tobytes()
    if kind == "BF16":
        word = x.astype(np.float32).view(np.uint32).astype(np.uint64)
        return ((word + 0x7FFF + ((word >> 16) & 1)) >> 16).astype("<u2").tobytes()
    rows = x.reshape(-1, values)
    out = np.zeros((len(rows), size), np.uint8)

    def put_half(at, value):
        half = value.astype("<f2").reshape(-1, 1)
        out[:, at:at + 2] = half.view(np.uint8)
        return np.where(half == 0, 1, half).astype(np.float64)

    def put_nibbles(at, q):  # [blocks, 32]: the first half low
        out[:, at:at + 16] = q[:, :16] | (q[:, 16:] << 4)

    largest, least = np.abs(rows).max(1), rows.min(1)
    if kind == "Q8_0":
        q = np.clip(np.rint(rows / put_half(0, largest / 127)), -127, 127).astype(np.int8)
        out[:, 2:] = q.view(np.uint8)
    elif kind in ("Q4_0", "Q5_0"):
        half = 8 if kind == "Q4_0" else 16
        q = np.clip(np.rint(rows / put_half(0, largest / (half - 1))) + half, 0, 2 * half - 1).astype(np.uint8)
        put_nibbles(size - 16, q & 15)
    elif kind in ("Q4_1", "Q5_1"):
        top = 15 if kind == "Q4_1" else 31
        d = put_half(0, (rows.max(1) - least) / top)
        q = np.clip(np.rint((rows - put_half(2, least)) / d), 0, top).astype(np.uint8)
        put_nibbles(size - 16, q & 15)
    if kind in ("Q5_0", "Q5_1"):
        fifth = ((q >> 4).astype(np.uint32) << np.arange(32, dtype=np.uint32)).sum(1).astype("<u4").reshape(-1, 1)
        out[:, size - 20:size - 16] = fifth.view(np.uint8)
    if kind == "MXFP4":
        exponent = np.clip(np.floor(np.log2(np.maximum(largest, 1e-30))) - 2 + 127, 0, 254)
        scaled = rows / 2.0 ** (exponent[:, None] - 127)
        q = np.abs(np.abs(scaled)[:, :, None] - FP4_SIZES).argmin(2).astype(np.uint8) | np.where(scaled < 0, 8, 0)
        out[:, 0] = exponent
        put_nibbles(1, q.astype(np.uint8))
    if kind in ("Q4_K", "Q5_K"):
        top = 15 if kind == "Q4_K" else 31
        groups = rows.reshape(-1, 8, 32)
        low = np.maximum(0, -groups.min(2))
        step = np.maximum(groups.max(2) + low, 1e-12) / top
        d, dmin = put_half(0, step.max(1) / 63), put_half(2, low.max(1) / 63)
        scales = np.clip(np.rint(step / d), 1, 63).astype(np.uint8)
        least = np.clip(np.rint(low / dmin), 0, 63).astype(np.uint8)
        out[:, 4:8] = scales[:, :4] | ((scales[:, 4:] >> 4) << 6)
        out[:, 8:12] = least[:, :4] | ((least[:, 4:] >> 4) << 6)
        out[:, 12:16] = (scales[:, 4:] & 15) | ((least[:, 4:] & 15) << 4)
        q = np.rint((groups + (dmin * least)[:, :, None]) / (d * scales)[:, :, None])
        q = np.clip(q, 0, top).astype(np.uint8).reshape(-1, 4, 2, 32)
        out[:, size - 128:] = ((q[:, :, 0] & 15) | ((q[:, :, 1] & 15) << 4)).reshape(-1, 128)
        if kind == "Q5_K":
            fifth = (q.reshape(-1, 8, 32) >> 4) << np.arange(8, dtype=np.uint8)[None, :, None]
            out[:, 16:48] = np.bitwise_or.reduce(fifth, axis=1)
    elif kind == "Q6_K":
        groups = rows.reshape(-1, 16, 16)
        step = np.abs(groups).max(2) / 31
        d = put_half(208, np.maximum(step.max(1), 1e-12) / 127)
        scales = np.clip(np.rint(step / d), 1, 127)
        q = np.clip(np.rint(groups / (d * scales)[:, :, None]) + 32, 0, 63).astype(np.uint8).reshape(-1, 2, 4, 32)
        out[:, :128] = ((q[:, :, :2] & 15) | ((q[:, :, 2:] & 15) << 4)).reshape(-1, 128)
        upper = (q >> 4) << np.array([0, 2, 4, 6], np.uint8)[None, None, :, None]
        out[:, 128:192] = np.bitwise_or.reduce(upper, axis=2).reshape(-1, 64)
        out[:, 192:208] = scales.astype(np.int8).view(np.uint8)
    return out.tobytes()


KINDS = {"u32": (4, "<I"), "i32": (5, "<i"), "f32": (6, "<f"), "bool": (7, "<?"), "u64": (10, "<Q"), "f64": (12, "<d")}


def packed_text(text):
    raw = text if isinstance(text, bytes) else text.encode()
    return struct.pack("<Q", len(raw)) + raw


def packed_value(kind, value):
    if kind == "str":
        return struct.pack("<I", 8) + packed_text(value)
    if kind == "strs":
        return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(packed_text, value))
    if kind.endswith("s"):
        number, code = KINDS[kind[:-1]]
        return struct.pack("<IIQ", 9, number, len(value)) + b"".join(struct.pack(code, v) for v in value)
    number, code = KINDS[kind]
    return struct.pack("<I", number) + struct.pack(code, value)


def write_gguf(path, metadata, tensors, alignment=32):
    """metadata: {key: (kind, value)}; tensors: {name: (type, row-major shape, bytes)}."""
    metadata = dict(metadata)
    if alignment != 32:
        metadata["general.alignment"] = ("u32", alignment)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata))
    for key, (kind, value) in metadata.items():
        head += packed_text(key) + packed_value(kind, value)
    data = b""
    for name, (kind, shape, raw) in tensors.items():
        data += b"\0" * (-len(data) % alignment)
        head += packed_text(name) + struct.pack("<I", len(shape))
        head += b"".join(struct.pack("<Q", size) for size in reversed(shape)) + struct.pack("<IQ", TYPES[kind][0], len(data))
        data += raw
    with open(path, "wb") as file:
        file.write(head + b"\0" * (-len(head) % alignment) + data)


def write_safetensors(path, tensors):
    """{name: float32 array}"""
    import json
    header, data = {}, b""
    for name, x in tensors.items():
        raw = np.ascontiguousarray(x, "<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(x.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)
