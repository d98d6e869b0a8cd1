"""Not run with the library: Transformers from 4.48 on, whose attention goes through ALL_ATTENTION_FUNCTIONS.

Queries and keys are recorded as they are multiplied: after rotary positions and norms of heads, with past keys of a
cache. Written from the source of transformers.modeling_utils and transformers.integrations.
"""

import functools
import sys


def watch(recorder, model):
    """Every module that asks for attention is a layer, in the order of the first calls."""
    from transformers import modeling_utils

    functions = getattr(modeling_utils, "ALL_ATTENTION_FUNCTIONS", None)
    if functions is None:
        raise ValueError("this version of Transformers has no ALL_ATTENTION_FUNCTIONS; with attn_implementation=\"sdpa\" "
                         "adapter=\"calls\" records it")
    parts = {id(part) for part in model.modules()}
    numbers = {}
    chosen = {getattr(getattr(part, "config", None), "_attn_implementation", None) or "eager" for part in model.modules()
              if hasattr(part, "config")}

    open_still = [True]  # another recorder may have wrapped what is put here, and hold it longer

    def watched(plain):
        def attention(module, query, key, value, attention_mask=None, *others, **options):
            if open_still and id(module) in parts and query.device.type != "meta":
                _record(recorder, numbers.setdefault(id(module), len(numbers)), module, (query, key, value), attention_mask,
                        options)
            return plain(module, query, key, value, attention_mask, *others, **options)

        return attention

    def put(get, set_to):
        plain = get()
        ours = watched(plain)
        set_to(ours)
        recorder.on_close(lambda: set_to(plain) if get() is ours else None)

    recorder.on_close(open_still.clear)
    for name in sorted(chosen - {"eager"}):
        put(functools.partial(functions.__getitem__, name), functools.partial(functions.__setitem__, name))
    if "eager" in chosen:  # each file of models has its own
        files = {sys.modules[type(part).__module__] for part in model.modules()}
        for file in files:
            if hasattr(file, "eager_attention_forward"):
                put(functools.partial(getattr, file, "eager_attention_forward"),
                    functools.partial(setattr, file, "eager_attention_forward"))
    recorder.unfit(0, type(model).__name__, "called no attention function that is known; "
                                            "load it with attn_implementation=\"sdpa\"")


def _record(recorder, layer, module, vectors, mask, options):
    capped = next((name for name in ("softcap", "s_aux") if options.get(name) is not None), None)
    if capped:
        recorder.unfit(layer, type(module).__name__, f"has {capped}, which a capture of queries and keys does not carry; "
                                                     "record its weights: output_attentions=True")
        return
    keys = vectors[1].shape[-2]
    causal = options.get("is_causal")
    causal = getattr(module, "is_causal", True) if causal is None else causal
    if mask is not None and mask.dim() == 2:  # padding alone: 1 is a token
        mask = mask[:, None, None, :keys].bool()
    elif mask is not None:
        mask, causal = mask[..., :keys], False  # it says what is causal, too
    recorder.attention(layer, *vectors, mask=mask, causal=bool(causal) and vectors[0].shape[-2] > 1,
                       scale=options.get("scaling"))
