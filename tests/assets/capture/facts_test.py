#!/usr/bin/env python3
"""A capture opens as it was computed: PyTorch's attention in float64 against what headscope-cli makes of the file.

    facts_test.py HEADSCOPE_CLI

Exits with 77 (skipped) where no Python with torch is found.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

import with_torch  # noqa: F401

import torch  # isort: skip
from headscope_capture import Recorder, save_capture  # noqa: E402

CLI = ""


def run(*arguments, code=0):
    result = subprocess.run([CLI, *arguments], capture_output=True, text=True, check=False)
    assert result.returncode == code, (arguments, result.returncode, result.stdout, result.stderr)
    return result.stdout if code == 0 else result.stderr


def attention(query, key, value, scale, added=None):
    """(scores, weights, context) in float64; `added` broadcasts to the scores."""
    scores = query.double() @ key.double().transpose(-1, -2) * scale
    weights = (scores if added is None else scores + added.double()).softmax(-1)
    return scores, weights, weights @ value.double()


def hiding(visible):
    """What is added where True may attend."""
    return torch.zeros(visible.shape, dtype=torch.float64).masked_fill(~visible, -math.inf)


class FactsTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(11)
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "capture.safetensors")
        self.query = torch.randn(2, 3, 5, 7)
        self.key, self.value = torch.randn(2, 3, 6, 7), torch.randn(2, 3, 6, 4)

    def exported(self, *arguments):
        """(manifest, {stage: tensor}) of a run."""
        out = os.path.join(self.folder.name, "out")
        run("run", "--model", self.path, *arguments, "--export", "all", "--format", "safetensors", "--out", out)
        with open(os.path.join(out, "manifest.json"), encoding="utf-8") as file:
            manifest = json.load(file)
        with open(os.path.join(out, "all.safetensors"), "rb") as file:
            content = file.read()
        length = int.from_bytes(content[:8], "little")
        stages = {}
        for name, entry in json.loads(content[8 : 8 + length]).items():
            if name != "__metadata__":
                begin, end = (8 + length + offset for offset in entry["data_offsets"])
                values = torch.frombuffer(bytearray(content[begin:end]), dtype=torch.float32)
                stages[name] = values.reshape(entry["shape"]).double()
        return manifest, stages

    def same(self, found, expected):
        self.assertEqual(found.shape, expected.shape)
        self.assertTrue(bool(((found - expected).abs() <= 2e-6).all()), (found - expected).abs().max())

    def parts(self):
        return {"query": self.query, "key": self.key, "value": self.value}

    def test_scale_and_every_kind_of_mask(self):
        visible = torch.rand(2, 1, 5, 6) < 0.7
        visible[..., 0] = True
        masks = {
            "bool": (visible, hiding(visible)),
            "float": (torch.randn(3, 5, 6), None),
            "keys": (torch.tensor([0.0, -math.inf, 0.5, 0, 0, -1]), None),
            "half": (torch.randn(1, 6).half(), None),
        }
        for name, (mask, added) in masks.items():
            with self.subTest(name):
                _, weights, context = attention(self.query, self.key, self.value, 0.3, mask if added is None else added)
                save_capture(self.path, [{**self.parts(), "mask": mask, "scale": 0.3, "weights": weights}])
                manifest, stages = self.exported()
                self.same(stages["weights"], weights)
                self.same(stages["context"], context)
                self.assertLess(manifest["capture"]["weights_difference"], 1e-5)
                self.assertEqual(manifest["capture"]["scale"], 0.3)
                self.assertTrue(manifest["capture"]["mask"])

    def test_a_mask_and_a_scale_of_all_layers(self):
        mask = torch.randn(5, 6)
        save_capture(self.path, [self.parts(), {**self.parts(), "scale": 1.5}], mask=mask, scale=0.7)
        for layer, scale in ((0, 0.7), (1, 1.5)):
            expected = attention(self.query, self.key, self.value, scale, mask)[1]
            self.same(self.exported("--layer", str(layer))[1]["weights"], expected)

    def test_causal_flags_of_layers(self):
        key, value = self.key[:, :, :5], self.value[:, :, :5]
        later = hiding(torch.ones(5, 5, dtype=torch.bool).tril())
        save_capture(self.path, [{"query": self.query, "key": key, "value": value}] * 2 + [
            {"query": self.query, "key": key, "value": value, "causal": False}], causal=True)
        for layer, added in ((0, later), (1, later), (2, None)):
            expected = attention(self.query, key, value, 7**-0.5, added)[1]
            manifest, stages = self.exported("--layer", str(layer))
            self.same(stages["weights"], expected)
            self.assertEqual(manifest["capture"]["causal"], added is not None)

    def test_scores_alone(self):
        mask = torch.randn(5, 6)
        scores, weights, context = attention(self.query, self.key, self.value, 0.4, mask)
        save_capture(self.path, [{"scores": scores, "value": self.value, "mask": mask}])
        manifest, stages = self.exported()
        self.assertEqual(list(manifest["stages"]), ["value", "scores", "masked_scores", "weights", "context", "concat"])
        self.same(stages["scores"], scores.float().double())
        self.same(stages["weights"], weights)
        self.same(stages["context"], context)
        self.assertIn("--scale", run("run", "--model", self.path, "--scale", "2", code=2))
        save_capture(self.path, [{"scores": scores}])
        self.same(self.exported()[1]["weights"], scores.softmax(-1))
        told = json.loads(run("info", self.path, "--json"))
        self.assertEqual(told["kind"], "capture")
        self.assertTrue(told["capture"]["layers"][0]["scores"])

    def test_captured_and_computed_weights_are_both_exported(self):
        captured = torch.rand(2, 3, 5, 6).softmax(-1)
        computed = attention(self.query, self.key, self.value, 7**-0.5)[1]
        save_capture(self.path, [{**self.parts(), "weights": captured}])
        manifest, stages = self.exported()
        self.same(stages["captured_weights"], captured.double())
        self.same(stages["weights"], computed)
        self.assertEqual(manifest["stages"]["captured_weights"]["operation"], "captured")
        self.assertAlmostEqual(manifest["capture"]["weights_difference"], float((captured - computed).abs().max()), 5)

    def test_an_encoder_and_a_decoder_in_one_file(self):
        encoder = torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        decoder = torch.nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        causal = torch.ones(3, 3, dtype=torch.bool).triu(1)
        with Recorder() as recorder:
            for layer, module in enumerate((encoder.self_attn, decoder.self_attn, decoder.multihead_attn)):
                recorder.multihead(module, layer)
            decoder(torch.randn(1, 3, 8), encoder(torch.randn(1, 4, 8)), tgt_mask=causal)
        recorder.save(self.path, tokens=["x", "y", "z"], key_tokens=["a", "b", "c", "d"])
        names = {0: ("abcd", "abcd"), 1: ("xyz", "xyz"), 2: ("xyz", "abcd")}
        for layer, (queries, keys) in names.items():
            manifest, stages = self.exported("--layer", str(layer))
            self.assertEqual(manifest["tokens"], list(queries))
            self.assertEqual(manifest["key_tokens"], list(keys))
            self.assertTrue(torch.equal(stages["weights"], recorder.layers[layer]["weights"].double()))
            self.assertEqual(manifest["capture"]["other_lengths"], [each for each in range(3) if each != layer])
            self.assertEqual(manifest["capture"]["mask"], layer == 1)
            self.assertFalse(manifest["capture"]["mask_left_out"])

    def test_patches_of_an_image(self):
        weights = torch.rand(1, 2, 7, 7).softmax(-1)
        save_capture(self.path, [{"weights": weights}], grid=(2, 3))
        manifest, _ = self.exported()
        self.assertEqual(manifest["tokens"], ["0", "r0c0", "r0c1", "r0c2", "r1c0", "r1c1", "r1c2"])
        self.assertEqual(manifest["capture"]["grid"], [2, 3])
        save_capture(self.path, [{"weights": torch.rand(1, 2, 2, 6).softmax(-1), "key_grid": (3, 2)}], tokens=["a", "b"])
        self.assertEqual(self.exported()[0]["key_tokens"][-1], "r2c1")

    def test_what_does_not_fit_is_refused_before_anything_is_written(self):
        good = {"weights": torch.ones(1, 1, 2, 2) / 2}
        for more, facts in (
            ({"mask": torch.zeros(3, 3)}, {}),
            ({"mask": torch.zeros(2, 2, dtype=torch.int64)}, {}),
            ({"scale": math.nan}, {}),
            ({"grid": (2,)}, {}),
            ({"tokens": ["a"]}, {}),
            ({"query": good["weights"], "key": good["weights"], "scores": good["weights"]}, {}),
            ({}, {"mask": torch.zeros(4)}),
            ({}, {"key_grid": (0, 1)}),
            ({}, {"anything": 1}),
        ):
            with self.assertRaises(ValueError, msg=(more, facts)):
                save_capture(self.path, [{**good, **more}], **facts)
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_scan_counts_a_folder_of_captures(self):
        folder, out = os.path.join(self.folder.name, "captures"), os.path.join(self.folder.name, "x.hsagg")
        os.mkdir(folder)
        largest = []
        for number in range(2):
            query, key = torch.randn(1, 3, 5, 7), torch.randn(1, 3, 5, 7)
            save_capture(os.path.join(folder, f"{number}.safetensors"), [{"query": query, "key": key}],
                         tokens=["a", "b", "a", "c", "b"], token_ids=[7, 2, 7, 9, 2], causal=True, phrase="a b a c b",
                         model="mine", model_sha256="0" * 64, tokenizer="words")
            added = hiding(torch.ones(5, 5).tril().bool())
            largest.append(attention(query, key, key, 1 / math.sqrt(7), added)[1][0, :, 1:].amax(-1))
        run("scan", "--captures", folder, "--out", out)
        said = json.loads(run("report", out, "--json"))
        self.assertEqual((said["model"], said["phrases"], said["tokens"]), ("mine", 2, 10))
        for head, wanted in zip(said["heads"], torch.cat(largest, 1).mean(1)):
            self.assertAlmostEqual(head["max_weight"], wanted.item(), places=6)
        with self.assertRaises(ValueError):
            save_capture(self.path, [{"query": query, "key": key}], tokens=["a"] * 5, token_ids=[1])

if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: facts_test.py HEADSCOPE_CLI")
    CLI = os.path.abspath(sys.argv.pop(1))
    unittest.main()
