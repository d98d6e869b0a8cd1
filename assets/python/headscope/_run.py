"""Runs of headscope-cli, and the tensors that come back."""

import json
import pathlib
import tempfile
import typing

from headscope import _html
from headscope._answers import Lens, Predictions, metrics_of
from headscope._numpy import np
from headscope._program import call
from headscope._round_trips import with_answers
from headscope._words import words_of

# Short names of stages, and those that headscope-cli gives them.
SHORT = {"q": "query", "k": "key", "v": "value", "z": "context"}
# Stages of a whole model; every other one is of a layer. `run --help` names them.
MODEL_STAGES = ("stream", "attention_out", "mlp_in", "mlp_out", "conv_out", "final_norm", "logits", "projected")


class Result(dict):
    """The tensors of a request by their names ("weights", "output", ...; "q", "k", "v" and "z" for query, key, value and
    context), and `manifest`, `tokens`, `key_tokens`.

    Of layers="all" or a list, `layers` says which: stages of a layer are then [layers, batch, ...], or a list of a layer
    each where their sizes are not one.
    """

    def __init__(self, arrays, manifest, layers=None):
        super().__init__(arrays)
        self.manifest = manifest
        self.tokens = manifest.get("tokens", [])
        self.key_tokens = manifest.get("key_tokens", self.tokens)
        self.layers = layers

    def __contains__(self, name):
        return super().__contains__(name) or super().__contains__(SHORT.get(name))

    def get(self, name, default=None):
        return self[name] if name in self else default

    def __missing__(self, name):
        if name in self:
            return self[SHORT[name]]
        raise KeyError(f"{name!r} was not asked for; found {', '.join(self)}")

    def __repr__(self):
        shapes = ", ".join(f"{name} {list(np.shape(value)) if isinstance(value, np.ndarray) else 'of unlike layers'}"
                           for name, value in self.items())
        return f"Result({shapes})"

    @property
    def request(self) -> dict:
        """The request, as `headscope.run(**result.request)` takes it again."""
        named = {"model": self.manifest["model"]["name"]} if "model" in self.manifest else {}
        return {**named, **self.manifest["request"]}

    @property
    def notices(self) -> list:
        """Sentences on what could have been meant otherwise, and how it was taken."""
        return self.manifest.get("notices", [])

    @property
    def predictions(self) -> Predictions | None:
        """What predict=N adds."""
        return Predictions.read(self.manifest["predictions"]) if "predictions" in self.manifest else None

    @property
    def metrics(self) -> dict | None:
        """What metrics=True adds: {name: [layers, heads]}, with a batch of several [batch, layers, heads]."""
        return metrics_of(self.manifest["metrics"]) if "metrics" in self.manifest else None

    def _repr_html_(self):
        rows = [(name, list(np.shape(value)), float(np.min(value)), float(np.max(value))) for name, value in self.items()
                if isinstance(value, np.ndarray) and value.size]
        parts = [_html.table(("stage", "shape", "min", "max"), rows)]
        weights = self.get("weights")
        if isinstance(weights, np.ndarray) and weights.ndim == 4:
            parts.append(_html.titled("weights, mean of heads", _html.pixels(weights[0].mean(0), self.tokens, self.key_tokens)))
        return _html.page("Result", [], parts)


def _run_once(stages, request):
    """(arrays by name, manifest) of one run."""
    with tempfile.TemporaryDirectory(prefix="headscope-") as folder:
        call(["run", *words_of(request, folder), "--export", stages, "--format", "npy", "--out", folder + "/out"])
        out = pathlib.Path(folder, "out")
        manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
        return {file.stem: np.load(file) for file in sorted(out.glob("*.npy"))}, manifest


def _stage_names(export, stages):
    """The stages that are wanted, as a list; ["all"]: all of a layer."""
    if export is not None and stages is not None:
        raise ValueError("stages and export are two names of one thing; found both")
    wanted = stages if stages is not None else export if export is not None else "all"
    wanted = wanted.split(",") if isinstance(wanted, str) else list(wanted)
    return list(dict.fromkeys(SHORT.get(name, name) for name in wanted))


def run(export=None, *, stages: typing.Sequence[str] | str | None = None, layers: typing.Sequence[int] | str | None = None,
        hooks: typing.Sequence[tuple] | None = None, **request: typing.Any) -> Result:
    """Computes a request and returns its tensors.

    The names are those of `headscope-cli run --help`, with _ for -: phrase, model, layer, heads, mask, input, query ...
    An array is handed over as a file. Raises HeadscopeError.

        headscope.run(query=q, key=k, value=v, mask="causal")["context"]
        headscope.run(model="gpt2", phrase="a b c", layers="all", stages=["weights", "q", "k", "v", "z"])["weights"]

    stages: names (default: all of a layer; those of a whole model by name, as stream [layers + 1, batch, len, d_model] and
    logits [batch, len, vocabulary]). layers: "all" or numbers: stages of a layer are [layers, batch, ...].

    set, add and project_out take dicts of places, spelled as on the command line, and arrays; a pair is an array of add
    and its factor:

        headscope.run(model="demo:induction", phrase="cat box ink cat", add={"1/stream:-1": (direction, 4.0)})["output"]

    adapter: the folder of an adapter of the model, a list of them, or a dict of folders and their scales: {"lora": 0.5}.

    hooks: [("3/stream", function)]: each function gets an array of that stage, as the run has it so far, and what it
    returns (or None, and what it has changed in place) stands there from then on. They are called in the order in which a
    model computes. Each costs a run of its own up to there: slow.
    """
    taken = [name for name in ("out", "format", "json") if name in request]
    if taken:
        raise ValueError(f"run returns arrays; found {', '.join(taken)}, which headscope-cli run has for files")
    wanted = _stage_names(export, stages)
    if hooks:
        request = with_answers(request, hooks, _run_once)
    if layers is None:
        return Result(*_run_once(",".join(wanted), request))
    if "layer" in request:
        raise ValueError("layers and layer are given; expected one of them")
    return _run_layers(wanted, layers, request)


def _run_layers(wanted, layers, request):
    if isinstance(layers, str) and layers != "all":
        raise ValueError(f"layers is {layers!r}; expected 'all', or whole numbers")
    numbers = None if isinstance(layers, str) else [int(layer) for layer in layers]
    if numbers == []:
        raise ValueError("layers is empty; expected 'all', or whole numbers")
    if all(name in MODEL_STAGES for name in wanted):
        return Result(*_run_once(",".join(wanted), request), numbers)
    named = "all" if numbers is None else ",".join(str(layer) for layer in numbers)
    arrays, manifest = _run_once(",".join(wanted), {**request, "layers": named})
    if numbers is None:
        numbers = list(range(manifest["model"]["num_layers"]))
    together, found = {}, {}
    for name, array in arrays.items():
        stage, of_layer, layer = name.rpartition(".l")  # weights.l3
        if of_layer and layer.isdecimal():
            found.setdefault(stage, {})[int(layer)] = array
        else:
            together[name] = array
    for stage, by_layer in found.items():
        parts = [by_layer.get(layer) for layer in numbers]
        alike = len({part.shape if part is not None else None for part in parts}) == 1
        together[stage] = np.stack(parts) if alike else parts
    return Result(together, manifest, numbers)


def lens(*, lens_of: str | None = None, **request: typing.Any) -> Lens:
    """What a model would say at every position if it ended after each layer: `headscope-cli run --lens`.

    lens_of: "layers" (default), "attention", or "heads": what each head of `layer` has written. tokens, ids, logits and
    probabilities are [rows, positions]. Raises HeadscopeError.
    """
    hooks = request.pop("hooks", None)
    if hooks:
        request = with_answers(request, hooks, _run_once)
    with tempfile.TemporaryDirectory(prefix="headscope-") as folder:
        said = call(["run", *words_of({**request, "lens_of": lens_of}, folder), "--lens", "--json"])
    return Lens.of_manifest(json.loads(said))


def render(format: str = "png", **request: typing.Any) -> bytes:
    """A picture of a request as bytes: "png", "svg", "pdf" or "html". Options as for run(), and those of VIEW: view,
    head, stage, theme, colormap, width ... Raises HeadscopeError."""
    if format not in ("png", "svg", "pdf", "html"):
        raise ValueError(f"format is {format!r}; expected png, svg, pdf or html")
    with tempfile.TemporaryDirectory(prefix="headscope-") as folder:
        path = pathlib.Path(folder, "picture." + format)
        call(["render", *words_of(request, folder), "--out", str(path)])
        return path.read_bytes()
