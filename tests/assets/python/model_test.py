"""headscope.Model and Python functions as hooks, against PyTorch and --set: model_test.py HEADSCOPE_CLI"""
import json
import pathlib
import tempfile
import unittest
import unittest.mock

from package import ROOT, said

import numpy as np

import headscope

STORIES, TEXT = "demo:stories", "the cat sat"


def exported(folder, *words):
    """The .npy files that headscope-cli run writes for the words of a command line."""
    said("run", *words, "--format", "npy", "--out", folder)
    return {path.stem: np.load(path) for path in pathlib.Path(folder).glob("*.npy")}


class Kept(unittest.TestCase):
    def test_a_model_keeps_its_options_and_a_call_has_its_own(self):
        model = headscope.Model(STORIES, ablate="1.2", phrase="once upon")
        self.assertEqual(model.options(), {"model": STORIES, "ablate": "1.2", "phrase": "once upon"})
        self.assertEqual(model.options(TEXT, mask="none"), {"model": STORIES, "ablate": "1.2", "phrase": TEXT, "mask": "none"})
        self.assertEqual(model.options([5, 6]), {"model": STORIES, "ablate": "1.2", "token_ids": [5, 6]})
        self.assertEqual(model.but(ablate="0.0").request["ablate"], "0.0")
        with self.assertRaises(ValueError):
            model.run(TEXT, token_ids=[1])
        plain = headscope.run(model=STORIES, phrase=TEXT, ablate="1.2", stages="logits")
        for found in (model.run(TEXT, stages="logits"), headscope.Model(STORIES).but(ablate=[(1, 2)]).run(TEXT, stages=["logits"])):
            np.testing.assert_array_equal(found["logits"], plain["logits"])
        ids = model.tokenize(TEXT).ids
        np.testing.assert_array_equal(model.run(ids, stages="logits")["logits"], plain["logits"])

    def test_every_function_of_a_model_is_its_method(self):
        model = headscope.Model("demo:induction", phrase="cat box ink fox cat")
        said_of = {"explain": dict(stage="weights", at=(0, 2, 3, 1)), "sensitivity": dict(stage="weights", at=(0, 2, 3, 1)),
                   "attribute": dict(at=4, token="box"), "score": dict(head=7, at=(4, 1)), "compare": dict(against={"mask": "none"}),
                   "sweep": dict(patch="heads", metric="logit:box", ablation="zero"), "gradients": dict(metric="logit:box"),
                   "precision": dict(stage="weights"), "generate": dict(tokens=1), "lens": {}, "run": {}, "render": {}}
        for name, asked in said_of.items():
            with self.subTest(name):
                function, method = getattr(headscope, name), getattr(model, name)
                expected = function(**asked, **model.request)
                found = method(**asked)
                self.assertEqual(getattr(found, "json", None), getattr(expected, "json", None))
                self.assertTrue(method.__doc__)
        with self.assertWarnsRegex(UserWarning, "reads attention_pytorch.safetensors") as warned:
            self.assertIn("import torch", model.script(as_="pytorch"))
        self.assertEqual(pathlib.Path(warned.filename).name, pathlib.Path(__file__).name, "the line that asked")
        self.assertEqual(model.circuits(by="heads").model, "demo:induction")
        self.assertEqual(model.info().num_layers, 2)
        self.assertEqual(model.tokenize("cat ink").tokens, ["cat", "ink"])
        weights = model.run(stages="weights")["weights"]
        model.assert_close(weights, stage="weights")
        self.assertEqual(model.diagnose(weights[..., ::-1], stage="weights")["verdict"], "differs")
        with model.show("cat ink", window=False) as shown:
            self.assertEqual(shown.request(), {"model": "demo:induction", "phrase": "cat ink"})
        with self.assertRaisesRegex(ValueError, "found ablate"):
            model.but(ablate="0.1").show("cat ink")
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(model.scan(["cat box", "ink"], out=folder + "/a.hsagg").corpus.phrases, 2)
            self.assertTrue(model.render(format="svg").startswith(b"<"))

    def test_another_run_is_of_the_model_where_it_says_nothing_else(self):
        model, asked = headscope.Model("demo:induction"), dict(patch="heads", metric="logit:box")
        other = headscope.run(model="demo:induction", phrase="dog box ink fox dog")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "other.json")
            path.write_text(json.dumps({"model": "demo:induction", "phrase": "dog box ink fox dog"}))
            expected = model.sweep("cat box ink fox cat", against=path, **asked).values
        for against in ({"phrase": "dog box ink fox dog"}, other, headscope.Model("demo:induction", phrase="dog box ink fox dog")):
            found = model.sweep("cat box ink fox cat", against=against, **asked)
            np.testing.assert_array_equal(found.values, expected)
        # Its interventions are its own: {} is the request without any.
        self.assertEqual([one.option for one in model.compare("cat ink", ablate="1.3", against={}).options], ["ablate"])
        # What was run without a name of its model has it all the same.
        by_default = headscope.run(phrase="once upon")
        self.assertEqual(by_default.request["model"], STORIES)
        with self.assertRaises(headscope.HeadscopeError):
            model.sweep("cat box", against=by_default, **asked)

    def test_all_layers_are_one_call(self):
        model = headscope.Model(STORIES)
        short = ["weights", "q", "k", "v", "z", "stream"]
        found = model.run(TEXT, layers="all", stages=short)
        self.assertEqual(found.layers, [0, 1, 2, 3])
        with tempfile.TemporaryDirectory() as folder:
            for layer in range(4):
                alone = exported(f"{folder}/{layer}", "--model", STORIES, "--phrase", TEXT, "--layer", str(layer), "--export",
                                 "weights,query,key,value,context,stream")
                for name, full in zip(short, ("weights", "query", "key", "value", "context")):
                    np.testing.assert_array_equal(found[name][layer], alone[full])
                    np.testing.assert_array_equal(found[full][layer], alone[full])
                np.testing.assert_array_equal(found["stream"], alone["stream"])
        some = model.run(TEXT, layers=[2, 0], stages="weights")
        np.testing.assert_array_equal(some["weights"], found["weights"][[2, 0]])
        self.assertEqual(list(model.run(TEXT, layers="all", stages="logits")), ["logits"])
        with self.assertRaisesRegex(headscope.HeadscopeError, "layer"):
            model.run(TEXT, layers=[9], stages="weights")
        with self.assertRaises(headscope.RefusedError):
            headscope.run(phrase="a b", heads=2, d_model=8, layers="all")
        with self.assertRaises(KeyError):
            found["output"]


    def test_layers_of_unlike_sizes_are_a_list(self):
        def once(stages, request):
            self.assertEqual((stages, request), ("key", {"layers": "all"}))
            keys = {f"key.l{layer}": np.zeros((1, 2 + layer, 3, 4)) for layer in (0, 1)}
            return keys, {"model": {"num_layers": 2, "layer": 1, "name": "m"}}

        with unittest.mock.patch.object(headscope._run, "_run_once", once):
            found = headscope.run(layers="all", stages=["k"])
        self.assertEqual([part.shape for part in found["k"]], [(1, 2, 3, 4), (1, 3, 3, 4)])
        self.assertIn("of unlike layers", repr(found))
        self.assertIn("<table", found._repr_html_())


class Hooks(unittest.TestCase):
    def test_functions_see_what_the_run_has_and_put_what_they_return(self):
        model, seen = headscope.Model(STORIES), {}

        def note(name, change):
            def function(array):
                seen[name] = array.copy()
                return change(array)
            return function

        def cleared(weights):  # in place, and nothing is returned
            weights[:, 3] = 0

        found = model.run(TEXT, stages="logits", hooks=[("3/stream", note("stream 3", lambda x: x + 1)),
                                                        ("2/stream", note("stream 2", lambda x: 2 * x)),
                                                        ("1/weights", note("weights", cleared)), ("3/q", note("q", np.negative)),
                                                        ("3/stream", note("again", lambda x: x * 0.5))])
        self.assertEqual(list(seen), ["weights", "stream 2", "stream 3", "again", "q"])
        # The same on the command line, step by step.
        with tempfile.TemporaryDirectory() as folder:
            places, on = [], ("--model", STORIES, "--phrase", TEXT)

            def step(place, name, layer, change):
                words = ["--set", ";".join(places)] if places else []
                array = exported(f"{folder}/{len(places)}", *on, "--layer", layer, "--export", name, *words)[name]
                array = array[int(layer)] if name == "stream" else array
                np.save(f"{folder}/{len(places)}.npy", change(array))
                places.append(f"{place}={folder}/{len(places)}.npy")
                return array

            def without(weights):
                return np.where(np.arange(8)[:, None, None] == 3, np.float32(0), weights)
            np.testing.assert_array_equal(step("1/weights", "weights", "1", without), seen["weights"])
            np.testing.assert_array_equal(step("2/stream", "stream", "2", lambda x: 2 * x), seen["stream 2"])
            np.testing.assert_array_equal(step("3/stream", "stream", "3", lambda x: (x + 1) * np.float32(0.5)), seen["stream 3"])
            np.testing.assert_array_equal(step("3/query", "query", "3", np.negative), seen["q"])
            expected = exported(folder + "/end", *on, "--export", "logits", "--set", ";".join(places))["logits"]
        np.testing.assert_array_equal(found["logits"], expected)
        self.assertGreater(np.abs(found["logits"] - model.run(TEXT, stages="logits")["logits"]).max(), 0.1)

    def test_a_function_stands_where_the_stage_is_exported_in_models_of_many_kinds(self):
        folders = sorted(path.parent for path in (ROOT / "tests" / "golden" / "models").glob("*/config.json"))[::12]
        self.assertGreaterEqual(len(folders), 5)
        checked = 0
        for folder in folders:
            model, ids = headscope.Model(folder), [3, 4, 5, 6]
            for stage in ("stream", "attention_out", "mlp_out"):
                try:
                    plain = model.run(ids, stages=[stage])[stage]
                except headscope.RefusedError:  # a model that reads pictures, or has no MLP
                    continue
                layer = len(plain) - (2 if stage == "stream" else 1)
                found = model.run(ids, stages=[stage], hooks=[(f"{layer}/{stage}", lambda x: x + 0.25)])[stage]
                np.testing.assert_allclose(found[layer], plain[layer] + np.float32(0.25), atol=1e-6, err_msg=f"{folder.name} {stage}")
                checked += 1
        self.assertGreaterEqual(checked, 12)

    def test_every_command_on_one_run_has_them(self):
        model, double = headscope.Model(STORIES), [("1/stream", lambda x: 2 * x)]
        twice = {"1/stream": 2 * model.run(TEXT, stages="stream")["stream"][1]}
        asked = dict(at=-1, token="5", by="heads")
        found = model.attribute(TEXT, hooks=double, **asked)
        self.assertEqual(found.json, model.attribute(TEXT, set=twice, **asked).json)
        self.assertNotEqual(found.json, model.attribute(TEXT, **asked).json)
        np.testing.assert_array_equal(model.lens(TEXT, hooks=double).logits, model.lens(TEXT, set=twice).logits)
        with self.assertRaisesRegex(ValueError, "more than one text"):
            model.generate(TEXT, tokens=2, hooks=double)

    def test_they_act_after_what_is_set_and_keep_other_places(self):
        model, ones = headscope.Model(STORIES), np.ones(128)
        plain = model.run(TEXT, stages="stream")["stream"][1]
        for given in ({"1/stream:0": ones}, "1/stream:0=1"):
            found = model.run(TEXT, stages="stream", set=given, add={"2/stream:0": ones}, hooks=[("1/stream", lambda x: x + 1)])
            np.testing.assert_array_equal(found["stream"][1][0, 0], 2 * ones)
            np.testing.assert_array_equal(found["stream"][1][0, 1:], plain[0, 1:] + 1)

    def test_what_cannot_be_is_said_before_a_number_is_wrong(self):
        model, ones = headscope.Model(STORIES), np.ones(128)
        for hooks, options, words in (
                ([("1/stream", lambda x: x[:, :1])], {}, r"1/stream returned \[1, 1, 128\]; expected \[1, 4, 128\]"),
                ([("1/stream:0", abs)], {}, "LAYER"), (["stream"], {}, "pairs"), ([("1/stream", 3)], {}, "function"),
                ([("1/stream", np.negative)], {"add": {"1/stream:0": ones}}, "add acts on 1/stream"),
                ([("1/stream", np.negative)], {"project_out": {"1/stream": ones}}, "project_out acts"),
                ([("z", np.negative)], {"edit": "context:0,0,0,0=1"}, "edit acts on z"),
                ([("3/weights", np.negative)], {"edit": {"weights:0,0,0,0": 1}}, "edit acts"),
                ([("1/nothing", abs)], {}, "nothing"), ([("9/stream", abs)], {}, "layer")):
            with self.assertRaisesRegex(ValueError, words):
                model.run(TEXT, hooks=hooks, **options)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "s.json")
            path.write_text(json.dumps({"model": STORIES, "phrase": TEXT, "set": "1/stream:0=1"}))
            with self.assertRaisesRegex(ValueError, "session"):
                headscope.run(session=path, hooks=[("2/stream", np.negative)])


    def test_a_stream_of_two_stacks_has_no_hook(self):
        def once(stages, request):
            return {"stream": np.zeros((3, 1, 2, 4))}, {"request": request, "model": {"layer": 1}}

        with unittest.mock.patch.object(headscope._run, "_run_once", once), self.assertRaisesRegex(ValueError, "encoder"):
            headscope.run(phrase="a", decoder_ids=[0], hooks=[("1/stream", np.negative)])


class Torch(unittest.TestCase):
    def test_hooks_do_what_those_of_pytorch_do(self):
        try:
            import torch
            import gpt2
        except ImportError:
            self.skipTest("PyTorch was not found: sudo apt-get install python3-torch")
        torch.manual_seed(4)
        net = gpt2.Gpt2().eval()
        ids = [3, 1, 4, 1, 5, 9, 2, 6]
        direction = np.random.default_rng(2).standard_normal(gpt2.WIDTH).astype(np.float32)
        # What enters layer 1 is turned, what attention of layer 2 writes is halved, its MLP loses a direction.
        handles = [net.h[1].register_forward_pre_hook(lambda module, given: (given[0].flip(-1),)),
                   net.h[2].attn.register_forward_hook(lambda module, given, out: out * 0.5),
                   net.h[2].mlp["c_proj"].register_forward_hook(lambda module, given, out: out - torch.from_numpy(direction))]
        with torch.no_grad():
            expected = net(torch.tensor([ids])).numpy()
            for handle in handles:
                handle.remove()
            plain = net(torch.tensor([ids])).numpy()
        with tempfile.TemporaryDirectory() as folder:
            gpt2.save_checkpoint(net, folder)
            found = headscope.Model(folder).run(ids, stages="logits", hooks=[
                ("2/attention_out", lambda x: torch.from_numpy(x) * 0.5), ("2/mlp_out", lambda x: x - direction),
                ("1/stream", lambda x: x[..., ::-1])])
        np.testing.assert_allclose(found["logits"], expected, atol=2e-5)
        self.assertGreater(np.abs(plain - expected).max(), 0.5)


if __name__ == "__main__":
    unittest.main()
