#!/usr/bin/env python3
# Long because it is one table of requests, and what holds them against the scripts.
"""Scripts of many requests: every printed line and every number against headscope-cli run.

    python3 tests/core/script/script_test.py build/release/bin/headscope-cli [--only NAME]

The first script of a language is run as a user runs it, by a Python of its own. To import PyTorch takes far longer than what
a script computes, so every other script runs in a child of this process, where the library is imported already.
Exit code 77 when NumPy is missing; PyTorch's scripts are left out, and said to be, when torch is.
"""
import argparse
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = os.path.join(HERE, "..", "..", "golden", "files")
MODELS = os.path.join(HERE, "..", "..", "golden", "models")

try:
    import numpy as np
except ImportError:
    # Debian's packages belong to Debian's Python, which need not be the first one of the path.
    debian = "/usr/bin/python3"
    if os.path.realpath(sys.executable) != os.path.realpath(debian) and os.path.exists(debian):
        os.execv(debian, [debian] + sys.argv)
    print("skipped: no NumPy (apt-get install python3-numpy)")
    sys.exit(77)

SMALL = ["--model", "seeded", "--heads", "4", "--d-model", "32", "--phrase", "the cat sat on the mat"]
TUTORIAL_4 = [f"--weights={FILES}/004_layer.safetensors", f"--input={FILES}/004_query.npy",
              f"--key-input={FILES}/004_keys.npy", f"--value-input={FILES}/004_values.npy"]
ALONE = ["--query", "q.npy", "--key", "k.npy", "--value", "v.npy"]


def cases():
    """(name, words of REQUEST)"""
    yield "tutorial 1", ["--model", "seeded", "--embedding", "sequence", "--phrase", "Hola mi nombre es Alex",
                         "--mask", "causal"]
    yield "drawn whole, batch, direct merge", ["--model", "seeded", "--embedding", "sequence", "--phrase", "a b c d e",
                                               "--batch", "3", "--input-dim", "48", "--d-model", "32", "--heads", "4",
                                               "--seed", "18446744073709551615", "--merge", "direct"]
    yield "drawn positions, gain, blocked", SMALL + ["--embedding", "sequence", "--position", "sinusoidal",
                                                     "--init-gain", "2.5", "--qkv-layout", "blocked", "--seed", "7"]
    yield "drawn cross-attention", SMALL + ["--embedding", "sequence", "--key-phrase", "one two three", "--batch", "2"]
    yield "words, window and padding", SMALL + ["--mask", "window:2,padding:1", "--fully-masked", "zero"]
    yield "prefix, bottom-right", SMALL + ["--key-phrase", "a b c d e f g h i", "--mask", "prefix:2",
                                           "--causal-align", "bottom-right"]
    yield "grouped heads, softcap", SMALL + ["--kv-heads", "2", "--softcap", "1.5", "--mask", "causal", "--scale", "0.7"]
    yield "softcap after the mask", SMALL + ["--softcap", "1.5", "--softcap-order", "after-mask", "--mask",
                                             "alibi,causal,added.npy"]
    yield "softcap after what only adds", SMALL + ["--softcap", "0.5", "--softcap-order", "after-mask", "--mask", "alibi"]
    yield "queries that begin later", SMALL + ["--key-phrase", "a b c d e f g h i", "--mask", "prefix:2,alibi", "--past", "2"]
    yield "past, attention alone", ALONE + ["--key-past", "k_past.npy", "--value-past", "v_past.npy", "--mask", "causal"]
    yield "past, one layer", SMALL + ["--key-past", "layer_k_past.npy", "--value-past", "layer_v_past.npy", "--mask",
                                      "causal,padding:1"]
    yield "past and bias_k", ["--weights", "bias.safetensors", "--heads", "4", "--input", "x.npy", "--key-past",
                              "bias_k_past.npy", "--value-past", "bias_v_past.npy", "--mask", "window:3"]
    yield "grouped heads, drawn", SMALL + ["--kv-heads", "1", "--embedding", "sequence", "--batch", "2"]
    yield "dropout", SMALL + ["--dropout", "0.3", "--dropout-seed", "5", "--mask", "causal"]
    yield "dropout of all", SMALL + ["--dropout", "1"]
    yield "dropout mask", SMALL + ["--dropout", "0.25", "--dropout-mask", "kept.npy"]
    yield "heads off", SMALL + ["--ablate", "0.1,0.3", "--mask", "causal"]
    yield "before-scale", SMALL + ["--mask", "causal", "--mask-order", "before-scale", "--mask-fill", "-1e20"]
    yield "before-scale, -inf, scale 0", SMALL + ["--mask", "causal", "--mask-order", "before-scale", "--scale", "0"]
    yield "scale below 0", SMALL + ["--mask", "causal", "--mask-order", "before-scale", "--scale", "-0.5"]
    yield "fully masked, NaN", SMALL + ["--mask", "hidden_row.npy", "--mask-kind", "hide"]
    yield "fully masked, uniform", SMALL + ["--mask", "hidden_row.npy,causal", "--mask-kind", "hide",
                                            "--fully-masked", "uniform"]
    yield "mask added", SMALL + ["--mask", "added.npy,padding:1", "--batch", "2"]
    yield "mask added, before-scale", SMALL + ["--mask", "added.npy,causal", "--mask-order", "before-scale"]
    yield "alibi", SMALL + ["--mask", "alibi,causal", "--batch", "2"]
    yield "alibi, six heads, bottom-right", ["--model", "seeded", "--heads", "6", "--d-model", "24", "--phrase", "a b c",
                                             "--key-phrase", "d e f g h", "--mask", "alibi", "--causal-align",
                                             "bottom-right", "--mask-order", "before-scale"]
    yield "alibi and a file", SMALL + ["--mask", "alibi,added.npy"]
    yield "alibi and bias_k", ["--weights", "bias.safetensors", "--heads", "4", "--input", "x.npy", "--mask", "alibi"]
    yield "fill", SMALL + ["--mask", "causal", "--mask-fill", "-2.5"]
    yield "tutorial 4", TUTORIAL_4 + ["--mask", f"{FILES}/004_mask.npy", "--mask-kind", "keep", "--mask-order",
                                      "before-scale", "--mask-fill", "-1e20"]
    yield "tutorial 3", [f"--weights={FILES}/003_layer.safetensors", f"--input={FILES}/003_x.npy"]
    yield "attention alone", ALONE + ["--mask", "causal"]
    yield "attention alone, NaN in hidden values", ["--query", "q.npy", "--key", "k.npy", "--value", "v_nan.npy",
                                                    "--mask", "padding:1"]
    yield "key not transposed", ["--query", "q.npy", "--key", "k_square.npy", "--value", "v_square.npy", "--variant",
                                 "key-not-transposed"]
    yield "bias_k", ["--weights", "bias.safetensors", "--heads", "4", "--input", "x.npy", "--mask", "causal"]
    yield "bias_k, blocked as per head", ["--weights", "bias.safetensors", "--heads", "4", "--input", "x.npy",
                                          "--variant", "qkv-blocked-as-per-head,mask-inverted", "--mask", "causal"]
    yield "fused cross, per head", SMALL + ["--key-phrase", "a b c"]
    yield "fused cross, blocked", ["--weights", "bias.safetensors", "--heads", "4", "--input", "x.npy", "--key-input",
                                   "keys.npy"]
    for variant in ("softmax-over-queries", "no-scale", "scale-by-d-model", "mask-inverted", "mask-after-softmax",
                    "qkv-per-head-as-blocked"):
        yield variant, SMALL + ["--mask", "causal", "--variant", variant]
    yield "mask-after-softmax, added", SMALL + ["--mask", "causal,added.npy", "--variant",
                                                "mask-after-softmax,softmax-over-queries"]
    yield "edits of stages", SMALL + ["--edit", "input:0,1,2=3;qkv_split:0,2,1,3=-1;scores:0,1,2,1=4;masked_scores:0,0,0,3=1;"
                                      "weights:0,2,5,0=0.5;context:0,0,0,0=2;output:0,0,0=9", "--mask", "causal"]
    yield "arrays", SMALL + ["--mask", "causal", "--set", "context:1=0.5;value:0,1=row.npy", "--add", "query=row.npy*-2",
                             "--project-out", "concat:1..2=wide.npy;output=wide.npy", "--edit", "context:0,1,0,0=2"]
    induction = ["--model", "demo:induction", "--phrase", "cat box ink fox jam cat", "--patch-from", "a.json"]
    yield "patches", induction + ["--patch", "1/context:7@A;1/query:2,5@A", "--edit", "1/context:0,7,2,1=3"]
    yield "patches of another length", induction[:-1] + ["short.json", "--patch", "1/weights:3@A;1/output@A;0/context@A"]
    yield "edits of weights", SMALL + ["--edit", "qkv_layer.weight:3,4=2.5;linear_layer.bias:1=-1"]
    yield "heads held, drawn", SMALL + ["--freeze", "0.0=uniform,0.2=identity", "--embedding", "sequence"]
    yield "heads held under masks", SMALL + ["--freeze", "0.0=uniform,0.2=identity", "--mask", "causal,padding:2",
                                             "--causal-align", "bottom-right", "--key-phrase", "a b c d e f g"]
    yield "factors", SMALL + ["--kv-heads", "2", "--scale-query", "1.5,0.1=2", "--scale-key", "0.0=0.5"]
    yield "painted", SMALL + ["--paint", "hide@0:2,1:3;show@1:2,1:2", "--mask", "causal", "--embedding", "sequence"]
    yield "factors and bias_k", ["--weights", "bias.safetensors", "--heads", "4", "--input", "x.npy", "--scale-key",
                                 "3", "--freeze", "0.1=uniform", "--batch", "2"]
    yield "GPT-2", ["--model", f"{MODELS}/gpt2", "--token-ids", "3,1,4,1,5", "--layer", "0"]
    yield "Llama, rotary and grouped", ["--model", f"{MODELS}/llama", "--token-ids", "3,1,4,1,5"]
    yield "Qwen 3, head norms", ["--model", f"{MODELS}/qwen3", "--token-ids", "3,1,4,1,5"]
    yield "Gemma", ["--model", f"{MODELS}/gemma", "--token-ids", "3,1,4,1,5"]
    yield "Llama 2 of C, neighbours", ["--model", f"{MODELS}/llama2c", "--token-ids", "3,1,4,1,5"]
    for name in ("gpt_neox gptj phi gemma2 gemma3 olmo2 olmo2-grouped olmo3 phi3 phi3-longrope stablelm cohere cohere-normed "
                 "opt-after bloom mixtral gpt_oss electra deberta_v2 deberta_v2-own deberta_v2-c2p albert modernbert falcon falcon-alibi falcon-grouped mpt-steep "
                 "mpt-held mpt-normed deepseek_v2 deepseek_v3").split():
        yield name, ["--model", f"{MODELS}/{name}", "--token-ids", "3,1,4,1,5", "--layer", "0"]
    yield "sinks, a held head and an edit", ["--model", f"{MODELS}/gpt_oss", "--token-ids", "3,1,4,1,5", "--layer", "1",
                                             "--freeze", "1.2=uniform", "--edit", "1/masked_scores:0,1,3,0=2"]
    yield "strange words", ["--model", "seeded", "--heads", "2", "--d-model", "8", "--phrase",
                            "\"\"\" \\ \u202e{x} 東京 #\n'''"]


def write_files(folder):
    """The arrays that requests name, made from one seed."""
    random = np.random.default_rng(11)

    def save(name, array):
        np.save(os.path.join(folder, name), array)

    def numbers(*shape):
        return random.standard_normal(shape).astype(np.float32)

    for name, phrase in (("a.json", "cat ink box fox jam cat"), ("short.json", "cat ink cat")):
        with open(os.path.join(folder, name), "w") as file:
            json.dump({"model": "demo:induction", "phrase": phrase}, file)
    save("kept.npy", (random.random((1, 4, 6, 6)) > 0.25))
    hidden = np.tril(np.zeros((6, 6), dtype=bool))
    hidden[2] = True
    save("hidden_row.npy", hidden)
    added = numbers(4, 6, 6)
    added[1, 3, 2] = -np.inf
    save("added.npy", added)
    save("q.npy", numbers(2, 4, 5, 8))
    save("k.npy", numbers(2, 2, 7, 8))
    value = numbers(2, 2, 7, 6)
    save("v.npy", value)
    value[:, :, -1, 2] = np.nan
    save("v_nan.npy", value)
    save("k_past.npy", numbers(2, 2, 3, 8))
    save("v_past.npy", numbers(2, 2, 3, 6))
    save("layer_k_past.npy", numbers(1, 4, 2, 8))
    save("layer_v_past.npy", numbers(1, 4, 2, 8))
    save("bias_k_past.npy", numbers(2, 4, 2, 4))
    save("bias_v_past.npy", numbers(2, 4, 2, 4))
    save("k_square.npy", numbers(2, 2, 8, 8))
    save("v_square.npy", numbers(2, 2, 8, 6))
    save("x.npy", numbers(2, 6, 12))
    save("keys.npy", numbers(2, 9, 12))
    tensors = {"in_proj_weight": numbers(48, 12), "in_proj_bias": numbers(48), "out_proj.weight": numbers(16, 16),
               "out_proj.bias": numbers(16), "bias_k": numbers(16), "bias_v": numbers(16)}
    header, values = {}, b""
    for name, tensor in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(tensor.shape),
                        "data_offsets": [len(values), len(values) + tensor.nbytes]}
        values += tensor.tobytes()
    text = json.dumps(header).encode()
    with open(os.path.join(folder, "bias.safetensors"), "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + values)
    save("row.npy", numbers(8))
    save("wide.npy", numbers(32))


def run(words, folder):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(words)}: exit {done.returncode}: {done.stderr.strip()[-600:]}")
    return done.stdout


def number(value):
    return float(value) if value is not None else float("nan")


def same(found, expected, tolerance):
    """The largest difference over the tolerance of this stage; NaN and infinities must stand at the same places."""
    if not (np.array_equal(np.isnan(found), np.isnan(expected))
            and np.array_equal(np.isposinf(found), np.isposinf(expected))
            and np.array_equal(np.isneginf(found), np.isneginf(expected))):
        return float("inf")
    finite = np.isfinite(expected)
    difference = np.abs(found[finite].astype(np.float64) - expected[finite]) if finite.any() else np.zeros(1)
    return float(difference.max() / tolerance) if difference.size else 0.0


def run_script(script, folder):
    """As `python3 SCRIPT made`, in a child of this process; the script has modules of its own, only libraries are shared."""
    sys.stdout.flush()
    with tempfile.TemporaryFile() as out:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.dup2(out.fileno(), 1)
                os.dup2(out.fileno(), 2)
                os.chdir(folder)
                sys.argv = [script, "made"]
                runpy.run_path(script, run_name="__main__")
                sys.stdout.flush()
                status = 0
            except BaseException:  # also what leaves by sys.exit(): no script does that where nothing is wrong
                traceback.print_exc()
                sys.stderr.flush()
            finally:
                os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0)
        said = out.read().decode()
    if status != 0:
        raise AssertionError(f"{script}: exit {status}: {said.strip()[-600:]}")
    return said


def stages_of_run(cli, words, folder):
    """{stage: what the manifest says of it}; the arrays are in the folder `run`."""
    shutil.rmtree(os.path.join(folder, "run"), ignore_errors=True)
    run([cli, "run", *words, "--export", "all", "--format", "npy", "--out", "run"], folder)
    with open(os.path.join(folder, "run", "manifest.json"), encoding="utf-8") as file:
        stages = json.load(file)["stages"]
    return stages if isinstance(stages, dict) else {stage["name"]: stage for stage in stages}


def compare(cli, name, words, language, stages, by_itself, folder):
    """The largest difference of one script's numbers, relative to the largest number of their stage (at least 1)."""
    for part in ("script", "made"):
        shutil.rmtree(os.path.join(folder, part), ignore_errors=True)
    run([cli, "script", *words, "--as", language, "--out", "script"], folder)
    script = f"script/attention_{language}.py"
    out = run([sys.executable, script, "made"], folder) if by_itself else run_script(script, folder)
    printed = re.findall(r"^(\w+) +(\[[\d, ]+\]) +min (\S+)  max (\S+)  mean (\S+)$", out, re.M)
    assert [line[0] for line in printed] == list(stages), f"{name}: {[line[0] for line in printed]} {list(stages)}"
    worst = 0.0
    for (stage, shape, *numbers), expected in zip(printed, stages.values()):
        assert json.loads(shape) == expected["shape"], f"{name}: {stage} {shape}, not {expected['shape']}"
        ours = np.load(os.path.join(folder, "run", stage + ".npy"))
        made = np.load(os.path.join(folder, "made", stage + ".npy"))
        assert made.shape == ours.shape, f"{name}: {stage} {made.shape}"
        finite = ours[np.isfinite(ours)]
        scale = max(1.0, float(np.abs(finite).max()) if finite.size else 1.0)
        worst = max(worst, same(made, ours, scale))
        for key, value in zip(("min", "max", "mean"), numbers):
            worst = max(worst, same(np.array(float(value)), np.array(number(expected[key])), scale))
    last = re.search(r"^(\w+)\[0, 0, :8\] = \[(.*)\]$", out, re.M)
    ours = np.load(os.path.join(folder, "run", last.group(1) + ".npy"))[0, 0, :8]
    shown = np.array([float(x) for x in last.group(2).split(", ")])
    assert same(shown, ours, max(1.0, np.nanmax(np.abs(ours), initial=0.0))) <= 1e-5, f"{name}: {last.group(0)}"
    return worst


def check_latex(cli, name, words, stages, folder):
    """Braces, environments and delimiters pair up; the shapes of the run stand in it."""
    text = run([cli, "script", *words, "--as", "latex"], folder)
    assert text.rstrip().endswith("\\end{document}"), name
    opened = []
    for kind, environment in re.findall(r"\\(begin|end)\{(\w+\*?)\}", text):
        if kind == "begin":
            opened.append(environment)
        else:
            assert opened and opened.pop() == environment, f"{name}: \\end{{{environment}}}"
    assert not opened, f"{name}: {opened}"
    body = "".join(line for line in text.splitlines(True) if not line.startswith("%"))
    bare = re.sub(r"\\[{}\\$%#&_]", "", body)
    depth = 0
    for character in bare:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0, f"{name}: a brace closes that never opened"
    assert depth == 0, f"{name}: {depth} braces stay open"
    assert bare.count("$") % 2 == 0, f"{name}: an odd $"
    for left, right in ((r"\Bigl", r"\Bigr"), (r"\bigl", r"\bigr"), (r"\lfloor", r"\rfloor")):
        assert bare.count(left) == bare.count(right), f"{name}: {left}"
    for stage, entry in stages.items():
        symbol = "\\mathit{" + stage.replace("_", "\\_") + "}"
        where = symbol + " &\\in \\mathbb{R}^{" + " \\times ".join(map(str, entry["shape"])) + "}"
        assert where in text, f"{name}: {where} is missing"


def check_refusals(cli, folder):
    """What has no script says so, with exit code 2, and writes nothing."""
    weights = np.full((1, 1, 2, 2), 0.5, dtype=np.float32)
    header = {"layers.0.weights": {"dtype": "F32", "shape": [1, 1, 2, 2], "data_offsets": [0, weights.nbytes]}}
    text = json.dumps(header).encode()
    with open(os.path.join(folder, "capture.safetensors"), "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + weights.tobytes())
    for words, part in ((["--model", "capture.safetensors", "--as", "numpy"], "capture"),
                        (SMALL, "--as: missing"), (SMALL + ["--as", "matlab"], "latex"),
                        (SMALL + ["--as", "numpy", "--out", ""], "--out")):
        done = subprocess.run([cli, "script", *words], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 2 and not done.stdout, (words, done)
        assert part in done.stderr and done.stderr.count("\n") == 1, (words, done.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cli")
    parser.add_argument("--only")
    given = parser.parse_args()
    cli = os.path.abspath(given.cli)
    languages = ["numpy"]
    try:
        import torch  # noqa: F401
        languages.append("pytorch")
    except ImportError:
        print("PyTorch is missing (apt-get install python3-torch): its scripts are not run")
    # Float32 sums in another order; torch's own draws are 2e-6 away.
    tolerance = {"numpy": 5e-6, "pytorch": 2e-5}
    failed, count, worst = 0, 0, {language: 0.0 for language in languages}
    with tempfile.TemporaryDirectory() as folder:
        write_files(folder)
        check_refusals(cli, folder)
        for name, words in cases():
            if given.only and given.only != name:
                continue
            try:
                stages = stages_of_run(cli, words, folder)
                check_latex(cli, name, words, stages, folder)
                for language in languages:
                    difference = compare(cli, name, words, language, stages, count < len(languages), folder)
                    worst[language] = max(worst[language], difference)
                    count += 1
                    print(f"{name} ({language}): {difference:.2g}")
                    assert difference <= tolerance[language], f"{name} ({language}): {difference}"
            except AssertionError as wrong:
                failed += 1
                print(f"FAILED {name}: {wrong}")
    print(f"{count} scripts, largest differences {worst}")
    return 1 if failed or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
