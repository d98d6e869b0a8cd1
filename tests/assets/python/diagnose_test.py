"""headscope.diagnose() and assert_close() on attention that is right and wrong: diagnose_test.py HEADSCOPE_CLI"""
import contextlib
import io
import os
import pathlib
import re
import sys
import tempfile
import unittest
import unittest.mock
import warnings

sys.dont_write_bytecode = True
try:
    import numpy as np
except ImportError:
    print("numpy was not found: sudo apt-get install python3-numpy (./dev test installs it)")
    sys.exit(77)
try:
    import torch
except ImportError:
    torch = None

PACKAGE = pathlib.Path(__file__).resolve().parents[3] / "assets" / "python"
sys.path.insert(0, str(PACKAGE))
os.environ["HEADSCOPE"] = str(pathlib.Path(sys.argv.pop(1)).resolve())
import headscope  # noqa: E402
from headscope._arrays import safetensors_bytes  # noqa: E402

BATCH, HEADS, LENGTH, SIZE = 2, 4, 6, 8
CAUSAL = np.tril(np.ones((LENGTH, LENGTH), bool))

BAND = CAUSAL & ~np.tri(LENGTH, k=-3, dtype=bool)


def softmax(scores):
    scores = np.exp(scores - scores.max(-1, keepdims=True))
    return scores / scores.sum(-1, keepdims=True)


def attention(q, k, v, visible=CAUSAL, scale=SIZE**-0.5):
    return softmax(np.where(visible, q @ k.swapaxes(-1, -2) * scale, -np.inf)) @ v


class Judged(unittest.TestCase):
    def setUp(self):
        draw = np.random.default_rng(3)
        self.q, self.k, self.v = (draw.standard_normal((BATCH, HEADS, LENGTH, SIZE)).astype(np.float32) for _ in range(3))
        self.arrays = {"q": self.q, "k": self.k, "v": self.v}
        self.right = attention(**self.arrays)

    def message(self, *mine, **given):
        with self.assertRaises(AssertionError) as failed:
            headscope.assert_close(*mine, **given)
        return str(failed.exception)


class Answers(Judged):
    def test_what_is_right_passes(self):
        self.assertIsNone(headscope.assert_close(self.right, **self.arrays, causal=True))
        found = headscope.diagnose(self.right, **self.arrays, causal=True)
        self.assertEqual((found["verdict"], found["equal"], found["where"]), ("equal", True, None))
        self.assertEqual([stage["stage"] for stage in found["stages"]], ["context"])

    def test_the_message_is_the_three_answers_in_their_order(self):
        message = self.message(attention(**self.arrays, scale=1), **self.arrays, causal=True)
        verdict, where, name, code = (message.find(words) for words in
                                      ("context differs", "cells differ", "no-scale", "math.sqrt(head_dim)"))
        self.assertTrue(0 == verdict < where < name < code, message)

    def test_the_dict_is_what_the_contract_says(self):
        found = headscope.diagnose(attention(**self.arrays, scale=1), **self.arrays, causal=True)
        self.assertEqual((found["verdict"], found["equal"]), ("explained", False))
        self.assertEqual(found["explanations"][0]["mistakes"], ["no-scale"])
        self.assertEqual(found["where"]["first"]["index"], [0, 0, 1, 0])
        self.assertEqual(found["where"]["rows"], list(range(1, LENGTH)))

    def test_every_stage_is_judged_from_the_one_before(self):
        scores = self.q @ self.k.swapaxes(-1, -2)
        theirs = {"scores": scores, "weights": softmax(scores)}  # not scaled, and nothing is hidden
        for given in ({"stages": theirs}, {"mine": theirs}):
            found = headscope.diagnose(**given, **self.arrays, causal=True)
            self.assertEqual([stage["mistakes"] for stage in found["stages"]], [["no-scale"], ["mask-missing"]])

    def test_one_wrong_cell_and_nan_are_found(self):
        for number in (0.5, float("nan")):
            mine = self.right.copy()
            mine[1, 2, 3, 4] = number
            self.assertIn("context[1,2,3,4]", self.message(mine, **self.arrays, causal=True))

    def test_a_tolerance_allows_what_it_says(self):
        near = self.right + np.float32(1e-3)
        self.message(near, **self.arrays, causal=True)
        headscope.assert_close(near, **self.arrays, causal=True, tolerance=np.float64(2e-3))

    def test_pytest_shows_the_line_of_the_test(self):
        try:
            headscope.assert_close(-self.right, **self.arrays, causal=True)
        except AssertionError as failed:
            frames, at = [], failed.__traceback__.tb_next
            while at is not None:
                frames.append(at.tb_frame.f_locals.get("__tracebackhide__"))
                at = at.tb_next
            self.assertEqual(frames, [True])


class Masks(Judged):
    def test_bools_words_and_both(self):
        ragged = np.random.default_rng(4).random((BATCH, 1, LENGTH, LENGTH)) < 0.7
        ragged |= np.eye(LENGTH, dtype=bool)
        for given, visible in (({"mask": ragged}, ragged), ({"mask": ragged, "causal": True}, ragged & CAUSAL),
                               ({"mask": "causal"}, CAUSAL), ({"mask": ["causal", "window:2"]}, BAND),
                               ({"mask": np.where(ragged, 0, -np.inf)}, ragged),
                               ({"mask": ~ragged, "mask_kind": "hide"}, ragged)):
            headscope.assert_close(attention(**self.arrays, visible=visible), **self.arrays, **given)

    def test_zeros_and_ones_that_are_added_are_a_warning(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = headscope.diagnose(self.right, **self.arrays, mask=CAUSAL.astype(float))
        self.assertFalse(found["equal"])
        self.assertEqual([each.filename for each in caught], [__file__])
        self.assertIn("mask.npy holds only 0 and 1", str(caught[0].message))
        self.assertNotIn(tempfile.gettempdir(), str(caught[0].message))

    def test_the_scale_is_the_one_that_is_given(self):
        mine = attention(**self.arrays, scale=0.25)
        for scale in (0.25, np.float32(0.25), np.array(0.25)):
            headscope.assert_close(mine, **self.arrays, causal=True, scale=scale)


class Layouts(Judged):
    def test_len_before_heads(self):
        turned = {name: array.swapaxes(1, 2) for name, array in self.arrays.items()}
        headscope.assert_close(self.right.swapaxes(1, 2), **turned, causal=True, layout="bshd")
        message = self.message(attention(**self.arrays, scale=1).swapaxes(1, 2), **turned, causal=True, layout="bshd")
        self.assertIn("no-scale", message)

    def test_another_layout_does_not_pass_unnoticed(self):
        turned = self.right.swapaxes(1, 2)
        with self.assertRaisesRegex(ValueError, r"found \[2, 6, 4, 8\]; context is \[2, 4, 6, 8\]"):
            headscope.assert_close(turned, **self.arrays, causal=True)
        with self.assertWarnsRegex(UserWarning, r"is read as \[batch, len, heads, features\]"):
            headscope.assert_close(turned, **self.arrays, causal=True, layout="auto")


class Layers(Judged):
    def setUp(self):
        super().setUp()
        draw = np.random.default_rng(6)
        width = HEADS * SIZE
        self.x = draw.standard_normal((BATCH, LENGTH, width))
        self.weights = {"in_proj_weight": draw.standard_normal((3 * width, width)) / width**0.5,
                        "in_proj_bias": draw.standard_normal(3 * width),
                        "out_proj.weight": draw.standard_normal((width, width)) / width**0.5,
                        "out_proj.bias": draw.standard_normal(width)}

    def layer(self, out_bias=1.0):
        parts = np.split(self.x @ self.weights["in_proj_weight"].T + self.weights["in_proj_bias"], 3, axis=-1)
        heads = (part.reshape(BATCH, LENGTH, HEADS, SIZE).swapaxes(1, 2) for part in parts)
        concat = attention(*heads).swapaxes(1, 2).reshape(self.x.shape)
        return concat @ self.weights["out_proj.weight"].T + out_bias * self.weights["out_proj.bias"]

    def test_weights_are_arrays_or_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "layer.safetensors")
            file.write_bytes(safetensors_bytes({name: each.astype("<f4") for name, each in self.weights.items()}, {}))
            for weights in (self.weights, file, str(file)):
                given = {"x": self.x, "weights": weights, "heads": HEADS, "causal": True}
                headscope.assert_close(self.layer(), **given)
                self.assertIn("output differs", self.message(self.layer(out_bias=0), **given))

    @unittest.skipIf(torch is None, "PyTorch was not found")
    def test_a_module_is_its_weights_in_its_own_order_of_axes(self):
        torch.manual_seed(2)
        hidden = ~torch.from_numpy(CAUSAL)
        for batch_first in (True, False):
            module = torch.nn.MultiheadAttention(32, HEADS, batch_first=batch_first)
            torch.nn.init.normal_(module.in_proj_bias)
            x = torch.randn(2, 6, 32)
            length = x.shape[1 if batch_first else 0]
            mask = hidden[:length, :length]
            with torch.no_grad():
                output, weights = module(x, x, x, attn_mask=mask)
            headscope.assert_close(output, x=x, module=module, mask=mask, mask_kind="hide")
            headscope.assert_close(output, x=x, module=module, causal=True)
            with self.assertWarnsRegex(UserWarning, "the mean over heads"):
                headscope.assert_close(weights, x=x, module=module, causal=True, stage="weights")
            self.assertIn("output differs", self.message(output * 2, x=x, module=module, causal=True))
            with self.assertRaisesRegex(ValueError, "mask_kind"):
                headscope.assert_close(output, x=x, module=module, mask=mask)


@unittest.skipIf(torch is None, "PyTorch was not found")
class HalfPrecision(Judged):
    def rounded(self, kind, scale=SIZE**-0.5):
        """Attention that rounds every stage, as tensors of that dtype do."""
        q, k, v = (torch.from_numpy(each).to(kind) for each in (self.q, self.k, self.v))

        def product(a, b):
            return (a.float() @ b.float()).to(kind)  # as a card does: PyTorch 1.13 has no float16 product on a processor

        scores = product(q, k.transpose(-1, -2)) * scale
        weights = torch.softmax(scores.float().masked_fill(~torch.from_numpy(CAUSAL), -torch.inf), -1).to(kind)
        return {"mine": product(weights, v), "q": q, "k": k, "v": v, "causal": True}

    def test_what_rounding_costs_is_equal_and_a_mistake_is_named(self):
        for kind, name in ((torch.float16, "float16"), (torch.bfloat16, "bfloat16")):
            given = self.rounded(kind)
            headscope.assert_close(**given)
            self.assertEqual(headscope.diagnose(**given)["verdict"], f"equal within {name}")
            given["mine"] = given["mine"].float()  # as many programs save them: recognised from the numbers
            self.assertEqual(headscope.diagnose(**given)["verdict"], f"equal within {name}")
            self.assertIn("no-scale", self.message(**self.rounded(kind, scale=1)))

    def test_few_numbers_are_of_the_format_that_their_dtype_says(self):
        mine = torch.from_numpy(self.right[:1, :1, :1]).to(torch.bfloat16)
        arrays = {name: array[:1, :1, :1] for name, array in self.arrays.items()}
        self.assertEqual(headscope.diagnose(mine, **arrays)["format"], "bf16")
        self.assertIn("differs", self.message(mine, **arrays, format="f32"))

    def test_tensors_of_a_graph_are_taken(self):
        mine = torch.from_numpy(self.right).requires_grad_()
        headscope.assert_close(mine, **{name: torch.from_numpy(array) for name, array in self.arrays.items()}, causal=True)


class Refused(Judged):
    def test_what_does_not_fit_is_a_value_error_with_a_sentence(self):
        for given, words in (({}, "nothing to judge"), ({"mine": self.right, "stages": {"context": self.right}}, "both"),
                             ({"mine": self.right, "stage": "contxt"}, "contxt"),
                             ({"mine": self.right, "stage": "../x"}, "stage"),
                             ({"stages": {"context": self.right}, "stage": "context"}, "besides"),
                             ({"mine": self.right, "no_such_option": 1}, "no-such-option"),
                             ({"mine": self.right, "query": self.q}, "twice"),
                             ({"mine": self.right, "stage": "output"}, "output"),
                             ({"mine": self.right[:1]}, "found"), ({"mine": self.right, "layout": "hbsd"}, "layout"),
                             ({"mine": self.right, "format": "f7"}, "f7"), ({"mine": self.right, "tolerance": -1}, "tolerance"),
                             ({"mine": self.right, "mask": np.ones((3, 3), bool)}, "mask"),
                             ({"mine": self.right, "mask": np.full((6, 6), -1e300)}, "-1e\\+300"),
                             ({"mine": self.right, "weights": "no.safetensors"}, "weights")):
            for ask in (headscope.diagnose, headscope.assert_close):
                with self.subTest(words), self.assertRaisesRegex(ValueError, words) as refused:
                    ask(**given, **self.arrays)
                self.assertNotIn(tempfile.gettempdir() + "/headscope-", str(refused.exception))
        with self.assertRaisesRegex(ValueError, "key"):
            headscope.assert_close(self.right, q=self.q, k=self.k[..., :3], v=self.v)
        for given in ({"mine": "words"}, {"mine": self.right > 0}, {"mine": self.right, "weights": 3},
                      {"mine": self.right * 1j}, {"mine": self.right, "module": 3}, {"mine": np.ma.array(self.right)}):
            with self.assertRaises(TypeError):
                headscope.assert_close(**given, **self.arrays)

    def test_a_missing_program_is_said_and_is_no_failed_test(self):
        with unittest.mock.patch.dict(os.environ, HEADSCOPE="/nowhere/headscope"):
            with self.assertRaisesRegex(headscope.HeadscopeError, "headscope-cli is not beside HEADSCOPE=/nowhere") as missing:
                headscope.assert_close(self.right, **self.arrays)
        self.assertNotIsInstance(missing.exception, (AssertionError, ValueError))

    def test_no_file_is_left(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(tempfile, "tempdir", folder):
            headscope.assert_close(self.right, **self.arrays, causal=True)
            self.message(-self.right, **self.arrays, mask=CAUSAL)
            with self.assertRaises(ValueError):
                headscope.assert_close(self.right, **self.arrays, stage="contxt")
            self.assertEqual(os.listdir(folder), [])


def blocks_of(page, word):
    """The Python block of a page that has this word, and the block of text below it."""
    blocks = re.findall(r"^```(\S*)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.S | re.M)
    at = next(k for k, (kind, block) in enumerate(blocks) if kind == "python" and word in block)
    assert blocks[at + 1][0] == "text", page
    return blocks[at][1], blocks[at + 1][1]


def worded(text):
    """The lines without their numbers, and without how many spaces stand between two columns."""
    return [" ".join(re.sub(r"-?\d[\d.]*(e[+-]?\d+)?", "#", line).split()) for line in text.strip().splitlines()]


class Pages(unittest.TestCase):
    def test_the_example_of_the_package_fails_with_the_answers_that_it_shows(self):
        code, shown = blocks_of(PACKAGE / "README.md", "assert_close")
        names = {}
        exec(code, names)
        with self.assertRaises(AssertionError) as failed:
            names["test_attention"]()
        self.assertEqual(worded(str(failed.exception)), worded(shown))

    def test_the_story_of_the_guide_says_what_it_shows(self):
        code, shown = blocks_of(PACKAGE.parent / "guide" / "04-find-my-bug.md", "assert_close")
        said = io.StringIO()
        with contextlib.redirect_stdout(said), self.assertRaises(AssertionError) as failed:
            exec(code, {})
        self.assertEqual(worded(f"{said.getvalue()}AssertionError: {failed.exception}"), worded(shown))
        self.assertRegex(said.getvalue(), r"^equal within float16: 0\.000\d+ of 0\.0\d+ ")


if __name__ == "__main__":
    unittest.main()
