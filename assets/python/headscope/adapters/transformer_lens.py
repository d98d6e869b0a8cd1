"""Not run with the library: TransformerLens, whose HookPoints are modules that give what they are given.

Queries and keys after rotary positions where the model has them, values, and the pattern beside them, so that Headscope
says how far its weights are from the library's. Written from the source of transformer_lens.components.
"""


def _heads_first(vectors):
    """[batch, len, heads, size] to [batch, heads, len, size]."""
    return vectors.transpose(1, 2)


def watch(recorder, model):
    """Every block is a layer."""
    for layer, block in enumerate(model.blocks):
        part = block.attn
        recorder.output(part.hook_pattern, layer=layer)
        positions = part.cfg.positional_embedding_type
        if getattr(part, "attn_type", "global") != "global" or positions in ("alibi", "relative_positional_bias"):
            continue  # what is added to its scores, or hides them, is told by the weights alone
        recorder.output(part.hook_rot_q if positions == "rotary" else part.hook_q, layer, "query", _heads_first)
        recorder.output(part.hook_rot_k if positions == "rotary" else part.hook_k, layer, "key", _heads_first)
        recorder.output(part.hook_v, layer, "value", _heads_first)
        recorder.describe(layer, scale=1 / float(part.attn_scale), causal=part.cfg.attention_dir == "causal")
