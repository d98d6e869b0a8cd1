"""Interventions on single layers of attention, against headscope-cli: multihead_test.py HEADSCOPE_CLI"""
import math
import os
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
try:
    import numpy as np
    import torch
except ImportError as missing:
    print(f"{missing.name} was not found: sudo apt-get install python3-numpy python3-torch (./dev test installs them)")
    sys.exit(77)

PACKAGE = pathlib.Path(__file__).resolve().parents[3] / "assets" / "python"
sys.path.insert(0, str(PACKAGE))
os.environ["HEADSCOPE"] = str(pathlib.Path(sys.argv.pop(1)).resolve())
import headscope  # noqa: E402
from headscope._arrays import safetensors_bytes  # noqa: E402

torch.set_num_threads(1)
TOLERANCE = 1e-5
HEADS, WIDTH = 4, 32


class OnMultihead(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(8)
        self.module = torch.nn.MultiheadAttention(WIDTH, HEADS, batch_first=True).eval()
        torch.nn.init.normal_(self.module.in_proj_bias)
        self.x, self.y = torch.randn(2, 5, WIDTH), torch.randn(2, 6, WIDTH)
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.file = os.path.join(self.place.name, "layer.safetensors")
        tensors = {name: parameter.detach().numpy() for name, parameter in self.module.named_parameters()}
        pathlib.Path(self.file).write_bytes(safetensors_bytes(tensors, {}))

    def check(self, inputs, call, request, **options):
        named = dict(zip(("input", "key_input", "value_input"), inputs))
        theirs = headscope.run(weights=self.file, heads=HEADS, backend="reference", **named, **request, **options)
        with headscope.intervene(self.module, options), torch.no_grad():
            output, weights = self.module(*(inputs * 3 if len(inputs) == 1 else inputs), average_attn_weights=False, **call)
        np.testing.assert_allclose(output.numpy(), theirs["output"], atol=TOLERANCE, rtol=0)
        np.testing.assert_allclose(weights.numpy(), theirs["weights"], atol=TOLERANCE, rtol=0)
        with torch.no_grad():
            plain, _ = self.module(*(inputs * 3 if len(inputs) == 1 else inputs), **call)
        self.assertGreater((plain - output).abs().max().item(), 1e-3)

    def test_self_attention(self):
        for options in ({"ablate": "0.2"}, {"freeze": "0.1=uniform"}, {"scale_key": "0.3=2"},
                        {"edit": "scores:1,2,3,1=2;qkv:0,1,40=1;weights:0,0,1,2=0.4;concat:1,4,3=2"},
                        {"edit": "input:1,2,3=4;in_proj_weight:3,7=2;out_proj.bias:2=1"}):
            with self.subTest(str(options)):
                self.check([self.x], {}, {}, **options)

    def test_own_arrays(self):
        random = np.random.default_rng(3)
        whole, head, row = (random.standard_normal(shape).astype(np.float32) for shape in ((2, 5, WIDTH), (2, 1, 5, 8), (5,)))
        for options in ({"add": {"output": whole}}, {"set": {"value:2": head}}, {"set": {"scores:1,-1": row, "z:3": 0}},
                        {"project_out": {"input": whole[0]}, "add": {"weights:0,1..2": (row, 0.25)}}):
            with self.subTest(str(options)):
                self.check([self.x], {}, {}, **options)
        self.check([self.x, self.y, self.y], {}, {}, set={"key_input:5": 0.5}, add={"scores:1": random.standard_normal(6)})
        with headscope.intervene(self.module, {"set": {"input:2": 0.5}}), torch.no_grad():
            same, views = self.module(self.x, self.x, self.x)[0], self.module(self.x, self.x[:], self.x[:])[0]
        self.assertTrue(torch.equal(same, views), "views of one tensor are one input")
        for options in ({"set": {"key_input:2": 0.5}}, {"edit": "value_input:0,1,1=3"}):
            with headscope.intervene(self.module, options), self.assertRaisesRegex(ValueError, "its stage is input"):
                self.module(self.x, self.x, self.x)

    def test_masks(self):
        causal = torch.ones(5, 5, dtype=torch.bool).triu(1)
        for options in ({"ablate": "0.2"}, {"freeze": "0.1=uniform,0.0=identity"}, {"paint": "show@1,3;hide@4,0:2"},
                        {"edit": "masked_scores:0,1,2,4=1;raw_scores:1,3,3,3=5"}):
            with self.subTest(str(options)):
                self.check([self.x], {"attn_mask": causal}, {"mask": "causal"}, **options)
                self.check([self.x], {"attn_mask": torch.zeros(5, 5).masked_fill(causal, -math.inf)}, {"mask": "causal"},
                           **options)
                padding = torch.tensor([[False, False, False, True, True]] * 2)
                self.check([self.x], {"key_padding_mask": padding, "attn_mask": causal}, {"mask": "causal,padding:2"},
                           **options)

    def test_cross_attention(self):
        self.check([self.x, self.y, self.y], {}, {}, ablate="0.0", edit="key_proj:1,5,3=2;key_input:0,2,1=3;"
                   "value_input:0,1,1=-3;scores:0,1,2,5=4")

    def test_what_the_caller_asks_for_stays(self):
        x = self.x
        for first in (True, False):
            module = torch.nn.MultiheadAttention(WIDTH, HEADS, batch_first=first, kdim=WIDTH, vdim=7).eval()
            for inputs in ((x, self.y[:, :5], x[..., :7]), (x[0], x[1], x[0][..., :7])):
                for call in ({}, {"need_weights": False}, {"average_attn_weights": False}):
                    with torch.no_grad():
                        wanted = module(*inputs, **call)
                        with headscope.intervene(module, {"scale_query": "0.0=1"}):  # changes nothing
                            found = module(*inputs, **call)
                    for one, other in zip(wanted, found):
                        self.assertEqual(one is None, other is None)
                        if one is not None:
                            np.testing.assert_allclose(other.numpy(), one.numpy(), atol=TOLERANCE)

    def test_layers_of_a_transformer_and_its_fused_path(self):
        layer = torch.nn.TransformerEncoderLayer(WIDTH, HEADS, 16, batch_first=True).eval()
        plain = layer(self.x)
        with headscope.intervene(layer, {"ablate": "0.0,0.1,0.2,0.3"}):
            changed = layer(self.x)
        bias = layer.self_attn.out_proj.bias
        h = layer.norm1(self.x + bias)
        np.testing.assert_allclose(changed.detach(), layer.norm2(h + layer.linear2(torch.relu(layer.linear1(h)))).detach(),
                                   atol=TOLERANCE)
        self.assertGreater((plain - changed).abs().max().item(), 1e-3)

    def test_modules_of_another_kind_are_refused(self):
        class Own(torch.nn.MultiheadAttention):
            def forward(self, x):
                return x

        for module in (Own(8, 2), torch.nn.MultiheadAttention(8, 2, add_bias_kv=True)):
            with self.assertRaises(ValueError):
                headscope.intervene(module, {"ablate": "0.0"})

    def test_a_recorder_sees_the_changed_weights(self):
        with headscope.record(self.module) as recorder, headscope.intervene(self.module, {"freeze": "0.1=uniform"}):
            self.module(self.x, self.x, self.x)
        np.testing.assert_allclose(recorder.layers[0]["weights"][:, 1], 0.2, atol=1e-6)


class Layer(torch.nn.Module):
    """softmax(q·k/sqrt(size)) v without a mask; queries, keys and values from one projection, head by head, or from three
    where `kv_heads` heads of keys and values are shared."""

    def __init__(self, kv_heads=None):
        super().__init__()
        self.kv_heads = kv_heads
        if kv_heads is None:
            self.qkv_layer, self.linear_layer = torch.nn.Linear(WIDTH, 3 * WIDTH), torch.nn.Linear(WIDTH, WIDTH)
        else:
            shared = kv_heads * WIDTH // HEADS
            self.queries, self.keys, self.values, self.fc_out = (
                torch.nn.Linear(WIDTH, size, bias=False) for size in (WIDTH, shared, shared, WIDTH))

    def named(self):
        if self.kv_heads is None:
            return headscope.Attention(heads=HEADS, qkv=self.qkv_layer, output=self.linear_layer, layout="per-head", causal=False)
        return headscope.Attention(heads=HEADS, kv_heads=self.kv_heads, query=self.queries, key=self.keys, value=self.values,
                                   output=self.fc_out, causal=False)

    def forward(self, x):
        def split(vectors, heads):
            return vectors.unflatten(-1, (heads, -1)).transpose(1, 2)

        if self.kv_heads is None:
            q, k, v = split(self.qkv_layer(x), HEADS).chunk(3, -1)
        else:
            q, k, v = split(self.queries(x), HEADS), split(self.keys(x), self.kv_heads), split(self.values(x), self.kv_heads)
            k, v = (part.repeat_interleave(HEADS // self.kv_heads, 1) for part in (k, v))
        merged = (torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), -1) @ v).transpose(1, 2).flatten(2)
        return (self.linear_layer if self.kv_heads is None else self.fc_out)(merged)


class OnNamedModules(unittest.TestCase):
    def check(self, layer, every, **request):
        x = torch.randn(2, 5, WIDTH)
        with tempfile.TemporaryDirectory() as folder, torch.no_grad():
            file = pathlib.Path(folder, "layer.safetensors")
            tensors = {name: parameter.detach().numpy() for name, parameter in layer.named_parameters()}
            file.write_bytes(safetensors_bytes(tensors, {}))
            for options in every:
                with self.subTest(str(options)):
                    theirs = headscope.run(weights=str(file), heads=HEADS, input=x, backend="reference", export=["output"],
                                           **request, **options)["output"]
                    with headscope.intervene(layer, options, layers=[layer.named()]):
                        np.testing.assert_allclose(layer(x).numpy(), theirs, atol=TOLERANCE, rtol=0)
                    self.assertGreater(np.abs(layer(x).numpy() - theirs).max(), 1e-3)

    def test_one_projection_head_by_head(self):
        torch.manual_seed(3)
        self.check(Layer(), ({"ablate": "0.2"}, {"scale_query": "0.1=3", "scale_key": "2"}, {"freeze": "0.3=identity"},
                             {"edit": "qkv:1,2,40=3;query:0,1,2,3=2;value:1,3,4,5=-2;context:0,0,0,0=1"},
                             {"edit": "scores:1,2,3,4=3;qkv_layer.weight:30,3=1", "paint": "hide@2:,0"}))

    def test_heads_that_share_keys_and_values(self):
        torch.manual_seed(4)
        self.check(Layer(kv_heads=2), ({"ablate": "0.3"}, {"scale_key": "0.1=3"}, {"freeze": "0.3=uniform"},
                                       {"edit": "key:1,1,4,3=3;value:0,1,2,7=-2;key_proj:0,0,15=1"},
                                       {"edit": "weights:1,3,2,4=0.9;fc_out.weight:3,30=1"}), kv_heads=2)
        with self.assertRaisesRegex(ValueError, "no head 2"):
            headscope.intervene(Layer(kv_heads=2), {"scale_key": "0.2=3"}, layers=[Layer(kv_heads=2).named()])


if __name__ == "__main__":
    unittest.main()
