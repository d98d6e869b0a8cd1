"""What the commands on whole models say: patches, gradients, circuits, differences, number formats."""

import typing

from headscope import _html
from headscope._numpy import np
from headscope._records import Array, Record, axis_labels, by_head, grid, record

NAN = float("nan")


@record
class Head(Record):
    """A head, and what a command says of it."""
    layer: int
    head: int
    numeric = True


@record
class Cell(Record):
    """A part of a model that took other numbers, and the metric after that; `from_` is the head that a path begins at."""
    layer: int | None = None
    head: int | None = None
    position: int | None = None
    stage: str | None = None
    value: float = NAN
    estimate: float = NAN
    from_: Head | None = None

    @property
    def from_layer(self):
        return self.from_.layer if self.from_ else None

    @property
    def from_head(self):
        return self.from_.head if self.from_ else None


@record
class Statistics(Record):
    """The mean of a number over pairs of texts, the standard error of it, and the share of pairs with its sign."""
    mean: float
    standard_error: float | None
    same_sign: float


@record
class Sweep(Record):
    """What becomes of a metric when one part after the other takes numbers of another run; `a` and `b` are the two runs' own,
    over pairs of texts Statistics of them.

    values: the metric after each patch over `axes`: [layers, heads] of heads, [layers, positions] of positions, [layers,
    stages] of stages, [layers, heads, stages, layers, heads] of paths, nan where there is none; labels says what stands
    along each axis. Over pairs of texts values are means.
    """
    metric: str
    cells: list[Cell]
    a: float | Statistics = NAN
    b: float | Statistics = NAN
    ablation: str | None = None
    correlation: float | None = None

    @property
    def axes(self) -> tuple:
        """The names of the axes of values."""
        known = ("layer", "head", "position", "stage", "from_layer", "from_head")
        numbered = [name for name in (self.cells[0].more if self.cells else ())
                    if all(isinstance(cell.more.get(name), int) for cell in self.cells)]
        return tuple(axis for axis in (*known, *numbered) if all(getattr(cell, axis) is not None for cell in self.cells)
                     and (axis != "stage" or len({cell.stage for cell in self.cells}) > 1))

    @property
    def labels(self) -> dict:
        """{axis: what stands along it}."""
        return {axis: axis_labels(self.cells, axis) for axis in self.axes}

    @property
    def values(self) -> Array:
        return self.array("mean" if self.cells and "mean" in self.cells[0].more else "value")

    def array(self, field: str) -> Array:
        """A field of the cells, as values is of "value": "estimate"."""
        return grid(self.cells, self.axes, field)

    def _parts(self):
        labels = list(self.labels.values())
        if len(labels) != 2:
            return [_html.of_records("cells", self.cells)]
        estimated = np.isnan(self.values).all()
        shown = (self.array("estimate") if estimated else self.values) - np.nan_to_num(self.b)
        name = f"{'estimates' if estimated else 'values'} after the patch less that of B: {self.axes[0]} down, {self.axes[1]} across"
        return [_html.titled(name, _html.pixels(shown, *labels))]


@record
class LayerGradient(Record):
    """A layer's weights times their gradient, summed; what the layer's attention does to the metric; the gap."""
    layer: int
    sum: float
    difference: float
    gap: float


@record
class HeadGradient(Head):
    """A head's weights times their gradient: sum, sum of sizes, and the largest with its query and key."""
    sum: float
    absolute: float
    largest: float
    query: int
    key: int


@record
class Gradients(Record):
    """What the weights of every head do to one number. Of arrays=True: weights, gradient and product, a list with
    [batch, heads, queries, keys] for every layer."""
    metric: str
    position: int
    value: float
    steps: int
    layers: list[LayerGradient]
    heads: list[HeadGradient]

    @property
    def sums(self) -> Array:
        """[layers, heads]: gradient times weight, summed over queries and keys."""
        return grid(self.heads, ("layer", "head"), "sum")

    def _parts(self):
        return [_html.titled("gradient times weight of every head", _html.pixels(self.sums)),
                _html.of_records("layers", self.layers)]


@record
class Composition(Head):
    """How much of what a head reads (kind: its query, key or value) an earlier one has written, by their weights alone."""
    kind: str
    from_layer: int
    from_head: int
    value: float


@record
class Weighted(Record):
    """A token of the vocabulary with a number."""
    id: int
    token: str
    value: float


@record
class Circuits(Record):
    """What heads can do, by weights alone. What `by` asks for is there, everything else is None.

    composition: cells, and composition(kind) [layers, heads, layers, heads]. singular: heads, each with qk and ov [head
    dim]. heads: heads, each with copying and previous_token. tokens: keys, queries and writes, or qk and ov [tokens,
    tokens] of several. directions: qk and ov, lists with value, share, from_ and to.
    """
    model: str
    norms: str
    random: float | None = None
    cells: list[Composition] | None = None
    heads: list[Head] | None = None
    layer: int | None = None
    head: int | None = None
    keys: list[Weighted] | None = None
    queries: list[Weighted] | None = None
    writes: list[Weighted] | None = None

    def composition(self, kind: str = "key") -> Array:
        """[layers, heads, layers, heads]: what the head of the first two axes reads of that of the last two; nan where
        that one is not earlier."""
        return grid([cell for cell in self.cells or () if cell.kind == kind], ("layer", "head", "from_layer", "from_head"))

    def array(self, name: str) -> Array:
        """[layers, heads, ...] of what is said of every head: "qk", "copying"."""
        return by_head(self.heads or [], name)


@record
class StageDifference(Record):
    """How far a stage of A is from that of B; `incomparable` says why it cannot be said."""
    stage: str
    cells: int | None = None
    alone: int | None = None
    norm: float = NAN
    norm_a: float = NAN
    relative: float = NAN
    largest: float = NAN
    at: tuple | None = None
    unlike: int | None = None
    incomparable: str | None = None


@record
class HeadDifference(Record):
    """How far the weights and the context of a head of A are from those of B."""
    head: int
    weights: float
    context: float


@record
class HeadShares(Record):
    """How far a head of A is from that of B, as shares of A's size: attention weights and context on the text, qk and ov of
    its own weights; nan where nothing can be said."""
    head: int
    weights: float
    context: float
    qk: float
    ov: float


@record
class MovedHead(Record):
    """Head `from_` of A beside head `to` of B, where it has moved to."""
    from_: int
    to: int
    weights: float
    context: float
    qk: float
    ov: float


@record
class LayerDifference(Record):
    """The heads of a layer of two models; moved: (from, to) of heads that have changed places, said: that as a sentence."""
    layer: int
    heads: list[HeadShares]
    moved: list[tuple]
    paired: list[MovedHead]
    said: str | None


@record
class Comparison(Record):
    """Two results beside each other: A is `against`, B the request. Of two whole models of the same sizes layers has every
    head of every layer, array("qk") is [layers, heads], and divergence says where they begin to differ; no_layers says why
    there are none."""
    equal: bool
    first: str | None
    layer: int | None
    options: list[typing.Any]
    stages: list[StageDifference]
    heads: list[HeadDifference]
    layers: list[LayerDifference] | None = None
    no_layers: str | None = None
    divergence: str | None = None

    def array(self, name: str = "qk") -> Array:
        """[layers, heads] of weights, context, qk or ov: |A - B| / |A|. ValueError where there is no map of heads."""
        if self.layers is None:
            raise ValueError(f"no map of layers and heads: {self.no_layers or 'neither is a whole model'}")
        return np.array([[getattr(head, name) for head in layer.heads] for layer in self.layers], dtype=np.float64)

    def _parts(self):
        maps = [_html.titled(f"{name}, |A - B| / |A| of every head", _html.pixels(self.array(name)))
                for name in ("weights", "context", "qk", "ov") if self.layers]
        return [*maps, _html.of_records("stages", self.stages)]


@record
class FormatErrors(Record):
    """The largest and the mean error of a stage, a head or a row, and where: there `exact` became `value`."""
    max_error: float
    mean_error: float
    index: tuple
    exact: float
    value: float
    lost: int
    stage: str | None = None
    heads: list["FormatErrors"] | None = None
    rows: list["FormatErrors"] | None = None


@record
class Format(Record):
    """A number format, and what it costs in every stage."""
    format: str
    option: str
    rounded: list[str]
    sums: str
    stages: list[FormatErrors]

    def _parts(self):
        return [_html.of_records("stages", self.stages)]


@record
class Precision(Record):
    """Number formats of fewer bits against the same in double."""
    formats: list[Format]

    def array(self, field: str = "max_error") -> Array:
        """[formats, stages] of max_error, mean_error, exact, value or lost."""
        return np.array([[getattr(stage, field) for stage in one.stages] for one in self.formats], dtype=np.float64)

    def _parts(self):
        rows = ([one.format, stage.stage, stage.max_error, stage.mean_error] for one in self.formats for stage in one.stages)
        return [_html.table(("format", "stage", "largest error", "mean error"), rows)]
