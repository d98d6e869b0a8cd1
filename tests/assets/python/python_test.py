"""The Python package against formulas of its own: python_test.py HEADSCOPE_CLI"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
import zipfile

sys.dont_write_bytecode = True
try:
    import numpy as np
except ImportError:
    print("numpy was not found: sudo apt-get install python3-numpy (./dev test installs it)")
    sys.exit(77)

PACKAGE = pathlib.Path(__file__).resolve().parents[3] / "assets" / "python"
sys.path.insert(0, str(PACKAGE))
CLI = pathlib.Path(sys.argv.pop(1)).resolve()
os.environ["HEADSCOPE"] = str(CLI)
import headscope  # noqa: E402


def softmax(scores):
    scores = np.exp(scores - scores.max(-1, keepdims=True))
    return scores / scores.sum(-1, keepdims=True)


class Run(unittest.TestCase):
    def setUp(self):
        draw = np.random.default_rng(5)
        self.q, self.k, self.v = (draw.standard_normal((1, 3, 5, 4)) for _ in range(3))

    def test_attention_of_arrays_is_the_formula(self):
        result = headscope.run(query=self.q, key=self.k, value=self.v, mask="causal")
        scores = self.q @ self.k.transpose(0, 1, 3, 2) / 2
        scores[..., np.triu(np.ones((5, 5), bool), 1)] = -np.inf
        np.testing.assert_allclose(result["weights"], softmax(scores), atol=1e-6)
        np.testing.assert_allclose(result["context"], softmax(scores) @ self.v, atol=1e-5)
        self.assertNotIn("output", result)
        self.assertEqual(result.manifest["request"]["mask"], "causal")

    def test_a_phrase_has_tokens_and_only_the_stages_that_are_wanted(self):
        result = headscope.run(phrase="a b c", heads=2, d_model=8, export=["weights", "output"])
        self.assertEqual(sorted(result), ["output", "weights"])
        self.assertEqual(result.tokens, ["a", "b", "c"])

    def test_arrays_are_put_into_stages(self):
        request = dict(model="demo:induction", phrase="cat box ink fox jam cat", layer=1)
        plain = headscope.run("input,context,output", **request)
        head = np.arange(8, dtype=np.float64)
        put = headscope.run("context,output", set={"1/z:3,-1": head, "context:0": 0.0}, **request)
        np.testing.assert_array_equal(put["context"][0, 3, -1], head)
        self.assertFalse(put["context"][0, 0].any())
        np.testing.assert_array_equal(put["context"][0, 5], plain["context"][0, 5])
        added = headscope.run("context", add={"context:2": (head.tolist(), -0.5)}, **request)
        np.testing.assert_allclose(added["context"][0, 2], plain["context"][0, 2] - 0.5 * head, atol=1e-6)
        out = headscope.run("output", project_out={"output": np.ones(64)}, **request)
        self.assertLess(np.abs(out["output"].sum(-1)).max(), 1e-4)
        # The manifest keeps small arrays: the request runs again when its files are gone.
        again = headscope.run("context", **added.manifest["request"])
        np.testing.assert_array_equal(again["context"], added["context"])

    def test_what_is_refused_says_why(self):
        with self.assertRaises(headscope.HeadscopeError) as refused:
            headscope.run(phrase="a b c", heads=3, d_model=8)
        self.assertEqual(refused.exception.code, 2)
        self.assertIn("heads", str(refused.exception))
        with self.assertRaises(headscope.HeadscopeError):
            headscope.run(phrase="a", no_such_option=1)

    def test_pictures_are_what_they_say(self):
        self.assertTrue(headscope.render(phrase="a b", heads=2, d_model=8).startswith(b"\x89PNG"))
        self.assertIn(b"<svg", headscope.render("svg", phrase="a b", heads=2, d_model=8, view="head", head=1))
        with self.assertRaises(ValueError):
            headscope.render("gif", phrase="a b")

    def test_version(self):
        self.assertRegex(headscope.version(), r"^[0-9]+\.[0-9]+\.[0-9]+$")


class Show(unittest.TestCase):
    def tensors_of(self, shown):
        with tempfile.TemporaryDirectory() as folder:
            return headscope.run(**shown._request)

    def test_weights_are_kept_to_the_bit_in_every_form(self):
        weights = softmax(np.random.default_rng(1).standard_normal((2, 3, 4, 4))).astype(np.float32)
        for attn, expected in ((weights[0], weights[0]), (weights, weights[1]), (weights[:, None], weights[1]),
                               (weights[0].tolist(), weights[0])):
            with headscope.show(attn=attn, tokens="abcd", window=False) as shown:
                result = self.tensors_of(shown)  # of the last layer
                np.testing.assert_array_equal(result["weights"][0], expected)
                self.assertEqual(result.tokens, list("abcd"))

    def test_queries_and_keys_are_computed_with_mask_and_scale(self):
        draw = np.random.default_rng(2)
        q, k = draw.standard_normal((2, 3, 4)), draw.standard_normal((2, 5, 4))
        mask = np.array([[1, 1, 0, 1, 1]] * 3, bool)
        with headscope.show(q=q, k=k, mask=mask, scale=0.25, window=False) as shown:
            scores = np.where(mask, q @ k.transpose(0, 2, 1) * 0.25, -np.inf)
            np.testing.assert_allclose(self.tensors_of(shown)["weights"][0], softmax(scores), atol=1e-6)

    def test_updates_take_its_place(self):
        one = np.full((1, 2, 2), 0.5)
        with headscope.show(attn=one, tokens=["x", "y"], window=False) as shown:
            shown.update(attn=np.eye(2)[None])
            result = self.tensors_of(shown)
            np.testing.assert_array_equal(result["weights"][0, 0], np.eye(2))
            self.assertEqual(result.tokens, ["x", "y"])
            shown.update(attn=np.eye(3)[None], tokens=["p", "q", "r"])
            self.assertEqual(self.tensors_of(shown).tokens, ["p", "q", "r"])
            self.assertTrue(shown._repr_png_().startswith(b"\x89PNG"))
            self.assertIn("srcdoc", shown._repr_html_())
            folder = shown._folder
        self.assertFalse(os.path.exists(folder))

    def test_without_a_window_the_request_is_what_was_shown(self):
        with headscope.show(model="demo:pronouns", phrase="the animal was tired", window=False) as shown:
            for _ in range(2):
                self.assertEqual(shown.request(), {"model": "demo:pronouns", "phrase": "the animal was tired"})
                self.assertEqual(shown.interventions(), {})
                self.assertEqual(shown.selection(), {"stage": "weights", "batch": 0, "head": 0, "cell": None, "layer": None})
                shown.close()

    def test_a_crash_is_told_where_reports_look(self):
        with tempfile.TemporaryDirectory() as state, unittest.mock.patch.dict(os.environ, XDG_STATE_HOME=state):
            with headscope.show(attn=np.eye(2)[None], window=False) as shown:
                left = pathlib.Path(shown._state, "headscope")
                left.mkdir(parents=True)
                (left / "last-crash.txt").write_text("where it was")
            self.assertEqual(pathlib.Path(state, "headscope", "last-crash.txt").read_text(), "where it was")

    def test_what_does_not_fit_is_said_before_anything_is_opened(self):
        for wrong, error in (({}, ValueError), ({"q": np.ones((1, 2, 2))}, ValueError),
                             ({"attn": np.ones((2, 2))}, ValueError), ({"attn": np.array([[["a"]]])}, TypeError),
                             ({"attn": np.ones((1, 2, 2)), "model": "demo:pronouns"}, ValueError),
                             ({"attn": np.ones((1, 2, 2)), "phrase": "a b"}, ValueError)):
            with self.assertRaises(error):
                headscope.show(window=False, **wrong)
        with headscope.show(model="demo:pronouns", phrase="the animal was tired", window=False) as shown:
            self.assertTrue(shown.png().startswith(b"\x89PNG"))
            with self.assertRaises(headscope.HeadscopeError):
                shown.update(attn=np.ones((1, 2, 2)))

    @unittest.skipUnless((CLI.parent / "headscope").exists(), "the window is not built")
    def test_a_window_follows_and_is_closed(self):
        with tempfile.TemporaryDirectory() as home:
            probe = pathlib.Path(home, "probe.json")
            number = 90 + os.getpid() % 900
            display = subprocess.Popen(["Xvfb", f":{number}", "-screen", "0", "1600x1000x24", "-nolisten", "tcp"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            before = dict(os.environ)
            os.environ.update(DISPLAY=f":{number}", HOME=home, XDG_STATE_HOME=home, XDG_CONFIG_HOME=home)
            os.environ.pop("WAYLAND_DISPLAY", None)
            try:
                end = time.monotonic() + 30
                while not os.path.exists(f"/tmp/.X11-unix/X{number}") and time.monotonic() < end:
                    time.sleep(0.05)

                def shows(tokens):
                    end = time.monotonic() + 60
                    while time.monotonic() < end:
                        self.assertTrue(shown.running)
                        try:
                            if json.loads(probe.read_text()).get("tokens") == tokens:
                                return True
                        except (FileNotFoundError, json.JSONDecodeError):
                            pass
                        time.sleep(0.05)
                    return False

                with headscope.show(attn=np.eye(3)[None], arguments=["--probe", probe]) as shown:
                    self.assertTrue(shows(3))
                    shown.update(attn=np.eye(5)[None])
                    self.assertTrue(shows(5))
                self.assertFalse(shown.running)
                self.assertEqual(shown.wait(), 0)
            finally:
                os.environ.clear()
                os.environ.update(before)
                display.terminate()
                display.wait()


class Package(unittest.TestCase):
    def test_a_wheel_is_pure_and_complete(self):
        try:
            import setuptools
            import wheel  # noqa: F401  older versions of setuptools need it
        except ImportError:
            self.skipTest("setuptools and wheel were not found: sudo apt-get install python3-setuptools python3-wheel")
        with tempfile.TemporaryDirectory() as folder:
            # Beside the tree: building leaves files where it works.
            copy = pathlib.Path(folder, "package")
            subprocess.run(["cp", "-rL", PACKAGE, copy], check=True)
            code = f"from setuptools import build_meta; print(build_meta.build_wheel({folder!r}))"
            done = subprocess.run([sys.executable, "-c", code], cwd=copy, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            name = done.stdout.split()[-1]
            self.assertRegex(name, r"-py3-none-any\.whl$", f"setuptools {setuptools.__version__}")
            names = zipfile.ZipFile(pathlib.Path(folder, name)).namelist()
            for path in PACKAGE.rglob("headscope/**/*.py"):
                self.assertIn(str(path.relative_to(PACKAGE)), names)

    def test_the_version_is_the_programs(self):
        self.assertIn(f'version = "{headscope.version()}"', (PACKAGE / "pyproject.toml").read_text())

    def test_a_recorder_says_what_it_needs(self):
        try:
            import torch  # noqa: F401
        except ImportError:
            with self.assertRaises(ImportError):
                headscope.record()
            return
        with self.assertRaises(ValueError):
            headscope.record(torch.nn.Linear(2, 2))
        layer = torch.nn.MultiheadAttention(8, 2, batch_first=True)
        with tempfile.TemporaryDirectory() as folder, headscope.record(layer) as recorder:
            layer(*[torch.randn(1, 3, 8)] * 3)
            recorder.save(folder + "/x.safetensors")
            self.assertEqual(headscope.run(model=folder + "/x.safetensors")["weights"].shape, (1, 2, 3, 3))


if __name__ == "__main__":
    unittest.main()
