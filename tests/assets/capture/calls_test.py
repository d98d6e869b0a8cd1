#!/usr/bin/env python3
"""Recorders of the calls of scaled_dot_product_attention: what they record, and that they leave torch as it was.

    calls_test.py [HEADSCOPE_CLI]

Exits with 77 (skipped) where no Python with torch is found.
"""

import copy
import sys
import threading
import unittest
import unittest.mock

import with_torch  # noqa: F401

import torch  # isort: skip
from headscope_capture import Recorder  # noqa: E402

NAME = "scaled_dot_product_attention"


def stand_in(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """PyTorch before 2.0 has no such function."""
    return torch.softmax(query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5, -1) @ value


def call(length):
    return torch.nn.functional.scaled_dot_product_attention(*[torch.randn(1, 2, length, 4)] * 3)


class Model(torch.nn.Module):
    """Attends `calls` times, and then raises an error where it is asked to."""

    def forward(self, length, calls=2, fail_after=None):
        for number in range(calls):
            if number == fail_after:
                raise KeyError("the model's own error")
            call(length)
        return length


class CallsTest(unittest.TestCase):
    def setUp(self):
        patch = unittest.mock.patch.object(torch.nn.functional, NAME, stand_in, create=True)
        patch.start()
        self.addCleanup(patch.stop)
        self.model = Model()

    def lengths(self, recorder):
        return [recorder.layers[layer]["query"].shape[2] for layer in sorted(recorder.layers)]

    def untouched(self):
        self.assertIs(getattr(torch.nn.functional, NAME), stand_in)
        self.assertIs(type(self.model), Model)

    def test_recorders_close_in_any_order(self):
        for order in ((0, 1, 2), (2, 1, 0), (1, 2, 0), (0, 2, 1)):
            with self.subTest(order):
                recorders = [Recorder() for _ in order]
                for recorder in recorders:
                    recorder.sdpa(self.model)
                for at, which in enumerate(order):
                    self.model(3 + at)
                    recorders[which].close()
                self.untouched()
                self.model(9)
                for at, which in enumerate(order):
                    self.assertEqual(self.lengths(recorders[which]), [3 + at] * 2)

    def test_two_models_are_recorded_apart(self):
        other = Model()
        one, two = Recorder(), Recorder()
        one.sdpa(self.model)
        two.sdpa(other)
        self.model(3)
        other(5, calls=1)
        one.close()
        other(6, calls=3)
        two.close()
        self.assertEqual((self.lengths(one), self.lengths(two)), ([3, 3], [6, 6, 6]))
        self.untouched()

    def test_an_error_of_the_model_ends_its_recording(self):
        with Recorder() as recorder:
            recorder.sdpa(self.model)
            with self.assertRaisesRegex(KeyError, "own error"):
                self.model(3, calls=4, fail_after=2)
            call(7)
            self.assertEqual(self.lengths(recorder), [3, 3])
            self.model(5, calls=1)
            call(7)
        self.assertEqual(self.lengths(recorder), [5])
        self.untouched()

    def test_a_run_with_fewer_calls_keeps_none_of_the_run_before(self):
        with Recorder() as recorder:
            recorder.sdpa(self.model)
            recorder.describe(1, grid=(1, 3))
            self.model(3, calls=3)
            self.model(4, calls=1)
        self.assertEqual(recorder.layers[0]["query"].shape[2], 4)
        self.assertEqual(recorder.layers[1], {"grid": (1, 3)}, "what was said of a layer stays")
        self.assertNotIn(2, recorder.layers)

    def test_an_error_of_the_call_is_the_models(self):
        with Recorder() as recorder:
            recorder.sdpa(self.model)
            with unittest.mock.patch(f"{__name__}.call", lambda length: torch.nn.functional.scaled_dot_product_attention()):
                with self.assertRaises(TypeError):
                    self.model(3)
        self.assertEqual(recorder.layers, {})

    def test_a_model_within_itself_is_one_run(self):
        class Twice(Model):
            def forward(self, length, again=True):
                super().forward(length, calls=1)
                if again:
                    self(length, again=False)
                call(length)

        model = Twice()
        with Recorder() as recorder:
            recorder.sdpa(model)
            model(3)
            call(7)
        self.assertEqual(self.lengths(recorder), [3] * 4)

    def test_a_function_that_others_put_in_place_stays(self):
        recorder = Recorder()
        recorder.sdpa(self.model)
        watched, theirs = getattr(torch.nn.functional, NAME), []

        def others(*inputs, **options):
            theirs.append(inputs)
            return watched(*inputs, **options)

        setattr(torch.nn.functional, NAME, others)
        recorder.close()
        self.assertIs(getattr(torch.nn.functional, NAME), others)
        with Recorder() as again:
            again.sdpa(self.model)
            self.model(3)
            self.assertEqual(self.lengths(again), [3, 3], "each call once")
        self.assertIs(getattr(torch.nn.functional, NAME), others)
        self.assertEqual(len(theirs), 2)

    def test_a_copy_is_not_recorded_and_the_users_forward_is_called(self):
        with Recorder() as recorder:
            recorder.sdpa(self.model)
            double = copy.deepcopy(self.model)
            self.assertIs(type(double), Model)
            double(5)
            self.assertEqual(recorder.layers, {})
            plain = self.model.forward
            self.model.forward = lambda length: call(length + 1)
            self.model(3)
        self.assertEqual(self.lengths(recorder), [4])
        del self.model.forward
        self.assertEqual(self.model(2), 2)
        self.assertTrue(callable(plain))

    def test_models_that_run_at_once_in_threads_of_their_own(self):
        meet = threading.Barrier(4)

        class Waiting(Model):
            def forward(self, length):
                for _ in range(2):
                    meet.wait(60)
                    call(length)
                meet.wait(60)

        models = [Waiting() for _ in range(4)]
        recorders = [Recorder() for _ in models]
        for recorder, model in zip(recorders, models):
            recorder.sdpa(model)
        threads = [threading.Thread(target=model, args=(3 + at,)) for at, model in enumerate(models)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for recorder in recorders:
            recorder.close()
        self.assertEqual([self.lengths(recorder) for recorder in recorders], [[3 + at] * 2 for at in range(4)])
        self.untouched()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
