#!/usr/bin/env python3
"""Whole forwards of a small Llama's shape against llama.cpp, model in memory, in turns, with as many threads:

    npm install --ignore-scripts node-llama-cpp                    (in a folder of your own: a prebuilt llama.cpp)
    python3 tests/bench/compare_llama.py build/release/bin/headscope_bench --modules FOLDER [--turns N] [--tokens N ...]

Ours is `warm_forward` of model_bench.cpp: every weight of every head of every layer is kept, and the ten most probable next
tokens are told; theirs keeps no weights of heads and chooses the next token. A turn measures ours and theirs once for every
number of tokens; a figure is the median of its turns, a ratio the median of the turns' own. Nothing is asserted. Needs
NumPy; ends with 77 where Node.js or the package is missing.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# How many times faster is aimed at, by tokens.
GOALS = {64: 1.3, 512: 1.8, 1024: 1.8}
NAMES = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}
PARTS = {"input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k",
         "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output", "post_attention_layernorm": "ffn_norm",
         "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down"}


def gguf_name(name):
    stem = name.removesuffix(".weight")
    if stem in NAMES:
        return NAMES[stem] + ".weight"
    layer, part = stem.removeprefix("model.layers.").split(".", 1)
    return f"blk.{layer}.{PARTS[part]}.weight"


def make_gguf(folder, path):
    """The checkpoint as GGUF, byte for byte the same weights (their rows are not paired: what they are changes no time)."""
    sys.path.insert(0, str(HERE.parent / "golden"))
    import gguf_format
    with open(os.path.join(folder, "model.safetensors"), "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header, data = json.loads(file.read(size)), file.read()
    with open(os.path.join(folder, "config.json"), encoding="utf-8") as file:
        config = json.load(file)
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        kind, numbers = entry["dtype"], data[begin:end]
        if kind == "BF16" and len(entry["shape"]) == 1:  # norms are F32 there
            import numpy as np
            numbers = (np.frombuffer(numbers, np.uint16).astype(np.uint32) << 16).tobytes()
            kind = "F32"
        tensors[gguf_name(name)] = (kind, entry["shape"], numbers)
    # A vocabulary that llama.cpp takes: three that control, all bytes, words.
    words = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    kinds = [2, 3, 3] + [6] * 256
    kinds += [1] * (config["vocab_size"] - len(words))
    words += [f"w{i}" for i in range(len(words), config["vocab_size"])]
    sizes = {"block_count": "num_hidden_layers", "context_length": "max_position_embeddings",
             "embedding_length": "hidden_size", "feed_forward_length": "intermediate_size",
             "attention.head_count": "num_attention_heads", "vocab_size": "vocab_size"}
    metadata = {f"llama.{key}": ("u32", config[name]) for key, name in sizes.items()}
    metadata.update({
        "general.architecture": ("str", "llama"),
        "llama.attention.layer_norm_rms_epsilon": ("f32", config["rms_norm_eps"]),
        "llama.rope.dimension_count": ("u32", config["hidden_size"] // config["num_attention_heads"]),
        "tokenizer.ggml.model": ("str", "llama"), "tokenizer.ggml.tokens": ("strs", words),
        "tokenizer.ggml.scores": ("f32s", [0.0] * len(words)), "tokenizer.ggml.token_type": ("i32s", kinds)})
    gguf_format.write_gguf(path, metadata, tensors)


class LlamaSide:
    def __init__(self, modules, gguf, threads):
        command = ["node", str(HERE / "llama_side.mjs"), modules, gguf, str(threads)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if not self.process.stdout.readline():
            sys.exit(77)

    def ask(self, tokens):
        self.process.stdin.write(json.dumps({"tokens": tokens}) + "\n")
        self.process.stdin.flush()
        return statistics.median(json.loads(self.process.stdout.readline())["ms"])


def ours(bench, folder, tokens, threads):
    command = [bench, f"--benchmark_filter=warm_forward/tokens:{tokens}/threads:{threads}/", "--benchmark_format=json",
               "--benchmark_min_time=0.7"]
    done = subprocess.run(command, env={**os.environ, "HEADSCOPE_MODEL": folder}, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)["benchmarks"][0]["real_time"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench")
    parser.add_argument("--modules", required=True)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--tokens", type=int, nargs="+", default=[1, 16, 64, 512, 1024])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    options = parser.parse_args()
    if shutil.which("node") is None:
        sys.exit(77)
    print("| weights | tokens | threads | ours, ms | llama.cpp, ms | times (goal) |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as root:
        for kind in ("F32", "BF16"):
            folder, gguf = os.path.join(root, kind), os.path.join(root, kind + ".gguf")
            subprocess.run([sys.executable, str(HERE / "make_llama_checkpoint.py"), folder, kind], check=True)
            make_gguf(folder, gguf)
            for threads in options.threads:
                side = LlamaSide(options.modules, gguf, threads)
                for tokens in options.tokens:
                    turns = [(ours(options.bench, folder, tokens, threads), side.ask(tokens)) for _ in range(options.turns)]
                    own, theirs = (statistics.median(column) for column in zip(*turns))
                    ratio = statistics.median(b / a for a, b in turns)
                    goal = f" ({GOALS[tokens]})" if tokens in GOALS else ""
                    print(f"| {kind} | {tokens} | {threads} | {own:.1f} | {theirs:.1f} | {ratio:.2f}{goal} |", flush=True)
                side.process.stdin.close()


if __name__ == "__main__":
    main()
