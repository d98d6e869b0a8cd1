"""The interventions of a request: what `headscope-cli run --help` spells, read into values."""

import json
import os
import pathlib
from typing import NamedTuple, Optional, Tuple

from headscope._own_arrays import puts_of, refuse_term
from headscope._program import HeadscopeError, call
from headscope._words import ARRAY_OPTIONS

# Where request_of() says in which folder a session lies, for the files that it names.
FOLDER = " folder"
# Options that hold interventions, and what stands between their terms.
SEPARATORS = {"ablate": ",", "freeze": ",", "scale_query": ",", "scale_key": ",", "edit": ";", "paint": ";", "patch": ";"}
HEAD_STAGES = ("query", "key", "value", "c2p", "p2c", "raw_scores", "scores", "capped_scores", "masked_scores",
               "weights", "dropped_weights", "context", "qkv_heads")


class Ablate(NamedTuple):
    """A head whose context is 0."""
    layer: int
    head: int


class Freeze(NamedTuple):
    """A head whose weights are held: `way` is uniform or identity."""
    layer: int
    head: int
    way: str


class Factor(NamedTuple):
    """A factor of the stage query or key; without a layer: of every head of every layer."""
    stage: str
    layer: Optional[int]
    head: Optional[int]
    factor: float


class Edit(NamedTuple):
    """One number of a stage, or of a tensor of the layer's weights; without a layer: of the one that is shown."""
    tensor: str
    layer: Optional[int]
    index: Tuple[int, ...]
    value: float


class Paint(NamedTuple):
    """A rectangle of queries and keys that is hidden or shown, in every layer; an end of None is the last one."""
    hides: bool
    queries: slice
    keys: slice


class Patch(NamedTuple):
    """Numbers of a stage of another run; None: every head, every position, the layer that is shown."""
    stage: str
    layer: Optional[int]
    head: Optional[int]
    position: Optional[int]


def _whole(text, option, term):
    if not (text.isascii() and text.isdigit()):
        refuse_term(option, term)
    return int(text)


def _place(text, option, term):
    layer, dot, head = text.partition(".")
    if not dot:
        refuse_term(option, term)
    return _whole(layer, option, term), _whole(head, option, term)


def _number(text, option, term):
    try:
        return float(text)
    except ValueError:
        refuse_term(option, term)


def _layer_and_name(text):
    layer, slash, name = text.partition("/")
    return (int(layer), name) if slash and layer.isascii() and layer.isdigit() else (None, text)


def _range(text, option, term):
    begin, colon, end = text.partition(":")
    if not colon:
        return slice(_whole(begin, option, term), _whole(begin, option, term) + 1)
    return slice(_whole(begin, option, term) if begin else 0, _whole(end, option, term) if end else None)


def _factor(option, term):
    place, equals, factor = term.rpartition("=")
    layer, head = _place(place, option, term) if equals else (None, None)
    return Factor(option.split("_")[1], layer, head, _number(factor, option, term))


def _freeze(option, term):
    place, _, way = term.partition("=")
    if way not in ("uniform", "identity"):
        refuse_term(option, term)
    return Freeze(*_place(place, option, term), way)


def _edit(option, term):
    left, equals, value = term.rpartition("=")
    name, colon, places = left.rpartition(":")
    if not equals or not colon:
        refuse_term(option, term)
    layer, tensor = _layer_and_name(name)
    return Edit(tensor, layer, tuple(_whole(at, option, term) for at in places.split(",")), _number(value, option, term))


def _paint(option, term):
    way, at, places = term.partition("@")
    queries, comma, keys = places.partition(",")
    if way not in ("hide", "show") or not at or not comma:
        refuse_term(option, term)
    return Paint(way == "hide", _range(queries, option, term), _range(keys, option, term))


def _patch(option, term):
    if not term.endswith("@A"):
        refuse_term(option, term)
    name, _, place = term[:-2].partition(":")
    layer, stage = _layer_and_name(name)
    first, comma, second = place.partition(",")
    head = position = None
    if comma and stage not in HEAD_STAGES:
        refuse_term(option, term)
    if comma:
        head = _whole(first, option, term) if first else None
        position = _whole(second, option, term)
    elif first and stage in HEAD_STAGES:
        head = _whole(first, option, term)
    elif first:
        position = _whole(first, option, term)
    return Patch(stage, layer, head, position)


def _same_thing(a, b):
    """Whether two values of one option are about the same thing: painted cells never are."""
    if isinstance(a, (Edit, Factor)):
        return a[:3] == b[:3]
    return not isinstance(a, Paint) and (a == b if isinstance(a, Patch) else a[:2] == b[:2])


_READERS = {"ablate": lambda option, term: Ablate(*_place(term, option, term)), "freeze": _freeze,
            "scale_query": _factor, "scale_key": _factor, "edit": _edit, "paint": _paint, "patch": _patch}


def interventions_of(request):
    """The options of a request that hold interventions, those that are off included, and patch_from beside patch."""
    found = {}
    for name, value in request.items():
        name = name.rstrip("_").replace("-", "_")
        if name in SEPARATORS and value not in (None, "", "none", [], ()):
            found[name] = value if isinstance(value, str) else SEPARATORS[name].join(map(str, value))
    if "patch" in found:
        origin = request.get("patch_from", request.get("patch-from"))
        if origin is not None:
            found["patch_from"] = os.fspath(origin) if isinstance(origin, os.PathLike) else origin
    return found


def read_interventions(request):
    """The interventions of a request that are on, as values; arrays in the order in which they act. ValueError names a
    term that is spelled otherwise, and a file of set, add or project_out that cannot be read."""
    values = []
    for option, text in interventions_of(request).items():
        own = []  # of terms about the same thing the last one counts, be it off
        for term in text.split(SEPARATORS[option]) if option != "patch_from" else ():
            on = not term.strip().startswith("off:")
            value = _READERS[option](option, term.strip() if on else term.strip()[len("off:"):])
            own = [each for each in own if not _same_thing(each[0], value)] + [(value, on)]
        values += [value for value, on in own if on]
    return values + puts_of(request, HEAD_STAGES, request.get(FOLDER))


def _from_session(path):
    path = pathlib.Path(path)
    if path.suffix != ".json":  # a picture that carries its session: the program finds it in there
        return json.loads(call(["run", "--session", str(path), "--json"]))["request"]
    try:
        session = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise HeadscopeError(f"{path} cannot be read as a session: {error}", 3) from None
    request = dict(session.get("request", session))
    request[FOLDER] = str(path.parent)
    origin = request.get("patch_from", request.get("patch-from"))
    if isinstance(origin, str) and not os.path.exists(origin) and os.path.exists(path.parent / origin):
        request["patch_from"] = str(path.parent / origin)
    return request


INTERVENTIONS = (*SEPARATORS, *ARRAY_OPTIONS, "patch_from")


def _misspelled(name):
    """Whether an option is none of the interventions, and one but for its marks: a request may have any others."""
    marks = str.maketrans("", "", "_-")
    joined = [each.translate(marks) for each in INTERVENTIONS]
    return name.rstrip("_").replace("-", "_") not in INTERVENTIONS and name.translate(marks).lower() in joined


def request_of(source):
    """The request of a dict of options, a session file or picture, what show() or run() returned."""
    if isinstance(source, (str, os.PathLike)):
        return _from_session(source)
    if callable(getattr(source, "request", None)):
        return source.request()
    if hasattr(source, "manifest"):
        return source.manifest["request"]
    request = dict(source)
    session = request.pop("session", None)
    near = [name for name in request if _misspelled(name)]
    if near:
        raise ValueError(f"there is no {near[0]!r}; expected one of {', '.join(INTERVENTIONS)}")
    return request if session is None else {**request_of(session), **request}
