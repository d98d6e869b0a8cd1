#!/usr/bin/python3
"""Writes circuits.json: composition scores and singular values of the heads of small models, and how far heads are apart, by
NumPy in float64, from the formulas of Elhage et al. 2021 with every matrix of d_model by d_model made, and without a line of
Headscope's. Run it again only when a model is added."""
import json
import pathlib
import struct

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
DEMOS = HERE.parent.parent / "assets" / "demos"


def tensors(path):
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    found = {}
    for name, entry in json.loads(data[8:8 + length]).items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        begin, end = entry["data_offsets"]
        raw = np.frombuffer(data[8 + length + begin:8 + length + end], "<f4")
        found[name] = raw.reshape(entry["shape"]).astype(np.float64)
    return found


def cut(rows, heads, size):
    return [rows[h * size:(h + 1) * size] for h in range(heads)]


def blocked(weight, heads, size):
    """Rows [Q K V]."""
    return [cut(part, heads, size) for part in np.split(weight, 3)]


def per_head(weight, heads, size):
    """Rows [q_h k_h v_h] of every head."""
    parts = cut(weight, heads, 3 * size)
    return [[part[k * size:(k + 1) * size] for part in parts] for k in range(3)]


def grouped(q, k, v, heads, groups, size):
    shared = [[part[h // (heads // groups)] for h in range(heads)] for part in (cut(k, groups, size), cut(v, groups, size))]
    return [cut(q, heads, size), *shared]


def attention_only(t, layer):
    at = f"layers.{layer}."
    return blocked(t[at + "qkv.weight"], 8, 8), t[at + "output.weight"], t[at + "norm.weight"], None


def gpt2(t, layer):
    at = f"transformer.h.{layer}."
    return (blocked(t[at + "attn.c_attn.weight"].T, 3, 4), t[at + "attn.c_proj.weight"].T, t[at + "ln_1.weight"], None)


def gpt_neox(t, layer):
    at = f"gpt_neox.layers.{layer}."
    return (per_head(t[at + "attention.query_key_value.weight"], 3, 10), t[at + "attention.dense.weight"],
            t[at + "input_layernorm.weight"], None)


def llama(t, layer):
    at = f"model.layers.{layer}."
    q, k, v, o = (t[at + f"self_attn.{name}_proj.weight"] for name in "qkvo")
    return grouped(q, k, v, 4, 2, 4), o, t[at + "input_layernorm.weight"], None


def gemma2(t, layer):
    at = f"model.layers.{layer}."
    q, k, v, o = (t[at + f"self_attn.{name}_proj.weight"] for name in "qkvo")
    return (grouped(q, k, v, 4, 2, 6), o, 1 + t[at + "input_layernorm.weight"],
            1 + t[at + "post_attention_layernorm.weight"])


# name, file, layers, heads, whether the norms are LayerNorms, and how a layer is read
MODELS = [("demo:induction", DEMOS / "induction", 2, 8, True, attention_only),
          ("gpt2", HERE / "models" / "gpt2", 2, 3, True, gpt2),
          ("gpt_neox", HERE / "models" / "gpt_neox", 2, 3, True, gpt_neox),
          ("llama", HERE / "models" / "llama", 2, 4, False, llama),
          ("gemma2", HERE / "models" / "gemma2", 3, 4, False, gemma2)]


def heads_of(t, layer, heads, means, read, fold):
    """QK and OV [d_model, d_model] of every head of a layer."""
    (q, k, v), output, gain, gain_out = read(t, layer)
    d_model = output.shape[0]
    centre = np.eye(d_model) - np.ones((d_model, d_model)) / d_model if means else np.eye(d_model)
    before = np.diag(gain) @ centre if fold else np.eye(d_model)
    after = np.eye(d_model)
    if fold and gain_out is not None:
        after = np.diag(gain_out) @ centre
    if fold:
        after = centre @ after
    size = output.shape[1] // heads
    found = []
    for h in range(heads):
        written = after @ output[:, h * size:(h + 1) * size]
        found.append(((q[h] @ before).T @ (k[h] @ before), written @ (v[h] @ before)))
    return found


def scores(later, earlier):
    """By query, key and value: a matrix of reading by writing heads."""
    norm = np.linalg.norm
    kinds = {"query": lambda qk, ov: qk.T, "key": lambda qk, ov: qk, "value": lambda qk, ov: ov}
    return {kind: [[float(norm(side(*two) @ one[1]) / norm(side(*two)) / norm(one[1])) for one in earlier] for two in later]
            for kind, side in kinds.items()}


def apart(one, other):
    """|A - B| / |A| of the maps of every head with the head of the same number."""
    norm = np.linalg.norm
    return {name: [float(norm(a[k] - b[k]) / norm(a[k])) for a, b in zip(one, other)] for k, name in enumerate(("qk", "ov"))}


def main():
    result = []
    for name, folder, layers, heads, means, read in MODELS:
        t = tensors(folder / "model.safetensors")
        for fold in (True, False):
            maps = [heads_of(t, layer, heads, means, read, fold) for layer in range(layers)]
            pairs = [{"layer": b, "from_layer": a, **scores(maps[b], maps[a])} for b in range(layers) for a in range(b)]
            rank = read(t, 0)[0][0][0].shape[0]
            spectra = [{"layer": layer, "head": head,
                        "qk": np.linalg.svd(maps[layer][head][0], compute_uv=False)[:rank].tolist(),
                        "ov": np.linalg.svd(maps[layer][head][1], compute_uv=False)[:rank].tolist()}
                       for layer in range(layers) for head in (0, heads - 1)]
            result.append({"model": name, "norms": "fold" if fold else "ignore", "pairs": pairs, "heads": spectra,
                           "apart": apart(maps[0], maps[1])})
    text = json.dumps(result)
    (HERE / "circuits.json").write_text(text.replace('{"model"', '\n{"model"') + "\n")


if __name__ == "__main__":
    main()
