#!/usr/bin/env python3
"""How many tokens a second headscope-cli scans, how large its files are and how long they take to merge:

    python3 tests/bench/measure_scan.py HEADSCOPE_CLI FOLDER [--repeats N] [--only MODEL] [--out assets/corpus/rates.json]
    python3 tests/bench/measure_scan.py HEADSCOPE_CLI FOLDER --memory [PHRASES]

FOLDER gets models with random weights: of GPT-2 small's shape (make_gpt2_checkpoint.py, 498 MB of F32) and of many small
heads. Needs NumPy. Each scan is run for few and for many phrases, and the difference counts: starting is a figure
of its own. Seconds are of the clock and of the processor; of repetitions the best counts, so that work of others beside
it matters least.

--memory scans a list of 100,000 phrases, or of as many as it says, with the smallest demo and prints what is resident as
it goes on: all of it, and what is its own (the rest are pages of files, the list among them, which the system takes back
when it needs them). The slope is that of a straight line through the second column, from a tenth of the list on.
"""
import argparse
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAKE_GPT2 = ROOT / "tests" / "bench" / "make_gpt2_checkpoint.py"
TOKENIZER = ROOT / "assets" / "demos" / "pronouns" / "tokenizer.json"
# Model, tokens a phrase, few phrases, many phrases.
SCANS = [("demo:pronouns", 32, 50, 1050), ("demo:induction", 128, 20, 220), ("gpt2-shape", 128, 2, 10),
         ("gpt2-shape", 512, 1, 3)]
THREADS = (1, 2)
MERGED_HEADS = {144: (12, 12), 512: (16, 32), 1024: (32, 32), 5120: (80, 64)}  # layers, heads each


class Machine:
    def __init__(self, cli, folder):
        self.cli, self.folder = cli, folder

    def call(self, *words):
        """(seconds of the clock, of the processor, MiB at most) of headscope-cli with these words."""
        begun = time.monotonic()
        process = subprocess.Popen([self.cli, *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, words
        return time.monotonic() - begun, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024

    def model(self, name):
        """What --model takes; a folder is made where there is none."""
        if name.startswith("demo:"):
            return name
        path = self.folder / name
        if not path.exists():
            if name == "gpt2-shape":
                subprocess.run([sys.executable, MAKE_GPT2, path], check=True)
            else:
                small_heads(path, *map(int, name.split("x")))
            shutil.copy(TOKENIZER, path / "tokenizer.json")
        return path

    def phrases(self, name, tokens, count):
        """A list of phrases of so many words of the model's vocabulary."""
        source = ROOT / "assets" / "demos" / name.removeprefix("demo:") if name.startswith("demo:") else TOKENIZER.parent
        words = sorted(json.loads((source / "tokenizer.json").read_text())["model"]["vocab"])
        words = [word for word in words if word.isalpha()]
        drawn = random.Random(tokens)
        path = self.folder / f"{tokens}x{count}.txt"
        path.write_text("".join(" ".join(drawn.choices(words, k=tokens)) + "\n" for _ in range(count)))
        return path

    def scan(self, name, threads, phrases, out):
        return self.call("scan", "--model", self.model(name), "--phrases", phrases, "--threads", threads, "--out", out)

    def rate(self, name, tokens, few, many, threads, repeats):
        """The row of rates.json of one scan."""
        out = self.folder / "x.hsagg"
        lists = [self.phrases(name, tokens, count) for count in (few, many)]
        times = [[self.scan(name, threads, phrases, out) for phrases in lists] for _ in range(repeats)]
        best = [[min(turn[which][kind] for turn in times) for kind in (0, 1)] for which in (0, 1)]
        counted = tokens * (many - few)
        row = {"model": name, "tokens_a_phrase": tokens, "threads": threads}
        for kind, key in enumerate(("clock", "processor")):
            row[f"microseconds_a_token_{key}"] = round(1e6 * (best[1][kind] - best[0][kind]) / counted, 2)
            each = (best[1][kind] - best[0][kind]) / (many - few)
            row[f"seconds_to_start_{key}"] = round(max(0.0, best[0][kind] - few * each), 3)
        row["mebibytes"] = round(max(turn[1][2] for turn in times))
        return row

    def merge(self, heads, layers, each, repeats):
        """The row of rates.json of one size of file: two of them are merged."""
        name = f"{layers}x{each}"
        phrases = self.phrases(name, 4, 2)
        for shard in (0, 1):
            self.call("scan", "--model", self.model(name), "--phrases", phrases, "--threads", 1, "--shard", f"{shard}/2", "--out",
                      self.folder / f"{shard}.hsagg")
        files = [self.folder / f"{shard}.hsagg" for shard in (0, 1)]
        times = [self.call("merge", *files, "--out", self.folder / "all.hsagg") for _ in range(repeats)]
        return {"heads": heads, "bytes": files[0].stat().st_size,
                "seconds_a_file": round(min(turn[1] for turn in times) / 2, 4)}


def resident(pid):
    """KiB of a process that are in memory: all, and those that are of no file. None when it has ended."""
    try:
        lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return None
    sizes = {line.split(":")[0]: int(line.split()[1]) for line in lines if line.startswith(("VmRSS", "RssAnon"))}
    return (sizes["VmRSS"], sizes["RssAnon"]) if len(sizes) == 2 else None


def memory(machine, count):
    """Prints what is resident while a list of so many phrases is scanned."""
    words = [machine.cli, "scan", "--model", "demo:pronouns", "--phrases", machine.phrases("demo:pronouns", 8, count),
             "--out", machine.folder / "x.hsagg"]
    said = re.compile(r"scanning for .*: (\d+) of \d+ phrase")
    process = subprocess.Popen(list(map(str, words)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "HEADSCOPE_SCAN_SAY_SECONDS": "0.2"})
    moments = []  # phrases, KiB of each kind
    for line in process.stderr:
        now, done = resident(process.pid), said.search(line)
        if done and now:
            moments.append((int(done[1]), *now))
    assert process.wait() == 0 and moments, words
    for phrases, whole, own in moments[::max(1, len(moments) // 12)]:
        print(f"{phrases:9} phrases: {whole / 1024:7.1f} MiB resident, {own / 1024:6.2f} of its own")
    late = [(phrases, own) for phrases, _, own in moments if phrases >= count / 10]
    assert len(late) > 2, "too short to draw a line"
    print(f"slope: {1e5 * slope(late):+.1f} KiB per 100,000 phrases, {len(late)} moments")


def slope(points):
    """Of the straight line of least squares."""
    middle = [sum(axis) / len(points) for axis in zip(*points)]
    return (sum((x - middle[0]) * (y - middle[1]) for x, y in points)
            / sum((x - middle[0]) ** 2 for x, _ in points))


def small_heads(folder, layers, heads):
    """A GPT-2 of so many layers and heads of one number each: nothing but heads to count."""
    import numpy as np

    width, pieces = heads, len(json.loads(TOKENIZER.read_text())["model"]["vocab"])
    shapes = {"wte.weight": (pieces, width), "wpe.weight": (16, width), "ln_f.weight": (width,), "ln_f.bias": (width,)}
    block = {"ln_1.weight": (width,), "ln_1.bias": (width,), "ln_2.weight": (width,), "ln_2.bias": (width,),
             "attn.c_attn.weight": (width, 3 * width), "attn.c_attn.bias": (3 * width,),
             "attn.c_proj.weight": (width, width), "attn.c_proj.bias": (width,), "mlp.c_fc.weight": (width, 4 * width),
             "mlp.c_fc.bias": (4 * width,), "mlp.c_proj.weight": (4 * width, width), "mlp.c_proj.bias": (width,)}
    shapes.update({f"h.{layer}.{key}": shape for layer in range(layers) for key, shape in block.items()})
    drawn, header, values = np.random.default_rng(0), {}, bytearray()
    for key, shape in shapes.items():
        tensor = drawn.normal(0, 0.3, shape).astype(np.float32).tobytes()
        header[key] = {"dtype": "F32", "shape": list(shape), "data_offsets": [len(values), len(values) + len(tensor)]}
        values += tensor
    text = json.dumps(header).encode()
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + values)
    (folder / "config.json").write_text(json.dumps(
        {"model_type": "gpt2", "vocab_size": pieces, "n_embd": width, "n_layer": layers, "n_head": heads, "n_positions": 16,
         "layer_norm_epsilon": 1e-5, "activation_function": "gelu_new"}))


def processor():
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{len(names)} x {names[0]}" if names else "unknown"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", help="scans of this model alone, and no merges; the other rows of --out stay")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--memory", type=int, nargs="?", const=100_000, metavar="PHRASES",
                        help="instead: what is resident while so many phrases are scanned (100,000)")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    machine = Machine(given.cli, given.folder)
    if given.memory is not None:
        memory(machine, given.memory)
        return
    rates = {"processor": processor(), "scans": [], "merges": []}
    if given.only and given.out and given.out.exists():
        rates = json.loads(given.out.read_text())
        rates["scans"] = [row for row in rates["scans"] if row["model"] != given.only]
    for heads, (layers, each) in MERGED_HEADS.items() if not given.only else ():
        rates["merges"].append(machine.merge(heads, layers, each, given.repeats))
        print(rates["merges"][-1], flush=True)
    for name, tokens, few, many in SCANS:
        for threads in THREADS if given.only in (None, name) else ():
            rates["scans"].append(machine.rate(name, tokens, few, many, threads, given.repeats))
            print(rates["scans"][-1], flush=True)
    if given.out:
        rows = {key: [json.dumps(row) for row in rates[key]] for key in ("scans", "merges")}
        parts = [f'"{key}": [\n  ' + ",\n  ".join(rows[key]) + "\n ]" for key in rows]
        given.out.write_text(f'{{\n "processor": {json.dumps(rates["processor"])},\n ' + ",\n ".join(parts) + "\n}\n")


if __name__ == "__main__":
    main()
