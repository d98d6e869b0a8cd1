"""The interventions of a request as hooks of a PyTorch model."""

import torch

from headscope._interventions import Ablate, Edit, Factor, Freeze, Paint, Patch, read_interventions, request_of
from headscope._layers import Attention, find_layers
from headscope._multihead import watch_multihead
from headscope._own_arrays import Put
from headscope._run import run
from headscope._work import AXES, SCORE_STAGES, Work, alike, merge_heads, split_heads

# How far a float of this type may be from the model's own context, relative to the largest, when it is computed anew.
TOLERANCES = {torch.float64: 1e-6, torch.float32: 1e-4, torch.float16: 2e-2, torch.bfloat16: 5e-2}


class Intervened:
    """Hooks on a model. remove(), or the end of a `with`, takes them off and puts edited parameters back."""

    def __init__(self):
        self._undo = []
        self._layers = {}   # (number, part of the layer) -> the module whose hooks it has
        self.called = set()  # those whose hooks ran
        self._failed = False

    def _guarded(self, function):
        """`function`, noting that it failed: then it is no wonder that later layers never ran."""
        def guarded(*given, **named):
            try:
                return function(*given, **named)
            except BaseException:
                self._failed = True
                raise

        return guarded

    def remove(self):
        while self._undo:
            self._undo.pop()()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.remove()
        silent = sorted(set(self._layers) - self.called)
        if kind is None and silent and not self._failed:
            raise RuntimeError(f"the hooks of layer {silent[0][0]} never ran: the model did not call its "
                               f"{self._layers[silent[0]]}. (Fused paths go around modules: run "
                               "torch.nn.TransformerEncoder with gradients enabled.)")


def intervene(model, source, *, layers=None, tokens=None):
    """Makes a PyTorch model compute with the interventions of a Headscope request; returns an Intervened.

        with headscope.intervene(model, "session.json"):
            logits = model(ids)

    source: a session file, a picture that carries one, what show() or run() returned, or options by name:
        dict(ablate="0.1,2.3", edit="1/scores:0,2,3,1=0.5", add={"1/stream:-1": (vector, 4.0)}). The rest of the request is the model's own affair.
    layers: the attention of each layer: torch.nn.MultiheadAttention, or an Attention that names its modules; without it
        find_layers() looks for them.
    tokens: of the text that the model will read; needed where the run that patches take from has another length.
    Positions and batch are those of each call, so that a cache of keys does not go with it. Parameters that are edited
    have their number until remove(). ValueError says what no hook can do; then the model is as it was.
    """
    request = request_of(source)
    values = read_interventions(request)
    parts = list(layers) if layers is not None else find_layers(model)
    if not parts:
        raise ValueError("layers is empty")
    shown = request.get("layer")
    shown = len(parts) - 1 if shown in (None, "") else int(shown)
    values = [each._replace(layer=shown) if isinstance(each, (Edit, Patch, Put)) and each.layer is None else each
              for each in values]
    for each in values:
        _refuse_layer(each, parts)
    numbers = _numbers_of_a(request, [each for each in values if isinstance(each, Patch)])
    done = Intervened()
    try:
        for number, part in enumerate(parts):
            work = Work(number, values, numbers, tokens)
            edits = [each for each in work.of(Edit) if each.tensor not in AXES]
            _edit_parameters(done, model, part, work, edits)
            work.values = [each for each in work.values if each not in edits]
            if not work.values:
                continue
            attention = number, "attention"
            done._layers[attention] = type(part if isinstance(part, torch.nn.Module) else part.output).__name__
            ran = lambda attention=attention: done.called.add(attention)  # noqa: E731
            if isinstance(part, Attention):
                _hook_attention(done, part, work, ran)
            else:
                _refuse_heads(work, part.num_heads, part.num_heads)
                done._undo.append(watch_multihead(part, work, ran, done._guarded))
    except BaseException:
        done.remove()
        raise
    return done


def _refuse_layer(each, parts):
    layer = getattr(each, "layer", None)
    if layer is not None and layer >= len(parts):
        raise ValueError(f"there is no layer {layer}; the model has {len(parts)}, counted from 0")
    if not isinstance(each, (Edit, Patch, Put)):
        return
    stage, part = each[0], parts[layer]
    if isinstance(each, Put) and stage == "attention_out":
        raise ValueError("no hook knows whether attention_out is normed behind its projection; where it is not, it is output")
    if isinstance(each, (Patch, Put)) and stage not in AXES:
        raise ValueError(f"no hook reaches the stage {stage}; expected one of {', '.join(AXES)}")
    if not isinstance(part, Attention):
        if stage == "stream":
            raise ValueError("torch.nn.MultiheadAttention does not see the stream; say layers=[Attention(block=, ...)]")
        return
    if stage == "stream" and part.block is None:
        raise ValueError(f"the stream enters the block of layer {layer}: say it as Attention(block=...)")
    if stage in ("key_input", "value_input"):
        raise ValueError(f"layer {layer} has one input for queries, keys and values: its stage is input")
    if stage == "dropped_weights":
        raise ValueError("dropped weights are drawn anew in every call; edit or patch weights")
    if stage == "qkv" and part.qkv is None:
        raise ValueError(f"layer {layer} has three projections; its stages are query_proj, key_proj and value_proj")
    if stage in ("query_proj", "key_proj", "value_proj") and part.layout == "per-head":
        raise ValueError(f"layer {layer} has one projection, head by head; its stage is qkv")
    if part.turned and stage in ("query", "key", *SCORE_STAGES):
        raise ValueError(f"{stage} of layer {layer} cannot be reached: queries and keys are changed after their projection "
                         "(rotary positions, norms), where no module is; query_proj, key_proj and what comes after "
                         "the weights can")


def _refuse_heads(work, heads, kv_heads):
    for each in work.of((Ablate, Freeze, Factor, Patch, Put)):
        head = each.head
        most = kv_heads if each[0] in ("key", "value") else heads
        if head is not None and head >= most:
            raise ValueError(f"layer {work.number} has no head {head}; its {most} heads count from 0")


def _numbers_of_a(request, patches):
    """(layer, stage) -> (numbers of the run of patch_from, its tokens), as the program computes them."""
    origin = request.get("patch_from", request.get("patch-from"))
    if patches and not origin:
        raise ValueError("patch takes numbers of another run, and no patch_from says which")
    found = {}
    other = request_of(origin) if patches else {}
    for each in read_interventions(other):
        if isinstance(each, (Edit, Patch, Put)) and each.layer is None and other.get("model", "seeded") != "seeded":
            raise ValueError(f"{origin} changes {each[0]} of the layer that is shown; say its layer: N/{each[0]}")
    of_model = other.get("model", "seeded") != "seeded"
    for layer in sorted({each.layer for each in patches}):
        stages = sorted({each.stage for each in patches if each.layer == layer})
        result = run(export=stages, session=origin, **({"layer": layer} if of_model else {}))
        for stage in stages:
            array = result[stage][layer] if stage == "stream" else result[stage]
            found[layer, stage] = (torch.from_numpy(array.copy()), result.tokens)
    return found


def _edit_parameters(done, model, part, work, edits):
    """Edits of the layer's weights, by the name of the parameter or the end of it that files have."""
    modules = part.modules() if isinstance(part, Attention) else [part]
    own = {id(parameter) for module in modules for parameter in module.parameters()}
    named = [(name, parameter) for name, parameter in model.named_parameters() if id(parameter) in own]
    for edit in edits:
        fits = [(name, parameter) for name, parameter in named
                if name == edit.tensor or name.endswith("." + edit.tensor) or edit.tensor.endswith("." + name)]
        if len(fits) != 1:
            names = ", ".join(name for name, _ in named) or "none"
            raise ValueError(f"{edit.tensor} is no stage that a hook reaches, and {len(fits)} parameters of the attention of "
                             f"layer {work.number} are called so; expected one of {', '.join(AXES)}, or of {names}")
        name, parameter = fits[0]
        if len(edit.index) != parameter.dim() or any(at >= size for at, size in zip(edit.index, parameter.shape)):
            raise ValueError(f"{name} is {list(parameter.shape)}; found the place {list(edit.index)}")
        with torch.no_grad():
            before = parameter[edit.index].clone()
            parameter[edit.index] = edit.value

        def undo(parameter=parameter, index=edit.index, before=before):
            with torch.no_grad():
                parameter[index] = before

        done._undo.append(undo)


def _first(arguments, what):
    if not arguments or not torch.is_tensor(arguments[0]):
        raise ValueError(f"{what} was not called with a tensor as its first argument by place; no hook sees what enters it")
    return arguments[0]


def _hook_attention(done, part, work, ran):
    """Hooks on the modules that an Attention names."""
    _refuse_heads(work, part.heads, part.kv_heads)
    if part.turned and work.of(Paint):
        raise ValueError(f"paint needs the scores of layer {work.number}, and its queries and keys are changed after their "
                         "projection, where no module is")
    kept = {}

    def before(module, change):
        done._undo.append(module.register_forward_pre_hook(done._guarded(
            lambda called, given: (change(_first(given, type(called).__name__)), *given[1:]))).remove)

    def after(module, change):
        done._undo.append(module.register_forward_hook(
            done._guarded(lambda called, given, returned: change(returned))).remove)

    def keep(name, vectors):
        if work.recomputes():
            kept[name] = vectors
        return vectors

    def heads_put(name, vectors):
        heads = part.heads if name == "query" else part.kv_heads
        return merge_heads(keep(name, work.put(name, split_heads(vectors, heads))))

    def fused(qkv):
        qkv = work.put("qkv", qkv)
        if part.layout == "per-head":
            size = qkv.shape[-1] // (3 * part.heads)
            named = zip(("query", "key", "value"), split_heads(qkv, part.heads).split(size, -1))
            return merge_heads(torch.cat([keep(name, work.put(name, vectors)) for name, vectors in named], -1))
        size = qkv.shape[-1] // (part.heads + 2 * part.kv_heads)
        parts = qkv.split([size * part.heads, size * part.kv_heads, size * part.kv_heads], -1)
        return torch.cat([heads_put(name, work.put(name + "_proj", vectors))
                          for name, vectors in zip(("query", "key", "value"), parts)], -1)

    def merged(concat):
        ran()
        entered.clear()
        context = split_heads(concat, part.heads)
        if work.recomputes():
            context = _with_recomputed(part, work, kept, context)
        return work.put("concat", merge_heads(work.put_context(context)))

    if part.block is not None and work.touches("stream"):
        whole = work.number, "block"
        done._layers[whole] = type(part.block).__name__

        def entering(stream):
            done.called.add(whole)
            return work.put("stream", stream)

        before(part.block, entering)
    entered = {}  # in this call: what enters the projections, by their names

    def put_input(name, x):
        """The input is that of queries; keys and values have it too, where they are given the same tensor."""
        if name in entered:
            entered.clear()  # the call before did not come to its end
        first = next(iter(entered), None)
        entered[name] = x
        if first is None or alike(entered[first], x):
            return work.put("input", x)
        if first != "query":
            raise RuntimeError(f"layer {work.number} projects {first} first, of another input than {name}: which of them is the "
                               "stage input cannot be said")
        return x

    modules = {"qkv": part.qkv} if part.qkv is not None else {"query": part.query, "key": part.key, "value": part.value}
    for name, module in modules.items():
        if work.touches("input"):
            before(module, lambda x, name=name: put_input(name, x))
    if part.qkv is not None:
        after(part.qkv, fused)
    else:
        for name in ("query", "key", "value"):
            after(getattr(part, name), lambda vectors, name=name: heads_put(name, work.put(name + "_proj", vectors)))
    before(part.output, merged)
    after(part.output, lambda output: work.put("output", output))


def _with_recomputed(part, work, kept, context):
    """Context with the heads computed anew whose scores or weights are changed; first it is seen that the model computes
    them so."""
    if set(kept) != {"query", "key", "value"}:
        raise RuntimeError(f"layer {work.number} merged its heads before its projections ran")
    query, key, value = (kept.pop(name) for name in ("query", "key", "value"))
    lengths = context.shape[-2], value.shape[-2]
    hidden = torch.zeros(1, 1, *lengths, dtype=torch.bool, device=context.device)
    if part.causal:
        hidden = torch.ones_like(hidden).triu(1)
    heads = work.recomputed_heads(part.heads)
    if lengths[0] != lengths[1]:
        raise RuntimeError(f"layer {work.number} has {lengths[0]} queries for {lengths[1]} keys in this call; run it without "
                           "a cache")
    if part.turned:
        query, value = None, value.repeat_interleave(part.heads // part.kv_heads, 1)
    else:
        own, _ = work.attend(query, key, value, hidden, scale=part.scale, acts=False)
        _compare(work.number, part, own[:, heads], context[:, heads])
    changed, _ = work.attend(query, key, value, hidden, scale=part.scale)
    context = context.clone()
    context[:, heads] = changed[:, heads].to(context.dtype)
    return context


def _compare(number, part, own, models):
    tolerance = TOLERANCES.get(models.dtype, 1e-4)
    largest = models.detach().abs().masked_fill(~models.detach().isfinite(), 0).max().clamp(min=1)
    if not torch.allclose(own.detach(), models.detach(), rtol=0, atol=float(tolerance * largest), equal_nan=True):
        far = float((own - models).detach().abs().max())
        mask = "the causal mask" if part.causal else "no mask"
        raise RuntimeError(f"the attention of layer {number} is not softmax(q·k · scale)·v with {mask}: its context differs "
                           f"by {far:.3g}, so that its scores and weights cannot be changed by hooks. Padding, dropout, a "
                           "cache and changed queries do this; Attention(scale=, causal=, turned=) says what it is")
