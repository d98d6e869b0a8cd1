"""What the commands on one run say: numbers of a cell, a logit, a score, and what a model would say."""

import typing

from headscope import _html
from headscope._numpy import np
from headscope._records import Array, Record, array, axis_labels, grid, record


@record
class Step(Record):
    """A step of an explanation: what is computed, in words and as a number."""
    name: str
    expression: str
    value: float


@record
class Operand(Record):
    """A number that another one is made of: a cell of `stage`, or of a tensor of the layer's weights."""
    stage: str
    index: tuple
    value: float
    role: str


@record
class Explanation(Record):
    """Where a number comes from: `headscope-cli explain`."""
    stage: str
    index: tuple
    value: float
    formula: str
    steps: list[Step]
    operands: list[Operand]


@record
class Influence(Record):
    """What the vector of a token does to a number: the length of the gradient, and gradient . vector."""
    stage: str
    position: int
    token: str
    norm: float
    times_vector: float


@record
class Sensitivity(Record):
    """What a number depends on: its derivative by every token's vector, score [heads, queries, keys] and weight."""
    stage: str
    index: tuple
    value: float
    tokens: list[Influence]
    scores: Array | None = None
    weights: Array | None = None


@record
class Token(Record):
    """A token of the vocabulary with its logit."""
    id: int
    token: str
    logit: float = float("nan")


@record
class Part(Record):
    """What one component wrote into a logit; `position` and `token` are those that a head reads, by sources."""
    name: str
    layer: int | None
    head: int | None
    position: int | None
    token: str | None
    value: float


@record
class Attribution(Record):
    """Who made a logit, a difference of two, or a loss: `total` is the model's own, `sum` that of the parts."""
    total: float
    sum: float
    difference: float
    position: int
    of: str
    by: str
    tokens: list[Token]
    parts: list[Part]

    @property
    def heads(self) -> Array:
        """[layers, heads], by heads, or by sources as the sum over the tokens that a head reads."""
        if self.by == "sources":
            return np.nansum(self.sources, axis=-1)
        return grid([part for part in self.parts if part.head is not None], ("layer", "head"))

    @property
    def sources(self) -> Array:
        """[layers, heads, positions], by sources."""
        cells = [part for part in self.parts if part.head is not None and part.position is not None]
        return grid(cells, ("layer", "head", "position"))

    @property
    def others(self) -> dict:
        """What is no head, by name and layer: {"embedding": 0.5, ("mlp", 3): -0.1}."""
        return {part.name if part.layer is None else (part.name, part.layer): part.value for part in self.parts
                if part.head is None}

    def _parts(self):
        heads = self.heads if any(part.head is not None for part in self.parts) else None
        maps = [] if heads is None else [_html.titled("heads", _html.pixels(heads))]
        largest = sorted(self.parts, key=lambda part: -abs(part.value))
        return [*maps, _html.of_records("parts, the largest first", largest)]


@record
class Writer(Record):
    """A component whose writing a query or a key reads."""
    name: str
    layer: int | None
    head: int | None


@record
class Score(Record):
    """Why a head looks there: `terms` [queries, keys] add up to `sum`, the model's own score is `total`."""
    total: float
    sum: float
    difference: float
    scale: float
    layer: int
    head: int
    query: int
    key: int
    by: str
    queries: list[Writer]
    keys: list[Writer]
    terms: Array

    def _parts(self):
        def names(writers):
            return [" ".join([writer.name, *(str(place) for place in (writer.layer, writer.head) if place is not None)])
                    for writer in writers]
        return [_html.titled("terms: what the query reads, down, by what the key reads, across",
                             _html.pixels(self.terms, names(self.queries), names(self.keys)))]


@record
class Lens(Record):
    """What a model would say at every position if it ended after each layer (or each head's writing, of="heads").

    tokens, ids, logits, probabilities: [rows, positions], the most probable token of each; a row is in `rows`.
    """
    kind: str
    of: str
    rows: list[str]
    at: list[str]
    positions: Array
    tokens: Array
    ids: Array
    logits: Array
    probabilities: Array

    @classmethod
    def of_manifest(cls, manifest: dict) -> "Lens":
        """The lens of a run's manifest."""
        lens = manifest["lens"]
        places = [row["positions"] for row in lens["layers"]]

        def table(key):
            return [[place[key] for place in row] for row in places]
        words = np.array(table("token"), dtype=object)
        return cls(lens["kind"], lens["of"], [_row_name(row) for row in lens["layers"]], [place["at"] for place in places[0]],
                   array([place["position"] for place in places[0]]), words, array(table("id")), array(table("logit")),
                   array(table("probability")), json=lens)

    def _parts(self):
        rows = ([name, *words] for name, words in zip(self.rows, self.tokens))
        return [_html.titled("tokens", _html.table(["", *self.at], rows)),
                _html.titled("probabilities", _html.pixels(self.probabilities, self.rows, self.at))]


def _row_name(row):
    return row["after"] if "after" in row else f"head {row['layer']}.{row['head']}"


@record
class Choice(Record):
    """A token that could have been chosen: its probability, and the chance with which it was drawn."""
    id: int
    token: str
    probability: float
    chance: float


@record
class GenerationStep(Choice):
    """A token that was chosen, among `kept`; the most probable ones are in `top`."""
    kept: int
    top: list[Choice]


@record
class Generation(Record):
    """A text that a model went on with: what was appended, token by token."""
    text: str
    ids: Array
    tokens: list[str]
    ended: bool
    prompt_ids: Array
    prompt_tokens: list[str]
    steps: list[GenerationStep]

    @property
    def probabilities(self) -> Array:
        """[tokens], of every token that was appended."""
        return np.array([step.probability for step in self.steps])


@record
class Tokens(Record):
    """How a vocabulary spells a phrase: ids [len], tokens, and offsets [len, 2] in bytes of the phrase."""
    ids: Array
    tokens: list[str]
    offsets: Array


@record
class Prediction(Record):
    """What comes after a position: the most probable tokens, `top`."""
    position: int
    token: str
    top: list[typing.Any]


@record
class Predictions(Record):
    """What `run(predict=N)` adds: predictions, the loss of every token [len] and its mean, in nats."""
    kind: str
    positions: list[Prediction]
    token_loss: Array | None = None
    mean_loss: float | None = None


def metrics_of(rows: list) -> dict:
    """{name: [layers, heads], or [batch, layers, heads]} of a manifest's metrics of heads."""
    cells = [Metrics.read(row) for row in rows]
    axes = ("layer", "head") if len(axis_labels(cells, "batch")) == 1 else ("batch", "layer", "head")
    return {name: grid(cells, axes, name) for name in cells[0].more} if cells else {}


@record
class Metrics(Record):
    """The metrics of a head, each an attribute."""
    batch: int
    layer: int
    head: int
    numeric = True
