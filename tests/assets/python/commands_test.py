"""Every command of headscope-cli as a function, against its own JSON and against formulas: commands_test.py HEADSCOPE_CLI"""
import copy
import json
import math
import pathlib
import pickle
import tempfile
import unittest
import warnings

from package import CLI, ROOT, as_json, said

import numpy as np

import headscope
from headscope import _commands, _records
from headscope._arrays import read_safetensors

MODEL, TEXT, OTHER = "demo:induction", "cat box ink fox cat", "dog box ink fox dog"
ON = ("--model", MODEL, "--phrase", TEXT)
IN = dict(model=MODEL, phrase=TEXT)
FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def equal(found, printed, at="answer"):
    """AssertionError where a record does not hold what was printed: every key, every number."""
    if isinstance(printed, dict):
        for key, value in printed.items():
            part = found[key] if isinstance(found, dict) else getattr(found, key if key.isidentifier() and key not in
                                                                      ("from", "as") else key + "_")
            equal(part, value, f"{at}.{key}")
    elif isinstance(printed, list):
        assert len(found) == len(printed), f"{at}: {len(found)} of {len(printed)}"
        for place, value in enumerate(printed):
            equal(found[place], value, f"{at}[{place}]")
    elif isinstance(printed, (int, float)) or (isinstance(found, (float, np.floating)) and printed in (None, *FINITE)):
        expected = math.nan if printed is None else FINITE.get(printed, printed)
        assert not isinstance(found, str), f"{at} is {found!r}, a text"
        assert found == expected or (math.isnan(found) and math.isnan(expected)), f"{at}: {found} is not {expected}"
    else:
        assert found == printed, f"{at}: {found!r} is not {printed!r}"


class Answers(unittest.TestCase):
    """What a function returns is what the command prints, for words that are written here by hand."""

    def test_records_hold_every_number_that_is_printed(self):
        with tempfile.TemporaryDirectory() as folder:
            against = f"{folder}/other.json"
            pathlib.Path(against).write_text(json.dumps({"model": MODEL, "phrase": OTHER}))
            sweep, other = ("sweep", *ON, "--against", against), {"against": {"phrase": OTHER}}
            metric = ("--metric", "logit:box-ink")
            cases = [
                (("explain", *ON, "--stage", "weights", "--at", "0,2,3,1"), dict(stage="weights", at=(0, 2, 3, 1), **IN)),
                (("explain", *ON, "--stage", "stream", "--at", "1,0,-1,5"), dict(stage="stream", at=[1, 0, -1, 5], **IN)),
                (("sensitivity", *ON, "--stage", "weights", "--at", "0,7,4,1"), dict(stage="weights", at="0,7,4,1", **IN)),
                (("attribute", *ON, "--at", "4", "--token", "box"), dict(at=np.int64(4), token="box", **IN)),
                (("attribute", *ON, "--at", "4", "--token", "box,ink", "--by", "heads"),
                 dict(at=4, token=["box", "ink"], by="heads", **IN)),
                (("attribute", *ON, "--at", "-1", "--token", "box", "--loss", "--by", "sources"),
                 dict(at=-1, token="box", loss=True, by="sources", **IN)),
                (("score", *ON, "--layer", "1", "--head", "7", "--at", "4,1"), dict(layer=1, head=7, at=(4, 1), **IN)),
                (("compare", *ON, "--against", against), {**other, **IN}),
                ((*sweep, "--patch", "heads", *metric), dict(patch="heads", metric=metric[1], **other, **IN)),
                ((*sweep, "--patch", "positions", *metric), dict(patch="positions", metric=metric[1], **other, **IN)),
                ((*sweep, "--patch", "paths", "--from", "0:7", *metric, "--estimate"),
                 dict(patch="paths", from_=(0, 7), metric=metric[1], estimate=True, **other, **IN)),
                (("sweep", *ON, "--ablation", "zero", "--patch", "heads", *metric, "--estimate-only"),
                 dict(ablation="zero", patch="heads", metric=metric[1], estimate_only=True, **IN)),
                (("gradients", *ON, "--metric", "logit:box", "--steps", "3"), dict(metric="logit:box", steps=3, **IN)),
                (("circuits", "--model", MODEL), dict(model=MODEL)),
                (("circuits", "--model", MODEL, "--by", "singular"), dict(model=MODEL, by="singular")),
                (("circuits", "--model", MODEL, "--by", "tokens", "--head", "1:7", "--token", "box"),
                 dict(model=MODEL, by="tokens", head=(1, 7), token="box")),
                (("circuits", "--model", MODEL, "--by", "directions", "--head", "1:7", "--top", "2"),
                 dict(model=MODEL, by="directions", head="1:7", top=2)),
                (("precision", *ON, "--stage", "weights", "--formats", "f16,bf16", "--by", "heads"),
                 dict(stage="weights", formats=["f16", "bf16"], by="heads", **IN)),
                (("generate", *ON, "--tokens", "3", "--sample", "top-k:4", "--ablate", "1.3,0.2"),
                 dict(tokens=3, sample="top-k:4", ablate=[(1, 3), (0, 2)], **IN)),
                (("tokenize", *ON), dict(**IN)),
                (("info", MODEL), dict(path=MODEL)),
                (("info", against), dict(path=pathlib.Path(against))),
                (("info", "--families"), dict(families=True)),
            ]
            for words, request in cases:
                with self.subTest(" ".join(words)):
                    equal(getattr(headscope, words[0])(**request), as_json(*words))
        self.assertEqual({words[0] for words, _ in cases} | {"scan", "merge", "report", "script", "bench", "doctor", "worksheet", "handout"},
                         {name for name, row in _commands.COMMANDS.items() if not row.own and not row.why_not},
                         "a command without a case")

    def test_a_corpus_is_scanned_merged_and_reported(self):
        texts = ["cat box ink cat box", "box ink fox\tbox ink", "'owl' & co"]
        with tempfile.TemporaryDirectory() as folder:
            scanned = headscope.scan(model=MODEL, phrases=texts, out=f"{folder}/all.hsagg")
            self.assertEqual(scanned.corpus.phrases, 3)
            parts = [f"{folder}/{shard}.hsagg" for shard in range(2)]
            for shard, part in enumerate(parts):
                headscope.scan(model=MODEL, phrases=texts, shard=f"{shard}/2", out=part)
            with self.assertWarnsRegex(UserWarning, "all 3 phrases"):
                merged = headscope.merge(parts, out=f"{folder}/both.hsagg")
            self.assertEqual(len(merged.notices), 1)
            self.assertEqual(merged.corpus.tokens, scanned.corpus.tokens)
            report = headscope.report(f"{folder}/both.hsagg")
            printed = as_json("report", f"{folder}/all.hsagg")
            equal(report, printed)
            entropy = report.array("entropy")
            self.assertEqual(entropy.shape, (2, 8))
            for head in printed["heads"]:
                self.assertEqual(entropy[head["layer"], head["head"]], head["entropy"])
            tables = headscope.report(f"{folder}/both.hsagg", format="csv", out=f"{folder}/tables")
            self.assertTrue((tables / "heads.csv").exists())
            headscope.scan(model="demo:stories", phrases=texts, out=f"{folder}/stories.hsagg")
            with self.assertRaisesRegex(ValueError, "--against.*not of one corpus"):
                headscope.report(f"{folder}/all.hsagg", against=f"{folder}/stories.hsagg")
            changed = headscope.report(f"{folder}/all.hsagg", against=pathlib.Path(folder, "both.hsagg"))
            equal(changed, as_json("report", f"{folder}/all.hsagg", "--against", f"{folder}/both.hsagg"))
            self.assertEqual(changed.notes, ["A and B are of the same model"])
            np.testing.assert_array_equal(changed.array("entropy"), np.zeros((2, 8)))
            np.testing.assert_array_equal(changed.array("entropy", of="a"), entropy)
            self.assertIn("<table", changed._repr_html_())
            picture = headscope.explain(stage="weights", at=(0, 0, 1, 0), out=pathlib.Path(folder, "cell.svg"), **IN)
            self.assertIn(b"<svg", picture.read_bytes())
            sheets = headscope.worksheet(out=f"{folder}/class.pdf", sheets=3, cells=["weights:2", "output"],
                                         solutions=f"{folder}/class.csv")
            self.assertEqual(sheets.read_bytes()[:5], b"%PDF-")
            self.assertEqual(len(pathlib.Path(folder, "class.csv").read_text().splitlines()), 1 + 3 * 3)
            lesson = pathlib.Path(folder, "lesson.json")
            lesson.write_text(json.dumps({"headscope": "1.1.0", "model": MODEL, "phrase": "cat box ink cat", "window": {
                "lesson": [{"words": "It looks <back>.", "view": {"head": 7}}, {"words": "", "view": {}}]}}))
            page = headscope.handout(session=lesson, title="Cats", out=f"{folder}/lesson.html")
            self.assertIn("It looks &lt;back&gt;.", page.read_text())
            paper = headscope.handout(session=lesson, paper="letter", stops_per_page=1, out=f"{folder}/lesson.pdf")
            self.assertEqual(paper.read_bytes()[:5], b"%PDF-")
            self.assertTrue((headscope.script(as_="numpy", out=f"{folder}/code", **IN) / "attention_numpy.py").exists())

    def test_tables_of_a_machine_and_scripts(self):
        self.assertIn(headscope.version(), headscope.doctor().version)
        bench = headscope.bench(size=["1,8,16,16,2,causal", "attn:16,2,8,causal"], threads=1)
        self.assertEqual([one.size for one in bench.results], ["1,8,16,16,2,causal", "attn:16,2,8,causal"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.assertIn("import numpy", headscope.script(as_="numpy", **IN))
        spelled = headscope.tokenize(model=MODEL, phrases=["cat", "box ink"])
        self.assertEqual([one.tokens for one in spelled], [["cat"], ["box", "ink"]])

    def test_a_sweep_over_pairs_and_one_beside_hooks(self):
        with tempfile.TemporaryDirectory() as folder:
            pairs = pathlib.Path(folder, "pairs.jsonl")
            pairs.write_text("".join(json.dumps({"clean": f"{one} box ink fox {one}", "corrupt": f"{one} ink box fox {one}",
                                                 "answer": "box", "other": "ink"}) + "\n" for one in ("cat", "jam")))
            asked = dict(model=MODEL, pairs=str(pairs), patch="heads", metric="logit:answer-other")
            found = headscope.sweep(**asked)
            equal(found, as_json("sweep", "--model", MODEL, "--pairs", str(pairs), "--patch", "heads", "--metric",
                                 "logit:answer-other"))
        self.assertGreater(found.a.mean, found.b.mean)
        self.assertEqual(found.a.same_sign, 1)
        self.assertEqual(found.values.shape, (2, 8))
        asked = dict(patch="heads", metric="logit:box", ablation="zero", **IN)
        plain, halved = headscope.sweep(**asked), headscope.sweep(hooks=[("1/z", lambda z: 0.5 * z)], **asked)
        self.assertNotEqual(plain.b, halved.b)

    def test_arrays_are_what_the_lists_say(self):
        sweep = headscope.sweep(patch="heads", metric="logit:box-ink", against={"phrase": OTHER}, **IN)
        self.assertEqual((sweep.axes, sweep.values.shape), (("layer", "head"), (2, 8)))
        for cell in sweep.json["cells"]:
            self.assertEqual(sweep.values[cell["layer"], cell["head"]], cell["value"])
        # The same by numbers of A that are put in by hand.
        other = headscope.run(model=MODEL, phrase=OTHER, layers="all", stages="z")["z"]
        for layer, head in ((0, 5), (1, 3)):
            patched = headscope.run(stages="logits", set={f"{layer}/z:{head}": other[layer, 0, head]}, **IN)["logits"][0, -1]
            ids = headscope.tokenize("box ink", model=MODEL).ids
            self.assertAlmostEqual(sweep.values[layer, head], float(patched[ids[0]]) - float(patched[ids[1]]), delta=1e-5)
        paths = headscope.sweep(patch="paths", into="1:7", metric="logit:box", against={"phrase": OTHER}, **IN)
        self.assertEqual(paths.axes, ("layer", "head", "stage", "from_layer", "from_head"))
        self.assertEqual(paths.values.shape, (2, 8, 3, 1, 8))
        self.assertEqual(int(np.isfinite(paths.values).sum()), len(paths.cells))
        stages = headscope.sweep(patch="stages", metric="logit:box", against={"phrase": OTHER}, **IN)
        self.assertEqual(stages.labels["stage"], ["query", "key", "value", "weights", "context", "output"])
        parts = headscope.attribute(at=4, token="box", by="sources", **IN)
        heads = headscope.attribute(at=4, token="box", by="heads", **IN).heads
        np.testing.assert_allclose(parts.sources.sum(-1), heads, atol=1e-5)
        np.testing.assert_array_equal(parts.heads, parts.sources.sum(-1))
        composed = headscope.circuits(model=MODEL).composition("key")
        for cell in as_json("circuits", "--model", MODEL)["cells"]:
            if cell["kind"] == "key":
                self.assertEqual(composed[cell["layer"], cell["head"], cell["from_layer"], cell["from_head"]], cell["value"])

    def test_two_models_beside_each_other_are_maps_of_heads(self):
        found = headscope.compare(against={}, ablate=[(1, 3)], **IN)
        for name in ("weights", "context", "qk", "ov"):
            wanted = np.zeros((2, 8))
            if name == "context":
                wanted[1, 3] = 1  # a head whose context is 0 is its whole size apart
            np.testing.assert_array_equal(found.array(name), wanted, name)
        self.assertEqual((found.layers[0].moved, found.no_layers, found.first_heads.text.head), ([], None, 3))
        self.assertIn("of layer 1", found.divergence)
        self.assertIn("of every head", found._repr_html_())
        with self.assertRaisesRegex(ValueError, "A has 2 layers of 8 heads, B"):
            headscope.compare(model="demo:stories", phrase="a b", against={"model": MODEL, "phrase": TEXT}).array("qk")
        with self.assertRaisesRegex(ValueError, "neither is a whole model"):
            headscope.compare(model="seeded", phrase="a b", against={}).array("qk")

    def test_answers_are_copied_and_kept(self):
        found = headscope.attribute(at=4, token="box", **IN)
        for again in (copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
            equal(again, found.json)
        self.assertEqual((found["total"], "total" in found, "nothing" in found, found["parts"]), (found.total, True, False, found.parts))
        direction = headscope.circuits(model=MODEL, by="directions", head="1:7", top=1).qk[0]
        self.assertEqual(direction["from"], direction.from_)
        with self.assertRaises(KeyError):
            found["nothing"]
        run = headscope.run(layers="all", stages="q", **IN)
        again = pickle.loads(pickle.dumps(run))
        np.testing.assert_array_equal(again["q"], run["query"])
        self.assertEqual((again.layers, again.tokens, "q" in again, again.get("z")), ([0, 1], TEXT.split(), True, None))
        with self.assertRaisesRegex(AttributeError, "no 'nothing'; found total"):
            found.nothing

    def test_two_records_at_one_place_are_an_error(self):
        cells = [headscope._surveys.Head(0, 1), headscope._surveys.Head(0, 1)]
        with self.assertRaises(ValueError):
            _records.grid(cells, ("layer", "head"), "layer")


class Formulas(unittest.TestCase):
    """In float64, from the tensors of the checkpoint's file."""

    def test_a_lens_is_the_final_norm_and_the_output_head_of_every_stream(self):
        lens = headscope.lens(**IN)
        stream = headscope.run(stages="stream", **IN)["stream"][:, 0].astype(np.float64)
        tensors = read_safetensors(ROOT / "assets" / "demos" / "induction" / "model.safetensors")
        centred = stream - stream.mean(-1, keepdims=True)
        normed = centred / np.sqrt(centred.var(-1, keepdims=True) + 1e-5) * tensors["norm.weight"] + tensors["norm.bias"]
        logits = normed @ tensors["output.weight"].astype(np.float64).T
        shares = np.exp(logits - logits.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        np.testing.assert_array_equal(lens.ids, logits.argmax(-1))
        np.testing.assert_allclose(lens.logits, logits.max(-1), atol=2e-5)
        np.testing.assert_allclose(lens.probabilities, shares.max(-1), atol=1e-5)
        self.assertEqual(lens.rows, ["embeddings", "layer 0", "layer 1"])
        self.assertEqual(lens.tokens.shape, (3, 5))

    def test_gradients_are_slopes_and_their_sums(self):
        found = headscope.gradients(metric="logit:box", arrays=True, **IN)
        for layer in range(2):
            product = found.weights[layer].astype(np.float64) * found.gradient[layer]
            np.testing.assert_allclose(found.sums[layer], product.sum((0, 2, 3)), atol=1e-5)
        # A weight a little larger changes the logit by its gradient.
        box, step = headscope.tokenize("box", model=MODEL).ids[0], 0.02
        up, down = (found.weights[1].copy() for _ in range(2))
        up[0, 2, 4, 1] += step
        down[0, 2, 4, 1] -= step
        logits = [headscope.run(stages="logits", set={"1/weights": one}, **IN)["logits"][0, 4, box] for one in (up, down)]
        self.assertAlmostEqual((float(logits[0]) - float(logits[1])) / (2 * step), float(found.gradient[1][0, 2, 4, 1]), delta=2e-3)

    def test_numbers_that_are_not_finite_come_as_such(self):
        draw = np.random.default_rng(3)
        q, k, v = (draw.standard_normal((1, 1, 2, 4)) for _ in range(3))
        asked = dict(query=q, key=k, value=v, mask=np.array([[True, False], [False, False]]))
        shown = headscope.explain(stage="weights", at=(0, 0, 0, 0), **asked)
        self.assertEqual((shown.value, shown.operands[1].value), (1.0, -math.inf))
        self.assertTrue(math.isnan(headscope.explain(stage="weights", at=(0, 0, 1, 0), **asked).value))
        self.assertTrue(any("nan" in notice for notice in headscope.run(**asked).notices))
        run = headscope.run(metrics=True, **IN)
        self.assertEqual(run.notices, [])
        self.assertTrue(np.isnan(run.metrics["local"]).all())
        self.assertEqual(run.metrics["entropy"].shape, (2, 8))

    def test_what_is_refused_has_the_sentence_of_the_command_line(self):
        with self.assertRaises(headscope.RefusedError) as refused:
            headscope.attribute(at=99, token="box", **IN)
        self.assertEqual(refused.exception.code, 2)
        self.assertIn("--at", str(refused.exception))
        with self.assertRaises(headscope.HeadscopeError) as missing:
            headscope.report("nowhere.hsagg")
        self.assertEqual(missing.exception.code, 3)
        with self.assertRaisesRegex(ValueError, "set"):  # and no path of a temporary folder
            headscope.attribute(at=0, token="box", set={"1/stream": np.ones(3)}, **IN)
        with self.assertRaisesRegex(TypeError, "set.*expected numbers"):
            headscope.run(set={"1/stream": np.array(["a"])}, **IN)
        for wrong in (dict(out="x"), dict(layers="some"), dict(layers=[]), dict(layers="all", layer=1), dict(export="q", stages="q")):
            with self.assertRaises(ValueError):
                headscope.run(**wrong, **IN)


if __name__ == "__main__":
    unittest.main()
