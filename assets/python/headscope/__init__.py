"""Headscope in Python: arrays in, windows, pictures and every tensor out.

    import headscope
    headscope.show(attn=weights, tokens=words)                    # a window on [heads, q, k] or [layers, heads, q, k]
    headscope.run(phrase="a b c", mask="causal")["weights"]       # every tensor, as the command line computes it

The programs `headscope` and `headscope-cli` do the work: they are found on PATH, or where HEADSCOPE names one of them.
"""

from headscope._program import HeadscopeError, version
from headscope._run import Result, render, run
from headscope._show import Shown, show

__all__ = ["HeadscopeError", "Result", "Shown", "record", "render", "run", "show", "version"]


def record(model=None):
    """A recorder of a PyTorch model's attention (headscope.capture.Recorder); torch is needed only here.

    With a model, every torch.nn.MultiheadAttention in it is recorded, numbered in the order of model.modules().

        with headscope.record(model) as recorder:
            model(x)
        recorder.save("capture.safetensors", tokens=words)
    """
    import torch

    from headscope.capture import Recorder

    recorder = Recorder()
    if model is not None:
        found = [part for part in model.modules() if isinstance(part, torch.nn.MultiheadAttention)]
        if not found:
            raise ValueError("the model has no torch.nn.MultiheadAttention; headscope.capture.Recorder has hooks for "
                             "other modules: output, projections, fused_projection")
        for layer, module in enumerate(found):
            recorder.multihead(module, layer=layer)
    return recorder
