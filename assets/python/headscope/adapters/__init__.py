"""How headscope.record() watches the models of a library: a file each, with one function, watch(recorder, model).

Files whose first words say "Not run with the library" were written from its source and documentation; tests run them
against stand-ins alone.
"""

import importlib

NAMES = ("multihead", "calls", "transformers", "transformer_lens", "nnsight", "vllm")


def adapter_for(model):
    """The name of the adapter that knows this model; None when none does."""
    import torch

    library = type(model).__module__.split(".")[0]
    if library in ("nnsight", "transformer_lens"):
        return library
    parts = list(model.modules())
    if any(isinstance(part, torch.nn.MultiheadAttention) for part in parts):
        return "multihead"
    libraries = {type(part).__module__.split(".")[0] for part in parts}
    return next((name for name in ("vllm", "transformers") if name in libraries), None)


def watch(recorder, model, adapter=None):
    """The recorder watches the model's attention by this adapter, or by the one that knows it. ValueError for others."""
    adapter = adapter or adapter_for(model)
    if adapter is None:
        raise ValueError("the model has no torch.nn.MultiheadAttention and is of no library that is known; "
                         'adapter="calls" records calls of scaled_dot_product_attention, and headscope.capture.Recorder '
                         "has hooks for other modules: output, projections, fused_projection")
    if adapter not in NAMES:
        raise ValueError(f"adapter {adapter!r}; expected one of {', '.join(NAMES)}")
    importlib.import_module(f"headscope.adapters.{adapter}").watch(recorder, model)
