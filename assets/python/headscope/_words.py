"""What is asked in Python as options of headscope-cli: a table of how values of each kind are written."""

import collections.abc
import json
import os
import pathlib

from headscope._arrays import numbers, plain, safetensors_bytes
from headscope._numpy import np

# Options that put arrays into stages: a dict of places and what is put there, or the text of the option.
ARRAY_OPTIONS = ("set", "add", "project_out")
# What another run has of the request where it says nothing else: the model with its layer, and the text.
MODEL_OPTIONS = ("model", "weights", "adapter", "heads", "kv_heads", "qkv_layout", "layer")
TEXT_OPTIONS = ("phrase", "phrase_file", "second_phrase", "key_phrase", "token_ids", "decoder_phrase", "decoder_ids", "image",
                "features", "input", "key_input", "value_input", "query", "key", "value")


def new_file(folder, name, ending):
    """A path in `folder` at which nothing lies yet: NAME.npy, else NAME-1.npy ..."""
    path, count = pathlib.Path(folder, name + ending), 0
    while path.exists():
        count += 1
        path = pathlib.Path(folder, f"{name}-{count}{ending}")
    return path


def array_file(name, value, folder, said=None):
    """The path of a .npy file of an array; numbers are float32, bools and whole numbers what they are."""
    path = new_file(folder, name, ".npy")
    np.save(path, numbers(said or name, value, bools=True))
    return str(path)


def _is_text(value):
    return isinstance(value, (str, int, float, pathlib.PurePath)) and not isinstance(value, bool)


def _places(name, value, folder):
    """{"1/stream:5": array, "value:,-1": 0.0, "mlp_out": (array, 2.5)}, or such pairs in a list, as the option's text; arrays
    become files."""
    pairs = value.items() if isinstance(value, collections.abc.Mapping) else value
    if isinstance(value, (str, pathlib.PurePath)):
        return None
    terms = []
    for place, put in pairs:
        factor = ""
        if isinstance(put, tuple) and len(put) == 2 and isinstance(plain(put[1]), (int, float)):
            put, factor = put[0], f"*{float(plain(put[1]))!r}"
        put = plain(put)
        if not _is_text(put):
            path = new_file(folder, f"{name}-{len(terms)}", ".npy")
            np.save(path, numbers(f"{name}[{place!r}]", put))
            put = path
        terms.append(f"{place}={put}{factor}")
    return ";".join(terms) or "none"


def _assigned(separator):
    """{"9.6": "uniform"} as 9.6=uniform, with what stands between two of them."""

    def text(name, value, folder):
        if not isinstance(value, collections.abc.Mapping):
            return None
        return separator.join(f"{place}={plain(put)}" for place, put in value.items()) or "none"
    return text


def joined(sign):
    """(9, 6) as 9.6 or 9:6; a list of such pairs with commas between."""

    def text(name, value, folder):
        if isinstance(value, tuple) and all(isinstance(plain(part), int) for part in value):
            return sign.join(str(plain(part)) for part in value)
        if isinstance(value, (list, tuple)):
            return ",".join(text(name, part, folder) if isinstance(part, tuple) else str(part) for part in value) or "none"
        return None
    return text


def repeated(name, value, folder):
    """A list as the option several times."""
    return [str(part) for part in value] if isinstance(value, (list, tuple)) else None


def _adapter_folder(path):
    """As the list of adapters spells it: a ; of its own name stands twice, and "./" before what would be read otherwise."""
    path = os.fspath(path)
    return ("./" if path == "none" or path.startswith(";") else "") + path.replace(";", ";;")


def _adapters(name, value, folder):
    """{"lora": 0.5, "style": 1} as lora*0.5;style*1.0; a list of folders, each with its *SCALE or without."""
    if isinstance(value, collections.abc.Mapping):
        named = (f"{_adapter_folder(path)}*{float(plain(scale))!r}" for path, scale in value.items())
        return ";".join(named) or "none"
    return ";".join(map(_adapter_folder, value)) or "none" if isinstance(value, (list, tuple)) else None


def _listed(name, value, folder):
    """Whole numbers of an array, a range or a list with commas between."""
    if isinstance(value, slice) or not hasattr(value, "__iter__") or isinstance(value, str):
        return None
    return ",".join(str(plain(part)) for part in value)


def _lines(name, value, folder):
    """Texts, or dicts, as a file with a JSON value a line."""
    if _is_text(value):
        return None
    path = new_file(folder, name, ".jsonl")
    path.write_text("".join(json.dumps(line) + "\n" for line in value), encoding="utf-8")
    return str(path)


def _tensors(name, value, folder):
    """Arrays by their names as a safetensors file."""
    if not isinstance(value, collections.abc.Mapping):
        return None
    path = new_file(folder, name, ".safetensors")
    path.write_bytes(safetensors_bytes({key: numbers(key, array) for key, array in value.items()}, {}))
    return str(path)


def _masks(name, value, folder):
    """Words and arrays of a mask, or of several that compose."""
    if not isinstance(value, (list, tuple)) or not any(isinstance(term, str) for term in value):
        return None
    return ",".join(str(term) if _is_text(term) else array_file(name, term, folder) for term in value)


def request_of(value):
    """The options of a request: a dict, what run() returned, a Model, what show() returned; None for anything else."""
    if isinstance(value, collections.abc.Mapping) and not hasattr(value, "manifest"):
        return dict(value)
    request = getattr(value, "request", None)
    request = request() if callable(request) else request
    return dict(request) if isinstance(request, collections.abc.Mapping) else None


def _completed(other, request):
    """Another run with the model and the text of the request, where it has none of its own."""
    if "session" in other:
        return other
    of_model = () if {"model", "weights"} & other.keys() else MODEL_OPTIONS
    of_text = () if other.keys() & set(TEXT_OPTIONS) else TEXT_OPTIONS
    return {**{key: request[key] for key in (*of_model, *of_text) if request.get(key) is not None}, **other}


def _session(name, value, folder):
    """Another request as a session file."""
    request = request_of(value)
    if request is None:
        return None
    kept = {key: request.pop(key) for key in ("arrays",) if key in request}
    texts = {key: _text(key, one, folder, WAYS) for key, one in request.items() if one is not None and one is not False}
    path = new_file(folder, name, ".json")
    path.write_text(json.dumps({**texts, **kept}), encoding="utf-8")
    return str(path)


# How the values of an option are written, where they are not text, a list of words or an array.
WAYS = {
    "set": _places, "add": _places, "project_out": _places,
    "edit": _assigned(";"), "freeze": _assigned(","), "scale_query": _assigned(","), "scale_key": _assigned(","),
    "ablate": joined("."), "head": joined(":"), "from": joined(":"), "into": joined(":"),
    "token_ids": _listed, "decoder_ids": _listed, "lengths": _listed, "at": _listed, "layers": _listed, "heads": _listed,
    "phrases": _lines, "mean_over": _lines, "pairs": _lines,
    "weights": _tensors, "mask": _masks, "adapter": _adapters,
    "session": _session, "against": _session, "patch_from": _session,
}


def _text(name, value, folder, ways):
    """The text of one option; True where it stands alone."""
    value = plain(value)
    text = ways[name](name, value, folder) if name in ways and value is not True else None
    if text is not None:
        return text
    if value is True or _is_text(value):
        return value if value is True else os.fspath(value) if isinstance(value, pathlib.PurePath) else str(value)
    if isinstance(value, (list, tuple)) and all(isinstance(part, (str, int)) for part in value):
        return ",".join(str(part) for part in value)
    return array_file(name, value, folder)


def words_of(request, folder, ways=WAYS):
    """The options of a request for headscope-cli, by their names with _ for - (and _ behind those that are words of
    Python: from_, as_); arrays become files in `folder`. None and False leave an option out."""
    words = []
    request = {name.rstrip("_"): value for name, value in request.items()}
    if "arrays" in request:  # of a manifest: what it keeps of its arrays belongs to their options
        names = [name for name in ARRAY_OPTIONS if isinstance(request.get(name), str)]
        named = ";".join(request[name] for name in names)
        kept = [each for each in request["arrays"] if "=" + each["file"] in named]  # of options that were given anew none
        path = new_file(folder, "arrays", ".json")
        path.write_text(json.dumps({**{name: request[name] for name in names}, "arrays": kept}), encoding="utf-8")
        names.append("arrays")
        words += ["--session", str(path)]
        request = {name: value for name, value in request.items() if name not in names}
    for name in ("against", "patch_from"):
        other = request_of(request.get(name))
        if other is not None:
            request[name] = _completed(other, request)
    for name, value in request.items():
        if value is None or value is False:
            continue
        text = _text(name, value, folder, ways)
        option = "--" + name.replace("_", "-")
        for one in text if isinstance(text, list) else [text]:
            words += [option] if one is True else [option, one]
    return words
