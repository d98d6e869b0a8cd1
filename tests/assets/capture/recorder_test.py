#!/usr/bin/env python3
"""What a Recorder leaves as it was: the caller's answers, the module, its copies and other recorders.

    recorder_test.py [HEADSCOPE_CLI]

Exits with 77 (skipped) where no Python with torch is found.
"""

import copy
import functools
import io
import os
import sys
import unittest

import with_torch  # noqa: F401

import torch  # isort: skip
from headscope_capture import Recorder  # noqa: E402

Multihead = torch.nn.MultiheadAttention


class RecorderTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(5)
        self.module = Multihead(8, 2, batch_first=True)
        self.x = torch.randn(2, 3, 8)
        self.expected = self.module(self.x, self.x, self.x)
        self.heads = self.module(self.x, self.x, self.x, average_attn_weights=False)[1]

    def same(self, found, expected):
        self.assertTrue(torch.allclose(found, expected, atol=1e-6), (found, expected))

    def test_every_way_to_ask_for_weights_gets_its_answer(self):
        x, hide = self.x, torch.tensor([[False, True, True], [False, False, True], [False, False, False]])
        calls = {
            "positional need_weights": (lambda m: m(x, x, x, None, False), None),
            "positional and wanted": (lambda m: m(x, x, x, None, True), 3),
            "positional mask": (lambda m: m(x, x, x, None, True, hide), 3),
            "all positional": (lambda m: m(x, x, x, None, True, None, False), 4),
            "by name": (lambda m: m(query=x, key=x, value=x, need_weights=True, average_attn_weights=False), 4),
            "none wanted": (lambda m: m(x, x, x, need_weights=False), None),
            "forward itself": (lambda m: m.forward(x, x, x), 3),
            "one sentence": (lambda m: m(x[0], x[0], x[0]), 2),
        }
        for name, (call, axes) in calls.items():
            with self.subTest(name):
                output, weights = call(self.module)
                with Recorder() as recorder:
                    recorder.multihead(self.module, 0)
                    recorded_output, recorded = call(self.module)
                self.same(recorded_output, output)
                if axes is None:
                    self.assertIsNone(recorded)
                else:
                    self.assertEqual(recorded.dim(), axes)
                    self.same(recorded, weights)
                self.assertEqual(recorder.layers[0]["weights"].shape[-3:], (2, 3, 3))

    def test_a_call_that_does_not_fit_says_what_it_said(self):
        def sentence():
            with self.assertRaises(TypeError) as raised:
                self.module(self.x, wrong=1)
            return str(raised.exception)

        plain = sentence()
        with Recorder() as recorder:
            recorder.multihead(self.module, 0)
            self.assertEqual(sentence(), plain)

    def test_a_forward_of_ones_own_survives(self):
        original = self.module.forward

        @functools.wraps(original)
        def doubled(*inputs, **options):
            output, weights = original(*inputs, **options)
            return 2 * output, weights

        self.module.forward = doubled
        with Recorder() as recorder:
            recorder.multihead(self.module, 0)
            self.same(self.module(self.x, self.x, self.x)[0], 2 * self.expected[0])
        self.assertIs(self.module.forward, doubled)
        self.same(recorder.layers[0]["weights"], self.heads)
        self.same(self.module(self.x, self.x, self.x)[0], 2 * self.expected[0])

    def test_a_forward_that_is_replaced_while_recording_survives(self):
        original = self.module.forward
        with Recorder() as recorder:
            recorder.multihead(self.module, 0)
            self.module.forward = lambda *inputs, **options: (3 * original(*inputs, **options)[0], None)
            self.same(self.module(self.x, self.x, self.x)[0], 3 * self.expected[0])
        self.same(self.module(self.x, self.x, self.x)[0], 3 * self.expected[0])
        del self.module.forward
        self.same(self.module(self.x, self.x, self.x)[0], self.expected[0])

    def test_a_forward_that_gives_no_weights_is_named(self):
        with Recorder() as recorder:
            recorder.multihead(self.module, 3)
            self.module.forward = lambda query, key, value: query
            self.assertIs(self.module(self.x, self.x, self.x), self.x)
        with self.assertRaisesRegex(RuntimeError, r"layers.3.weights .*MultiheadAttention.*no weights of every head"):
            recorder.save("never written.safetensors")
        self.assertFalse(os.path.exists("never written.safetensors"))

    def test_recorders_may_overlap_in_any_order(self):
        for first_closed in (0, 1):
            recorders = [Recorder(), Recorder()]
            for number, recorder in enumerate(recorders):
                recorder.multihead(self.module, number)
            self.same(self.module(self.x, self.x, self.x)[1], self.expected[1])
            recorders[first_closed].close()
            recorders[first_closed].layers.clear()
            recorders[1 - first_closed].layers.clear()
            self.same(self.module(self.x, self.x, self.x)[1], self.expected[1])
            self.assertEqual(recorders[first_closed].layers, {})
            self.same(recorders[1 - first_closed].layers[1 - first_closed]["weights"], self.heads)
            recorders[1 - first_closed].close()
            self.assertIs(type(self.module), Multihead)
            self.assertNotIn("forward", vars(self.module))
            self.same(self.module(self.x, self.x, self.x)[1], self.expected[1])

    def test_one_recorder_may_watch_a_module_as_several_layers(self):
        with Recorder() as recorder:
            recorder.multihead(self.module, 0)
            recorder.multihead(self.module, 1)
            self.module(self.x, self.x, self.x)
        self.same(recorder.layers[0]["weights"], recorder.layers[1]["weights"])

    def copies(self, model):
        buffer = io.BytesIO()
        torch.save(model, buffer)
        buffer.seek(0)
        return {"deepcopy": copy.deepcopy(model), "torch.save": torch.load(buffer)}

    def test_copies_compute_with_their_own_weights_and_are_not_recorded(self):
        model = torch.nn.ModuleList([self.module])
        with Recorder() as recorder:
            recorder.multihead(self.module, 0)
            copies = self.copies(model)
            for name, copied in copies.items():
                with self.subTest(name):
                    self.assertIs(type(copied[0]), Multihead)
                    with torch.no_grad():
                        copied[0].out_proj.bias.fill_(100.0)
                    output, weights = copied[0](self.x, self.x, self.x)
                    self.same(output, self.expected[0] - self.module.out_proj.bias + 100)
                    self.same(weights, self.expected[1])
            self.assertEqual(recorder.layers, {})
            self.same(self.module(self.x, self.x, self.x)[0], self.expected[0])
        for copied in copies.values():
            self.same(copied[0](self.x, self.x, self.x)[0], self.expected[0] - self.module.out_proj.bias + 100)

    def test_copies_of_other_watched_modules_are_not_recorded(self):
        softmax, linear = torch.nn.Softmax(-1), torch.nn.Linear(8, 24)
        with Recorder() as recorder:
            recorder.output(softmax, 0)
            recorder.fused_projection(linear, 1, num_heads=2)
            copies = [copy.deepcopy(softmax), copy.deepcopy(linear)]
            copies[0](torch.randn(1, 2, 3, 3))
            copies[1](self.x)
            self.assertEqual(recorder.layers, {})

    def test_while_recording_the_module_is_what_it_was_to_others(self):
        with Recorder() as recorder:
            recorder.multihead(self.module, 0)
            self.assertIsInstance(self.module, Multihead)
            self.assertEqual(repr(self.module), repr(Multihead(8, 2, batch_first=True)))
            self.assertEqual(set(self.module.state_dict()), set(Multihead(8, 2).state_dict()))
            seen = []
            handle = self.module.register_forward_hook(lambda module, inputs, returned: seen.append(returned))
            answer = self.module(self.x, self.x, self.x, need_weights=False)
            handle.remove()
            self.assertIs(seen[0][0], answer[0])
            self.assertIsNone(seen[0][1])

    def test_what_has_no_weights_to_give_is_refused(self):
        with self.assertRaisesRegex(ValueError, r"Linear.*need_weights.*output\(\)"):
            Recorder().multihead(torch.nn.Linear(2, 2), 0)
        scripted = torch.jit.script(torch.nn.Linear(2, 2))
        with self.assertRaisesRegex(ValueError, "need_weights|class"):
            Recorder().multihead(scripted, 0)

    def test_the_mask_of_the_call_is_recorded(self):
        causal = torch.ones(3, 3, dtype=torch.bool).triu(1)  # True hides, as the module reads it
        padding = torch.tensor([[False, False, True], [False, False, False]])
        with Recorder() as recorder:
            recorder.multihead(self.module, 0)
            self.module(self.x, self.x, self.x, padding, False, causal)
        mask = recorder.layers[0]["mask"]  # True: may attend
        self.assertEqual(mask.dtype, torch.bool)
        self.assertTrue(torch.equal(mask, ~(causal[None, None] | padding[:, None, None, :])))
        self.assertTrue((recorder.layers[0]["weights"][~mask.expand(2, 2, 3, 3)] == 0).all())
        added = torch.randn(4, 3, 3)  # of every batch item and head
        with Recorder() as recorder:
            recorder.multihead(self.module, 0)
            self.module(self.x, self.x, self.x, attn_mask=added)
            self.same(recorder.layers[0]["mask"], added.view(2, 2, 3, 3))
            self.module(self.x, self.x, self.x)
            self.assertNotIn("mask", recorder.layers[0])

    def test_keys_that_the_module_adds_are_open_to_all(self):
        module = Multihead(8, 2, batch_first=True, add_bias_kv=True)
        causal = torch.ones(3, 3, dtype=torch.bool).triu(1)
        with Recorder() as recorder:
            recorder.multihead(module, 0)
            module(self.x, self.x, self.x, attn_mask=causal)
        self.assertEqual(list(recorder.layers[0]["weights"].shape), [2, 2, 3, 4])
        self.assertTrue(torch.equal(recorder.layers[0]["mask"][0, 0], torch.cat([~causal, torch.ones(3, 1).bool()], 1)))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])  # nothing of the command line is needed
