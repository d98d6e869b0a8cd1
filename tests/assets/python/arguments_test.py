"""What values of Python become as options of headscope-cli: arguments_test.py HEADSCOPE_CLI"""
import json
import pathlib
import tempfile
import unittest

from package import said

import numpy as np

import headscope
from headscope._arrays import safetensors_bytes

MODEL, TEXT, OTHER = "demo:induction", "cat box ink fox cat", "dog box ink fox dog"
ON = ("--model", MODEL, "--phrase", TEXT)
IN = dict(model=MODEL, phrase=TEXT)


class Arguments(unittest.TestCase):
    """Values of Python against the words of a command line that say the same."""

    def same(self, words, **request):
        with tempfile.TemporaryDirectory() as folder:
            said("run", *words, "--export", "weights,output", "--format", "npy", "--out", folder)
            found = headscope.run("weights,output", **request)
            for name in ("weights", "output"):
                np.testing.assert_array_equal(found[name], np.load(f"{folder}/{name}.npy"), name)

    def test_dicts_pairs_and_lists_are_what_options_spell(self):
        self.same((*ON, "--ablate", "0.1,1.7"), ablate=[(0, 1), (1, 7)], **IN)
        self.same((*ON, "--ablate", "1.7"), ablate=(1, 7), **IN)
        self.same((*ON, "--freeze", "1.2=uniform,0.3=identity"), freeze={"1.2": "uniform", "0.3": "identity"}, **IN)
        self.same((*ON, "--scale-query", "1.2=0.5"), scale_query={"1.2": np.float64(0.5)}, **IN)
        self.same((*ON, "--edit", "0/scores:0,2,3,1=4;weights:0,1,2,0=0.25"),
                  edit={"0/scores:0,2,3,1": 4, "weights:0,1,2,0": 0.25}, **IN)
        self.same((*ON, "--set", "1/stream:0=0.5;z:3=0"), set={"1/stream:0": np.float32(0.5), "z:3": 0}, **IN)
        self.same(("--model", MODEL, "--token-ids", "9,6,28"), model=MODEL, token_ids=np.array([9, 6, 28]))
        self.same((*ON, "--mask", "window:2,padding:1"), mask=["window:2", "padding:1"], **IN)
        self.same((*ON, "--renormalise", "--top-p", "0.5"), renormalise=True, top_p=0.5, labels=False, scale=None, **IN)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "other.json")
            path.write_text(json.dumps({"model": MODEL, "phrase": OTHER}))
            self.same((*ON, "--patch", "0/context:5@A", "--patch-from", str(path)), patch="0/context:5@A",
                      patch_from={"phrase": OTHER}, **IN)
            self.same(("--session", str(path), "--layer", "0"), session={"model": MODEL, "phrase": OTHER}, layer=0)

    def test_adapters_are_folders_with_their_scales(self):
        draw = np.random.default_rng(3)
        module, file = "base_model.model.layers.1.output", "adapter_model.safetensors"
        with tempfile.TemporaryDirectory() as folder:
            lora = pathlib.Path(folder, "lora")
            lora.mkdir()
            (lora / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA", "r": 2, "lora_alpha": 4}))
            factors = {f"{module}.lora_A.weight": draw.standard_normal((2, 64)), f"{module}.lora_B.weight": draw.standard_normal((64, 2))}
            (lora / file).write_bytes(safetensors_bytes({name: array.astype(np.float32) for name, array in factors.items()}, {}))
            self.same((*ON, "--adapter", f"{lora}*0.5"), adapter={lora: 0.5}, **IN)
            self.same((*ON, "--adapter", f"{lora};off:{lora}"), adapter=[lora, f"off:{lora}"], **IN)
            self.same((*ON, "--adapter", str(lora)), adapter=lora, **IN)
            odd = lora.rename(pathlib.Path(folder, "a;b"))  # a ; of its own
            for value in ({odd: 0.5}, [f"{odd}*0.5"]):
                self.same((*ON, "--adapter", f"{folder}/a;;b*0.5"), adapter=value, **IN)
            lora = odd.rename(lora)
            plain, with_lora = (headscope.run("output", adapter=adapter, **IN)["output"] for adapter in (None, lora))
            self.assertGreater(np.abs(plain - with_lora).max(), 0)

    def test_arrays_go_over_as_files(self):
        draw = np.random.default_rng(7)
        x, hidden = draw.standard_normal((1, 5, 8)), draw.random((5, 5)) < 0.3
        hidden[:, 0] = False
        parts = {"in_proj_weight": draw.standard_normal((24, 8)), "in_proj_bias": draw.standard_normal(24),
                 "out_proj.weight": draw.standard_normal((8, 8)), "out_proj.bias": draw.standard_normal(8)}
        found = headscope.run(input=x, weights=parts, heads=2, mask=["causal", ~hidden])
        q, k, v = (part.reshape(5, 2, 4).swapaxes(0, 1) for part in np.split(x[0] @ parts["in_proj_weight"].T + parts["in_proj_bias"], 3, 1))
        scores = np.where(hidden | np.triu(np.ones((5, 5), bool), 1), -np.inf, q @ k.swapaxes(1, 2) / 2)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        np.testing.assert_allclose(found["weights"][0], weights, atol=1e-6)
        output = (weights @ v).swapaxes(0, 1).reshape(5, 8) @ parts["out_proj.weight"].T + parts["out_proj.bias"]
        np.testing.assert_allclose(found["output"][0], output, atol=2e-5)
        np.testing.assert_array_equal(headscope.run(input=x.astype(np.float32).tolist(), weights=parts, heads=2,
                                                    mask=["causal", ~hidden])["output"], found["output"])
        try:
            import torch
        except ImportError:
            return
        tensors = {name: torch.from_numpy(value).requires_grad_() for name, value in parts.items()}
        again = headscope.run(input=torch.from_numpy(x), weights=tensors, heads=2, mask=["causal", torch.from_numpy(~hidden)])
        np.testing.assert_array_equal(again["output"], found["output"])


if __name__ == "__main__":
    unittest.main()
