"""Hands the attention of any PyTorch model to Headscope: one file, no other dependency than torch.

    recorder = Recorder()
    recorder.multihead(model.layers[0].self_attn, layer=0)   # torch.nn.MultiheadAttention
    model(x)
    recorder.save("capture.safetensors", tokens=["the", "cat"])

then `headscope capture.safetensors`. README.md has recipes for other libraries.
"""

import json
import os
import struct

import torch

PARTS = ("weights", "query", "key", "value")


def save_capture(path, layers, tokens=None, key_tokens=None, half=False):
    """Writes a capture.

    layers: {layer number: {part: tensor}}, or a list of them. Parts: `weights` [batch, heads, q, k] after the softmax;
    `query` [batch, heads, q, head_dim], `key` and `value` [batch, kv_heads, k, head_dim]. Each layer has weights, or
    query and key, or both. A batch of 1 may be left out.
    tokens, key_tokens: the texts of the positions (of the first item of the batch).
    half: two bytes a number (float16) instead of four.
    ValueError says which tensor does not fit.
    """
    if not isinstance(layers, dict):
        layers = dict(enumerate(layers))
    tensors, sizes = {}, {}
    for layer, parts in sorted(layers.items()):
        _check_parts(layer, parts)
        for part in PARTS:
            if part in parts:
                name = f"layers.{layer}.{part}"
                tensor = _four_axes(name, parts[part])
                _check_sizes(name, part, tensor, sizes)
                tensors[name] = tensor.to(torch.float16 if half else torch.float32)
    if not tensors:
        raise ValueError("nothing was captured; expected at least one layer")
    metadata = {}
    for name, texts, axis in (("tokens", tokens, "q"), ("key_tokens", key_tokens, "k")):
        if texts is not None:
            texts = [str(text) for text in texts]
            if len(texts) != sizes[axis][0]:
                raise ValueError(f"{len(texts)} {name} for {sizes[axis][0]} positions of {sizes[axis][1]}")
            metadata[name] = json.dumps(texts, ensure_ascii=False)
    _write_safetensors(path, tensors, metadata)


def _check_parts(layer, parts):
    unknown = sorted(set(parts) - set(PARTS))
    if unknown:
        raise ValueError(f"layer {layer} has {unknown[0]!r}; expected {', '.join(PARTS)}")
    if ("query" in parts) != ("key" in parts):
        raise ValueError(f"layer {layer} has query or key alone; expected both")
    if "weights" not in parts and "query" not in parts:
        raise ValueError(f"layer {layer} has neither weights nor query and key")


def _four_axes(name, tensor):
    tensor = tensor.detach().to("cpu")
    if tensor.dim() == 3:
        tensor = tensor[None]
    if tensor.dim() != 4 or tensor.numel() == 0:
        raise ValueError(f"{name} is {list(tensor.shape)}; expected 4 axes, none of them 0")
    return tensor


def _check_sizes(name, part, tensor, sizes):
    axes = {"weights": ("batch", None, "q", "k"), "query": ("batch", None, "q", None)}
    for axis, size in zip(axes.get(part, ("batch", None, "k", None)), tensor.shape):
        known = sizes.setdefault(axis, (size, name))
        if axis is not None and known[0] != size:
            raise ValueError(f"{name} is {list(tensor.shape)}, but {known[1]} has {known[0]} along {axis}")


def _write_safetensors(path, tensors, metadata):
    """https://github.com/huggingface/safetensors, section Format; written beside and renamed."""
    header, place = {"__metadata__": metadata}, 0
    for name, tensor in tensors.items():
        size = tensor.numel() * tensor.element_size()
        header[name] = {
            "dtype": {torch.float32: "F32", torch.float16: "F16"}[tensor.dtype],
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


class Recorder:
    """Keeps what the watched modules give, of their last call. As a context manager it lets go of them at the end."""

    def __init__(self):
        self.layers = {}
        self._watched = {}
        self._undo = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """The modules are as before; what was recorded stays."""
        while self._undo:
            self._undo.pop()()

    def save(self, path, tokens=None, key_tokens=None, half=False):
        """save_capture() of what was recorded. RuntimeError when a watched module was never called."""
        for layer, part in self._watched:
            if part not in self.layers.get(layer, {}):
                raise RuntimeError(
                    f"layers.{layer}.{part} was not recorded: {self._watched[layer, part]} was never called. (Fused "
                    "paths go around modules: run torch.nn.TransformerEncoder with gradients enabled.)"
                )
        save_capture(path, self.layers, tokens, key_tokens, half)

    def output(self, module, layer, part="weights", pick=None):
        """Records a module's output as `part`; `pick` takes it out of what the module returns.

        Without `pick` the output is the tensor, or of a tuple, list or dictionary the only tensor of four axes.
        """

        def keep(_, __, returned):
            self._keep(layer, part, pick(returned) if pick else _only_tensor_of_four_axes(returned, layer, part))

        self._watch(module, layer, part)
        self._undo.append(module.register_forward_hook(keep).remove)

    def multihead(self, module, layer):
        """Records the weights of every head of a torch.nn.MultiheadAttention, whatever its caller asks for.

        The caller gets what it asked for: averaged weights, or None.
        """
        self._watch(module, layer, "weights")
        forward = module.forward

        def recording(*inputs, need_weights=True, average_attn_weights=True, **options):
            output, weights = forward(*inputs, need_weights=True, average_attn_weights=False, **options)
            self._keep(layer, "weights", weights)
            if not need_weights:
                return output, None
            return output, weights.mean(-3) if average_attn_weights else weights

        module.forward = recording
        self._undo.append(lambda: delattr(module, "forward"))

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

        def keep(_, __, vectors):
            if layout == "blocked":
                parts = [split_heads(part, num_heads) for part in vectors.chunk(3, dim=-1)]
            else:
                parts = split_heads(vectors, num_heads).chunk(3, dim=-1)
            for part, heads in zip(("query", "key", "value"), parts):
                self._keep(layer, part, heads)

        for part in ("query", "key", "value"):
            self._watch(module, layer, part)
        self._undo.append(module.register_forward_hook(keep).remove)

    def _watch(self, module, layer, part):
        if (layer, part) in self._watched:
            raise ValueError(f"layers.{layer}.{part} is watched already")
        self._watched[layer, part] = type(module).__name__

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
