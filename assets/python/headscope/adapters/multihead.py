"""torch.nn.MultiheadAttention: weights of every head, and the mask of the call."""

import torch


def watch(recorder, model):
    """Every torch.nn.MultiheadAttention is a layer, in the order of model.modules()."""
    found = [part for part in model.modules() if isinstance(part, torch.nn.MultiheadAttention)]
    if not found:
        raise ValueError("the model has no torch.nn.MultiheadAttention")
    for layer, module in enumerate(found):
        recorder.multihead(module, layer=layer)
