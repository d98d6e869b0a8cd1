"""Writes precision.json: what PyTorch gives for a small layer whose stages are stored in float64, float16 and bfloat16.

Run it with Debian's python3-torch. The layer is that of tests/core/attention/made_inputs.h, fused_inputs(per_head, {.batch = 1}):
both sides draw it from the Mersenne twister. Stages are rounded by torch's own .half() and .bfloat16(), products of
rounded tensors are float32, which is what a GPU's tensor cores do.
"""
import json
import pathlib

import numpy
import torch

LEN, WIDTH, HEADS, FEATURES = 5, 7, 2, 3
MODEL = HEADS * FEATURES


def drawn(shape, seed):
    bits = numpy.random.RandomState(seed).randint(0, 2**32, size=int(numpy.prod(shape)), dtype=numpy.uint32)
    values = (bits >> 8).astype(numpy.float32) / numpy.float32(8388608) - numpy.float32(1)
    return torch.tensor(values.reshape(shape))


def layer(kind):
    real = torch.float64 if kind == "double" else torch.float32
    store = {
        "double": lambda t: t,
        "float16": lambda t: t.half().float(),
        "bfloat16": lambda t: t.bfloat16().float(),
    }[kind]
    draw = lambda shape, seed: store(drawn(shape, seed).to(real))
    stages = {}
    x = stages["input"] = draw((1, LEN, WIDTH), 1)
    qkv = x @ draw((3 * MODEL, WIDTH), 2).T + draw((3 * MODEL,), 102)
    qkv = stages["qkv"] = store(qkv)
    heads = qkv.reshape(1, LEN, HEADS, 3 * FEATURES).permute(0, 2, 1, 3)
    query, key, value = heads.chunk(3, dim=-1)
    raw = stages["raw_scores"] = store(query @ key.transpose(-2, -1))
    scores = stages["scores"] = store(raw * FEATURES**-0.5)
    hidden = torch.ones(LEN, LEN).triu(1).bool()
    weights = stages["weights"] = store(scores.masked_fill(hidden, float("-inf")).softmax(-1))
    context = stages["context"] = store(weights @ value)
    concat = stages["concat"] = context.transpose(1, 2).reshape(1, LEN, MODEL)
    stages["output"] = store(concat @ draw((MODEL, MODEL), 3).T + draw((MODEL,), 103))
    return {name: [float(v) for v in tensor.flatten().tolist()] for name, tensor in stages.items()}


def rounding():
    values = [1.0, 1 / 3, -2.7182817, 65503.9, 65519.9, 65520.0, -70000.0, 3.3e38, 6e-8, 2.9e-8, 2.9802322e-8, 1e-7,
              6.1e-5, -6.1035156e-05, 1e-40, 2049.0, 2051.0, 257.0, 259.0, 1.00048828125, 1.00146484375]
    single = torch.tensor(values, dtype=torch.float32)
    text = lambda t: [str(float(v)) for v in t]
    return {"float32": text(single), "float16": text(single.half()), "bfloat16": text(single.bfloat16())}


result = {"rounding": rounding(), "layers": {kind: layer(kind) for kind in ("double", "float16", "bfloat16")}}
path = pathlib.Path(__file__).with_name("precision.json")
path.write_text(json.dumps(result, indent=0) + "\n")
