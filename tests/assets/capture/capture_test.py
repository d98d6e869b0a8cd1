#!/usr/bin/env python3
"""Runs assets/capture's helpers on PyTorch's own layers and opens what they write with headscope-cli.

    capture_test.py HEADSCOPE_CLI

Exits with 77 (skipped) where no Python with torch is found.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

from with_torch import ROOT

import torch  # isort: skip
from headscope_capture import Recorder, save_capture, split_heads  # noqa: E402

CLI = ""


def cli(*arguments, code=0):
    result = subprocess.run([CLI, *arguments], capture_output=True, text=True, check=False)
    assert result.returncode == code, (arguments, result.returncode, result.stdout, result.stderr)
    return result.stdout if code == 0 else result.stderr


class OwnAttention(torch.nn.Module):
    """Attention as people write it: projections, a softmax, grouped keys."""

    def __init__(self, width, heads, kv_heads):
        super().__init__()
        self.heads, self.kv_heads = heads, kv_heads
        self.query = torch.nn.Linear(width, width)
        self.key = torch.nn.Linear(width, width // heads * kv_heads)
        self.value = torch.nn.Linear(width, width // heads * kv_heads)
        self.softmax = torch.nn.Softmax(dim=-1)

    def forward(self, x):
        query = split_heads(self.query(x), self.heads)
        key, value = (
            split_heads(vectors, self.kv_heads).repeat_interleave(self.heads // self.kv_heads, 1)
            for vectors in (self.key(x), self.value(x))
        )
        weights = self.softmax(query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5)
        return (weights @ value).transpose(1, 2).flatten(2)


class CaptureTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "capture.safetensors")

    def exported(self, *arguments):
        """(manifest, {stage: tensor}) of a run."""
        out = os.path.join(self.folder.name, "out")
        cli("run", "--model", self.path, *arguments, "--export", "all", "--format", "safetensors", "--out", out)
        with open(os.path.join(out, "manifest.json"), encoding="utf-8") as file:
            manifest = json.load(file)
        with open(os.path.join(out, "all.safetensors"), "rb") as file:
            content = file.read()
        length = int.from_bytes(content[:8], "little")
        header = json.loads(content[8 : 8 + length])
        header.pop("__metadata__", None)
        stages = {}
        for name, entry in header.items():
            begin, end = entry["data_offsets"]
            values = bytearray(content[8 + length + begin : 8 + length + end])
            stages[name] = torch.frombuffer(values, dtype=torch.float32).reshape(entry["shape"])
        return manifest, stages

    def test_multihead_attention_of_a_transformer_encoder(self):
        layers = torch.nn.TransformerEncoder(
            torch.nn.TransformerEncoderLayer(16, 4, 32, dropout=0.0, batch_first=True), 2
        )
        x = torch.randn(1, 5, 16)
        expected = layers(x)
        with Recorder() as recorder:
            for number, layer in enumerate(layers.layers):
                recorder.multihead(layer.self_attn, number)
            self.assertTrue(torch.equal(layers(x), expected))  # the model does what it did
        recorder.save(self.path, tokens=["the", "cat", "saw", "a", "dög"])
        manifest, stages = self.exported("--layer", "1")
        self.assertEqual(list(stages), ["weights"])
        self.assertEqual(manifest["tokens"], ["the", "cat", "saw", "a", "dög"])
        self.assertEqual(manifest["stages"]["weights"]["operation"], "captured")
        self.assertTrue(torch.equal(stages["weights"], recorder.layers[1]["weights"]))
        self.assertLess(float((stages["weights"].sum(-1) - 1).abs().max()), 1e-5)
        layers(x)
        self.assertEqual(sorted(recorder.layers), [0, 1])

    def test_callers_get_what_they_asked_for(self):
        module = torch.nn.MultiheadAttention(8, 2, batch_first=True)
        x = torch.randn(2, 3, 8)
        expected = module(x, x, x)
        with Recorder() as recorder:
            recorder.multihead(module, 0)
            output, weights = module(x, x, x)
            self.assertTrue(torch.allclose(output, expected[0]) and torch.allclose(weights, expected[1]))
            self.assertIsNone(module(x, x, x, need_weights=False)[1])
        self.assertEqual(list(recorder.layers[0]["weights"].shape), [2, 2, 3, 3])

    def test_queries_and_keys_give_the_same_weights(self):
        module = OwnAttention(16, 4, 2)
        x = torch.randn(2, 6, 16)
        with Recorder() as recorder:
            recorder.projections(module.query, module.key, 0, num_heads=4, num_kv_heads=2, value=module.value)
            recorder.output(module.softmax, 0)
            expected = module(x)
        recorder.save(self.path)
        manifest, stages = self.exported()
        operations = {name: stage["operation"] for name, stage in manifest["stages"].items()}
        self.assertEqual(operations["query"], "captured")
        self.assertNotEqual(operations["weights"], "captured")
        self.assertTrue(torch.allclose(stages["weights"], recorder.layers[0]["weights"], atol=2e-6))
        self.assertTrue(torch.allclose(stages["concat"], expected.detach(), atol=2e-6))
        self.assertLess(manifest["capture"]["weights_difference"], 1e-5)
        self.assertEqual(manifest["capture"]["row_sums"]["off"], 0)

    def test_fused_projections_in_both_layouts(self):
        for layout in ("blocked", "per-head"):
            module = torch.nn.Linear(8, 24)
            with Recorder() as recorder:
                recorder.fused_projection(module, 0, num_heads=2, layout=layout)
                y = module(torch.randn(1, 3, 8))
            query = recorder.layers[0]["query"][0, 1]  # of head 1
            self.assertTrue(torch.equal(query, y[0, :, 4:8] if layout == "blocked" else y[0, :, 12:16]))
            recorder.save(self.path, half=True)
            self.assertEqual(self.exported()[1]["weights"].shape, (1, 2, 3, 3))

    def test_info_tells_what_is_inside(self):
        weights = torch.softmax(torch.randn(1, 2, 3, 3), -1)
        weights[0, 1, 2] *= 0.5
        save_capture(self.path, [{"weights": weights}], tokens=["a", "b", "c"])
        told = json.loads(cli("info", self.path, "--json"))
        self.assertEqual(told["kind"], "capture")
        self.assertEqual(told["capture"]["layers"][0]["row_sums"]["off"], 1)
        self.assertEqual(told["capture"]["tokens"], ["a", "b", "c"])

    def test_what_does_not_fit_is_refused_before_anything_is_written(self):
        good = torch.ones(1, 1, 2, 2) / 2
        for layers, tokens in (
            ([], None),
            ([{"query": good}], None),
            ([{"value": good}], None),
            ([{"weight": good}], None),
            ([{"weights": good[0, 0]}], None),
            ([{"weights": good}, {"weights": torch.ones(2, 1, 2, 2)}], None),
            ([{"weights": good}], ["one"]),
        ):
            with self.assertRaises(ValueError):
                save_capture(self.path, layers, tokens)
        self.assertEqual(os.listdir(self.folder.name), [])

    def snippets(self):
        """The recipes of the README, by their heading."""
        with open(os.path.join(ROOT, "assets", "capture", "README.md"), encoding="utf-8") as file:
            sections = re.split(r"^## ", file.read(), flags=re.M)
        found = {}
        for section in sections[1:]:
            blocks = re.findall(r"^```python\n(.*?)^```", section, flags=re.M | re.S)
            if blocks:
                found[section.splitlines()[0]] = blocks[0]
        return found

    def test_every_recipe_of_the_readme_is_python(self):
        snippets = self.snippets()
        self.assertEqual(len(snippets), 4)
        for heading, code in snippets.items():
            compile(code, heading, "exec")

    def dialog_lines(self):
        """The lines that the window copies."""
        with open(os.path.join(ROOT, "app", "ui", "dialogs", "capture_hint.cpp"), encoding="utf-8") as file:
            return re.search(r'R"\((.*?)\)"', file.read(), flags=re.S).group(1)

    def test_the_six_lines_of_the_open_dialog(self):
        lines = self.dialog_lines()
        self.assertEqual(len(lines.splitlines()), 6)
        with open(os.path.join(ROOT, "assets", "capture", "README.md"), encoding="utf-8") as file:
            self.assertIn(lines, file.read())
        attentions = tuple(torch.rand(1, 2, 3, 3).softmax(-1) for _ in range(2))

        class Output:
            pass

        class Tokenizer:
            def convert_ids_to_tokens(self, row):
                return [f"t{int(number)}" for number in row]

        def model(input_ids, output_attentions):
            assert output_attentions
            output = Output()
            output.attentions = attentions
            return output

        before = os.getcwd()
        os.chdir(self.folder.name)
        try:
            exec(
                compile(lines, "six lines", "exec"),
                {"model": model, "inputs": {"input_ids": torch.tensor([[5, 6, 7]])}, "tokenizer": Tokenizer()},
            )
        finally:
            os.chdir(before)
        self.path = os.path.join(self.folder.name, "attention.npz")
        manifest, stages = self.exported("--layer", "1")
        self.assertEqual(manifest["tokens"], ["t5", "t6", "t7"])
        self.assertTrue(torch.equal(stages["weights"], attentions[1]))

    def run_snippet(self, heading, **names):
        """A recipe as it stands, against stand-ins that give what the library's documentation says it gives."""
        before = os.getcwd()
        os.chdir(self.folder.name)
        try:
            exec(compile(self.snippets()[heading], heading, "exec"), {"torch": torch, "save_capture": save_capture, **names})
        finally:
            os.chdir(before)

    def test_the_recipe_for_transformers(self):
        ids = torch.tensor([[5, 6, 7]])
        attentions = tuple(torch.rand(1, 2, 3, 3).softmax(-1) for _ in range(2))

        class Output:
            pass

        class Model:
            def __call__(self, input_ids, output_attentions):
                assert output_attentions and input_ids is ids
                output = Output()
                output.attentions = attentions
                return output

        class AutoModel:
            @staticmethod
            def from_pretrained(name, attn_implementation):
                assert (name, attn_implementation) == ("some/model", "eager")
                return Model()

        class Tokenizer:
            def __call__(self, text, return_tensors):
                assert return_tensors == "pt"
                return {"input_ids": ids}

            def convert_ids_to_tokens(self, row):
                return [f"t{int(number)}" for number in row]

        self.run_snippet("Hugging Face Transformers", AutoModel=AutoModel, tokenizer=Tokenizer(), text="a b c",
                                name="some/model")
        manifest, stages = self.exported("--layer", "1")
        self.assertEqual(manifest["tokens"], ["t5", "t6", "t7"])
        self.assertTrue(torch.equal(stages["weights"], attentions[1]))

    def test_the_recipe_for_transformer_lens(self):
        patterns = {("pattern", layer): torch.rand(1, 2, 3, 3).softmax(-1) for layer in range(2)}

        class Config:
            n_layers = 2

        class Model:
            cfg = Config()

            def run_with_cache(self, text):
                return None, patterns

            def to_str_tokens(self, text):
                return ["<|endoftext|>", "a", " b"]

        self.run_snippet("TransformerLens", model=Model(), text="a b")
        manifest, stages = self.exported("--layer", "0")
        self.assertEqual(manifest["tokens"], ["<|endoftext|>", "a", " b"])
        self.assertTrue(torch.equal(stages["weights"], patterns["pattern", 0]))

    def test_a_module_that_was_never_called_is_named(self):
        recorder = Recorder()
        recorder.output(torch.nn.Softmax(-1), 0)
        with self.assertRaisesRegex(RuntimeError, "layers.0.weights .* Softmax was never called"):
            recorder.save(self.path)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: capture_test.py HEADSCOPE_CLI")
    CLI = os.path.abspath(sys.argv.pop(1))
    unittest.main()
