"""Not run with the library: vLLM, whose layers vllm.attention.Attention are called with queries and keys after rotary
positions, all tokens of a batch in one row.

    llm = vllm.LLM(model=..., enforce_eager=True)   # in one process: VLLM_ENABLE_V1_MULTIPROCESSING=0
    recorder = headscope.capture.Recorder()
    llm.apply_model(lambda model: headscope.adapters.watch(recorder, model, "vllm"))
    llm.generate([prompt], vllm.SamplingParams(max_tokens=1))

One prompt at a time, without prefix caching and in one chunk: what is recorded is the last call of more than one token.
Written from the source of vllm.attention.layer.
"""


def watch(recorder, model):
    """Every Attention of vLLM is a layer, in the order of model.modules()."""
    found = [part for part in model.modules()
             if type(part).__name__ == "Attention" and type(part).__module__.split(".")[0] == "vllm"]
    if not found:
        raise ValueError("the model has no vllm Attention")
    for layer, part in enumerate(found):
        name = type(part).__name__
        recorder.unfit(layer, name, "was never called with more than one token; vLLM needs enforce_eager=True for it")
        odd = _what_a_capture_does_not_carry(part)
        if odd:
            recorder.unfit(layer, name, f"has {odd}, which a capture of queries and keys does not carry")
            continue
        recorder.on_close(part.register_forward_pre_hook(_hook(recorder, layer)).remove)


def _what_a_capture_does_not_carry(part):
    implementation = part.impl
    for name in ("sliding_window", "alibi_slopes", "logits_soft_cap", "sinks"):
        value = getattr(implementation, name, None)
        if value is not None and value not in (0, (-1, -1)):
            return name
    return None


def _hook(recorder, layer):
    def hook(part, given):
        query, key, value = given[:3]
        if query.shape[0] < 2:
            return
        query = query.reshape(-1, part.num_heads, part.head_size)
        key = key.reshape(-1, part.num_kv_heads, part.head_size)
        value = value.reshape(value.shape[0], part.num_kv_heads, -1)
        query, key, value = (vectors.transpose(0, 1)[None] for vectors in (query, key, value))
        recorder.attention(layer, query, key, value, scale=float(part.impl.scale),
                           causal=getattr(part, "attn_type", "decoder") == "decoder")

    return hook
