"""What the commands on corpora, files and the machine say."""

import typing

from headscope import _html
from headscope._records import Array, Record, by_head, record
from headscope._surveys import Head


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
