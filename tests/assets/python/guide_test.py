"""What is written for users runs as it stands: the notebook, the guide's page 'From TransformerLens', the README's commands.

guide_test.py HEADSCOPE_CLI
"""
import ast
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import warnings

from package import CLI, PACKAGE, ROOT

import numpy as np

import headscope

SYSTEM = "/usr/bin/python3"  # Debian's own: PEP 668 keeps pip out of it


def blocks(path, language):
    """The fenced blocks of a language in a page, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", path.read_text(encoding="utf-8"), re.S | re.M)


def shown(source, names):
    """Runs source; the value of its last line, where that is an expression, as a notebook has it."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None


class Notebook(unittest.TestCase):
    def test_ten_cells_run_and_show_what_they_say(self):
        notebook = json.loads((PACKAGE / "examples" / "headscope.ipynb").read_text(encoding="utf-8"))
        self.assertEqual((notebook["nbformat"], len(notebook["cells"])), (4, 10))
        names, answers = {}, []
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None), "it was saved with what it showed")
                answers.append(shown("".join(cell["source"]), names))
        self.assertFalse([answer for answer in answers if answer is None])
        run, shapes, lens, made, swept, why, composed, steered, logits = answers
        self.assertEqual(list(lens.tokens[:, -1] == "box"), [False, False, True])
        self.assertEqual(shapes["weights"], (2, 1, 8, 6, 6))
        self.assertAlmostEqual(made.total, swept.b, delta=1e-5)
        self.assertEqual(names["layer"], 1)
        self.assertEqual((why.layer, why.head), (names["layer"], names["head"]))
        self.assertEqual(composed.shape, (1, 8))
        self.assertEqual(len(steered), 3)
        self.assertLess(logits[1], logits[0] - 0.5)
        for answer in (run, lens, made, swept, why):
            self.assertIn("<table", answer._repr_html_())


class Page(unittest.TestCase):
    PATH = ROOT / "assets" / "guide" / "11-from-transformerlens.md"

    def test_each_of_our_examples_runs_and_stands_below_theirs(self):
        names, pairs = {}, blocks(self.PATH, "python")
        theirs, ours = pairs[::2], pairs[1::2]
        self.assertEqual(len(theirs), len(ours))
        self.assertGreaterEqual(len(ours), 8)
        for other, block in zip(theirs, ours):
            ast.parse(other)
            with self.subTest(block), warnings.catch_warnings():
                warnings.simplefilter("error")
                shown(block, names)
        cache, model, text = names["cache"], names["model"], names["text"]
        # What the page says of shapes and of equal spellings.
        self.assertEqual((names["patterns"].shape, names["queries"].shape), ((2, 1, 8, 6, 6), (1, 8, 6, 8)))
        np.testing.assert_array_equal(names["stream"], cache["stream"][1])
        np.testing.assert_array_equal(names["hooked"], names["ablated"])
        plain = model.run(text, stages="stream,logits")
        steered = model.run(text, stages="logits", set={"1/stream": plain["stream"][1] + 4 * names["direction"]})["logits"]
        np.testing.assert_allclose(names["steered"], steered, atol=1e-4)
        self.assertEqual((names["heads"].values.shape, names["positions"].values.shape), ((2, 8), (2, 6)))
        self.assertEqual(names["lens"].tokens.shape, (3, 6))
        self.assertEqual(names["scores"].shape, (2, 8, 1, 8))
        shares = plain["logits"][0].astype(np.float64)
        shares = np.exp(shares - shares.max(-1, keepdims=True))
        shares = shares[:-1] / shares[:-1].sum(-1, keepdims=True)
        ids = names["spelled"].ids
        self.assertAlmostEqual(names["loss"], -np.log(shares[np.arange(5), ids[1:]]).mean(), delta=1e-5)

    def test_names_in_the_table_are_stages(self):
        listed = re.findall(r"^\| `(?:hook|ln).*$", self.PATH.read_text(encoding="utf-8"), re.M)
        self.assertGreaterEqual(len(listed), 6)
        spelled = {name.split("[")[0] for row in listed for name in re.findall(r"`([a-z_]+)(?:\[[^`]*)?`", row.split("|")[2])}
        self.assertTrue({"stream", "weights", "query", "z"} <= spelled, spelled)
        model = headscope.Model("demo:stories")
        for name in sorted(spelled):
            self.assertFalse(np.isnan(model.run("the cat", stages=[name])[name]).any(), name)


class Readme(unittest.TestCase):
    def test_its_first_example_runs(self):
        example = next(block for block in blocks(PACKAGE / "README.md", "python") if "headscope.Model(" in block)
        q, k, v = np.random.default_rng(0).standard_normal((3, 1, 2, 4, 8))
        names = dict(q=q, k=k, v=v, vector=np.ones(64), function=np.copy)
        self.assertEqual(shown(example, names).shape, (3, 6))
        self.assertEqual(names["run"]["weights"].shape, (2, 1, 8, 6, 6))

    @unittest.skipUnless(os.access(SYSTEM, os.X_OK), f"{SYSTEM} was not found")
    def test_the_commands_install_the_package_from_a_copied_folder_without_a_network(self):
        commands = next(block for block in blocks(PACKAGE / "README.md", "sh") if "apt-get install" in block)
        missing = subprocess.run([SYSTEM, "-c", "import ensurepip, venv, numpy, setuptools, wheel"], capture_output=True).returncode
        if missing:
            self.skipTest("venv, numpy, setuptools or wheel was not found: sudo apt-get install python3-venv python3-numpy "
                          "python3-setuptools python3-wheel")
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder, "assets", "python")
            shutil.copytree(PACKAGE, copy, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
            self.assertEqual([path for path in copy.rglob("*") if path.is_symlink()], [], "links lead out of the folder")
            (pathlib.Path(folder) / "build" / "release").mkdir(parents=True)
            os.symlink(CLI.parent, pathlib.Path(folder, "build", "release", "bin"))
            lines = [line for line in commands.splitlines() if not line.startswith("sudo ")]
            # No index can be reached, and none is asked.
            clean = {"PATH": "/usr/bin:/bin", "HOME": folder, "PIP_INDEX_URL": "http://127.0.0.1:9/", "LC_ALL": "C.UTF-8",
                     "PIP_RETRIES": "0", "PYTHONDONTWRITEBYTECODE": "1"}
            done = subprocess.run(["sh", "-e", "-c", "\n".join(lines)], cwd=folder, env=clean, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
            self.assertIn("(1, 8, 3, 3)", done.stdout)


if __name__ == "__main__":
    unittest.main()
