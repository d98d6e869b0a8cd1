"""The table of what Python has of headscope-cli: a command a row, and what becomes of what it prints."""

import collections.abc
import dataclasses
import functools
import json
import pathlib
import re
import tempfile
import typing

from headscope import _answers, _reports, _surveys
from headscope._arrays import read_safetensors
from headscope._numpy import np
from headscope._program import HeadscopeError, answer, program, warn
from headscope._records import Answer
from headscope._round_trips import with_answers
from headscope._run import _run_once
from headscope._words import WAYS, joined, repeated, words_of

DIFFERENT = 4  # how headscope-cli ends where --check finds a difference


@dataclasses.dataclass(frozen=True)
class Command:
    """A command of headscope-cli in Python.

    read: (what is printed, the request) -> the answer. places: options that stand without their names. prints: the words
    that make it print what is read, unless one of `files` is asked for: it writes files then, and the answer is the path of
    --out. arrays: the file of --out whose tensors come as arrays, where arrays=True. hooks: whether Python functions may be hooks of its run.
    ways: how its options are written, where other than in WAYS. own: Python has a function of its own for it, which reads
    what it writes. of_model: whether it is of a model, and so a method of Model. why_not: why Python has none.
    """
    name: str
    read: collections.abc.Callable = lambda said, request: Answer.read(json.loads(said))
    places: tuple = ()
    prints: tuple = ("--json",)
    files: tuple = ()
    arrays: str = ""
    hooks: bool = False
    ways: dict = dataclasses.field(default_factory=dict)
    own: bool = False
    of_model: bool = True
    why_not: str = ""


def _as(kind):
    return lambda said, request: kind.read(json.loads(said))


def _spelled(said, request):
    spelled = [_answers.Tokens.read(json.loads(line)) for line in said.splitlines()]
    return spelled if "phrases" in request else spelled[0]


def _described(said, request):
    found = json.loads(said)
    return [_reports.Family.read(one) for one in found] if isinstance(found, list) else _reports.Info.read(found)


def _counted(said, request):
    return ask("info", {"path": request["out"]})


def _reported(said, request):
    return (_reports.ReportDifference if "against" in request else _reports.Report).read(json.loads(said))


def _text(said, request):
    return said


ROWS = (
    Command("run", own=True),
    Command("render", own=True),
    Command("explain", _as(_answers.Explanation), files=("out",), hooks=True),
    Command("sensitivity", _as(_answers.Sensitivity), hooks=True),
    Command("attribute", _as(_answers.Attribution), hooks=True),
    Command("score", _as(_answers.Score), hooks=True),
    Command("diagnose", own=True),
    Command("compare", _as(_surveys.Comparison), hooks=True),
    Command("sweep", _as(_surveys.Sweep), hooks=True),
    Command("gradients", _as(_surveys.Gradients), arrays="layers.safetensors"),
    Command("circuits", _as(_surveys.Circuits)),
    Command("precision", _as(_surveys.Precision)),
    Command("script", _text, prints=(), files=("out",)),
    Command("info", _described, places=("path",)),
    Command("tokenize", _spelled),
    Command("generate", _as(_answers.Generation)),
    Command("bench", _as(_reports.Bench), of_model=False, ways={"size": repeated}),
    Command("scan", _counted, prints=()),
    Command("merge", _counted, of_model=False, places=("files",), prints=()),
    Command("report", _reported, of_model=False, places=("path",), files=("format",), ways={"head": joined(".")}),
    Command("doctor", of_model=False),
    Command("worksheet", _text, of_model=False, prints=(), files=("out",)),
    Command("handout", _text, of_model=False, prints=(), files=("out",)),
    Command("manual", why_not="a page for man(1) and completions of shells, which a shell asks headscope-cli for"),
)
COMMANDS = {row.name: row for row in ROWS}


@functools.cache
def _names_in(path):
    said = answer(["--help"])[1]
    return tuple(dict.fromkeys(re.findall(r"^headscope-cli ([a-z][\w-]*) ", said, re.M)))


def names():
    """The commands that the program which is found has, by its own --help."""
    return _names_in(program("headscope-cli"))


def ask(name: str, request: dict) -> typing.Any:
    """What a command of headscope-cli says of a request. A command without a row, of a newer program, is asked for JSON,
    each key of which is an attribute. Notices are warnings, and in the answer's `notices`. Raises HeadscopeError."""
    row = COMMANDS.get(name) or Command(name)
    request = {key.rstrip("_"): value for key, value in request.items() if value is not None}
    hooks = request.pop("hooks", None)
    if hooks:
        if not row.hooks:
            raise ValueError(f"hooks are given to {name}, which runs more than one text; expected run, "
                             + ", ".join(one.name for one in ROWS if one.hooks))
        own = {key: value for key, value in request.items() if key not in _options_of(name)}
        request.update(with_answers(own, hooks, _run_once))
    with tempfile.TemporaryDirectory(prefix="headscope-") as folder:
        wants = bool(row.arrays) and bool(request.pop("arrays", False))
        words = _words(row, request, folder) + (["--out", f"{folder}/{row.arrays}"] if wants else [])
        try:
            _, said, notices = answer(words, ends=(0, DIFFERENT))
        except HeadscopeError as refused:
            refused.args = (str(refused).replace(folder + "/", ""),)
            raise
        written = [option for option in row.files if option in request]
        try:
            found = pathlib.Path(request.get("out", "")) if written else row.read(said, request)
        except json.JSONDecodeError:
            raise HeadscopeError(f"{name} printed {said[:60]!r}; expected JSON") from None
        if wants:
            found.more.update(_by_layer(read_safetensors(f"{folder}/{row.arrays}")))
    notices = [notice.replace(folder + "/", "") for notice in notices]
    warn(notices)
    if hasattr(found, "notices"):
        found.notices = notices
    return found


def _words(row, request, folder):
    request = dict(request)
    words = [row.name]
    for place in row.places:
        given = request.pop(place, None)
        if given is not None:
            words += [str(one) for one in given] if isinstance(given, (list, tuple)) else [str(given)]
    prints = () if any(option in request for option in row.files) else row.prints
    return [*words, *words_of(request, folder, {**WAYS, **row.ways}), *prints]


@functools.cache
def _options_of(name):
    """The options that a command has besides those of its request: its help lists them before those of REQUEST."""
    own = answer([name, "--help"])[1].split("\nREQUEST\n")[0]
    return {word.replace("-", "_") for word in re.findall(r"^  --([\w-]+)", own, re.M)}


def _by_layer(tensors):
    """{"layers.0.weights": array} as {"weights": [array of layer 0, ...]}."""
    found = {}
    for name in sorted(tensors, key=lambda name: int(name.split(".")[1])):
        found.setdefault(name.split(".", 2)[2], []).append(np.asarray(tensors[name]))
    return found


def by_itself(name: str):
    """A function of a command that the program has and this package does not know. AttributeError where there is none."""
    try:
        known = names()
    except HeadscopeError:
        known = ()
    if name not in known:
        raise AttributeError(f"module 'headscope' has no attribute {name!r}")
    if name in COMMANDS and COMMANDS[name].why_not:
        raise AttributeError(f"headscope has no {name}: {COMMANDS[name].why_not}")

    def function(**request):
        return ask(name, request)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"headscope-cli {name}: its options by their names, with _ for -; each key of its JSON is an attribute."
    return function
