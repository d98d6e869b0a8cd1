"""headscope.record() and its adapters, against what headscope-cli makes of the captures: adapters_test.py HEADSCOPE_CLI

The libraries are not here: stand-ins call, and are called, as their source says.
"""
import math
import os
import pathlib
import sys
import tempfile
import types
import unittest
import unittest.mock

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
from headscope.capture import Recorder  # noqa: E402

torch.set_num_threads(1)
HEADS, SHARED, SIZE, LENGTH = 4, 2, 8, 6
WIDTH = HEADS * SIZE


def plain_sdpa(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """The formula of PyTorch's documentation."""
    group = query.shape[1] // key.shape[1]
    key, value = key.repeat_interleave(group, 1), value.repeat_interleave(group, 1)
    scores = query @ key.transpose(-2, -1) * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    if is_causal:
        scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1), -math.inf)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -math.inf) if attn_mask.dtype == torch.bool else scores + attn_mask
    plain_sdpa.weights = torch.softmax(scores, -1)
    return plain_sdpa.weights @ value


TORCHS_OWN = getattr(torch.nn.functional, "scaled_dot_product_attention", None)  # PyTorch 2.0 and later


def sdpa(*inputs, **options):
    """PyTorch's own where there is one; plain_sdpa() keeps the weights, which it does not give."""
    result = plain_sdpa(*inputs, **options)
    if TORCHS_OWN is None:
        return result
    torch.testing.assert_close(TORCHS_OWN(*inputs, **options), result, atol=1e-5, rtol=1e-5)
    return TORCHS_OWN(*inputs, **options)


def turned(vectors):
    """Rotary positions: halves turned by an angle a position."""
    angles = torch.arange(vectors.shape[-2])[:, None] * 0.7 ** torch.arange(SIZE // 2)
    one, two = vectors.chunk(2, -1)
    return torch.cat([one * angles.cos() - two * angles.sin(), one * angles.sin() + two * angles.cos()], -1)


class Layer(torch.nn.Module):
    """Queries, keys and values after rotary positions, handed to `attend`."""

    def __init__(self, attend):
        super().__init__()
        self.attend, self.weights = attend, None
        self.q, self.k, self.v = (torch.nn.Linear(WIDTH, heads * SIZE) for heads in (HEADS, SHARED, SHARED))
        self.o = torch.nn.Linear(WIDTH, WIDTH)

    def forward(self, x, **options):
        q, k, v = (part(x).unflatten(-1, (-1, SIZE)).transpose(1, 2) for part in (self.q, self.k, self.v))
        out = self.attend(self, turned(q), turned(k), v, **options)
        self.weights = plain_sdpa.weights
        return self.o(out.transpose(1, 2).flatten(2))


class Model(torch.nn.Module):
    def __init__(self, attend, layer=Layer):
        super().__init__()
        self.layers = torch.nn.ModuleList(layer(attend) for _ in range(2))

    def forward(self, x, **options):
        for layer in self.layers:
            x = x + layer(x, **options)
        return x


class Adapters(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(2)
        self.x = torch.randn(1, LENGTH, WIDTH)
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.path = os.path.join(self.place.name, "capture.safetensors")

    def check(self, recorder, weights):
        """The capture's weights are the model's."""
        recorder.save(self.path)
        for layer, own in enumerate(weights):
            theirs = headscope.run(model=self.path, layer=layer, export=["weights"])["weights"]
            np.testing.assert_allclose(theirs, own.detach().numpy(), atol=1e-6, err_msg=f"layer {layer}")

    def model_of_calls(self):
        def attend(module, q, k, v, **options):
            k, v = (part.repeat_interleave(HEADS // SHARED, 1) for part in (k, v))
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, **options)

        patch = unittest.mock.patch.object(torch.nn.functional, "scaled_dot_product_attention", sdpa, create=True)
        patch.start()
        self.addCleanup(patch.stop)
        return Model(attend)

    def test_calls_of_sdpa(self):
        model = self.model_of_calls()
        keep = torch.ones(LENGTH, LENGTH, dtype=torch.bool).tril()
        keep[:, 1] = False
        keep[:, 0] = True
        for options in ({}, {"is_causal": True}, {"is_causal": True, "scale": 0.9}, {"attn_mask": keep},
                        {"attn_mask": torch.randn(1, HEADS, LENGTH, LENGTH)}):
            with self.subTest(str(list(options))):
                with headscope.record(model, "calls") as recorder:
                    model(torch.randn(1, 3, WIDTH))  # another call before: the last one counts
                    model(self.x, **options)
                    plain_sdpa(*[torch.randn(1, HEADS, 2, SIZE)] * 3)
                self.assertIs(torch.nn.functional.scaled_dot_product_attention, sdpa)
                self.assertEqual(sorted(recorder.layers), [0, 1])
                self.check(recorder, [layer.weights for layer in model.layers])

    def test_calls_outside_of_the_model_are_not_recorded(self):
        model = self.model_of_calls()
        with headscope.record(model, "calls") as recorder:
            torch.nn.functional.scaled_dot_product_attention(*[torch.randn(1, HEADS, 2, SIZE)] * 3)
        with self.assertRaisesRegex(RuntimeError, "scaled_dot_product_attention was never called"):
            recorder.save(self.path)

    def test_recorders_of_calls_overlap_in_any_order(self):
        model = self.model_of_calls()
        one, two = headscope.record(model, "calls"), headscope.record(model, "calls")
        model(self.x)
        one.close()
        model(torch.randn(1, 3, WIDTH))
        two.close()
        model(torch.randn(1, 4, WIDTH))
        self.assertEqual((one.layers[0]["query"].shape[2], two.layers[0]["query"].shape[2]), (LENGTH, 3))

    def transformers(self, implementation):
        """The library's way: a table of functions, and one of its own in each file of models."""
        library, files, file = (types.ModuleType(name) for name in ("transformers", "transformers.modeling_utils", "transformers.toy"))

        def sdpa(module, query, key, value, attention_mask, scaling=None, is_causal=None, **_):
            is_causal = attention_mask is None and module.is_causal if is_causal is None else is_causal
            return plain_sdpa(query, key, value, attention_mask, is_causal=is_causal, scale=scaling), None

        library.modeling_utils, files.ALL_ATTENTION_FUNCTIONS = files, {"sdpa": sdpa}
        file.eager_attention_forward = sdpa
        names = {"transformers": library, "transformers.modeling_utils": files, "transformers.toy": file}
        patch = unittest.mock.patch.dict(sys.modules, names)
        patch.start()
        self.addCleanup(patch.stop)

        class ToyAttention(Layer):
            config, is_causal = types.SimpleNamespace(_attn_implementation=implementation), True

        ToyAttention.__module__ = "transformers.toy"

        def attend(module, q, k, v, mask=None, **options):
            function = file.eager_attention_forward
            if module.config._attn_implementation != "eager":
                function = files.ALL_ATTENTION_FUNCTIONS[module.config._attn_implementation]
            return function(module, q, k, v, mask, **options)[0]

        return Model(attend, ToyAttention), files, file, sdpa

    def test_transformers(self):
        mask = torch.zeros(1, 1, LENGTH, LENGTH).masked_fill(torch.ones(LENGTH, LENGTH, dtype=torch.bool).triu(1), -1e9)
        for implementation in ("sdpa", "eager"):
            for options in ({}, {"scaling": 0.4}, {"mask": mask, "scaling": 0.5}, {"is_causal": False}):
                with self.subTest(f"{implementation} {list(options)}"):
                    model, files, file, plain = self.transformers(implementation)
                    with headscope.record(model) as recorder:
                        model(self.x, **options)
                    self.assertIs(files.ALL_ATTENTION_FUNCTIONS["sdpa"], plain)
                    self.assertIs(file.eager_attention_forward, plain)
                    self.check(recorder, [layer.weights for layer in model.layers])

    def test_what_a_capture_does_not_carry_is_named(self):
        model, *_ = self.transformers("sdpa")
        with headscope.record(model) as recorder:
            model(self.x, softcap=30.0)
        with self.assertRaisesRegex(RuntimeError, "softcap"):
            recorder.save(self.path)

    def test_transformer_lens(self):
        class HookPoint(torch.nn.Module):
            def forward(self, x):
                return x

        class Part(torch.nn.Module):
            def __init__(self, rotary):
                super().__init__()
                self.cfg = types.SimpleNamespace(positional_embedding_type="rotary" if rotary else "standard",
                                                 attention_dir="causal")
                self.attn_type, self.attn_scale, self.rotary = "global", 3.0, rotary
                for name in ("q", "k", "v", "pattern", *(("rot_q", "rot_k") if rotary else ())):
                    setattr(self, "hook_" + name, HookPoint())

            def forward(self, x):
                q, k, v = (hook(x.unflatten(-1, (HEADS, SIZE))) for hook in (self.hook_q, self.hook_k, self.hook_v))
                if self.rotary:
                    q = self.hook_rot_q(turned(q.transpose(1, 2)).transpose(1, 2))
                    k = self.hook_rot_k(turned(k.transpose(1, 2)).transpose(1, 2))
                plain_sdpa(*(part.transpose(1, 2) for part in (q, k, v)), is_causal=True, scale=1 / self.attn_scale)
                return self.hook_pattern(plain_sdpa.weights)

        class HookedTransformer(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.blocks = torch.nn.ModuleList(torch.nn.ModuleDict({"attn": Part(rotary)}) for rotary in (False, True))
                for block in self.blocks:
                    block.attn = block["attn"]

            def forward(self, x):
                return [block.attn(x) for block in self.blocks]

        HookedTransformer.__module__ = "transformer_lens.HookedTransformer"
        model = HookedTransformer()
        with headscope.record(model) as recorder:
            weights = model(self.x)
        self.check(recorder, weights)
        self.assertEqual(headscope.run(model=self.path)["captured_weights"].shape, (1, HEADS, LENGTH, LENGTH))

    def test_nnsight_watches_what_is_wrapped(self):
        inner, *_ = self.transformers("sdpa")

        class LanguageModel:
            def __init__(self, module):
                self._module = module

        LanguageModel.__module__ = "nnsight.modeling.language"
        with headscope.record(LanguageModel(inner)) as recorder:
            inner(self.x)
        self.check(recorder, [layer.weights for layer in inner.layers])
        with self.assertRaises(ValueError):
            headscope.record(LanguageModel(None))

    def test_vllm(self):
        class Attention(torch.nn.Module):
            def __init__(self, **odd):
                super().__init__()
                self.num_heads, self.num_kv_heads, self.head_size, self.attn_type = HEADS, SHARED, SIZE, "decoder"
                self.impl = types.SimpleNamespace(scale=0.3, sliding_window=(-1, -1), alibi_slopes=None, **odd)

            def forward(self, query, key, value):
                q, k, v = (part.view(len(part), -1, SIZE).transpose(0, 1)[None] for part in (query, key, value))
                return plain_sdpa(q, k, v, is_causal=True, scale=self.impl.scale)

        Attention.__module__ = "vllm.attention.layer"
        model = torch.nn.ModuleList([Attention(), Attention()])
        with headscope.record(model) as recorder:
            weights = []
            for part in model:
                vectors = [torch.randn(LENGTH, heads * SIZE) for heads in (HEADS, SHARED, SHARED)]
                part(*vectors)
                weights.append(plain_sdpa.weights)
                part(*(rows[:1] for rows in vectors))  # a step of the generation that follows
        self.check(recorder, weights)
        with headscope.record(torch.nn.ModuleList([Attention(logits_soft_cap=30.0)])) as recorder:
            pass
        with self.assertRaisesRegex(RuntimeError, "logits_soft_cap"):
            recorder.save(self.path)

    def test_what_no_adapter_knows_is_refused(self):
        with self.assertRaisesRegex(ValueError, "calls"):
            headscope.record(torch.nn.Linear(2, 2))
        with self.assertRaisesRegex(ValueError, "expected one of multihead"):
            headscope.record(torch.nn.Linear(2, 2), "keras")
        with self.assertRaisesRegex(ValueError, "no vllm"):
            headscope.record(torch.nn.Linear(2, 2), "vllm")
        if not hasattr(torch.nn.functional, "scaled_dot_product_attention"):
            with self.assertRaisesRegex(RuntimeError, "PyTorch"):
                Recorder().sdpa(torch.nn.Linear(2, 2))

    def test_what_was_not_run_says_so(self):
        for file in (PACKAGE / "headscope" / "adapters").glob("*.py"):
            not_run = file.stem in ("transformers", "transformer_lens", "nnsight", "vllm")
            self.assertEqual(file.read_text().startswith('"""Not run with the library'), not_run, file)


if __name__ == "__main__":
    unittest.main()
