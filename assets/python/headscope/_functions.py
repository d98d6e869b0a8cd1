"""The commands of headscope-cli as functions: what most use is named here, every other option goes by its own name."""

import collections.abc
import os
import pathlib
import typing

from headscope._answers import Attribution, Explanation, Generation, Score, Sensitivity, Tokens
from headscope._commands import ask
from headscope._records import Answer
from headscope._reports import Bench, Family, Info, Report, ReportDifference
from headscope._surveys import Circuits, Comparison, Gradients, Precision, Sweep

Index = collections.abc.Sequence[int] | str
Words = collections.abc.Sequence[str] | str
HeadAt = tuple[int, int] | str
Request = collections.abc.Mapping[str, typing.Any]
Path = str | os.PathLike


def _given(named: dict) -> dict:
    """The arguments of a function as a request: those that it names, and all others."""
    return {**named.pop("request", {}), **named}


def explain(*, stage: str, at: Index, **request: typing.Any) -> Explanation | pathlib.Path:
    """Where one number comes from: its formula, its operands with their values, every step (`headscope-cli explain`).

    stage, at: the cell in the stage's own axes, as at=(0, 2, 3, 1) of weights [batch, heads, queries, keys]. With out= it is
    drawn, and the path is returned.
    """
    return ask("explain", _given(locals()))


def sensitivity(*, stage: str, at: Index | int, **request: typing.Any) -> Sensitivity:
    """What a number depends on (`headscope-cli sensitivity`): .scores and .weights are its derivatives by every one of
    them, [heads, queries, keys]; .tokens has those by every token's vector."""
    return ask("sensitivity", _given(locals()))


def attribute(*, at: int, token: Words | int, by: str | None = None, loss: bool = False, **request: typing.Any) -> Attribution:
    """Who made a logit, or a loss (`headscope-cli attribute`): .parts add up to .sum, .total is the model's own.

    token: one, or two for the difference of their logits. by: "components", "heads" (.heads is [layers, heads]) or
    "sources" (.sources is [layers, heads, positions]).
    """
    return ask("attribute", _given(locals()))


def score(*, head: int, at: Index, by: str | None = None, **request: typing.Any) -> Score:
    """Why head `head` of the layer looks from query at[0] to key at[1] (`headscope-cli score`): .terms [queries, keys] is
    what each earlier component wrote at the query times what each wrote at the key."""
    return ask("score", _given(locals()))


def compare(*, against: Request | Path, **request: typing.Any) -> Comparison:
    """Two results beside each other: A is `against`, B the request (`headscope-cli compare`).

    against: a session or picture, or a request as a dict: where it names no model it is of the request's, at its layer,
    and where it has no text it has the request's. Interventions are its own: against={} is the request without any. Of two
    models of the same sizes .array("qk") is [layers, heads] of shares |A - B| / |A|: "weights", "context", "qk", "ov".
    """
    return ask("compare", _given(locals()))


def sweep(*, patch: str, metric: str, against: Request | Path | None = None, ablation: str | None = None,
          at: int | None = None, **request: typing.Any) -> Sweep:
    """One part of a model after the other with the numbers of another run (`headscope-cli sweep`): .values is the metric
    after each patch, [layers, heads] for patch="heads", [layers, positions] for "positions", [layers, stages] for "stages".

    against: the other run, a session or a dict as for compare(); or ablation: "zero", "mean". metric: "logit:A-B",
    "prob:A", "loss", "kl". from_ and into: (layer, head), for patch="paths".
    """
    return ask("sweep", _given(locals()))


def gradients(*, metric: str, at: int | None = None, steps: int | None = None, arrays: bool = False,
              **request: typing.Any) -> Gradients:
    """What the weights of every head do to one number (`headscope-cli gradients`): .sums [layers, heads] is gradient times
    weight, summed. arrays=True: .weights, .gradient and .product are lists of [batch, heads, queries, keys] a layer."""
    return ask("gradients", _given(locals()))


def circuits(*, model: str, by: str | None = None, head: HeadAt | None = None, **request: typing.Any) -> Circuits:
    """What heads can do by their weights alone (`headscope-cli circuits`).

    by: "composition" (.composition("key") is [layers, heads, layers, heads]), "singular" (.array("qk") is [layers, heads,
    head_dim]), "heads" (.array("copying") is [layers, heads]), "tokens" with token= or tokens=, "directions".
    """
    return ask("circuits", _given(locals()))


def precision(*, stage: Words | None = None, formats: Words | None = None, by: str | None = None,
              **request: typing.Any) -> Precision:
    """Number formats of fewer bits against double (`headscope-cli precision`): .array("max_error") is [formats, stages]."""
    return ask("precision", _given(locals()))


def generate(*, tokens: int, sample: str | None = None, **request: typing.Any) -> Generation:
    """Goes on with a text (`headscope-cli generate`): .text, .ids [tokens], .probabilities [tokens], .steps."""
    return ask("generate", _given(locals()))


def tokenize(phrase: str | None = None, *, model: str | None = None,
             phrases: collections.abc.Sequence[str] | Path | None = None,
             **request: typing.Any) -> Tokens | list[Tokens]:
    """How a model's vocabulary spells a phrase: .ids [len], .tokens, .offsets [len, 2] (`headscope-cli tokenize`). phrases:
    many, a list or a file; a list of answers then."""
    return ask("tokenize", _given(locals()))


def info(path: Path | None = None, *, families: bool = False, **request: typing.Any) -> Info | list[Family]:
    """What a file or a checkpoint holds (`headscope-cli info`): .kind, and what files of that kind have, by name."""
    return ask("info", _given(locals()))


def scan(*, out: Path, model: str | None = None, phrases: collections.abc.Sequence[str] | Path | None = None,
         **request: typing.Any) -> Info:
    """Runs many phrases through a model and counts what every head does, into a file (`headscope-cli scan`).

    phrases: a list of texts, or a file. What it says is .corpus of info(out); report(out) has the numbers.
    """
    return ask("scan", _given(locals()))


def merge(files: collections.abc.Sequence[Path], *, out: Path) -> Info:
    """Adds up what several scans of one list have counted (`headscope-cli merge`)."""
    return ask("merge", _given(locals()))


def report(path: Path, *, against: Path | None = None, **request: typing.Any) -> Report | ReportDifference | pathlib.Path:
    """What every head did over a corpus (`headscope-cli report`): .array("entropy") is [layers, heads]; .heads has
    histograms, strongest examples and samples. With format= and out= files are written, and the folder is returned.

    against: the scan of another model over the same phrases; .array("entropy") is then the difference, path's less that one's.
    """
    return ask("report", _given(locals()))


def script(*, as_: str, **request: typing.Any) -> str | pathlib.Path:
    """The computation as code that runs without Headscope: "pytorch", "numpy" or "latex" (`headscope-cli script`).
    With out= it is written there with the tensors that it reads, and the folder is returned."""
    return ask("script", _given(locals()))


def worksheet(*, out: Path, cells: Words | int | None = None, **request: typing.Any) -> pathlib.Path:
    """Sheets of attention to compute by hand, each with numbers of its own, and their solutions (`headscope-cli worksheet`).

    out: a PDF, whose path is returned. cells: what is left blank, a number or words such as "weights:2". solutions: a table
    of the solutions, CSV.
    """
    return ask("worksheet", _given(locals()))


def handout(*, session: Path, out: Path, **request: typing.Any) -> pathlib.Path:
    """The lesson of a session for students: every stop with its words and the map of its head (`headscope-cli handout`).

    session: a file with the stops of a lesson, which Ctrl+Shift+K in the window records. out: a PDF, or one page of HTML
    with live maps; its path is returned.
    """
    return ask("handout", _given(locals()))


def bench(*, size: Words | None = None, threads: int | None = None) -> Bench:
    """How fast this machine computes attention (`headscope-cli bench`)."""
    return ask("bench", _given(locals()))


def doctor() -> Answer:
    """What a report of a problem needs: version, system, processor ... (`headscope-cli doctor`)."""
    return ask("doctor", {})
