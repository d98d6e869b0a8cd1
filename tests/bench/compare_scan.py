"""A scan of a model of GPT-2 small's shape, ours against a plain PyTorch loop that keeps all weights:

    python3 tests/bench/compare_scan.py build/release/bin/headscope-cli [--model FOLDER] [--tokens 128] [--turns N]
                                        [--threads N] [--json]

Theirs: GPT-2 written out in PyTorch, float32, one phrase after the other under no_grad, no logits; of each layer the
weights of all heads are kept, and when the phrase is done the eleven metrics of every head are summed up from them, each
an operation on whole tensors. Ours: `headscope-cli scan`, which besides keeps histograms, examples, samples, tokens
and patterns. Scans of few and of many phrases are timed and the difference counts, so that neither side pays for its start
and for reading weights. The means of both must be equal (1e-4) before anything is timed. A turn is ours, theirs; of all
turns the best counts. Without --model the folder is made (498 MB) and removed again. Exit code 77: PyTorch or NumPy
is missing, nothing was measured. 1: the numbers differ.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import busy
import compare_sweep
import measure_scan
from compare_sweep import torch

FEW, MANY = 2, 8
METRICS = ("entropy", "distance", "previous", "next", "first", "self", "duplicate", "induction", "copying", "sink", "max_weight")


class Loop:
    """The phrases of a list through the model; sums and numbers of rows of every metric, [layers, heads] each."""

    def __init__(self, model, words, tokens):
        self.model, self.words = model, words
        self.model.mask = torch.triu(torch.full((tokens, tokens), float("-inf")), diagonal=1)
        place = torch.arange(tokens)
        self.distance = (place[:, None] - place[None, :]).abs().float()
        self.before = place[None, :] < place[:, None]

    def run(self, path):
        self.sums, self.rows = {key: 0.0 for key in METRICS}, {key: 0 for key in METRICS}
        for line in path.read_text().splitlines():
            ids = torch.tensor([self.words[word] for word in line.split()])
            self.add(torch.stack(self.weights_of(ids)), ids)

    def weights_of(self, ids):
        stream = self.model.words[ids] + self.model.places[:len(ids)]
        for block in self.model.blocks:
            stream = block(stream, self.model.mask)
        return [block.weights for block in self.model.blocks]

    def take(self, key, values, rows=None):
        """Values of [layers, heads, rows], of these rows alone."""
        values = values if rows is None else values[..., rows]
        self.sums[key] = self.sums[key] + values.double().sum(-1)
        self.rows[key] += values.shape[-1]

    def take_cells(self, key, w, cells, shift=0):
        """The weight on marked cells [rows, keys], over the rows that have one."""
        rows = cells.any(-1)
        marked = torch.roll(cells, shift, 1).float()
        self.take(key, (w * marked).sum(-1), rows)

    def add(self, w, ids):
        self.take("entropy", -torch.xlogy(w, w).sum(-1) / torch.log(torch.tensor(2.0)))
        self.take("distance", (w * self.distance).sum(-1)[..., 1:])
        self.take("previous", torch.diagonal(w, -1, -2, -1))
        self.take("next", torch.diagonal(w, 1, -2, -1)[..., 1:])
        self.take("first", w[..., 1:, 0])
        self.take("sink", w[..., 1:, 0])
        self.take("self", torch.diagonal(w, 0, -2, -1)[..., 1:])
        self.take("max_weight", w[..., 1:, :].amax(-1))
        same = ids[:, None] == ids[None, :]
        self.take_cells("duplicate", w, same & self.before)
        earlier = same & self.before
        earlier &= torch.arange(len(ids))[None, :] < (torch.arange(len(ids)) - 1)[:, None]
        self.take_cells("induction", w, earlier, 1)
        following = torch.roll(same, -1, 0) & (torch.arange(len(ids))[None, :] <= torch.arange(len(ids))[:, None])
        following[-1] = False
        following[0] = False  # it sees one key
        self.take_cells("copying", w, following)

    def means(self):
        return {key: self.sums[key] / self.rows[key] for key in METRICS if self.rows[key]}


def check(report, means):
    """The largest difference of two means, in units of the larger one, or of 1 where that is more."""
    worst = 0.0
    for head in report["heads"]:
        for key, values in means.items():
            theirs = float(values[head["layer"], head["head"]])
            difference = abs(theirs - float(head[key])) / max(1.0, abs(theirs))
            if not difference <= 1e-4:
                sys.exit(f"{key} of {head['layer']}.{head['head']}: ours {head[key]}, theirs {theirs}")
            worst = max(worst, difference)
    return worst


def compare(given, folder):
    torch.set_num_threads(given.threads)
    machine = measure_scan.Machine(given.cli, folder)
    name, out = "gpt2-shape", folder / "x.hsagg"
    words = json.loads(measure_scan.TOKENIZER.read_text())["model"]["vocab"]
    lists = [machine.phrases(name, given.tokens, count) for count in (FEW, MANY)]
    with torch.no_grad():
        loop = Loop(compare_sweep.Gpt2(compare_sweep.read_weights(machine.model(name))), words, given.tokens)
        machine.scan(name, given.threads, lists[0], out)
        loop.run(lists[0])
        said = subprocess.run([given.cli, "report", str(out), "--json"], capture_output=True, text=True, check=True).stdout
        difference = check(json.loads(said), loop.means())
        watch = busy.Watch([os.getpid()])
        ours, theirs = ([], []), ([], [])
        for _ in range(given.turns):
            for which, path in enumerate(lists):
                ours[which].append(machine.scan(name, given.threads, path, out)[0])
                theirs[which].append(compare_sweep.timed(loop.run, path)[0])
    counted = given.tokens * (MANY - FEW)
    our_seconds, their_seconds = (min(times[1]) - min(times[0]) for times in (ours, theirs))
    return {"tokens_a_phrase": given.tokens, "threads": given.threads, "largest_difference": difference,
            "ours_tokens_a_second": counted / our_seconds, "torch_tokens_a_second": counted / their_seconds,
            "ratio": their_seconds / our_seconds, "torch": torch.__version__, "foreign_cores": watch.foreign()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli")
    parser.add_argument("--model", type=pathlib.Path, help="a folder that has, or gets, gpt2-shape")
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        row = compare(given, given.model or pathlib.Path(made))
    busy.warn(compare_sweep.blas_libraries(), row["foreign_cores"])
    if given.json:
        print(json.dumps(row))
        return
    print(f"{row['tokens_a_phrase']} tokens a phrase, {row['threads']} threads: ours {row['ours_tokens_a_second']:.0f} tokens a "
          f"second, PyTorch {row['torch']} {row['torch_tokens_a_second']:.0f}: {row['ratio']:.2f}x; largest difference of a "
          f"mean {row['largest_difference']:.1e}")


if __name__ == "__main__":
    main()
