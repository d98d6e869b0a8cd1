"""headscope.diagnose() and assert_close() on packed texts and masks of keys: diagnose_shapes_test.py HEADSCOPE_CLI"""
import os
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
try:
    import numpy as np
except ImportError:
    print("numpy was not found: sudo apt-get install python3-numpy (./dev test installs it)")
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "assets" / "python"))
os.environ["HEADSCOPE"] = str(pathlib.Path(sys.argv.pop(1)).resolve())
import headscope  # noqa: E402

BATCH, HEADS, LENGTH, SIZE = 2, 4, 6, 8
CAUSAL = np.tril(np.ones((LENGTH, LENGTH), bool))


def attention(q, k, v, visible):
    scores = np.where(visible, q @ k.swapaxes(-1, -2) * SIZE**-0.5, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


def packed(array, lengths):
    """[tokens, heads, size] of the first places of each item of [batch, heads, len, size]."""
    return np.concatenate([array[b, :, :count].swapaxes(0, 1) for b, count in enumerate(lengths)])


class Shapes(unittest.TestCase):
    def setUp(self):
        draw = np.random.default_rng(3)
        self.arrays = {name: draw.standard_normal((BATCH, HEADS, LENGTH, SIZE)).astype(np.float32) for name in "qkv"}

    def test_packed_texts_see_themselves_alone(self):
        lengths = [4, 2]
        flat = {name: packed(array, lengths) for name, array in self.arrays.items()}
        right = packed(attention(**self.arrays, visible=CAUSAL), lengths)
        headscope.assert_close(right, **flat, causal=True, layout="thd", lengths=lengths)
        one_text = attention(*(flat[name].swapaxes(0, 1) for name in "qkv"), visible=CAUSAL).swapaxes(0, 1)
        with self.assertRaisesRegex(AssertionError, "mask-part-missing"):
            headscope.assert_close(one_text, **flat, causal=True, layout="thd", lengths=lengths)
        with self.assertRaisesRegex(ValueError, "4,3 add up to 7, but .*6 tokens"):
            headscope.diagnose(one_text, **flat, layout="thd", lengths=[4, 3])

    def test_a_mask_of_keys(self):
        keys = np.array([[1, 1, 1, 1, 1, 0], [1, 1, 0, 1, 1, 1]], bool)
        mine = attention(**self.arrays, visible=keys[:, None, None, :])
        headscope.assert_close(mine, **self.arrays, mask=keys, mask_kind="key-keep")
        headscope.assert_close(mine, **self.arrays, mask=~keys, mask_kind="key-hide")
        with self.assertRaisesRegex(AssertionError, "mask-kind-keep"):
            headscope.assert_close(mine, **self.arrays, mask=keys, mask_kind="key-hide")

    def test_rows_of_several_heads_in_the_usual_layout(self):
        rows = {name: array.swapaxes(1, 2).reshape(BATCH, LENGTH, -1) for name, array in self.arrays.items()}
        mine = attention(**self.arrays, visible=CAUSAL)
        headscope.assert_close(mine, **rows, heads=HEADS, causal=True)


if __name__ == "__main__":
    unittest.main()
