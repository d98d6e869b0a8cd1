"""Arrays of one's own in the stages of a PyTorch model, against headscope-cli: own_arrays_test.py HEADSCOPE_CLI"""
import json
import math
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
from on_gpt2 import HEADS, IDS, OTHER_IDS, TOLERANCE, WIDTH, OnGpt2, headscope, np, torch  # noqa: E402


class OwnArrays(OnGpt2):
    def test_own_arrays_of_every_stage(self):
        random = np.random.default_rng(4)
        sizes = {"stream": WIDTH, "input": WIDTH, "qkv": 3 * WIDTH, "query_proj": WIDTH, "key_proj": WIDTH,
                 "value_proj": WIDTH, "concat": WIDTH, "output": WIDTH, "query": WIDTH // HEADS, "key": WIDTH // HEADS,
                 "value": WIDTH // HEADS, "z": WIDTH // HEADS, "raw_scores": len(IDS), "scores": len(IDS),
                 "masked_scores": len(IDS), "weights": len(IDS)}
        for stage, size in sizes.items():
            row = random.standard_normal(size).astype(np.float32)
            rows = random.standard_normal((2, size)).astype(np.float32)
            comma = "," if size <= WIDTH // HEADS else ""
            for options in ({"set": {f"1/{stage}": 0.25}}, {"add": {f"1/{stage}:{comma}0..2": (row, -0.5)}},
                            {"set": {f"1/{stage}:{comma}-2..-1": rows}, "add": {f"0/{stage}:{comma}6": row}},
                            {"project_out": {f"1/{stage}:{comma}1..6": row}}):
                if stage == "masked_scores":  # numbers that are -inf have no place along a direction
                    options.pop("project_out", None)
                if options:
                    with self.subTest(str(options)):
                        self.both(least=1e-4, **options)

    def test_own_arrays_of_parts_heads_and_whole_stages(self):
        random = np.random.default_rng(5)
        length, size = len(IDS), WIDTH // HEADS
        one, two = (random.standard_normal((count, length, size)).astype(np.float32) for count in (1, HEADS))
        for options in ({"set": {"1/z:2": one[0]}}, {"set": {"1/z:2": one}}, {"set": {"1/z:2,3..4": two}},
                        {"add": {"1/value": two}}, {"add": {"1/value:1,-1": two}}, {"set": {"0/output": random.standard_normal(
                            (1, length, WIDTH)).astype(np.float32)}}, {"set": {"z:1": 0, "z:2,0": 1}},
                        {"set": {"1/stream:3": 0.0}, "add": {"1/stream:3": random.standard_normal(WIDTH)},
                         "project_out": {"1/stream": random.standard_normal(WIDTH)}, "edit": "1/input:0,3,5=2",
                         "ablate": "1.1", "freeze": "2.0=uniform"}):
            with self.subTest(str(options)):
                self.both(least=1e-4, **options)

    def test_own_arrays_of_files_and_sessions(self):
        random = np.random.default_rng(6)
        small, large = random.standard_normal(WIDTH).astype(np.float32), random.standard_normal((len(IDS), WIDTH)).astype(np.float32)
        file = pathlib.Path(self.folder, "small.npy")
        np.save(file, small)
        self.both(add=f"1/stream:-1={file}*2.5;off:1/stream=none.npy", set="2/z:1=0")
        kept = headscope.run(model=self.folder, token_ids=IDS, export=["weights"], add={"1/stream:-1": (small, 2.5), "0/output": large})
        with headscope.intervene(self.model, kept):  # the run carries its arrays, whose files are gone
            mine = self.logits()
        np.testing.assert_allclose(mine, self.theirs(add={"1/stream:-1": (small, 2.5), "0/output": large}), atol=TOLERANCE, rtol=0)
        with headscope.intervene(self.model, {"add": {"1/stream:-1": (torch.from_numpy(small), 2.5)}}):
            mine = self.logits()
        np.testing.assert_allclose(mine, self.theirs(add={"1/stream:-1": (small, 2.5)}), atol=TOLERANCE, rtol=0)
        session = pathlib.Path(self.folder, "own.json")
        request = {"headscope": "0.1.0", "model": self.folder, "token_ids": ",".join(map(str, IDS)), "add": f"1/stream:-1={file}"}
        session.write_text(json.dumps(request))
        self.both(source=session, add={"1/stream:-1": small})
        session.write_text(json.dumps({**request, "arrays": [{"file": str(file), "sha256": "0" * 64}]}))
        with self.assertRaisesRegex(ValueError, "not those that the session was saved with"):
            headscope.intervene(self.model, session)
        session.write_text(json.dumps({**request, "arrays": [{"file": str(file), "sha256": "0" * 64, "shape": [WIDTH],
                                                              "values": small.tolist()}]}))
        with self.assertRaisesRegex(ValueError, "not those that the session was saved with"):
            headscope.intervene(self.model, session)
        arrays = headscope.run(session=str(self._plain_session(request)), export=["weights"]).manifest["request"]["arrays"]
        session.write_text(json.dumps({**request, "arrays": [{key: each[key] for key in ("file", "sha256")} for each in arrays]}))
        self.both(source=session, add={"1/stream:-1": small})

    def _plain_session(self, request):
        path = pathlib.Path(self.folder, "plain.json")
        path.write_text(json.dumps(request))
        return path

    def test_of_terms_about_the_same_the_last_counts(self):
        for options in ({"set": "1/z:1=5;off:1/z:1=7;2/z:0=0"}, {"ablate": "0.1,off:0.1,2.0"}, {"set": "1/z:1=nope.npy;1/z:1=5"},
                        {"edit": "1/scores:0,0,3,1=2;off:1/scores:0,0,3,1=3;2/output:0,6,1=1"}, {"set_": {"1/z:1": 2.0}},
                        {"set": {"1/z:1": 2.0, "off:1/z:2": 1.0}}):
            with self.subTest(str(options)):
                self.both(**options)
        session = pathlib.Path(self.folder, "lists.json")
        session.write_text(json.dumps({"model": self.folder, "token_ids": ",".join(map(str, IDS)), "set": ["1/z:1=0", "2/z:0=1"]}))
        self.both(source=session, set="1/z:1=0;2/z:0=1")
        self.both(source={"session": session, "ablate": "0.0"}, set="1/z:1=0;2/z:0=1", ablate="0.0")

    def test_a_run_with_a_patch_is_a_source(self):
        wanted = {"patch": "1/stream@A;2/scores:1@A", "patch_from": {"model": self.folder, "token_ids": OTHER_IDS}}
        self.both(source=headscope.run(model=self.folder, token_ids=IDS, export=["weights"], **wanted), **wanted)

    def test_own_arrays_beside_those_of_a_run(self):
        row = np.random.default_rng(7).standard_normal(WIDTH).astype(np.float32)
        kept = headscope.run(model=self.folder, token_ids=IDS, export=["logits"], add={"1/stream:-1": row})
        again = headscope.run(**{**kept.request, "set": {"2/z:1": row[:WIDTH // HEADS]}}, export=["logits"])
        other = headscope.run(**{**kept.request, "add": {"0/stream:-1": row}}, export=["logits"])
        both = self.theirs(add={"1/stream:-1": row}, set={"2/z:1": row[:WIDTH // HEADS]})
        np.testing.assert_allclose(again["logits"][0], both, atol=TOLERANCE, rtol=0)
        np.testing.assert_allclose(other["logits"][0], self.theirs(add={"0/stream:-1": row}), atol=TOLERANCE, rtol=0)

    def test_inputs_that_differ_and_blocks_that_never_run(self):
        torch.manual_seed(9)

        class Cross(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.q, self.k, self.v, self.o = (torch.nn.Linear(WIDTH, WIDTH) for _ in range(4))

            def forward(self, x, y, keys_first=False):
                if keys_first:
                    k, v, q = self.k(y), self.v(y), self.q(x)
                else:
                    q, k, v = self.q(x), self.k(y), self.v(y)
                q, k, v = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in (q, k, v))
                return self.o((torch.softmax(q @ k.mT / math.sqrt(WIDTH // HEADS), -1) @ v).transpose(1, 2).flatten(2))

        model = Cross().eval()
        layers = [headscope.Attention(heads=HEADS, query=model.q, key=model.k, value=model.v, output=model.o, causal=False)]
        x, y = torch.randn(1, 5, WIDTH), torch.randn(1, 6, WIDTH)
        changed = x.clone()
        changed[:, 1] = 0.5
        with torch.no_grad(), headscope.intervene(model, {"set": {"input:1": 0.5}}, layers=layers):
            found, alike = model(x, y), model(x, x)
        with torch.no_grad():
            self.assertTrue(torch.equal(found, model(changed, y)), "keys and values have another input")
            self.assertTrue(torch.equal(alike, model(changed, changed)), "and the same where it is the same")
            with headscope.intervene(model, {"set": {"input:1": 0.5}}, layers=layers):
                with self.assertRaisesRegex(RuntimeError, "projects key first"):
                    model(x, y, keys_first=True)
        layers[0].block = torch.nn.Linear(2, 2)
        with torch.no_grad(), self.assertRaisesRegex(RuntimeError, "never ran"):
            with headscope.intervene(model, {"set": {"stream:1": 0.5}}, layers=layers):
                model(x, y)

    def test_own_arrays_that_do_not_fit_are_said(self):
        for options, words in (({"set": {"1/stream": np.zeros(WIDTH + 1)}}, r"does not fit stream of layer 1; expected \[32\]"),
                               ({"set": {"1/z:1,2..4": np.zeros((2, WIDTH // HEADS))}}, "does not fit context"),
                               ({"set": {"1/stream:7": 0}}, "no position 7"), ({"set": {"1/stream:-8": 0}}, "no position -8"),
                               ({"set": {"1/stream:5..7": 0}}, r"no positions 5\.\.7"),
                               ({"project_out": {"1/stream": np.zeros(WIDTH)}}, "direction of zeros")):
            with self.subTest(str(options)), headscope.intervene(self.model, options), self.assertRaisesRegex(ValueError, words):
                self.logits()
            with self.assertRaises(headscope.HeadscopeError):
                self.theirs(**options)


if __name__ == "__main__":
    unittest.main()
