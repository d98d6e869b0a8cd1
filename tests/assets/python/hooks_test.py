"""Interventions as hooks of PyTorch models, against what headscope-cli computes: hooks_test.py HEADSCOPE_CLI"""
import json
import math
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
from on_gpt2 import HEADS, IDS, LONGER_IDS, OTHER_IDS, TOLERANCE, WIDTH, Gpt2, OnGpt2, headscope, np, torch  # noqa: E402


class Hooks(OnGpt2):
    def test_the_model_is_the_programs_without_any(self):
        np.testing.assert_allclose(self.plain, self.theirs(), atol=TOLERANCE, rtol=0)

    def test_heads_that_are_off(self):
        self.both(ablate="0.1,1.3,off:2.0,2.2")

    def test_heads_that_are_held(self):
        self.both(freeze="0.0=uniform,1.2=identity,2.3=uniform")

    def test_factors(self):
        self.both(scale_query="1.5,0.2=0.25", scale_key="1.3=-2")

    def test_numbers_of_every_stage(self):
        for stage, place in (("input", "0,2,7"), ("qkv", "0,3,40"), ("query_proj", "0,4,1"), ("key_proj", "0,1,30"),
                             ("value_proj", "0,0,9"), ("query", "0,2,5,3"), ("key", "0,1,2,0"), ("value", "0,3,0,7"),
                             ("raw_scores", "0,1,4,2"), ("scores", "0,1,4,2"), ("masked_scores", "0,2,3,6"),
                             ("weights", "0,1,4,6"), ("context", "0,3,6,1"), ("concat", "0,5,12"), ("output", "0,1,3")):
            with self.subTest(stage):
                self.both(edit=f"1/{stage}:{place}=2.5")

    def test_a_number_of_the_shown_layer_and_one_of_the_weights(self):
        self.both(edit="scores:0,1,4,2=3;output:0,6,3=1")  # the last layer
        self.both(edit="value:0,1,2,3=3", layer=0)
        self.both(edit="0/h.0.attn.c_attn.weight:3,7=2;2/h.2.attn.c_proj.bias:4=-1.5")

    def test_painted_cells(self):
        self.both(paint="hide@3:,1:3;show@2,4;hide@6,0")

    def test_all_together(self):
        self.both(ablate="2.1", freeze="0.3=identity", scale_key="0.5", paint="show@1,3", edit="1/scores:0,0,5,1=4;"
                  "1/weights:0,0,6,2=0.5;0/context:0,1,2,3=-1;1/weights:0,3,4,4=0")

    def test_patches_of_every_stage(self):
        session = pathlib.Path(self.folder, "other.json")
        session.write_text(json.dumps({"headscope": "0.1.0", "model": self.folder,
                                       "token_ids": ",".join(map(str, OTHER_IDS)), "ablate": "0.0"}))
        for patch in ("1/stream:2@A", "1/input@A", "0/query:1@A", "1/key:,2@A", "2/value:0,5@A", "1/raw_scores:2@A",
                      "1/scores:1,5@A", "1/masked_scores@A", "1/weights:3@A;2/weights:0@A", "1/context:2,5@A",
                      "1/concat:5@A", "0/output@A", "0/qkv:2@A;1/value_proj:5@A", "1/scores:0@A;2/output:6@A"):
            with self.subTest(patch):
                self.both(patch=patch, patch_from=str(session), least=1e-4)

    def test_patches_of_a_text_of_another_length(self):
        session = pathlib.Path(self.folder, "longer.json")
        session.write_text(json.dumps({"headscope": "0.1.0", "model": self.folder,
                                       "token_ids": ",".join(map(str, LONGER_IDS))}))
        wanted = {"patch": "1/stream@A;2/scores:1@A", "patch_from": str(session)}
        theirs = self.theirs(**wanted)
        tokens = headscope.run(export=["weights"], model=self.folder, token_ids=IDS).tokens
        with headscope.intervene(self.model, wanted, tokens=tokens):
            np.testing.assert_allclose(self.logits(), theirs, atol=TOLERANCE, rtol=0)
        with headscope.intervene(self.model, wanted), self.assertRaisesRegex(ValueError, "tokens="):
            self.logits()

    def test_sources_of_interventions(self):
        wanted = {"ablate": "1.1", "edit": "1/scores:0,2,3,1=2"}
        whole = {"model": self.folder, "token_ids": ",".join(map(str, IDS)), **wanted}
        session, picture = pathlib.Path(self.folder, "s.json"), pathlib.Path(self.folder, "p.png")
        session.write_text(json.dumps({"headscope": "0.1.0", **whole, "view": {"head": 2}}))
        self.both(source=session, **wanted)
        session.write_text(json.dumps({"headscope": "0.1.0", "request": whole}))
        self.both(source=str(session), **wanted)
        picture.write_bytes(headscope.render(**whole))
        self.both(source=picture, **wanted)
        self.both(source=headscope.run(**whole, export=["weights"]), **wanted)

    def test_modules_that_are_named(self):
        """The same layers, told module by module, with three projections in place of one."""
        torch.manual_seed(5)

        class Three(torch.nn.Module):
            def __init__(self, fused):
                super().__init__()
                names = ("q", "k", "v")
                for name, weight, bias in zip(names, fused.c_attn.weight.split(WIDTH, 1), fused.c_attn.bias.split(WIDTH)):
                    linear = torch.nn.Linear(WIDTH, WIDTH)
                    linear.weight.data, linear.bias.data = weight.detach().T.clone(), bias.detach().clone()
                    setattr(self, name, linear)
                self.o = fused.c_proj

            def forward(self, x):
                q, k, v = (part(x).unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in (self.q, self.k, self.v))
                scores = (q @ k.mT / math.sqrt(q.shape[-1])).masked_fill(
                    torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1), -math.inf)
                return self.o((torch.softmax(scores, -1) @ v).transpose(1, 2).flatten(2))

        model = Gpt2().eval()
        model.load_state_dict(self.model.state_dict())
        layers = []
        for block in model.h:
            block.attn = Three(block.attn)
            part = block.attn
            layers.append(headscope.Attention(heads=HEADS, query=part.q, key=part.k, value=part.v, output=part.o,
                                              block=block))
        wanted = {"ablate": "0.2", "edit": "1/key_proj:0,2,3=2;2/weights:0,1,3,2=0.7", "scale_query": "0.1=3"}
        with headscope.intervene(model, wanted, layers=layers), torch.no_grad():
            mine = model(torch.tensor([IDS]))[0].numpy()
        np.testing.assert_allclose(mine, self.theirs(**wanted), atol=TOLERANCE, rtol=0)
        with self.assertRaisesRegex(ValueError, "query_proj"):
            headscope.intervene(model, {"edit": "1/qkv:0,0,0=1"}, layers=layers)

    def test_gradients_go_through(self):
        wanted = {"ablate": "1.1", "freeze": "2.0=uniform", "edit": "1/scores:0,2,3,1=2"}
        with headscope.intervene(self.model, wanted):
            loss = self.model(torch.tensor([IDS])).logsumexp(-1).sum()
            gradient, = torch.autograd.grad(loss, self.model.h[1].attn.c_attn.weight)
        size = WIDTH // HEADS
        self.assertTrue((gradient[:, 2 * WIDTH + size:2 * WIDTH + 2 * size] == 0).all(), "values of a head that is off")
        self.assertTrue((gradient[:, 2 * WIDTH:2 * WIDTH + size] != 0).any())

    def test_what_no_hook_can_do_is_refused(self):
        before = {name: parameter.clone() for name, parameter in self.model.named_parameters()}
        for options, words in (({"ablate": "3.0"}, "no layer 3"), ({"ablate": "0.4"}, "no head 4"),
                               ({"edit": "capped_scores:0,0,0,0=1"}, "capped_scores is no stage that a hook reaches"),
                               ({"edit": "h.0.attn.c_attn.bias:3=1"}, "0 parameters of the attention of layer 2"),
                               ({"edit": "0/h.0.mlp.c_fc.bias:3=1"}, "h.0.attn.c_attn.bias"),
                               ({"edit": "0/h.0.attn.c_attn.bias:96=1"}, r"is \[96\]"),
                               ({"edit": "0/dropped_weights:0,0,0,0=1"}, "drawn anew"),
                               ({"edit": "0/key_input:0,0,0=1"}, "its stage is input"),
                               ({"edit": "0/h.0.attn.c_attn.bias:3=1;0/h.0.attn.c_attn.bias:96=1"}, r"is \[96\]"),
                               ({"patch": "0/router@A", "patch_from": "x.json"}, "no hook reaches the stage router"),
                               ({"patch": "0/query@A"}, "no patch_from"), ({"freeze": "0.1=half"}, "freeze has '0.1=half'"),
                               ({"add": "1/stream=none.npy"}, "none.npy cannot be read as an array"),
                               ({"add": {"1/stream": 2.0}}, "add takes an array"),
                               ({"set": {"1/stream": (np.zeros(WIDTH), 2.0)}}, "set takes no factor"),
                               ({"set": "1/stream:4..2=0"}, "set has"), ({"set": "1/output:a=0"}, "set has"),
                               ({"set": "1/stream=nan"}, "set has"), ({"set": {"1/z": float("nan")}}, "set has nan"),
                               ({"set": "1/z=1e400"}, "float32 holds"), ({"set": {"1/z": 1e39}}, "float32 holds"),
                               ({"set": {"1/z": True}}, "takes an array"), ({"add": {"1/stream": (np.zeros(WIDTH), math.inf)}}, "finite"),
                               ({"set": "1/stream:-0=0"}, "set has"), ({"set": "off:=1"}, "set has"), ({"set": 5}, "set is 5"),
                               ({"set": {(1, 2): 0}}, "expected a place"), ({"projectout": {"1/z": np.ones(8)}}, "no 'projectout'"), ({"set": "3/stream=0"}, "no layer 3"),
                               ({"set": "1/z:4=0"}, "no head 4"), ({"set": "1/attention_out=0"}, "it is output"),
                               ({"set": "1/mlp_out=0"}, "no hook reaches the stage mlp_out"),
                               ({"edit": "scores=1"}, "edit has"), ({"paint": "hide@1"}, "paint has")):
            with self.subTest(str(options)), self.assertRaisesRegex(ValueError, words):
                headscope.intervene(self.model, options)
        for name, parameter in self.model.named_parameters():
            self.assertTrue(torch.equal(parameter, before[name]), name)
        np.testing.assert_array_equal(self.logits(), self.plain)
        with headscope.intervene(self.model, {"edit": "0/output:0,7,0=1"}), self.assertRaisesRegex(ValueError, "no place 7"):
            self.logits()
        with self.assertRaisesRegex(ValueError, "layers="):
            headscope.intervene(torch.nn.Linear(2, 2), {"ablate": "0.0"})

    def test_a_model_that_computes_otherwise_is_found_out(self):
        layers = [headscope.Attention(heads=HEADS, qkv=block.attn.c_attn, output=block.attn.c_proj, scale=0.5)
                  for block in self.model.h]
        with headscope.intervene(self.model, {"paint": "hide@3,1"}, layers=layers):
            with self.assertRaisesRegex(RuntimeError, "not softmax"):
                self.logits()
        layers[0].turned = True
        for option in ({"paint": "hide@3,1"}, {"edit": "0/scores:0,0,3,1=1"}):
            with self.assertRaisesRegex(ValueError, "after their projection"):
                headscope.intervene(self.model, option, layers=layers)
        with headscope.intervene(self.model, {"freeze": "0.1=uniform", "ablate": "1.0"}, layers=layers):
            np.testing.assert_allclose(self.logits(), self.theirs(freeze="0.1=uniform", ablate="1.0"), atol=TOLERANCE, rtol=0)

    def test_hooks_that_never_ran_say_so(self):
        with self.assertRaisesRegex(RuntimeError, "never ran"):
            with headscope.intervene(self.model, {"ablate": "1.1"}):
                pass


if __name__ == "__main__":
    unittest.main()
