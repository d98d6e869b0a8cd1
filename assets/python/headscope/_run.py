"""Requests to headscope-cli, and what comes back."""

import json
import pathlib
import tempfile

import numpy as np

from headscope._arrays import as_array
from headscope._program import call


class Result(dict):
    """The tensors of a request by their names ("weights", "output", ...), and `manifest`, `tokens`, `key_tokens`."""

    def __init__(self, arrays, manifest):
        super().__init__(arrays)
        self.manifest = manifest
        self.tokens = manifest.get("tokens", [])
        self.key_tokens = manifest.get("key_tokens", self.tokens)


# Options that put arrays into stages: a dict of places and what is put there, or the text of the option.
ARRAY_OPTIONS = ("set", "add", "project_out")


def _array_terms(name, places, folder):
    """{"1/stream:5": array, "value:,-1": 0.0, "mlp_out": (array, 2.5)} as the option's text; arrays become files."""
    terms = []
    for place, value in places.items():
        factor = ""
        if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], (int, float)):
            value, factor = value[0], f"*{float(value[1])!r}"
        if isinstance(value, (str, int, float, pathlib.PurePath)):
            terms.append(f"{place}={value}{factor}")
            continue
        path = pathlib.Path(folder, f"{name}-{len(terms)}.npy")
        np.save(path, as_array(value, f"{name}[{place!r}]").astype("<f4"))
        terms.append(f"{place}={path}{factor}")
    return ";".join(terms) or "none"


def words_of(request, folder):
    """The options of a request for headscope-cli; arrays become files in `folder`."""
    words = []
    if "arrays" in request:  # of a manifest: what it keeps of its arrays belongs to their options
        names = [name for name in (*ARRAY_OPTIONS, "arrays") if name in request]
        path = pathlib.Path(folder, "arrays.json")
        path.write_text(json.dumps({name: request[name] for name in names}), encoding="utf-8")
        words += ["--session", str(path)]
        request = {name: value for name, value in request.items() if name not in names}
    for name, value in request.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if name in ARRAY_OPTIONS and isinstance(value, dict):
            words += [option, _array_terms(name, value, folder)]
        elif value is True:
            words.append(option)
        elif isinstance(value, (str, int, float, pathlib.PurePath)):
            words += [option, str(value)]
        elif isinstance(value, (list, tuple)) and all(isinstance(part, (str, int)) for part in value):
            words += [option, ",".join(str(part) for part in value)]
        else:
            array = as_array(value, name)
            if np.issubdtype(array.dtype, np.floating):
                array = array.astype("<f4")
            path = pathlib.Path(folder, name + ".npy")
            np.save(path, array)
            words += [option, str(path)]
    return words


def run(export="all", **request):
    """Computes a request and returns its tensors.

    The names are those of `headscope-cli run --help`, with _ for -: phrase, model, layer, heads, mask, input, query ...
    An array is handed over as a file. Raises HeadscopeError.

        headscope.run(query=q, key=k, value=v, mask="causal")["context"]

    set, add and project_out take dicts of places, spelled as on the command line, and arrays; a pair is an array of add
    and its factor:

        headscope.run(model="demo:induction", phrase="cat box ink cat", add={"1/stream:-1": (direction, 4.0)})["output"]
    """
    with tempfile.TemporaryDirectory(prefix="headscope-") as folder:
        stages = export if isinstance(export, str) else ",".join(export)
        words = ["run", *words_of(request, folder), "--export", stages, "--format", "npy", "--out", folder + "/out"]
        call(words)
        out = pathlib.Path(folder, "out")
        manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
        return Result({file.stem: np.load(file) for file in sorted(out.glob("*.npy"))}, manifest)


def render(format="png", **request):
    """A picture of a request as bytes: "png", "svg", "pdf" or "html". Options as for run(), and those of VIEW: view,
    head, stage, theme, colormap, width ... Raises HeadscopeError."""
    if format not in ("png", "svg", "pdf", "html"):
        raise ValueError(f"format is {format!r}; expected png, svg, pdf or html")
    with tempfile.TemporaryDirectory(prefix="headscope-") as folder:
        path = pathlib.Path(folder, "picture." + format)
        call(["render", *words_of(request, folder), "--out", str(path)])
        return path.read_bytes()
