"""Arrays of set, add and project_out: read from a request, and put into the stages of a PyTorch model.

Places, shapes and rules are those of `headscope-cli run --help`: an array is [features] for every chosen position, [positions,
features], or has the shape of the chosen part or of the whole stage.
"""

import collections.abc
import hashlib
import math
import os
import pathlib
import re
from typing import Any, NamedTuple, Optional, Tuple

from headscope._arrays import numbers, plain
from headscope._numpy import np
from headscope._words import ARRAY_OPTIONS

# Axes of a stage along which an array has rows: positions, or queries of scores.
ROWS = "pq"
SPAN = re.compile(r"(-[1-9][0-9]*|[0-9]+)(?:\.\.(-[1-9][0-9]*|[0-9]+))?", re.ASCII)
NUMBER = re.compile(r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|-?inf(?:inity)?|-?nan", re.ASCII | re.IGNORECASE)
LARGEST = 3.4028234663852886e38  # of float32
PLACE = re.compile(r"(?:([0-9]+)/)?(\w+)(?::(.*))?", re.ASCII)


class Put(NamedTuple):
    """An array, or a number, that replaces a part of a stage (set), is added to it, or is a direction that leaves it."""
    stage: str
    layer: Optional[int]
    head: Optional[int]
    places: Optional[Tuple[int, int]]  # first and last, below 0 from the end; None: all
    use: str
    array: Any = None                  # of NumPy, float32; None: `number`
    number: float = 0.0
    factor: float = 1.0
    name: str = "the array"            # in messages


def refuse_term(option, term):
    """Ends with a ValueError that names a term spelled otherwise."""
    raise ValueError(f"{option} has {term!r}; `headscope-cli run --help` says how it is spelled")


def _span(text, option, term):
    found = SPAN.fullmatch(text)
    if not found:
        refuse_term(option, term)
    first = int(found[1])
    last = first if found[2] is None else int(found[2])
    if (first < 0) == (last < 0) and first > last:
        refuse_term(option, term)
    return first, last


def _placed(option, place, head_stages):
    """(layer, stage, head, places) of "1/z:3,-1"."""
    found = PLACE.fullmatch(place)
    if not found:
        refuse_term(option, place)
    layer = None if found[1] is None else int(found[1])
    stage = "context" if found[2] == "z" else found[2]
    if found[3] is None:
        return layer, stage, None, None
    if stage not in head_stages:
        return layer, stage, None, _span(found[3], option, place)
    head, comma, places = found[3].partition(",")
    if (not head and not comma) or (head and not (head.isascii() and head.isdigit())):
        refuse_term(option, place)
    return layer, stage, int(head) if head else None, _span(places, option, place) if comma else None


def _number(text):
    """The number that a text is as a whole; None: it is the name of a file."""
    if not NUMBER.fullmatch(text):
        return None
    number = float(text)
    return LARGEST * 2 if math.isinf(number) and "n" not in text.lower() else number  # "1e400" is no infinity


def _checked(option, place, value, finite):
    """A number that float32 holds; `finite`: nor an infinity."""
    if math.isnan(value) or (finite and math.isinf(value)) or LARGEST < abs(value) < math.inf:
        raise ValueError(f"{option} has {value} at {place!r}; expected a {'finite ' if finite else ''}number that float32 holds")
    return float(value)


def _digest(array):
    """The sha256 that a session keeps of an array: its shape and its float32 numbers."""
    sha = hashlib.sha256(b"array\0" + array.ndim.to_bytes(4, "little"))
    for size in array.shape:
        sha.update(int(size).to_bytes(8, "little"))
    sha.update(np.ascontiguousarray(array, dtype="<f4").tobytes())
    return sha.hexdigest()


def _of_file(path, kept, folder):
    """The array of a .npy file; of a session the one that it carries, or its file if that holds the same numbers still."""
    own = kept.get(path, {})
    try:
        if "values" in own:
            array = np.array(own["values"], dtype=np.float32).reshape(own["shape"])
        else:
            beside = pathlib.Path(folder or ".", path)
            array = np.load(path if os.path.exists(path) or not beside.exists() else beside, allow_pickle=False)
            if not isinstance(array, np.ndarray):
                raise ValueError("it is an archive; expected one array, a .npy file")
    except (OSError, ValueError, EOFError) as error:
        raise ValueError(f"{path} cannot be read as an array: {error}") from None
    array = numbers(path, array, bools=True).astype(np.float32)
    if own and own.get("sha256") != _digest(array):
        raise ValueError(f"{path}: its numbers are not those that the session was saved with; give the option anew")
    return array


def _terms(option, value):
    """(place, what is put there) of a dict, of pairs or terms in a list, or of the option's text."""
    if isinstance(value, (str, os.PathLike)):
        value = os.fspath(value).split(";")
    if not isinstance(value, (collections.abc.Mapping, list, tuple)):
        raise ValueError(f"{option} is {value!r}; expected places and what is put there")
    pairs = list(value.items() if isinstance(value, collections.abc.Mapping) else value)
    pairs = [tuple(each.partition("=")[::2]) if isinstance(each, str) else each for each in pairs]
    for pair in pairs:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2 or not isinstance(pair[0], str):
            raise ValueError(f"{option} has {pair!r}; expected a place, as text, and what is put there")
    return pairs


def _text_put(option, place, text, kept, folder):
    """The fields of a Put that the words behind '=' give."""
    number = _number(text)
    if option == "set" and number is not None:
        return {"number": _checked(option, place, number, False)}
    factor = 1.0
    if option == "add" and "*" in text:
        text, _, times = text.rpartition("*")
        factor = _number(times)
        if factor is None:
            refuse_term(option, f"{place}={text}*{times}")
        factor = _checked(option, place, factor, True)
    if not text:
        refuse_term(option, f"{place}=")
    return {"array": _of_file(text, kept, folder), "factor": factor, "name": os.path.basename(text)}


def _given(option, place, put, kept, folder):
    """The same of what a dict has: an array, a number of set, (array, factor) of add; or text."""
    factor = None
    if isinstance(put, tuple) and len(put) == 2 and isinstance(plain(put[1]), (int, float)):
        if option != "add":
            raise ValueError(f"{option} takes no factor; found one at {place!r}")
        put, factor = put[0], _checked(option, place, plain(put[1]), True)
    put = plain(put)
    if isinstance(put, (str, os.PathLike)):
        if factor is None:
            return _text_put(option, place, os.fspath(put), kept, folder)
        return {"array": _of_file(os.fspath(put), kept, folder), "factor": factor, "name": os.path.basename(put)}
    if isinstance(put, (int, float)):
        if option != "set" or isinstance(put, bool):
            raise ValueError(f"{option} takes an array; found {put} at {place!r}")
        return {"number": _checked(option, place, put, False)}
    name = f"{option}[{place!r}]"
    return {"array": numbers(name, put), "factor": 1.0 if factor is None else factor, "name": name}


def puts_of(request, head_stages, folder=None):
    """The arrays of a request that are on, in the order in which they act; of two of set at one place the last counts, be it
    off. ValueError names what is spelled otherwise, and files that cannot be read. folder: where a session's files lie
    beside it."""
    given = {name.rstrip("_").replace("-", "_"): value for name, value in request.items()}
    kept = {each["file"]: each for each in given.get("arrays") or []}
    found = []
    for option in ARRAY_OPTIONS:
        value = given.get(option)
        if value is None or (isinstance(value, str) and value in ("", "none")):
            continue
        for place, put in _terms(option, value):
            on = not place.startswith("off:")
            placed = _placed(option, place if on else place[len("off:"):], head_stages)
            if isinstance(put, str) and not put:
                refuse_term(option, f"{place}=")
            layer, stage, head, places = placed
            if option == "set":
                found = [each for each in found if (each[0].use, each[1]) != ("set", placed)]
            found.append((Put(stage, layer, head, places, option), placed, on, place, put))
    return [each._replace(**_given(each.use, place, put, kept, folder)) for each, _, on, place, put in found if on]


def _chosen(put, count, layer):
    first, last = (0, count - 1) if put.places is None else put.places
    begin, end = (first + count if first < 0 else first), (last + count if last < 0 else last) + 1
    if not 0 <= begin < end <= count:
        words = f"position {first}" if first == last else f"positions {first}..{last}"
        raise ValueError(f"{put.stage} of layer {layer} has no {words}; its {count} are 0 to {count - 1}, or -{count} to -1")
    return slice(begin, end)


def _fitted(put, array, tensor, part, rows, heads, layer):
    """The array as it lies beside `part`, the chosen places of the stage; views, nothing is copied."""
    shape, rank = list(array.shape), array.dim()
    chosen, whole = list(part.shape), list(tensor.shape)
    if rank == 1 and shape == chosen[-1:]:
        return array
    if rank == 2 and shape == [chosen[rows], chosen[-1]]:
        return array
    if 3 <= rank <= len(whole) and shape == chosen[-rank:]:
        return array
    if 3 <= rank <= len(whole) and shape == whole[-rank:]:
        lead = len(whole) - rank
        places = [slice(None)] * rank
        places[rows - lead] = _chosen(put, whole[rows], layer)
        if heads is not None and heads >= lead and put.head is not None:
            places[heads - lead] = slice(put.head, put.head + 1)
        return array[tuple(places)]
    raise ValueError(f"{put.name} is {shape}, which does not fit {put.stage} of layer {layer}; expected {chosen[-1:]}, "
                     f"{[chosen[rows], chosen[-1]]} or {whole}")


def apply_put(put, tensor, axes, layer):
    """Changes `tensor`, a stage with these axes ("bhpf"), in place."""
    import torch

    rows = next(at for at, axis in enumerate(axes) if axis in ROWS)
    heads = axes.index("h") if "h" in axes else None
    places = [slice(None)] * tensor.dim()
    places[rows] = _chosen(put, tensor.shape[rows], layer)
    if put.head is not None:
        if put.head >= tensor.shape[heads]:
            raise ValueError(f"{put.stage} of layer {layer} has no head {put.head}; there are {tensor.shape[heads]}")
        places[heads] = slice(put.head, put.head + 1)
    part = tensor[tuple(places)]

    def held(array):
        """In the stage's own type; what it cannot hold is no infinity."""
        narrow = array.to(tensor.dtype)
        if bool((array.isfinite() & ~narrow.isfinite()).any()):
            raise ValueError(f"{put.name} holds numbers that {tensor.dtype} of {put.stage} of layer {layer} does not reach")
        return narrow

    if put.array is None:
        tensor[tuple(places)] = held(torch.tensor(put.number, dtype=torch.float64)).to(tensor.device)
        return
    array = torch.from_numpy(np.array(put.array, dtype=np.float32)).to(tensor.device)
    array = _fitted(put, array, tensor, part, rows, heads, layer)
    if put.use == "set":
        tensor[tuple(places)] = held(array).expand(part.shape)
    elif put.use == "add":
        tensor[tuple(places)] = part + held(put.factor * array)
    else:
        direction, own = array.double(), part.double()
        square = (direction * direction).sum(-1, keepdim=True)
        if not bool(((square > 0) & square.isfinite()).all()):
            raise ValueError(f"{put.name} holds a direction of zeros or of numbers that are not finite; it needs a length above 0")
        along = (own * direction).sum(-1, keepdim=True)
        tensor[tuple(places)] = (own - along / square * direction).to(tensor.dtype)
