"""Not run with the library: nnsight, which runs the model that it wraps; that one is watched.

    with headscope.record(model) as recorder, model.trace(prompt):
        pass

The model must be there before: LanguageModel(..., dispatch=True). Written from nnsight's documentation: the wrapped
module of an Envoy is `_module`.
"""

from headscope import adapters


def watch(recorder, model):
    """As the adapter of the wrapped model does."""
    inner = next((found for found in (getattr(model, name, None) for name in ("_module", "_model")) if found is not None), None)
    if inner is None or not hasattr(inner, "modules"):
        raise ValueError(f"{type(model).__name__} wraps no module that is known; give the PyTorch model itself")
    adapters.watch(recorder, inner)
