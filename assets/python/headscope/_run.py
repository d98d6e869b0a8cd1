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


def words_of(request, folder):
    """The options of a request for headscope-cli; arrays become files in `folder`."""
    words = []
    for name, value in request.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
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
