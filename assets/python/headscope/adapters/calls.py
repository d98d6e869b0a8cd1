"""Any model that calls torch.nn.functional.scaled_dot_product_attention (PyTorch 2.0 and later)."""


def watch(recorder, model):
    """Every call is a layer, in the order of calls: queries and keys as they are multiplied, after rotary positions."""
    recorder.sdpa(model)
