"""Headscope in Python: arrays in, windows, pictures and every tensor out.

    import headscope
    headscope.show(attn=weights, tokens=words)                    # a window on [heads, q, k] or [layers, heads, q, k]
    headscope.run(phrase="a b c", mask="causal")["weights"]       # every tensor, as the command line computes it
    headscope.Model("gpt2").run("a b", layers="all", stages=["weights"])  # of every layer, [layers, batch, heads, q, k]
    headscope.attribute(model="gpt2", phrase="a b", at=-1, token=" c")    # and every other command of headscope-cli
    headscope.assert_close(mine, q=q, k=k, v=v, causal=True)      # a test of your own attention, which says what is wrong
    with headscope.intervene(model, "session.json"): ...          # a PyTorch model with a session's interventions

The programs `headscope` and `headscope-cli` do the work: they are found on PATH, or where HEADSCOPE names one of them.
"""

from headscope import _commands
from headscope._answers import Attribution, Explanation, Generation, Lens, Score, Sensitivity, Tokens
from headscope._diagnose import Diagnosis, assert_close, diagnose
from headscope._functions import (attribute, bench, circuits, compare, doctor, explain, generate, gradients, handout, info, merge,
                                  precision, report, scan, score, script, sensitivity, sweep, tokenize, worksheet)
from headscope._layers import Attention
from headscope._model import Model
from headscope._program import HeadscopeError, RefusedError, version
from headscope._records import Answer
from headscope._reports import Bench, Family, Info, Report, ReportDifference
from headscope._run import Result, lens, render, run
from headscope._show import Shown, show
from headscope._surveys import Circuits, Comparison, Gradients, Precision, Sweep

__all__ = ["Answer", "Attention", "Attribution", "Bench", "Circuits", "Comparison", "Diagnosis", "Explanation", "Family", "Generation",
           "Gradients", "HeadscopeError", "Info", "Lens", "Model", "Precision", "RefusedError", "Report", "ReportDifference", "Result", "Score",
           "Sensitivity", "Shown", "Sweep", "Tokens", "assert_close", "attribute", "bench", "circuits", "compare", "diagnose",
           "doctor", "explain", "generate", "gradients", "handout", "info", "intervene", "lens", "merge", "precision", "record",
           "render", "report", "run", "scan", "score", "script", "sensitivity", "show", "sweep", "tokenize", "version", "worksheet"]


def __getattr__(name):
    """A command of a newer headscope-cli: its JSON, each key an attribute."""
    if name.startswith("_"):
        raise AttributeError(f"module 'headscope' has no attribute {name!r}")
    return _commands.by_itself(name)


def intervene(model, source, *, layers=None, tokens=None):
    """Hooks on a PyTorch model that do what the interventions of a Headscope request do; torch is needed only here.

        with headscope.intervene(model, "session.json"):  # or what show() returned, or dict(ablate="0.1,2.3")
            logits = model(ids)

    layers: the attention of each layer, where it is neither torch.nn.MultiheadAttention nor GPT-2's c_attn and c_proj:
    headscope.Attention(heads=, qkv=, output=). tokens: of the text, where that of a patch has another length.
    ValueError says what no hook can do; then the model is as it was.
    """
    from headscope import _hooks

    return _hooks.intervene(model, source, layers=layers, tokens=tokens)


def record(model=None, adapter=None):
    """A recorder of a PyTorch model's attention (headscope.capture.Recorder); torch is needed only here.

    With a model, its attention is watched: every torch.nn.MultiheadAttention, or what the adapter of its library knows.
    adapter: "multihead", "calls" (of scaled_dot_product_attention), "transformers", "transformer_lens", "nnsight" or
    "vllm"; None: the one that knows the model, else ValueError.

        with headscope.record(model) as recorder:
            model(x)
        recorder.save("capture.safetensors", tokens=words)
    """
    from headscope import adapters
    from headscope.capture import Recorder

    recorder = Recorder()
    if model is not None:
        try:
            adapters.watch(recorder, model, adapter)
        except BaseException:
            recorder.close()
            raise
    return recorder
