#!/usr/bin/env python3
"""Small random models, quantised here, as GGUF and as the folder of the dequantised weights: headscope-cli must write the
same bytes of every stage for both.

    gguf_models.py HEADSCOPE_CLI [--seed S] [--count N]

Exits with 77 where numpy is not installed."""
import argparse
import filecmp
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("numpy is not installed")
    sys.exit(77)

from gguf_format import TYPES, dequantised, quantised, write_gguf, write_safetensors

KINDS = [kind for kind in TYPES if kind != "BF16"]


class Model:
    """Tensors of both spellings: quantised under GGUF's names, dequantised under the folder's."""

    def __init__(self, rnd):
        self.rnd, self.gguf, self.folder, self.used = rnd, {}, {}, set()

    def matrix(self, gguf, ours, rows, columns, order=None, transpose=False):
        kind = str(self.rnd.choice([k for k in KINDS if columns % TYPES[k][1] == 0]))
        self.used.add(kind)
        raw = quantised(kind, self.rnd.normal(scale=columns ** -0.5, size=(rows, columns)))
        self.gguf[gguf] = (kind, (rows, columns), raw)
        x = dequantised(kind, raw, (rows, columns)).astype(np.float32)
        x = x if order is None else x[order]
        self.folder[ours] = x.T if transpose else x

    def vector(self, gguf, ours, size, mean=0.0):
        x = (mean + 0.1 * self.rnd.normal(size=size)).astype(np.float32)
        self.gguf[gguf] = ("F32", (size,), x.tobytes())
        self.folder[ours] = x


def pairs(heads, size):
    """Where the file of a Llama holds row r: row p and p + size / 2 of a head are 2 p and 2 p + 1."""
    within = np.arange(size).reshape(size // 2, 2).T.reshape(-1)
    return (np.arange(heads)[:, None] * size + within[None, :]).reshape(-1)


def llama(rnd):
    heads, group, size = int(rnd.integers(1, 5)), int(rnd.integers(1, 4)), 2 * int(rnd.integers(3, 12))
    width = int(rnd.choice([96, 160, 256, 512]))
    mlp, vocabulary, layers = int(rnd.choice([32, 256, 37 * 8])), int(rnd.integers(9, 40)), int(rnd.integers(1, 3))
    model = Model(rnd)
    model.matrix("token_embd.weight", "model.embed_tokens.weight", vocabulary, width)
    tied = bool(rnd.integers(2))
    if not tied:
        model.matrix("output.weight", "lm_head.weight", vocabulary, width)
    model.vector("output_norm.weight", "model.norm.weight", width, 1)
    for n in range(layers):
        gguf, ours = f"blk.{n}.", f"model.layers.{n}."
        for a, b, rows, columns, order in (
                ("attn_q", "self_attn.q_proj", heads * group * size, width, pairs(heads * group, size)),
                ("attn_k", "self_attn.k_proj", heads * size, width, pairs(heads, size)),
                ("attn_v", "self_attn.v_proj", heads * size, width, None),
                ("attn_output", "self_attn.o_proj", width, heads * group * size, None),
                ("ffn_gate", "mlp.gate_proj", mlp, width, None), ("ffn_up", "mlp.up_proj", mlp, width, None),
                ("ffn_down", "mlp.down_proj", width, mlp, None)):
            model.matrix(gguf + a + ".weight", ours + b + ".weight", rows, columns, order)
        model.vector(gguf + "attn_norm.weight", ours + "input_layernorm.weight", width, 1)
        model.vector(gguf + "ffn_norm.weight", ours + "post_attention_layernorm.weight", width, 1)
    sizes = {"block_count": layers, "embedding_length": width, "attention.head_count": heads * group,
             "attention.head_count_kv": heads, "attention.key_length": size, "attention.value_length": size,
             "rope.dimension_count": size, "feed_forward_length": mlp, "context_length": 64}
    metadata = {"general.architecture": ("str", "llama"), **{"llama." + k: ("u32", v) for k, v in sizes.items()},
                "llama.attention.layer_norm_rms_epsilon": ("f32", 1e-5), "llama.rope.freq_base": ("f32", 5e4)}
    config = {"model_type": "llama", "vocab_size": vocabulary, "hidden_size": width, "num_hidden_layers": layers,
              "num_attention_heads": heads * group, "num_key_value_heads": heads, "head_dim": size, "intermediate_size": mlp,
              "max_position_embeddings": 64, "rms_norm_eps": 1e-5, "rope_theta": 5e4, "tie_word_embeddings": tied}
    return model, metadata, config, layers, vocabulary


def gpt2(rnd):
    heads, size = int(rnd.integers(1, 6)), 32 * int(rnd.integers(1, 3))
    width, layers, vocabulary = heads * size, int(rnd.integers(1, 3)), int(rnd.integers(9, 40))
    mlp = int(rnd.choice([64, 256]))
    model = Model(rnd)
    model.matrix("token_embd.weight", "wte.weight", vocabulary, width)
    model.matrix("position_embd.weight", "wpe.weight", 16, width)
    for gguf, ours, mean in (("output_norm", "ln_f", 1),):
        model.vector(gguf + ".weight", ours + ".weight", width, mean)
        model.vector(gguf + ".bias", ours + ".bias", width)
    for n in range(layers):
        gguf, ours = f"blk.{n}.", f"h.{n}."
        for a, b in (("attn_norm", "ln_1"), ("ffn_norm", "ln_2")):
            model.vector(gguf + a + ".weight", ours + b + ".weight", width, 1)
            model.vector(gguf + a + ".bias", ours + b + ".bias", width)
        for a, b, rows, columns in (("attn_qkv", "attn.c_attn", 3 * width, width), ("attn_output", "attn.c_proj", width, width),
                                    ("ffn_up", "mlp.c_fc", mlp, width), ("ffn_down", "mlp.c_proj", width, mlp)):
            model.matrix(gguf + a + ".weight", ours + b + ".weight", rows, columns, transpose=True)
            model.vector(gguf + a + ".bias", ours + b + ".bias", rows)
    sizes = {"block_count": layers, "embedding_length": width, "attention.head_count": heads, "feed_forward_length": mlp,
             "context_length": 16}
    metadata = {"general.architecture": ("str", "gpt2"), **{"gpt2." + k: ("u32", v) for k, v in sizes.items()},
                "gpt2.attention.layer_norm_epsilon": ("f32", 1e-5)}
    config = {"model_type": "gpt2", "vocab_size": vocabulary, "n_embd": width, "n_layer": layers, "n_head": heads,
              "n_inner": mlp, "n_positions": 16, "layer_norm_epsilon": 1e-5}
    return model, metadata, config, layers, vocabulary


def compare(cli, root, made, rnd):
    model, metadata, config, layers, vocabulary = made
    folder, file = root / "folder", root / "model.gguf"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    write_safetensors(folder / "model.safetensors", model.folder)
    write_gguf(file, metadata, model.gguf, alignment=int(rnd.choice([8, 32, 64])))
    ids = ",".join(str(int(k)) for k in rnd.integers(0, vocabulary, int(rnd.integers(1, 14))))
    stages = 0
    for layer in range(layers):
        outs = []
        for name, path in (("a", file), ("b", folder)):
            out = root / f"{name}{layer}"
            subprocess.run([cli, "run", "--model", path, "--token-ids", ids, "--layer", str(layer), "--export", "all",
                            "--format", "npy", "--out", out], check=True, stdout=subprocess.DEVNULL)
            outs.append(out)
        names = sorted(each.name for each in outs[0].glob("*.npy"))
        assert names and names == sorted(each.name for each in outs[1].glob("*.npy")), names
        for name in names:
            assert filecmp.cmp(outs[0] / name, outs[1] / name, shallow=False), f"{config['model_type']}, layer {layer}, {name}"
        stages += len(names)
        with open(outs[0] / "manifest.json") as one, open(outs[1] / "manifest.json") as other:
            assert json.load(one)["weights_sha256"] == json.load(other)["weights_sha256"]
    return stages


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=6)
    given = parser.parse_args()
    stages, used = 0, set()
    for k in range(given.count):
        rnd = np.random.default_rng(given.seed + k)
        made = (llama, gpt2)[k % 2](rnd)
        with tempfile.TemporaryDirectory() as folder:
            stages += compare(given.cli, pathlib.Path(folder), made, rnd)
        used |= made[0].used
    print(f"{given.count} models of {', '.join(sorted(used))}: {stages} stages, every byte the same")


if __name__ == "__main__":
    main()
