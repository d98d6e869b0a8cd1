"""Writes diagnose/: a small layer in both layouts, and what PyTorch code with every known mistake, and with every two
of them, gives for it. Run it with Debian's python3-torch; nothing of Headscope takes part."""
import itertools
import json
import math
import pathlib
import struct

import numpy
import torch

BATCH, LEN, WIDTH, HEADS, FEATURES = 2, 4, 7, 2, 4  # as many tokens as head features: key-not-transposed has a shape
MODEL = HEADS * FEATURES
FOLDER = pathlib.Path(__file__).with_name("diagnose")
NAMES = {
    "per_head": ["qkv_layer.weight", "qkv_layer.bias", "linear_layer.weight", "linear_layer.bias"],
    "blocked": ["in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"],
}
MISTAKES = ["merge-direct", "softmax-over-queries", "no-scale", "scale-by-d-model", "mask-inverted",
            "mask-after-softmax", "qkv-blocked-as-per-head", "qkv-per-head-as-blocked", "key-not-transposed"]


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        values = tensor.contiguous().numpy().astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(values)]}
        data += values
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def split(qkv, layout):
    if layout == "per_head":
        return qkv.view(BATCH, LEN, HEADS, 3 * FEATURES).transpose(1, 2).chunk(3, -1)
    return [part.view(BATCH, LEN, HEADS, FEATURES).transpose(1, 2) for part in qkv.chunk(3, -1)]


def output(x, layer, layout, mistakes):
    weight, bias, out_weight, out_bias = layer
    read = layout
    if "qkv-blocked-as-per-head" in mistakes:
        read = "per_head"
    if "qkv-per-head-as-blocked" in mistakes:
        read = "blocked"
    query, key, value = split(torch.nn.functional.linear(x, weight, bias), read)
    scores = query @ (key if "key-not-transposed" in mistakes else key.transpose(-2, -1))
    if "scale-by-d-model" in mistakes:
        scores = scores / math.sqrt(MODEL)
    elif "no-scale" not in mistakes:
        scores = scores / math.sqrt(FEATURES)
    hidden = torch.ones(LEN, LEN).triu(1).bool()
    if "mask-inverted" in mistakes:
        hidden = ~hidden
    axis = -2 if "softmax-over-queries" in mistakes else -1
    if "mask-after-softmax" in mistakes:
        weights = scores.softmax(axis).masked_fill(hidden, 0)
    else:
        weights = scores.masked_fill(hidden, -math.inf).softmax(axis)
    context = weights.masked_fill(hidden, 0) @ value if "mask-inverted" not in mistakes else weights @ value
    merged = context if "merge-direct" in mistakes else context.transpose(1, 2)
    return torch.nn.functional.linear(merged.reshape(BATCH, LEN, MODEL), out_weight, out_bias)


def runs(layout, mistakes):
    both = set(mistakes)
    other = {"per_head": "qkv-blocked-as-per-head", "blocked": "qkv-per-head-as-blocked"}[layout]
    return other not in both and not {"no-scale", "scale-by-d-model"} <= both


torch.manual_seed(5)
FOLDER.mkdir(exist_ok=True)
x = torch.randn(BATCH, LEN, WIDTH)
numpy.save(FOLDER / "x.npy", x.numpy())
for layout, names in NAMES.items():
    shapes = [(3 * MODEL, WIDTH), (3 * MODEL,), (MODEL, MODEL), (MODEL,)]
    layer = [0.5 * torch.randn(shape) for shape in shapes]
    write_safetensors(FOLDER / f"{layout}.safetensors", dict(zip(names, layer)))
    theirs = {"": output(x, layer, layout, ())}
    for mistakes in itertools.chain(((m,) for m in MISTAKES), itertools.combinations(MISTAKES, 2)):
        if runs(layout, mistakes):
            theirs[",".join(mistakes)] = output(x, layer, layout, mistakes)
    theirs["noise"] = torch.randn(BATCH, LEN, MODEL)
    write_safetensors(FOLDER / f"{layout}.theirs.safetensors", theirs)
    print(layout, len(theirs), "outputs")
