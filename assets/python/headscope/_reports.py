"""What the commands on corpora, files and the machine say."""

import typing

from headscope import _html
from headscope._records import Array, Record, by_head, grid, record
from headscope._surveys import Head


class Placed(typing.NamedTuple):
    """A number of a head."""
    layer: int
    head: int
    value: float


@record
class HeadReport(Head):
    """What a head did over a corpus: each metric an attribute, with histograms, top, samples ..."""
    rows: int


@record
class Report(Record):
    """What every head did over a corpus; array("entropy") is [layers, heads]."""
    model: str
    phrases: int
    tokens: int
    heads: list[HeadReport]

    def array(self, name: str) -> Array:
        """[layers, heads] of a mean: entropy, distance, previous, next, first, self, duplicate, induction ..."""
        return by_head(self.heads, name)

    def _parts(self):
        return [_html.titled("largest weight of every head, mean", _html.pixels(self.array("max_weight"))),
                _html.of_records("heads", self.heads)]


@record
class ComparedMean(Record):
    """A mean of a head in A and in B; difference is a - b, share its size beside the spread of the mean over all heads."""
    a: float
    b: float
    difference: float
    share: float
    rows_a: int
    rows_b: int


@record
class HeadChange(Head):
    """What a head of A did otherwise than that of B over a corpus; farthest: the mean of the largest share."""
    rows_a: int
    rows_b: int
    share: float
    farthest: str
    means: dict[str, ComparedMean]


@record
class ReportDifference(Record):
    """Two models over the same phrases; heads are the farthest apart first, array("entropy") is [layers, heads]."""
    a: typing.Any
    b: typing.Any
    phrases: int
    tokens: int
    heads: list[HeadChange]
    notes: list[str]

    def array(self, name: str, of: str = "difference") -> Array:
        """[layers, heads] of a mean (entropy, first ...): its difference, or what `of` names: a, b, share, rows_a, rows_b."""
        return grid([Placed(head.layer, head.head, getattr(head.means[name], of)) for head in self.heads], ("layer", "head"))

    def _parts(self):
        rows = ([head.layer, head.head, head.farthest, mean.a, mean.b, mean.difference, mean.share]
                for head in self.heads for mean in (head.means[head.farthest],))
        return [_html.titled("the farthest mean of every head",
                             _html.table(("layer", "head", "mean", "A", "B", "A - B", "of spread"), rows))]


@record
class Info(Record):
    """What a file holds: `kind`, and what a file of that kind has, each an attribute."""
    path: str
    kind: str


@record
class Family(Record):
    """A family of models that open: its name, the model_types of config.json, and keys that tell them."""
    family: str
    model_types: list[str]
    keys: list[str]


@record
class Bench(Record):
    """How fast this machine computes attention; a result for every size."""
    peak_gflops: float
    results: list[typing.Any]
