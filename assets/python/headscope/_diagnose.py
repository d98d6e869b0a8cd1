"""Whether your own attention is right; where it is not, and which known mistake makes it so."""

import collections.abc
import json
import pathlib
import re
import tempfile

from headscope import _html
from headscope._arrays import numbers, plain, safetensors_bytes
from headscope._numpy import np
from headscope._program import answer, warn
from headscope._words import words_of

CHECK_FOUND = 4  # how headscope-cli ends where --check finds a difference
# The number formats that an array says itself: the name of its dtype, and that of --theirs-format.
FORMATS = {"float16": "f16", "bfloat16": "bf16", "float8_e4m3fn": "f8e4m3", "float8_e4m3": "f8e4m3", "float8_e5m2": "f8e5m2"}
HEAD_STAGES = ("query", "key", "value", "context")  # [batch, heads, len, features]
MAP_STAGES = ("raw_scores", "scores", "capped_scores", "masked_scores", "weights")  # [batch, heads, queries, keys]
ROW_STAGES = ("input", "key_input", "value_input", "qkv", "query_proj", "key_proj", "value_proj", "concat", "output")
SOURCES = ("query", "key", "value", "input", "key_input", "value_input", "key_past", "value_past")


class Diagnosis(dict):
    """What `headscope-cli diagnose --json` says, by its keys: verdict, equal, where, explanations, stages ..."""

    def _repr_html_(self):
        rows = [(", ".join(one["mistakes"]), one.get("share"), one["residual"]) for one in self.get("explanations", [])]
        where = (self.get("where") or {}).get("sentence")
        parts = [_html.table(("explained by", "of the difference", "residual"), rows)] if rows else []
        scalars = [("verdict", self.get("verdict")), ("largest difference", self.get("max_difference")), ("where", where)]
        return _html.page("Diagnosis", [(name, value) for name, value in scalars if value is not None], parts)


def diagnose(mine=None, *, q=None, k=None, v=None, x=None, weights=None, heads=None, module=None, stage=None, stages=None,
             mask=None, causal=False, scale=None, layout="bhsd", format=None, tolerance=None, **request):
    """What `headscope-cli diagnose --json` says of `mine`, as a dict: verdict, equal, where, explanations, stages ...

    mine is what your code gave for the inputs beside it. Arrays are NumPy's, PyTorch's (also float16 and bfloat16) or JAX's.

    q, k, v: attention alone, [batch, heads, len, head_dim]; `mine` is then its context.
    x with weights: a layer, [batch, len, features]; a file, or a dict of arrays by the names of a state_dict(); with heads.
    x with module: a torch.nn.MultiheadAttention, whose weights are used; `mine` is then its output.
    stage: what `mine` is, if it is something else: scores, weights, concat ...
    stages: {"scores": array, "weights": array}: several, each judged from yours before it.
    mask: an array (bool: True may be seen; numbers are added to the scores), or words as --mask has them; causal=True
    besides. layout: "bhsd", "bshd" (queries, keys, values and contexts with len before heads), "thd" with lengths=[3, 5]
    (packed texts, [tokens, heads, head_dim]), or "auto": `mine` in whichever layout fits. format: "f16", "bf16" ...; by default what the array is, or what its numbers are. tolerance:
    how far a number may lie away. Other options by their names in `headscope-cli diagnose --help`: past=8, softcap=30.0.

    What headscope-cli notices is a warning. Raises ValueError with its sentence for what it refuses (shapes, names of
    stages and options), TypeError for arrays without numbers, HeadscopeError where the program is missing.
    """
    asked = dict(locals())
    _, said, notices = _answer(["--json"], **asked)
    warn(notices)
    return Diagnosis(json.loads(said))


def assert_close(mine=None, *, q=None, k=None, v=None, x=None, weights=None, heads=None, module=None, stage=None, stages=None,
                 mask=None, causal=False, scale=None, layout="bhsd", format=None, tolerance=None, **request):
    """Raises AssertionError where `mine` is not what attention gives for these inputs, beyond what its number format costs.

    The message is the three answers of diagnose(), whose arguments these are: the verdict, where, and which mistake.

        def test_attention():
            headscope.assert_close(my_attention(q, k, v), q=q, k=k, v=v, causal=True)
    """
    asked = dict(locals())
    __tracebackhide__ = True  # pytest shows the line of the test
    code, said, notices = _answer(["--check"], **asked)
    warn(notices)
    if code == CHECK_FOUND:
        raise AssertionError(said.strip())


def _answer(options, *, mine, q, k, v, x, weights, heads, module, stage, stages, mask, causal, scale, layout, format,
            tolerance, request):
    """answer() to the question, the names of its temporary files without their folder."""
    __tracebackhide__ = True
    given = {name: value for name, value in zip(SOURCES, (q, k, v, x)) if value is not None}
    if not given.keys().isdisjoint(request):
        raise ValueError(f"{', '.join(sorted(given.keys() & request.keys()))} is given twice")
    given.update((name, request[name]) for name in SOURCES if name in request)
    theirs = _theirs(mine, stage, stages, "context" if "query" in given else "output")
    if module is not None:
        weights, heads, by_length = _module_parts(module, weights, heads, mask, request)
        if by_length:
            given = {name: _exchanged(value, 3, 0, 1) for name, value in given.items()}
            theirs = {name: _exchanged(value, 3, 0, 1) if name in ROW_STAGES else value for name, value in theirs.items()}
    if layout == "bshd":  # handed over as [batch, heads, len, features]
        given = {name: _exchanged(value, 4, 1, 2) for name, value in given.items()}
        theirs = {name: _exchanged(value, 4, 1, 2) if name in HEAD_STAGES else value for name, value in theirs.items()}
    layout = {"auto": None, "bshd": "bhsd"}.get(layout, layout)
    if layout == "bhsd" and any(getattr(given.get(name), "ndim", 4) == 3 for name in ("query", "key", "value")):
        layout = None  # rows of several heads, which stand in one order alone
    if layout == "bhsd" and any(name in MAP_STAGES and getattr(value, "ndim", 4) < 4 for name, value in theirs.items()):
        layout = None  # a mean over heads, as torch.nn.MultiheadAttention gives it, or one text without batch
    with tempfile.TemporaryDirectory(prefix="headscope-") as folder:
        asked = {name: plain(value) for name, value in request.items() if name not in SOURCES}
        asked.update((name, value if _is_path(value) else numbers(name, value)) for name, value in given.items())
        asked.update(weights=_weights_file(weights, folder), heads=plain(heads), mask=_mask_text(mask, causal, folder),
                     scale=plain(scale), tolerance=plain(tolerance), layout=layout,
                     theirs_format=format or _format_of(theirs))
        words = ["diagnose", *words_of(asked, folder), "--theirs", _theirs_folder(theirs, folder), "--stage", ",".join(theirs)]
        try:
            code, said, notices = answer([*words, *options], ends=(0, CHECK_FOUND))
        except ValueError as refused:
            refused.args = (str(refused).replace(folder + "/", ""),)
            raise
        return code, said, [notice.replace(folder + "/", "") for notice in notices]


def _theirs(mine, stage, stages, usual):
    """The arrays of the one who asks, by the names of their stages."""
    if isinstance(mine, collections.abc.Mapping):
        mine, stages = None, mine
    if (mine is None) == (not stages):
        raise ValueError("found " + ("nothing to judge" if mine is None else "both mine and stages") + "; expected mine, or "
                         "stages={'scores': array, 'weights': array}")
    if stages and stage is not None:
        raise ValueError(f"stages names its stages; found stage={stage!r} besides")
    theirs = dict(stages) if stages else {stage or usual: mine}
    for name in theirs:
        # The name becomes that of a file.
        if not isinstance(name, str) or not re.fullmatch(r"\w+", name, re.ASCII):
            raise ValueError(f"found the stage {name!r}; expected the name of one, as context, weights or output")
    return theirs


def _is_path(value):
    return isinstance(value, (str, pathlib.PurePath))


def _exchanged(value, axes, one, other):
    """An array of so many axes with two of them exchanged; anything else as it is."""
    if _is_path(value) or getattr(value, "ndim", axes) != axes:
        return value
    if not hasattr(value, "swapaxes"):
        value = np.asarray(value)
    return value.swapaxes(one, other) if value.ndim == axes else value


def _format_of(theirs):
    """The number format that all arrays say themselves; None: it is recognised from the numbers."""
    found = {FORMATS.get(str(getattr(value, "dtype", "")).rsplit(".", 1)[-1]) for value in theirs.values()}
    return found.pop() if len(found) == 1 else None


def _mask_text(mask, causal, folder):
    """--mask of words and of an array, which becomes a file; None: there is none."""
    terms = ["causal"] if causal else []
    if isinstance(mask, (list, tuple)) and mask and all(isinstance(term, str) for term in mask):
        terms += mask
    elif mask is not None and _is_path(mask):
        terms.append(str(mask))
    elif mask is not None:
        np.save(folder + "/mask.npy", numbers("mask", mask, bools=True))
        terms.append(folder + "/mask.npy")
    return ",".join(terms) or None


def _weights_file(weights, folder):
    """--weights of arrays by their names, which become a file."""
    if weights is None or _is_path(weights):
        return weights
    if not isinstance(weights, collections.abc.Mapping):
        raise TypeError(f"weights is a {type(weights).__name__}; expected a file, or arrays by their names")
    path = pathlib.Path(folder, "weights.safetensors")
    path.write_bytes(safetensors_bytes({name: numbers(name, value) for name, value in weights.items()}, {}))
    return path


def _module_parts(module, weights, heads, mask, request):
    """(weights, heads, whether len stands before batch) of a torch.nn.MultiheadAttention."""
    if not all(hasattr(module, name) for name in ("named_parameters", "num_heads", "out_proj", "add_zero_attn")):
        raise TypeError(f"module is a {type(module).__name__}; expected a torch.nn.MultiheadAttention, or weights= with heads=")
    if weights is not None or heads is not None:
        raise ValueError("module has weights and heads of its own; found weights= or heads= besides")
    if module.add_zero_attn:
        raise ValueError("module adds a key of zeros (add_zero_attn), which no request does")
    if str(getattr(mask, "dtype", "")) in ("bool", "torch.bool") and "mask_kind" not in request:
        raise ValueError("a mask of bool hides where it is True in torch.nn.MultiheadAttention, and shows elsewhere; say "
                         "mask_kind='hide' or mask_kind='keep'")
    return dict(module.named_parameters()), module.num_heads, not getattr(module, "batch_first", False)


def _theirs_folder(theirs, folder):
    """--theirs: a folder with a file for each stage."""
    path = pathlib.Path(folder, "theirs")
    path.mkdir()
    for name, value in theirs.items():
        np.save(path / (name + ".npy"), numbers("mine" if len(theirs) == 1 else name, value))
    return str(path)
