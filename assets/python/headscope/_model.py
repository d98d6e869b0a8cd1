"""A model that keeps its name and its options."""

import collections.abc
import functools
import typing

from headscope import _commands, _diagnose, _functions, _show
from headscope import _run as _runs
from headscope._answers import Lens, Tokens
from headscope._diagnose import Diagnosis
from headscope._functions import Path
from headscope._reports import Info
from headscope._surveys import Circuits

R = typing.TypeVar("R")
# What a text takes the place of.
TEXTS = ("phrase", "phrase_file", "token_ids", "input", "image", "features")


def _of_a_text(function: collections.abc.Callable[..., R]) -> collections.abc.Callable[..., R]:
    """A function as a method: the text first, then its own arguments; the model's options are added."""

    @functools.wraps(function)
    def method(self, text=None, **request):
        return function(**self.options(text, **request))
    del method.__wrapped__  # its signature has text before the others
    return method


class Model:
    """A model and what is asked of it each time.

        m = headscope.Model("gpt2", mask="causal")
        m.run("When Mary and John", set={"3/stream:-1": vector}, layers="all", stages=["weights"])["weights"]
        m.attribute("When Mary and John", at=-1, token=" went", by="heads").heads

    name_or_path and options are those of `headscope-cli run --help`, with _ for -. A call's own options take the place of
    those that are kept; a text is a phrase, or ids in a list. Nothing is loaded before a call.
    """

    def __init__(self, name_or_path: Path, **request: typing.Any) -> None:
        self.request: dict[str, typing.Any] = {"model": name_or_path, **request}

    def __repr__(self) -> str:
        return f"headscope.Model({', '.join(f'{key}={value!r}' for key, value in self.request.items())})"

    def __getattr__(self, name: str) -> typing.Any:
        """A command of a newer headscope-cli, of this model."""
        row = _commands.COMMANDS.get(name)
        if name.startswith("_") or row is not None:
            raise AttributeError(f"Model has no {name!r}" + (f"; headscope.{name} is of no model" if row else ""))
        function = _commands.by_itself(name)
        return lambda text=None, **request: function(**self.options(text, **request))

    def options(self, text: typing.Any = None, **request: typing.Any) -> dict[str, typing.Any]:
        """The request of a call: what is kept, with the call's own options."""
        kept = dict(self.request)
        named = {name: value for name, value in request.items() if value is not None}
        if text is not None:
            given = {"phrase": text} if isinstance(text, str) else {"token_ids": text}
            if named.keys() & set(TEXTS):
                raise ValueError(f"a text and {', '.join(sorted(named.keys() & set(TEXTS)))} are given; expected one of them")
            named.update(given)
        if named.keys() & set(TEXTS):
            kept = {name: value for name, value in kept.items() if name not in TEXTS}
        return {**kept, **named}

    def _weights(self):
        """What the model's weights are made of: of its options the model and its adapters."""
        return {name: self.request[name] for name in ("model", "adapter") if self.request.get(name) is not None}

    def but(self, **request: typing.Any) -> "Model":
        """The same model with other options: m.but(ablate="9.6")."""
        kept = self.options(**request)
        return Model(kept.pop("model"), **kept)

    def run(self, text: typing.Any = None, **request: typing.Any) -> _runs.Result:
        """headscope.run() of a text: stages=, layers=, set=, add=, hooks=[("3/stream", function)] ..."""
        return _runs.run(**self.options(text, **request))

    def lens(self, text: typing.Any = None, **request: typing.Any) -> Lens:
        """headscope.lens() of a text."""
        return _runs.lens(**self.options(text, **request))

    def render(self, text: typing.Any = None, format: str = "png", **request: typing.Any) -> bytes:
        """headscope.render() of a text."""
        return _runs.render(format, **self.options(text, **request))

    def tokenize(self, phrase: str | None = None, **request: typing.Any) -> Tokens | list[Tokens]:
        """headscope.tokenize() by the model's vocabulary."""
        return _functions.tokenize(phrase, model=self.request["model"], **request)

    def circuits(self, **request: typing.Any) -> Circuits:
        """headscope.circuits() of the model's weights; of its options only the model and its adapters count."""
        return _functions.circuits(**self._weights(), **request)

    def scan(self, phrases: collections.abc.Sequence[str] | Path, *, out: Path, **request: typing.Any) -> Info:
        """headscope.scan() of the model; of its options only the model and its adapters count."""
        return _functions.scan(**self._weights(), phrases=phrases, out=out, **request)

    def diagnose(self, mine: typing.Any = None, text: typing.Any = None, **request: typing.Any) -> Diagnosis:
        """headscope.diagnose() of what your code gave for a text of this model, as stage=."""
        return _diagnose.diagnose(mine, **self.options(text, **request))

    def assert_close(self, mine: typing.Any = None, text: typing.Any = None, **request: typing.Any) -> None:
        """headscope.assert_close() of what your code gave for a text of this model, as stage=."""
        _diagnose.assert_close(mine, **self.options(text, **request))

    def show(self, text: str | None = None, **request: typing.Any) -> _show.Shown:
        """headscope.show() of a text. ValueError for options of the model that a window cannot be opened with."""
        asked = self.options(text, **request)
        other = sorted(asked.keys() - {"model", "phrase", "window", "arguments"})
        if other:
            raise ValueError(f"a window is opened on a model and a phrase; found {', '.join(other)}")
        return _show.show(**asked)

    def info(self) -> Info:
        """headscope.info() of the model, with its adapters."""
        kept = self._weights()
        return _functions.info(kept.pop("model"), **kept)

    explain = _of_a_text(_functions.explain)
    sensitivity = _of_a_text(_functions.sensitivity)
    attribute = _of_a_text(_functions.attribute)
    score = _of_a_text(_functions.score)
    compare = _of_a_text(_functions.compare)
    sweep = _of_a_text(_functions.sweep)
    gradients = _of_a_text(_functions.gradients)
    precision = _of_a_text(_functions.precision)
    generate = _of_a_text(_functions.generate)
    script = _of_a_text(_functions.script)
