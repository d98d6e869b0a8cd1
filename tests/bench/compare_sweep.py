"""A sweep over every head of GPT-2 small's shape, ours against a plain PyTorch loop of hooks:

    python3 tests/bench/compare_sweep.py build/release/bin/headscope-cli [--model FOLDER] [--turns N] [--threads N] [--json]

Two texts of 16 tokens that differ from their first token on. In each of the 144 heads in turn the one takes the other's
context, at all positions, and the difference of two logits at the last position is taken. Theirs: GPT-2 written out in
PyTorch, float32, weights kept between runs, under no_grad, a forward pre-hook of W_O's module that puts the other run's
numbers in, and a whole forward for each place; `last` gives it the decoder of the last position alone, which is all that is
asked for. Ours: `headscope-cli sweep --patch heads`, a process with all that belongs to it, and beside it a process that
opens the checkpoint and computes one of the texts once (`run --predict 1`): what is left is the sweep alone. Theirs is
timed without its interpreter's start and without reading the weights.

Both are checked to give the same 144 numbers (1e-4 of the largest) before anything is timed. A turn is ours, theirs; of
all turns the best counts. Without --model the folder is made (498 MB, make_gpt2_checkpoint.py) and removed again. Exit
code 77: PyTorch or NumPy is missing, nothing was measured. 1: the numbers differ.
"""
import argparse
import json
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import time

import busy

try:
    import numpy
    import torch
    from torch import nn
except ImportError as missing:
    print(f"{missing}: nothing is measured (sudo apt-get install python3-torch python3-numpy)", file=sys.stderr)
    sys.exit(77)

TOKENS, LAYERS, HEADS, HEAD_DIM, EPS = 16, 12, 12, 64, 1e-5
A, B = 300, 400  # the tokens of the metric
REQUEST = [100 + 37 * i for i in range(TOKENS)]
OTHER = [token + 5 for token in REQUEST]


def read_weights(folder):
    """Name -> tensor of model.safetensors."""
    data = numpy.memmap(folder / "model.safetensors", numpy.uint8, "r")
    size = struct.unpack("<Q", data[:8].tobytes())[0]
    weights = {}
    for name, entry in json.loads(data[8:8 + size].tobytes()).items():
        begin, end = entry["data_offsets"]
        numbers = numpy.array(data[8 + size + begin:8 + size + end]).view(numpy.float32)
        weights[name] = torch.from_numpy(numbers).reshape(entry["shape"])
    return weights


class Projection(nn.Module):
    """x W + b, with the weight [in, out] as GPT-2 keeps it."""

    def __init__(self, weights, name):
        super().__init__()
        self.weight, self.bias = weights[name + ".weight"], weights[name + ".bias"]

    def forward(self, x):
        return torch.addmm(self.bias, x, self.weight)


class Block(nn.Module):
    def __init__(self, weights, layer):
        super().__init__()
        name = f"h.{layer}."
        self.norms = [(weights[name + f"ln_{k}.weight"], weights[name + f"ln_{k}.bias"]) for k in (1, 2)]
        self.qkv = Projection(weights, name + "attn.c_attn")
        self.output = Projection(weights, name + "attn.c_proj")
        self.up = Projection(weights, name + "mlp.c_fc")
        self.down = Projection(weights, name + "mlp.c_proj")

    def forward(self, stream, mask):
        rows, width = stream.shape
        x = nn.functional.layer_norm(stream, (width,), *self.norms[0], EPS)
        query, key, value = self.qkv(x).view(rows, 3, HEADS, HEAD_DIM).permute(1, 2, 0, 3)
        self.weights = torch.softmax(query @ key.mT / math.sqrt(HEAD_DIM) + mask, dim=-1)  # [heads, rows, rows]
        stream = stream + self.output((self.weights @ value).transpose(0, 1).reshape(rows, width))
        x = self.up(nn.functional.layer_norm(stream, (width,), *self.norms[1], EPS))
        return stream + self.down(nn.functional.gelu(x, approximate="tanh"))


class Gpt2(nn.Module):
    def __init__(self, weights):
        super().__init__()
        self.words, self.places = weights["wte.weight"], weights["wpe.weight"]
        self.final_norm = weights["ln_f.weight"], weights["ln_f.bias"]
        self.blocks = nn.ModuleList(Block(weights, layer) for layer in range(LAYERS))
        self.last_alone = False
        self.mask = torch.triu(torch.full((TOKENS, TOKENS), float("-inf")), diagonal=1)

    def forward(self, ids):
        stream = self.words[ids] + self.places[:len(ids)]
        for block in self.blocks:
            stream = block(stream, self.mask)
        stream = stream[-1:] if self.last_alone else stream
        return nn.functional.layer_norm(stream, stream.shape[1:], *self.final_norm, EPS) @ self.words.T

    def metric(self, ids):
        logits = self(ids)[-1]
        return float(logits[A] - logits[B])


def their_sweep(model):
    """The metric of every layer and head after its patch."""
    request, other = torch.tensor(REQUEST), torch.tensor(OTHER)
    contexts = []
    hooks = [block.output.register_forward_pre_hook(lambda _, x: contexts.append(x[0])) for block in model.blocks]
    model(other)
    for hook in hooks:
        hook.remove()
    cells = []
    for layer, block in enumerate(model.blocks):
        for head in range(HEADS):
            features = slice(head * HEAD_DIM, (head + 1) * HEAD_DIM)

            def put_in(_module, x, layer=layer, features=features):
                context = x[0].clone()
                context[:, features] = contexts[layer][:, features]
                return (context,)

            hook = block.output.register_forward_pre_hook(put_in)
            cells.append(model.metric(request))
            hook.remove()
    return cells


def timed(function, *arguments):
    begin = time.perf_counter()
    result = function(*arguments)
    return time.perf_counter() - begin, result


class OurSide:
    def __init__(self, cli, folder, threads, scratch):
        self.request = ["--model", str(folder), "--token-ids", ",".join(map(str, REQUEST)), "--threads", str(threads)]
        self.cli, self.against = cli, pathlib.Path(scratch) / "other.json"
        self.against.write_text(json.dumps({"model": str(folder), "token_ids": ",".join(map(str, OTHER))}))

    def _answer(self, command, *options):
        done = subprocess.run([self.cli, command, *self.request, *options, "--json"], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr.strip())
        return json.loads(done.stdout)

    def sweep(self):
        answer = self._answer("sweep", "--against", str(self.against), "--patch", "heads", "--metric", f"logit:{A}-{B}")
        cells = {(cell["layer"], cell["head"]): cell["value"] for cell in answer["cells"]}
        return [cells[layer, head] for layer in range(LAYERS) for head in range(HEADS)]

    def one_forward(self):
        self._answer("run", "--predict", "1")


def check(ours, theirs):
    largest = max(abs(value) for value in theirs)
    worst = max(range(len(theirs)), key=lambda k: abs(ours[k] - theirs[k]))
    difference = abs(ours[worst] - theirs[worst])
    if not difference <= 1e-4 * largest:
        sys.exit(f"layer {worst // HEADS} head {worst % HEADS}: ours {ours[worst]}, theirs {theirs[worst]}")
    return difference / largest


def compare(cli, folder, given):
    torch.set_num_threads(given.threads)
    model = Gpt2(read_weights(folder))
    with tempfile.TemporaryDirectory() as scratch, torch.no_grad():
        ours = OurSide(cli, folder, given.threads, scratch)
        difference = check(ours.sweep(), their_sweep(model))
        watch = busy.Watch([os.getpid()])
        times = {"process": [], "opening": [], "all": [], "last": []}
        for _ in range(given.turns):
            times["process"].append(timed(ours.sweep)[0])
            times["opening"].append(timed(ours.one_forward)[0])
            for name in ("all", "last"):
                model.last_alone = name == "last"
                times[name].append(timed(their_sweep, model)[0])
        best = {name: min(seconds) for name, seconds in times.items()}
        return {"threads": given.threads, "patches": LAYERS * HEADS, "largest_difference": difference,
                "ours_process_s": best["process"], "ours_one_forward_process_s": best["opening"],
                "ours_sweep_alone_s": best["process"] - best["opening"], "torch_all_logits_s": best["all"],
                "torch_last_logits_s": best["last"], "torch": torch.__version__, "foreign_cores": watch.foreign()}


def blas_libraries():
    """The BLAS libraries that this process has mapped, by their real paths."""
    mapped = [line.split(maxsplit=5) for line in pathlib.Path("/proc/self/maps").read_text().splitlines()]
    paths = {fields[5].strip() for fields in mapped if len(fields) == 6}
    return sorted(path for path in paths if any(name in path.rsplit("/", 1)[-1] for name in ("blas", "mkl", "blis")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli")
    parser.add_argument("--model", type=pathlib.Path, help="a folder of make_gpt2_checkpoint.py")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = given.model or pathlib.Path(made)
        if given.model is None:
            maker = pathlib.Path(__file__).with_name("make_gpt2_checkpoint.py")
            subprocess.run([sys.executable, str(maker), made], check=True)
        row = compare(given.cli, folder, given)
    busy.warn(blas_libraries(), row["foreign_cores"])
    if given.json:
        print(json.dumps(row))
        return
    whole, alone = row["ours_process_s"], row["ours_sweep_alone_s"]
    print(f"{row['patches']} patches, {row['threads']} threads: ours {whole:.2f} s (alone {alone:.2f}), "
          f"PyTorch {row['torch']} {row['torch_all_logits_s']:.2f} s, {row['torch_last_logits_s']:.2f} with the last "
          f"position's logits alone: {row['torch_all_logits_s'] / whole:.2f}x and {row['torch_last_logits_s'] / whole:.2f}x "
          f"of the whole process, {row['torch_all_logits_s'] / alone:.2f}x and {row['torch_last_logits_s'] / alone:.2f}x of "
          f"the sweep alone; largest difference {row['largest_difference']:.1e} of the largest number")


if __name__ == "__main__":
    main()
