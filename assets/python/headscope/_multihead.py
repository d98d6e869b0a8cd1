"""torch.nn.MultiheadAttention, computed step by step, so that interventions reach its stages."""

import math

import torch
import torch.nn.functional as functional

from headscope._work import alike, merge_heads, split_heads


def watch_multihead(module, work, ran, guarded):
    """The module computes with the interventions of `work`; calling what is returned ends that. ValueError for modules
    that compute otherwise. ran() is called by each call, which guarded() wraps."""
    plain = torch.nn.MultiheadAttention.forward
    if not isinstance(module, torch.nn.MultiheadAttention) or type(module).forward is not plain or "forward" in vars(module):
        raise ValueError(f"{type(module).__name__} has a forward of its own; say layers=[Attention(...)] for its modules")
    if module.bias_k is not None or module.add_zero_attn:
        raise ValueError("a torch.nn.MultiheadAttention that adds a key (bias_k, add_zero_attn) takes no interventions")
    if work.touches("dropped_weights"):
        raise ValueError("dropped weights are drawn anew in every call; edit or patch weights")

    def forward(query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True,
                is_causal=False):
        ran()
        return _forward(module, work, (query, key, value), (key_padding_mask, attn_mask),
                        average_attn_weights if need_weights else None)

    module.forward = guarded(forward)
    return lambda: vars(module).pop("forward", None)


def _projected(module, work, inputs):
    """query_proj, key_proj and value_proj of inputs [batch, len, features]."""
    query, key, value = inputs
    shared = key is query and value is query
    if shared and work.touches("key_input", "value_input"):
        raise ValueError(f"layer {work.number} was called with one input for queries, keys and values: its stage is input")
    query = work.put("input", query)
    if shared:
        key = value = query
    else:
        key, value = work.put("key_input", key), work.put("value_input", value)
    biases = (None,) * 3 if module.in_proj_bias is None else module.in_proj_bias.chunk(3)
    if not module._qkv_same_embed_dim:
        matrices = module.q_proj_weight, module.k_proj_weight, module.v_proj_weight
    elif shared:
        return work.put("qkv", functional.linear(query, module.in_proj_weight, module.in_proj_bias)).chunk(3, -1)
    else:
        matrices = module.in_proj_weight.chunk(3)
    if work.touches("qkv"):
        raise ValueError(f"layer {work.number} projects queries, keys and values by themselves; its stages are query_proj, "
                         "key_proj and value_proj")
    return [functional.linear(x, matrix, bias) for x, matrix, bias in zip((query, key, value), matrices, biases)]


def _mask(masks, shape, batched, like):
    """(hidden, added) of a call's masks for scores of this shape. There True hides, and -inf does."""
    padding, mask = masks
    hidden, added = torch.zeros(1, 1, *shape[2:], dtype=torch.bool, device=like.device), None
    parts = []
    if padding is not None:
        parts.append(padding[:, None, None, :] if batched else padding[None, None, None, :])
    if mask is not None:
        parts.append(mask[None, None] if mask.dim() == 2 else mask.reshape(-1, shape[1], *mask.shape[-2:]))
    for part in parts:
        if part.is_floating_point():
            closed = part == -math.inf
            numbers = part.masked_fill(closed, 0).to(like.dtype)
            added = numbers if added is None else added + numbers
        else:
            closed = part.bool()
        hidden = hidden | closed
    return hidden, added


def _forward(module, work, inputs, masks, average):
    """What torch.nn.MultiheadAttention gives; average None: no weights."""
    batched, turned = inputs[0].dim() == 3, inputs[0].dim() == 3 and not module.batch_first
    ordered = []  # the same tensor stays the same
    for at, x in enumerate(inputs):
        before = next((k for k in range(at) if alike(inputs[k], x)), None)
        ordered.append(ordered[before] if before is not None else x[None] if not batched else x.transpose(0, 1) if turned else x)
    projected = _projected(module, work, ordered)
    query, key, value = (work.put(name, split_heads(work.put(name + "_proj", vectors), module.num_heads))
                         for name, vectors in zip(("query", "key", "value"), projected))
    hidden, added = _mask(masks, (query.shape[0], query.shape[1], query.shape[2], key.shape[2]), batched, query)
    drops = module.training and module.dropout > 0
    context, weights = work.attend(query, key, value, hidden, added,
                                   dropout=(lambda kept: functional.dropout(kept, module.dropout)) if drops else None)
    concat = work.put("concat", merge_heads(work.put_context(context)))
    output = work.put("output", module.out_proj(concat))
    output = output[0] if not batched else output.transpose(0, 1) if turned else output
    if average is None:
        return output, None
    weights = weights.mean(1) if average else weights
    return output, weights if batched else weights[0]
