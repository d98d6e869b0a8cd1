# Long because it is copied as one file to where a model runs.
"""Hands the attention of any PyTorch model to Headscope: one file, no other dependency than torch.

    recorder = Recorder()
    recorder.multihead(model.layers[0].self_attn, layer=0)   # torch.nn.MultiheadAttention
    model(x)
    recorder.save("capture.safetensors", tokens=["the", "cat"])

then `headscope capture.safetensors`. README.md has recipes for other libraries.
"""

import copyreg
import functools
import inspect
import json
import math
import os
import struct
import threading
import weakref

import torch

PARTS = ("weights", "scores", "query", "key", "value")
DTYPES = {torch.float32: "F32", torch.float16: "F16", torch.bool: "BOOL"}
FACTS = ("mask", "scale", "causal", "grid", "key_grid", "tokens", "key_tokens")
# What `headscope-cli scan --captures` reads of a file besides: texts, as they are.
ORIGIN = ("phrase", "model", "model_sha256", "tokenizer")


def save_capture(path, layers, tokens=None, key_tokens=None, half=False, **facts):
    """Writes a capture.

    layers: {layer number: {part: tensor}}, or a list of them. Parts: `weights` [batch, heads, q, k] after the softmax;
    `scores` [batch, heads, q, k] scaled, before the mask; `query` [batch, heads, q, head_dim], `key` and `value`
    [batch, kv_heads, k, head_dim]. Each layer has weights, or scores, or query and key; weights may stand beside
    either. A batch of 1 may be left out. Layers may have lengths of their own.
    tokens, key_tokens: the texts of the positions (of the first item of the batch).
    half: two bytes a number (float16) instead of four; masks keep four.
    facts: for all layers, or as entries of a layer for it alone. `mask`: bool (True: may attend) or float (added; -inf
    hides), of a shape that broadcasts to [batch, heads, q, k]. `scale`: what query . key is multiplied by; without it
    1/sqrt(head_dim). `causal`: True or False. `grid`, `key_grid`: (rows, columns) of the image whose patches the
    tokens are, which come last. Of a layer also `tokens` and `key_tokens`.
    Of the file, for `headscope-cli scan --captures`: `token_ids`, a whole number for each of the tokens; texts `phrase`,
    `model`, `model_sha256`, `tokenizer`.
    ValueError says what does not fit; then nothing is written.
    """
    if not isinstance(layers, dict):
        layers = dict(enumerate(layers))
    tensors, masks, metadata, sizes = {}, {}, {}, []
    _put_origin(facts, tokens, metadata)
    for layer, parts in sorted(layers.items()):
        _check_parts(layer, parts)
        # Only the batch is the same in all layers.
        sizes.append({"batch": sizes[0]["batch"]} if sizes else {})
        for part in PARTS:
            if part in parts:
                name = f"layers.{layer}.{part}"
                tensor = _four_axes(name, parts[part])
                _check_sizes(name, part, tensor, sizes[-1])
                tensors[name] = tensor.to(torch.float16 if half else torch.float32)
        own = {name: parts[name] for name in FACTS if name in parts}
        _put_facts(f"layers.{layer}.", own, sizes[-1:], masks, metadata)
    if not tensors:
        raise ValueError("nothing was captured; expected at least one layer")
    _put_facts("", {"tokens": tokens, "key_tokens": key_tokens, **facts}, sizes, masks, metadata)
    _write_safetensors(path, {**tensors, **masks}, metadata)


def _put_origin(facts, tokens, metadata):
    """Takes out of the facts what is of no layer: where the capture comes from, and the ids of its tokens."""
    for name in ORIGIN:
        text = facts.pop(name, None)
        if text is not None:
            metadata[name] = str(text)
    ids = facts.pop("token_ids", None)
    if ids is None:
        return
    ids = [int(number) for number in ids]
    if tokens is None or len(ids) != len(tokens) or min(ids, default=0) < 0:
        raise ValueError(f"{len(ids)} token_ids for {0 if tokens is None else len(tokens)} tokens; expected as many, from 0 on")
    metadata["token_ids"] = json.dumps(ids)


def _check_parts(layer, parts):
    unknown = sorted(set(parts) - set(PARTS) - set(FACTS))
    if unknown:
        raise ValueError(f"layer {layer} has {unknown[0]!r}; expected {', '.join(PARTS + FACTS)}")
    if ("query" in parts) != ("key" in parts):
        raise ValueError(f"layer {layer} has query or key alone; expected both")
    if "query" in parts and "scores" in parts:
        raise ValueError(f"layer {layer} has scores beside query and key; expected one of them")
    if not {"weights", "scores", "query"} & set(parts):
        raise ValueError(f"layer {layer} has neither weights nor scores nor query and key")


def _four_axes(name, tensor):
    tensor = tensor.detach().to("cpu")
    if tensor.dim() == 3:
        tensor = tensor[None]
    if tensor.dim() != 4 or tensor.numel() == 0:
        raise ValueError(f"{name} is {list(tensor.shape)}; expected 4 axes, none of them 0")
    return tensor


def _check_sizes(name, part, tensor, sizes):
    score_axes = ("batch", "heads", "q", "k")
    axes = {"weights": score_axes, "scores": score_axes, "query": ("batch", "heads", "q", None)}
    for axis, size in zip(axes.get(part, ("batch", None, "k", None)), tensor.shape):
        known = sizes.setdefault(axis, (size, name))
        if axis is not None and known[0] != size:
            raise ValueError(f"{name} is {list(tensor.shape)}, but {known[1]} has {known[0]} along {axis}")


def _put_facts(prefix, facts, sizes, masks, metadata):
    """Facts of the layers with these sizes, as the file holds them: a mask is a tensor, all others are JSON."""
    unknown = sorted(set(facts) - set(FACTS))
    if unknown:
        raise ValueError(f"there is no {unknown[0]!r}; expected {', '.join(FACTS)}")
    for name, fact in facts.items():
        if fact is None:
            continue
        where = prefix + name
        if name == "mask":
            masks[where] = _mask(where, fact, sizes)
        elif name in ("tokens", "key_tokens"):
            fact = [str(text) for text in fact]
            # Those of all layers name every layer that has as many positions.
            lengths = [size[axis] for size in sizes for axis in (("q",) if name == "tokens" else ("k",))]
            if len(fact) not in [length for length, _ in lengths]:
                raise ValueError(f"{len(fact)} {where} for {lengths[0][0]} positions of {lengths[0][1]}")
        elif name == "scale":
            fact = float(fact)
            if not math.isfinite(fact):
                raise ValueError(f"{where} is {fact}; expected a finite number")
        elif name == "causal":
            fact = bool(fact)
        else:
            fact = [int(size) for size in fact]
            if len(fact) != 2 or min(fact) < 1:
                raise ValueError(f"{where} is {fact}; expected two sizes, rows and columns")
        if name != "mask":
            metadata[where] = json.dumps(fact, ensure_ascii=False)


def _mask(where, mask, sizes):
    mask = torch.as_tensor(mask).detach().to("cpu")
    if not mask.is_floating_point() and mask.dtype != torch.bool:
        raise ValueError(f"{where} is of {mask.dtype}; expected bool (True: may attend) or float (added to scores)")
    for size in sizes:
        scores = [size[axis][0] for axis in ("batch", "heads", "q", "k")]
        fits = 1 <= mask.dim() <= 4 and all(own in (1, wanted) for own, wanted in zip(mask.shape[::-1], scores[::-1]))
        if not fits:
            raise ValueError(f"{where} is {list(mask.shape)}; expected a shape that broadcasts to {scores}")
    return mask if mask.dtype == torch.bool else mask.to(torch.float32)


def _write_safetensors(path, tensors, metadata):
    """https://github.com/huggingface/safetensors, section Format; written beside and renamed."""
    header, place = {"__metadata__": metadata}, 0
    for name, tensor in tensors.items():
        size = tensor.numel() * tensor.element_size()
        header[name] = {
            "dtype": DTYPES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [place, place + size],
        }
        place += size
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace")
    text += b" " * (-len(text) % 8)
    beside = f"{path}.{os.getpid()}.part"
    try:
        with open(beside, "wb") as file:
            file.write(struct.pack("<Q", len(text)) + text)
            for tensor in tensors.values():
                file.write(tensor.contiguous().numpy().tobytes())
        os.replace(beside, path)
    finally:
        if os.path.exists(beside):
            os.remove(beside)


def split_heads(vectors, num_heads):
    """[batch, len, heads * head_dim] to [batch, heads, len, head_dim]."""
    batch, length, width = vectors.shape
    if width % num_heads:
        raise ValueError(f"{num_heads} heads do not divide {width} features")
    return vectors.view(batch, length, num_heads, width // num_heads).transpose(1, 2)


# What multihead() has told to watch a module: its functions keep(arguments, weights); and what sdpa() has: its _Calls. A
# copy of a module is none of these, so that nothing of it is recorded.
_WATCHED = weakref.WeakKeyDictionary()
_RUNS = weakref.WeakKeyDictionary()


class _WatchedForward:
    """`forward` of a module's class while the module is watched.

    A data descriptor stands before the module's own attribute of that name: a forward of the user's own, set before or
    while the module is watched, is called and stays where it is.
    """

    def __init__(self, plain):
        self.plain = plain  # the module's class before

    def __get__(self, module, owner=None):
        if module is None:
            return self.plain.forward
        own = vars(module).get("forward")
        forward = own if own is not None else self.plain.forward.__get__(module)
        keeps = _WATCHED.get(module)
        if keeps:
            forward = functools.partial(_watched_call, forward, list(keeps))
        for calls in list(_RUNS.get(module, ())):
            forward = functools.partial(calls.run, forward)
        return forward

    def __set__(self, module, forward):
        vars(module)["forward"] = forward

    def __delete__(self, module):
        if vars(module).pop("forward", None) is None:
            raise AttributeError("forward")


def _watched_class(plain):
    """A class like `plain` whose instances are watched; what is made of one by copy or pickle is a `plain`."""

    def reduce(module, protocol):
        make, arguments, *rest = plain.__reduce_ex__(module, protocol)
        if make is copyreg.__newobj__ and arguments == (watched,):
            return (copyreg._reconstructor, (plain, object, None), *rest)  # pickle takes no other class by __newobj__
        return (make, tuple(plain if each is watched else each for each in arguments), *rest)

    names = {"__module__": plain.__module__, "__qualname__": plain.__qualname__}
    watched = type(plain)(plain.__name__, (plain,), {**names, "forward": _WatchedForward(plain), "__reduce_ex__": reduce})
    return watched


def _watch_forward(module):
    """The module's forward is watched from here on, until _let_go(). ValueError for a class that cannot be."""
    plain = type(module)
    if isinstance(vars(plain).get("forward"), _WatchedForward):
        return
    try:
        module.__class__ = _watched_class(plain)
    except TypeError as error:
        raise ValueError(f"{plain.__name__} cannot be watched ({error}); record its weights by output()") from None


def _take_out(watching, module, one):
    """Takes one of those that watch a module out of them; the others stay."""
    those = watching.get(module, [])
    those[:] = [each for each in those if each is not one]


def _let_go(module):
    """The module has its own class again once nothing watches it."""
    forward = vars(type(module)).get("forward")
    if not _WATCHED.get(module) and not _RUNS.get(module) and isinstance(forward, _WatchedForward):
        module.__class__ = forward.plain


class _Calls:
    """The calls of scaled_dot_product_attention of a model's last run, for one recorder."""

    def __init__(self, recorder):
        self.recorder, self.count, self.kept = recorder, 0, 0
        self.within = threading.local()  # depth: a model that runs in one thread does not record what another calls

    def depth(self):
        return getattr(self.within, "depth", 0)

    def run(self, forward, /, *inputs, **options):
        """forward(*inputs, **options); its calls are recorded until it ends, with an answer or an error."""
        if self.depth() == 0:
            self.count = 0
        self.within.depth = self.depth() + 1
        try:
            return forward(*inputs, **options)
        finally:
            self.within.depth -= 1
            if self.depth() == 0:  # a run before had more calls: those are no part of this one
                for layer in range(self.count, self.kept):
                    self.recorder._forget(layer)
                self.kept = self.count

    def keep(self, call):
        query = call.get("query")
        if self.depth() and torch.is_tensor(query) and query.dim() == 4:
            self.recorder.attention(self.count, query, call["key"], call["value"], mask=call.get("attn_mask"),
                                    causal=bool(call.get("is_causal", False)), scale=call.get("scale"))
            self.count += 1


class _SdpaCalls:
    """The one function that stands in place of scaled_dot_product_attention while any recorder wants its calls."""

    SIGNATURE = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal", "scale", "enable_gqa")

    def __init__(self):
        self.open, self.plain, self.watched, self.within = [], None, None, threading.local()

    def add(self, calls):
        present = torch.nn.functional.scaled_dot_product_attention
        if present is not self.watched:
            self.plain, self.watched = present, self.around(present)
            torch.nn.functional.scaled_dot_product_attention = self.watched
        self.open.append(calls)

    def remove(self, calls):
        """After the last one the function is as it was. Where somebody put another in its place, that one stays."""
        self.open = [each for each in self.open if each is not calls]
        if not self.open and torch.nn.functional.scaled_dot_product_attention is self.watched:
            torch.nn.functional.scaled_dot_product_attention = self.plain

    def around(self, plain):
        @functools.wraps(plain)
        def watched(*inputs, **options):
            # A function that was put over an earlier one of these calls that one in turn: the outer one records.
            if getattr(self.within, "call", False):
                return plain(*inputs, **options)
            self.within.call = True
            try:
                returned = plain(*inputs, **options)
            finally:
                self.within.call = False
            for calls in list(self.open):
                calls.keep(dict(zip(self.SIGNATURE, inputs), **options))
            return returned

        return watched


_SDPA = _SdpaCalls()


def _asked_like_multihead(forward):
    """The signature by which `forward` is asked for the weights of every head; None when it cannot be asked."""
    parameters = inspect.signature(forward).parameters.values()
    if {"need_weights", "average_attn_weights"} <= {each.name for each in parameters}:
        return inspect.signature(forward)
    if any(each.kind == each.VAR_KEYWORD for each in parameters):  # a wrapper, which hands on what it is given
        return inspect.signature(torch.nn.MultiheadAttention.forward.__get__(object()))
    return None


def _watched_call(forward, keeps, /, *inputs, **options):
    """What forward(*inputs, **options) gives; keep(arguments, weights of every head, or None) is called on the way."""
    signature = _asked_like_multihead(forward)
    if signature is None:
        returned = forward(*inputs, **options)
        for keep in keeps:
            keep({}, None)
        return returned
    try:
        bound = signature.bind(*inputs, **options)
    except TypeError:
        return forward(*inputs, **options)  # which says what is wrong with them
    arguments = bound.arguments
    asked, average = arguments.get("need_weights", True), arguments.get("average_attn_weights", True)
    arguments.update(need_weights=True, average_attn_weights=False)
    returned = forward(*bound.args, **bound.kwargs)
    weights = returned[1] if isinstance(returned, tuple) and len(returned) == 2 else None
    of_heads = torch.is_tensor(weights) and weights.dim() == arguments["query"].dim() + 1
    for keep in keeps:
        keep(arguments, weights if of_heads else None)
    if not of_heads:
        return returned
    return returned[0], (weights.mean(-3) if average else weights) if asked else None


def _mask_of_call(arguments, weights):
    """The masks of a call of torch.nn.MultiheadAttention as save_capture() takes them; None without.

    There True hides: bool masks are turned around, those that are added stay. Keys that the module adds (bias_k, zeros)
    come last, and every query sees them.
    """
    batched, parts = weights.dim() == 4, []
    padding, mask = arguments.get("key_padding_mask"), arguments.get("attn_mask")
    if padding is not None:
        parts.append(padding[:, None, None, :] if batched else padding[None, None, None, :])
    if mask is not None:
        heads = (-1, weights.shape[-3], *mask.shape[-2:])
        parts.append(mask[None, None] if mask.dim() == 2 else mask.reshape(heads))
    if not parts:
        return None
    parts = [part if part.is_floating_point() else part.bool() for part in parts]
    if all(part.dtype == torch.bool for part in parts):
        visible = ~parts[0]
        for part in parts[1:]:
            visible = visible & ~part
    else:
        visible = 0
        for part in parts:
            if part.dtype == torch.bool:
                part = torch.zeros(part.shape, device=part.device).masked_fill(part, -math.inf)
            visible = visible + part.float()
    added_keys = weights.shape[-1] - visible.shape[-1]
    if added_keys > 0:
        shape = (*visible.shape[:-1], added_keys)
        open_keys = torch.ones(shape, dtype=torch.bool) if visible.dtype == torch.bool else torch.zeros(shape)
        visible = torch.cat([visible, open_keys.to(visible.device)], -1)
    return visible


class Recorder:
    """Keeps what the watched modules give, of their last call. As a context manager it lets go of them at the end."""

    def __init__(self):
        self.layers = {}
        self._watched = {}  # (layer, part): the module's name, and why it gave nothing
        self._undo = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """The modules are as before; what was recorded stays."""
        while self._undo:
            self._undo.pop()()

    def save(self, path, tokens=None, key_tokens=None, half=False, **facts):
        """save_capture() of what was recorded. RuntimeError when a watched module was never called."""
        for layer, part in self._watched:
            if part not in self.layers.get(layer, {}):
                module, why = self._watched[layer, part]
                why = why or (
                    "was never called. (Fused paths go around modules: run torch.nn.TransformerEncoder with gradients "
                    "enabled.)"
                )
                raise RuntimeError(f"layers.{layer}.{part} was not recorded: {module} {why}")
        save_capture(path, self.layers, tokens, key_tokens, half, **facts)

    def describe(self, layer, **facts):
        """Facts of a layer that no module tells: mask, scale, causal, grid, tokens ... as save_capture() takes them."""
        self.layers.setdefault(layer, {}).update(facts)

    def on_close(self, undo):
        """undo() is called when the recorder is closed, the last one first."""
        self._undo.append(undo)

    def unfit(self, layer, name, why):
        """save() will say why `name` gave nothing for this layer: "layers.0.query was not recorded: NAME WHY"."""
        self._watched[layer, "query"] = (name, why)

    def attention(self, layer, query, key, value=None, **facts):
        """Records what a call of attention works on: query [batch, heads, q, head_dim], key and value [batch, kv_heads, k,
        head_dim], as they are multiplied. facts (mask, causal, scale) as save_capture() takes them; None: not said."""
        for part, tensor in (("query", query), ("key", key), ("value", value)):
            if tensor is not None:
                self._keep(layer, part, tensor)
        for name in ("mask", "causal", "scale"):
            self.layers[layer].pop(name, None)
            if facts.get(name) is not None:
                fact = facts[name]
                self.layers[layer][name] = fact.detach().to("cpu", copy=True) if torch.is_tensor(fact) else fact

    def sdpa(self, model):
        """Records the calls of torch.nn.functional.scaled_dot_product_attention while `model` runs, a layer each in
        their order: queries, keys and values as they are multiplied, with mask, causal flag and scale.

        Calls of compiled models, and of modules that keep the function under a name of their own, are not seen; save()
        says so when there was none. RuntimeError where PyTorch (before 2.0) has no such function.
        """
        if not hasattr(torch.nn.functional, "scaled_dot_product_attention"):
            raise RuntimeError(f"PyTorch {torch.__version__} has no scaled_dot_product_attention; record weights by output()")
        calls = _Calls(self)
        _watch_forward(model)
        _RUNS.setdefault(model, []).append(calls)
        _SDPA.add(calls)
        self._watched[0, "query"] = ("scaled_dot_product_attention", None)

        def undo():
            _SDPA.remove(calls)
            _take_out(_RUNS, model, calls)
            _let_go(model)

        self._undo.append(undo)

    def output(self, module, layer, part="weights", pick=None):
        """Records a module's output as `part`; `pick` takes it out of what the module returns.

        Without `pick` the output is the tensor, or of a tuple, list or dictionary the only tensor of four axes.
        """

        def keep(returned):
            self._keep(layer, part, pick(returned) if pick else _only_tensor_of_four_axes(returned, layer, part))

        self._watch(module, layer, part)
        self._hook(module, keep)

    def multihead(self, module, layer):
        """Records the weights of every head of a torch.nn.MultiheadAttention, and the mask that it was called with.

        The caller gets what it asked for: averaged weights, those of every head, or None. A forward of your own is
        called as before, copies are not recorded, and recorders may overlap. ValueError for other modules.
        """
        plain = type(module)
        if _asked_like_multihead(module.forward) is None:
            raise ValueError(f"{plain.__name__}.forward takes no need_weights; record its weights by output()")

        def keep(arguments, weights):
            if weights is None:
                name, _ = self._watched[layer, "weights"]
                self._watched[layer, "weights"] = (name, "gave no weights of every head")
                return
            self._keep(layer, "weights", weights)
            mask = _mask_of_call(arguments, weights)
            if mask is None:
                self.layers[layer].pop("mask", None)
            else:
                self._keep(layer, "mask", mask)

        _watch_forward(module)
        self._watch(module, layer, "weights")
        _WATCHED.setdefault(module, []).append(keep)

        def undo():
            _take_out(_WATCHED, module, keep)
            _let_go(module)

        self._undo.append(undo)

    def projections(self, query, key, layer, num_heads, num_kv_heads=None, value=None):
        """Records queries, keys (and values) as modules that give [batch, len, heads * head_dim] make them.

        What happens to them afterwards (a norm of heads, rotary positions) is not in them.
        """
        for module, part in ((query, "query"), (key, "key"), (value, "value")):
            if module is not None:
                heads = num_heads if part == "query" else num_kv_heads or num_heads
                self.output(module, layer, part, lambda vectors, heads=heads: split_heads(vectors, heads))

    def fused_projection(self, module, layer, num_heads, layout="blocked"):
        """Records query, key and value of one module that gives all three.

        layout: "blocked" [Q K V], or "per-head" [q_0 k_0 v_0 q_1 ...].
        """
        if layout not in ("blocked", "per-head"):
            raise ValueError(f"layout {layout!r}; expected 'blocked' or 'per-head'")

        def keep(vectors):
            if layout == "blocked":
                parts = [split_heads(part, num_heads) for part in vectors.chunk(3, dim=-1)]
            else:
                parts = split_heads(vectors, num_heads).chunk(3, dim=-1)
            for part, heads in zip(("query", "key", "value"), parts):
                self._keep(layer, part, heads)

        for part in ("query", "key", "value"):
            self._watch(module, layer, part)
        self._hook(module, keep)

    def _hook(self, module, keep):
        def hook(called, _, returned):
            if called is module:  # and no copy of it, which has its hooks
                keep(returned)

        self._undo.append(module.register_forward_hook(hook).remove)

    def _watch(self, module, layer, part):
        if (layer, part) in self._watched:
            raise ValueError(f"layers.{layer}.{part} is watched already")
        self._watched[layer, part] = (type(module).__name__, None)

    def _forget(self, layer):
        """What attention() recorded of a layer; what describe() said stays."""
        known = self.layers.get(layer, {})
        for name in ("query", "key", "value", "mask", "causal", "scale"):
            known.pop(name, None)
        if not known:
            self.layers.pop(layer, None)

    def _keep(self, layer, part, tensor):
        # A copy: models write over their tensors.
        self.layers.setdefault(layer, {})[part] = tensor.detach().to("cpu", copy=True)


def _only_tensor_of_four_axes(returned, layer, part):
    if torch.is_tensor(returned):
        return returned
    values = returned.values() if isinstance(returned, dict) else returned
    found = [value for value in values if torch.is_tensor(value) and value.dim() == 4]
    if len(found) != 1:
        raise ValueError(
            f"layers.{layer}.{part}: the module returns {len(found)} tensors of four axes; expected one, or `pick`"
        )
    return found[0]
