"""A scan of a model of GPT-2 small's shape or of demo:stories, ours against a plain PyTorch loop that keeps all weights:

    python3 tests/bench/compare_scan.py build/release/bin/headscope-cli [--model FOLDER] [--stories] [--tokens 128]
                                        [--turns N] [--threads N] [--json]

Theirs: the model written out in PyTorch, float32, one phrase after the other under no_grad, no logits; of each layer the
weights of all heads are kept, and when the phrase is done the eleven metrics of every head are summed up from them, each
an operation on whole tensors; so are, unless --means, the histograms, the mean pattern, the strongest weights, the samples of
each tenth and the tokens that point, as `headscope-cli scan` has them. Scans of few and of many phrases are timed and the difference counts, so that neither side pays for its start
and for reading weights; their phrases are tokens already. The means of both must be equal (1e-4) before anything is timed. A turn is ours, theirs; of all
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

sys.path.insert(0, str(measure_scan.ROOT / "assets" / "train"))
import bpe  # noqa: E402
import checkpoint  # noqa: E402
import llama  # noqa: E402

STORIES = measure_scan.ROOT / "assets" / "demos" / "stories"
METRICS = ("entropy", "distance", "previous", "next", "first", "self", "duplicate", "induction", "copying", "sink", "max_weight")


class Gpt2Shape:
    """Of each layer the weights [heads, tokens, tokens] of a phrase."""

    name, few, many = "gpt2-shape", 2, 8

    def __init__(self, folder, tokens):
        self.model = compare_sweep.Gpt2(compare_sweep.read_weights(folder))
        self.model.mask = torch.triu(torch.full((tokens, tokens), float("-inf")), diagonal=1)
        self.words = json.loads(measure_scan.TOKENIZER.read_text())["model"]["vocab"]

    def ids(self, line):
        return [self.words[word] for word in line.split()]

    def weights_of(self, ids):
        stream = self.model.words[ids] + self.model.places[:len(ids)]
        for block in self.model.blocks:
            stream = block(stream, self.model.mask)
        return [block.weights for block in self.model.blocks]


class Stories:
    name, few, many = "demo:stories", 50, 450

    def __init__(self, _folder, tokens):
        self.model = llama.Llama(json.loads((STORIES / "config.json").read_text()))
        tensors = checkpoint.read_safetensors(STORIES / "model.safetensors")
        self.model.load_state_dict({name: tensor.float() for name, tensor in tensors.items()})
        config = self.model.config
        self.turns = llama.rotations(tokens, config["hidden_size"] // config["num_attention_heads"], config["rope_theta"])
        self.mask = torch.full((tokens, tokens), float("-inf")).triu(1)
        self.tokenizer = bpe.read(STORIES / "tokenizer.json")

    def ids(self, line):
        return self.tokenizer.encode(line)

    def weights_of(self, ids):
        stream, weights = self.model.model.embed_tokens(ids)[None], []
        for layer in self.model.model.layers:
            stream, of_layer = layer(stream, *self.turns, self.mask)
            weights.append(of_layer[0])
        return weights


class Record:
    """What a scan keeps of every head beside its means. [layers x heads] are one axis."""

    EDGES = {"entropy": [k / 4 for k in range(65)], "distance": [0.0] + [2.0**k for k in range(-2, 17)],
             **{key: [k / 20 for k in range(21)] for key in ("first", "self", "max_weight")}}
    TOP, TENTHS, SAMPLES, PARTS, POINTS, TOKENS = 16, 10, 4, 8, 0.5, 4096

    def __init__(self):
        self.histograms, self.top, self.phrases, self.pattern, self.pattern_rows = {}, None, 0, 0.0, 0.0
        self.drawn, self.tokens = None, [0, 0]

    def add_histogram(self, key, values):
        if key not in self.EDGES:
            return
        edges = torch.tensor(self.EDGES[key])
        values = values.flatten(0, 1)
        bins = (torch.bucketize(values, edges, right=True) - 1).clamp(0, len(edges) - 2)
        self.histograms[key] = self.histograms.get(key, 0) + self.counts(bins, len(edges) - 1)

    @staticmethod
    def counts(numbers, most):
        """How often each number below `most` stands in each row."""
        rows = torch.arange(len(numbers))[:, None] * most
        return torch.bincount((numbers + rows).flatten(), minlength=len(numbers) * most).view(len(numbers), most)

    def add_phrase(self, w, ids):
        w, n = w.flatten(0, 1), len(ids)
        parts = torch.nn.functional.one_hot(torch.arange(n) * self.PARTS // n, self.PARTS).float()
        self.pattern = self.pattern + (parts.T @ w @ parts).double()
        self.pattern_rows = self.pattern_rows + parts.sum(0).double()
        largest, keys = w[:, 1:].max(-1)
        best, rows = largest.max(-1)
        self.add_top(torch.stack([best, torch.full_like(best, self.phrases), rows + 1.0, keys.gather(1, rows[:, None])[:, 0]], 1))
        self.add_samples(largest)
        points = largest >= self.POINTS
        for which, tokens in enumerate((ids[1:].expand_as(keys), ids[keys])):
            # Those that do not point are counted behind the last token.
            self.tokens[which] = self.tokens[which] + self.counts(torch.where(points, tokens, self.TOKENS), self.TOKENS + 1)
        self.phrases += 1

    def add_top(self, example):
        self.top = example[:, None] if self.top is None else torch.cat([self.top, example[:, None]], 1)
        if self.top.shape[1] > self.TOP:
            order = self.top[..., 0].topk(self.TOP, 1).indices
            self.top = self.top.gather(1, order[..., None].expand(-1, -1, self.top.shape[2]))

    def add_samples(self, largest):
        """Of every tenth the rows with the smallest of drawn numbers."""
        draws = torch.rand(largest.shape[1]).expand_as(largest)
        tenth = (largest * self.TENTHS).long().clamp(0, self.TENTHS - 1)
        kept = torch.where(tenth[:, None] == torch.arange(self.TENTHS)[None, :, None], draws[:, None], 2.0)
        pairs = torch.stack([kept, largest[:, None].expand_as(kept)], -1)
        pairs = pairs if self.drawn is None else torch.cat([self.drawn, pairs], 2)
        order = pairs[..., 0].topk(min(self.SAMPLES, pairs.shape[2]), 2, largest=False).indices
        self.drawn = pairs.gather(2, order[..., None].expand(-1, -1, -1, 2))


class Loop:
    """The phrases of a list through the model; sums and numbers of rows of every metric, [layers, heads] each."""

    def __init__(self, model, tokens, means_alone):
        self.model, self.tokens, self.means_alone, self.record = model, tokens, means_alone, None
        place = torch.arange(tokens)
        self.distance = (place[:, None] - place[None, :]).abs().float()
        self.before = place[None, :] < place[:, None]

    def read(self, path):
        """The tokens of the list's phrases."""
        return [torch.tensor(self.model.ids(line)[:self.tokens]) for line in path.read_text().splitlines()]

    def run(self, phrases):
        self.sums, self.rows = {key: 0.0 for key in METRICS}, {key: 0 for key in METRICS}
        self.record = None if self.means_alone else Record()
        for ids in phrases:
            w = torch.stack(self.model.weights_of(ids))
            self.add(w, ids)
            if self.record is not None:
                self.record.add_phrase(w, ids)

    def take(self, key, values, rows=None):
        """Values of [layers, heads, rows], of these rows alone."""
        values = values if rows is None else values[..., rows]
        if self.record is not None:
            self.record.add_histogram(key, values)
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


def check_record(heads, record):
    """Histograms, strongest weights, patterns and pointing rows of both; rows on an edge may fall to either side."""
    for k, head in enumerate(heads):
        for key, found in record.histograms.items():
            apart = sum(abs(a - b) for a, b in zip(head["histograms"][key]["counts"], found[k].tolist()))
            if apart > 2 + 0.002 * head["rows"]:
                sys.exit(f"the histogram of {key} of head {k}: {apart} rows apart")
        pattern = record.pattern[k] / record.pattern_rows[:, None]
        ours = torch.tensor([[cell or 0.0 for cell in row] for row in head["pattern"]])
        if not torch.allclose(pattern.float(), ours, atol=1e-4):
            sys.exit(f"the pattern of head {k}")
        if not torch.allclose(record.top[k, :len(head["top"]), 0].sort().values,
                              torch.tensor([each["value"] for each in head["top"]]).sort().values, atol=1e-4):
            sys.exit(f"the strongest weights of head {k}")
        if abs(int(record.tokens[0][k, :-1].sum()) - head["pointing"]) > 2 + 0.002 * head["rows"]:
            sys.exit(f"the pointing rows of head {k}")


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
    kind, out = Stories if given.stories else Gpt2Shape, folder / "x.hsagg"
    scan = lambda path: machine.call("scan", "--model", machine.model(kind.name), "--phrases", path, "--threads", given.threads,
                                     "--tokens", given.tokens, "--out", out)
    lists = [machine.phrases(kind.name, given.tokens, count) for count in (kind.few, kind.many)]
    with torch.no_grad():
        loop = Loop(kind(machine.model(kind.name), given.tokens), given.tokens, given.means)
        phrases = [loop.read(path) for path in lists]
        scan(lists[0])
        loop.run(phrases[0])
        said = subprocess.run([given.cli, "report", str(out), "--json"], capture_output=True, text=True, check=True).stdout
        difference = check(json.loads(said), loop.means())
        if loop.record is not None:
            check_record(json.loads(said)["heads"], loop.record)
        watch = busy.Watch([os.getpid()])
        ours, theirs = ([], []), ([], [])
        for _ in range(given.turns):
            for which, path in enumerate(lists):
                ours[which].append(scan(path)[0])
                theirs[which].append(compare_sweep.timed(loop.run, phrases[which])[0])
    counted = sum(map(len, phrases[1])) - sum(map(len, phrases[0]))
    our_seconds, their_seconds = (min(times[1]) - min(times[0]) for times in (ours, theirs))
    return {"model": kind.name, "tokens_a_phrase": given.tokens, "threads": given.threads,
            "means_alone": given.means, "largest_difference": difference,
            "ours_tokens_a_second": counted / our_seconds, "torch_tokens_a_second": counted / their_seconds,
            "ratio": their_seconds / our_seconds, "torch": torch.__version__, "foreign_cores": watch.foreign()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli")
    parser.add_argument("--model", type=pathlib.Path, help="a folder that has, or gets, gpt2-shape")
    parser.add_argument("--stories", action="store_true", help="demo:stories in place of GPT-2 small's shape")
    parser.add_argument("--means", action="store_true", help="their side keeps the means alone")
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
    print(f"{row['model']}, {row['tokens_a_phrase']} tokens a phrase, {row['threads']} threads: ours {row['ours_tokens_a_second']:.0f} tokens a "
          f"second, PyTorch {row['torch']} {row['torch_tokens_a_second']:.0f}: {row['ratio']:.2f}x; largest difference of a "
          f"mean {row['largest_difference']:.1e}")


if __name__ == "__main__":
    main()
