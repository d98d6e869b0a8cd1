"""Arrays of any library as NumPy's, and captures made of them."""

import json
import os
import pathlib
import tempfile

from headscope._numpy import np


def as_array(value, name="the array"):
    """`value` as a NumPy array: of NumPy, PyTorch, JAX, anything with DLPack or __array__, or nested lists."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array, whose masked cells hold no numbers; expected an array, as .filled(0) "
                        "gives")
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "detach"):  # PyTorch: leaves the graph and the card; NumPy has no bfloat16
        value = value.detach().cpu()
        return (value.float() if value.is_floating_point() else value).numpy()
    if hasattr(value, "__array__") or not hasattr(value, "__dlpack__"):
        return np.asarray(value)
    return np.from_dlpack(value)


def numbers(name, value, bools=False):
    """`value` as float32 (a mask's bools and whole numbers as they are), no finite number made infinite."""
    array = as_array(value, name)
    try:
        if array.dtype.kind == "V" and array.dtype.names is None:  # bfloat16 and float8 of JAX
            array = array.astype(np.float32)
    except (TypeError, ValueError):
        pass
    if array.dtype.kind not in ("biuf" if bools else "iuf"):
        raise TypeError(f"{name} holds {array.dtype}; expected numbers")
    if bools and array.dtype.kind != "f":
        return array
    with np.errstate(over="ignore"):
        narrow = array.astype("<f4")
    lost = np.isinf(narrow) & np.isfinite(array)
    if lost.any():
        raise ValueError(f"{name} holds {float(array[lost][0]):g}, which no float32 number reaches; expected -inf, or at "
                         "most 3.4e38")
    return narrow


def plain(value):
    """A scalar of NumPy or PyTorch as Python's own; anything else as it is."""
    return value.item() if getattr(value, "ndim", None) == 0 and hasattr(value, "item") else value


def _floats(name, value, axes):
    array = as_array(value, name)
    if array.dtype == bool or not (np.issubdtype(array.dtype, np.floating) or np.issubdtype(array.dtype, np.integer)):
        raise TypeError(f"{name} holds {array.dtype}; expected numbers")
    if array.ndim not in axes or array.size == 0:
        raise ValueError(f"{name} is {list(array.shape)}; expected {' or '.join(str(axis) for axis in axes)} axes, none of them 0")
    return np.ascontiguousarray(array, dtype="<f4")


def _layers_of(name, value):
    """[layers, batch, heads, rows, columns] of [heads, ..], [layers, heads, ..] or [layers, batch, heads, ..]."""
    array = _floats(name, value, (3, 4, 5))
    return array[None, None] if array.ndim == 3 else array[:, None] if array.ndim == 4 else array


def capture_tensors(attn=None, q=None, k=None, v=None, mask=None):
    """The tensors of a capture, by name. Raises TypeError and ValueError."""
    if (q is None) != (k is None):
        raise ValueError("q and k come together")
    if attn is None and q is None:
        raise ValueError("nothing to show; expected attn, or q and k")
    tensors = {}
    for part, name, value in (("weights", "attn", attn), ("query", "q", q), ("key", "k", k), ("value", "v", v)):
        if value is None:
            continue
        for layer, numbers in enumerate(_layers_of(name, value)):
            tensors[f"layers.{layer}.{part}"] = numbers
    if mask is not None:
        array = as_array(mask, "mask")
        tensors["mask"] = array if array.dtype == bool else _floats("mask", array, (1, 2, 3, 4))
    return tensors


def write_atomically(path, content):
    """Beside it, then renamed into its place: who reads the file never sees half of it."""
    path = pathlib.Path(path)
    handle, part = tempfile.mkstemp(prefix=path.name + ".", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise


def safetensors_bytes(tensors, metadata):
    """A safetensors file: the length of its header, the header, the numbers one after the other."""
    header, at = {"__metadata__": metadata} if metadata else {}, 0
    for name, array in tensors.items():
        kind = "BOOL" if array.dtype == bool else "F32"
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + b"".join(np.ascontiguousarray(a).tobytes() for a in tensors.values())


def read_safetensors(path):
    """The float32 tensors of a safetensors file that headscope-cli has written, by name."""
    content = pathlib.Path(path).read_bytes()
    begin = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:begin])
    header.pop("__metadata__", None)
    found = {}
    for name, one in header.items():
        first, last = (begin + offset for offset in one["data_offsets"])
        found[name] = np.frombuffer(content[first:last], dtype={"F32": "<f4", "F64": "<f8", "I64": "<i8"}[one["dtype"]]).reshape(one["shape"])
    return found


def capture_bytes(tokens=None, key_tokens=None, scale=None, causal=None, grid=None, **arrays):
    """A capture as `headscope` opens it; see assets/capture/README.md for what it may hold."""
    metadata = {}
    for name, words in (("tokens", tokens), ("key_tokens", key_tokens)):
        if words is not None:
            metadata[name] = json.dumps([str(word) for word in words])
    if scale is not None:
        metadata["scale"] = repr(float(scale))
    if causal is not None:
        metadata["causal"] = "true" if causal else "false"
    if grid is not None:
        metadata["grid"] = json.dumps([int(size) for size in grid])
    return safetensors_bytes(capture_tensors(**arrays), metadata)
