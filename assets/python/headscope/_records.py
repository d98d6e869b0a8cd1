"""What headscope-cli prints as JSON, as dataclasses: numbers are floats and arrays, and what a newer program adds stays."""

import dataclasses
import functools
import types
import typing

from headscope import _html
from headscope._numpy import Array, np

NOT_FINITE = ("nan", "inf", "-inf")  # as JSON carries them


@typing.dataclass_transform(eq_default=False, kw_only_default=False)
def record(kind):
    """A dataclass that is read from JSON by the types of its fields."""
    return dataclasses.dataclass(repr=False, eq=False)(kind)


def number(value):
    """A float; None is nan, and so are the strings in which JSON carries what is not finite: "nan", "inf", "-inf"."""
    return float("nan") if value is None else float(value)


def array(value):
    """Nested lists as an array: int64 where all are whole numbers, else float64, None and "nan" as nan."""
    found = np.asarray(value) if not _has_words(value) else None
    if found is not None and found.dtype.kind in "iufb":
        return found

    def floats(part):
        return [floats(one) for one in part] if isinstance(part, list) else number(part)
    return np.array(floats(value), dtype=np.float64)


def _has_words(value):
    return any(_has_words(part) for part in value) if isinstance(value, list) else value is None or isinstance(value, str)


def _is_numbers(value):
    """Whether a list of which nothing is known holds numbers: at least one, and else only None and what is not finite."""
    leaves = _leaves(value)
    numeric = [isinstance(leaf, (int, float)) and not isinstance(leaf, bool) for leaf in leaves]
    return any(numeric) and all(one or leaf is None or isinstance(leaf, str) and leaf in NOT_FINITE for one, leaf in zip(numeric, leaves))


def whatever(value):
    """JSON of which nothing is known: objects as records, lists of numbers as arrays, everything else as it is."""
    if isinstance(value, dict):
        return Answer.read(value)
    if isinstance(value, list):
        if _is_numbers(value):
            try:
                return array(value)
            except ValueError:  # lists of unlike lengths
                pass
        return [whatever(part) for part in value]
    return value


def _number_or_whatever(value):
    """A number, and nan too, where numbers are expected."""
    if isinstance(value, str) and value in NOT_FINITE or isinstance(value, list) and value and set(map(str, _leaves(value))) <= set(NOT_FINITE):
        return number(value) if isinstance(value, str) else array(value)
    return whatever(value)


def _leaves(value):
    return [leaf for part in value for leaf in (_leaves(part) if isinstance(part, list) else [part])]


def _read(kind, value):
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        if value is None:
            return None
        some = [one for one in inner if one is not type(None)]
        records = [one for one in some if isinstance(one, type) and issubclass(one, Record)]
        return _read(records[0] if records and isinstance(value, dict) else some[0], value)
    if origin is list:
        return [_read(inner[0], part) for part in value]
    if kind is tuple:
        return tuple(value)
    if origin is dict:
        return {name: _read(inner[1], part) for name, part in value.items()}
    if kind is float:
        return number(value)
    if kind is Array:
        return array(value)
    if isinstance(kind, type) and issubclass(kind, Record):
        return kind.read(value)
    return whatever(value) if kind is typing.Any else value


@functools.cache
def _fields(kind):
    """{name of the field: (its key in JSON, its type, whether it may be missing)}."""
    hints = typing.get_type_hints(kind)
    return {field.name: (field.name.rstrip("_"), hints[field.name],
                         field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING)
            for field in dataclasses.fields(kind) if field.name not in ("json", "more", "notices")}


@dataclasses.dataclass(repr=False, eq=False)
class Record:
    """What headscope-cli says, by name. `json` is all of it as it was printed; `more` is what has no field here, which is
    found as an attribute too; `notices` are sentences on what could have been meant otherwise."""

    json: dict = dataclasses.field(default_factory=dict, kw_only=True)
    more: dict = dataclasses.field(default_factory=dict, kw_only=True)
    notices: list = dataclasses.field(default_factory=list, kw_only=True)

    numeric: typing.ClassVar[bool] = False  # what has no field is a number: "nan" is one there, not a word

    @classmethod
    def read(cls, value):
        """A record of a JSON object. One that lacks a key of this kind, as a newer program may print it, is an Answer."""
        found, keys = {}, set()
        for name, (key, kind, optional) in _fields(cls).items():
            if key in value:
                found[name] = _read(kind, value[key])
                keys.add(key)
            elif not optional:
                return Answer.read(value)
        kind = _number_or_whatever if cls.numeric else whatever
        more = {key: kind(part) for key, part in value.items() if key not in keys}
        return cls(**found, json=value, more=more)

    def __getattr__(self, name):
        more = self.__dict__.get("more", {})
        key = name if name in more else name.rstrip("_")
        if key in more:
            return more[key]
        raise AttributeError(f"{type(self).__name__} has no {name!r}; found {', '.join(self._names())}")

    def __getitem__(self, key):
        """What stands under a key of the JSON, where that is no name in Python: answer["from"]."""
        for name, (of_field, _, _) in _fields(type(self)).items():
            if of_field == key:
                return getattr(self, name)
        if key in self.more:
            return self.more[key]
        raise KeyError(f"{type(self).__name__} has no {key!r}; found {', '.join(self._names())}")

    def __contains__(self, key):
        return key in self.more or any(of_field == key for of_field, _, _ in _fields(type(self)).values())

    def _names(self):
        return [*_fields(type(self)), *self.__dict__.get("more", ())]

    def __dir__(self):
        return [*super().__dir__(), *self.more]

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{name}={_short(getattr(self, name))}' for name in self._names())})"

    def _repr_html_(self):
        return _html.page(type(self).__name__, self._scalars(), self._parts())

    def _scalars(self):
        """[(name, value)] of what is no list, no array and no record."""
        shown = [(name, getattr(self, name)) for name in self._names()]
        return [(name, value) for name, value in shown
                if not isinstance(value, (list, dict, Array, Record)) and value is not None]

    def _parts(self):
        """What stands below: maps of arrays, tables of records."""
        parts = []
        for name in self._names():
            value = getattr(self, name)
            if isinstance(value, Array) and value.ndim and value.size:
                parts.append(_html.of_array(name, value))
            elif isinstance(value, list) and value and all(isinstance(one, Record) for one in value):
                parts.append(_html.of_records(name, value))
            elif isinstance(value, list) and value and all(isinstance(one, str) for one in value):
                parts.append(_html.words(name, value))
        return parts


@dataclasses.dataclass(repr=False, eq=False)
class Answer(Record):
    """What a command says that this package knows nothing of: every key is an attribute."""


def _short(value):
    if isinstance(value, Array) and value.size > 8:
        return f"<{value.dtype} {list(value.shape)}>"
    if isinstance(value, list) and (len(value) > 3 or any(isinstance(part, (Array, Record)) for part in value)):
        return f"<{len(value)} of {type(value[0]).__name__}>"
    if isinstance(value, dict) and len(value) > 3:
        return f"<{len(value)} by name>"
    return repr(value)


def grid(cells, axes, field="value"):
    """The numbers of records as an array over `axes`, names of their fields.

    An axis of whole numbers is indexed by the number itself (layer, head, position), one of words in the order in which
    they come; nan where there is no record. ValueError where two records have one place.
    """
    labels = [axis_labels(cells, axis) for axis in axes]
    places = [{label: place for place, label in enumerate(of_axis)} for of_axis in labels]
    found = np.full([len(of_axis) for of_axis in labels], np.nan)
    taken = np.zeros(found.shape, bool)
    for cell in cells:
        at = tuple(place[getattr(cell, axis)] for axis, place in zip(axes, places))
        if taken[at]:
            raise ValueError(f"two records are at {dict(zip(axes, at))}; expected more axes than {', '.join(axes)}")
        found[at], taken[at] = number(getattr(cell, field)), True
    return found


def axis_labels(cells, axis):
    """What stands along an axis of grid(): 0 ... the largest number, or words."""
    values = [getattr(cell, axis) for cell in cells]
    if values and all(isinstance(value, int) for value in values):
        return list(range(max(values) + 1))
    return list(dict.fromkeys(values))


def by_head(heads: list, name: str) -> Array:
    """[layers, heads, ...] of something that every head has; nan where there is no such head."""
    first = np.asarray(getattr(heads[0], name), dtype=np.float64)
    sizes = [len(axis_labels(heads, axis)) for axis in ("layer", "head")]
    found = np.full([*sizes, *first.shape], np.nan)
    for head in heads:
        found[head.layer, head.head] = np.asarray(getattr(head, name), dtype=np.float64)
    return found
