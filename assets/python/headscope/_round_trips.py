"""Python functions as hooks: the array of a stage goes out, what a function makes of it is set there."""

import re

from headscope._arrays import numbers
from headscope._numpy import np

PLACE = re.compile(r"(?:([0-9]+)/)?(\w+)", re.ASCII)
NAMES = {"q": "query", "k": "key", "v": "value", "z": "context"}
# Stages of a model with a layer axis that can be set, and where in a layer they are computed: before, or after, its own.
OF_MODEL = {"stream": -1, "attention_out": 1000, "mlp_in": 1001, "mlp_out": 1002}
AFTER_MLP = 1003
# What acts on a stage after --set did: of a stage with a hook it would act a second time.
LATER = ("add", "project_out", "patch", "edit")
# What makes a run one of a decoder beside an encoder, each of whose layers is two: what is exported of the stream is what
# enters a whole layer, what is set what enters the half that is shown.
TWO_STACKS = ("decoder_phrase", "decoder_ids", "attention")


def with_answers(request, hooks, run_once):
    """The request with what the functions of `hooks` returned as its `set`.

    run_once(stage, request) gives (arrays, manifest). Functions are called in the order in which the model computes, each
    on what the run has at its place with the answers so far. ValueError for places that are no stage, for answers of
    another shape, and where something else acts on a stage after its hook.
    """
    request = dict(request)
    terms = _terms_of(request.pop("set", None))
    for place, stage, function in _in_order(_parsed(hooks), request, run_once):
        layer, name = stage
        asked = {**request, **({"set": list(terms)} if terms else {})}
        if layer is not None:
            asked["layer"] = layer
        arrays, manifest = run_once(name, asked)
        _refuse_later(place, stage, manifest, bool(terms))
        if name in OF_MODEL:
            layer = manifest["model"]["layer"] if layer is None else layer
            arrays = {name: arrays[name][layer]}
        given = arrays[name].astype(np.float32)
        left = given.copy()
        answer = function(left)
        answer = numbers(f"the answer of the hook on {place}", left if answer is None else answer)
        if answer.shape != given.shape:
            raise ValueError(f"the hook on {place} returned {list(answer.shape)}; expected {list(given.shape)}, as it was given")
        if not np.array_equal(answer, given, equal_nan=True):
            terms.append((name if layer is None else f"{layer}/{name}", answer))
    return {**request, **({"set": terms} if terms else {})}


def _terms_of(given):
    """[(place, what is set there)] of a dict, of pairs, or of the option's text."""
    if given is None or given == "none":
        return []
    if isinstance(given, str):
        return [tuple(term.partition("=")[::2]) for term in given.split(";")]
    return list(given.items() if hasattr(given, "items") else given)


def _parsed(hooks):
    """[(place, (layer or None, stage), function)]."""
    parsed = []
    for hook in hooks:
        try:
            place, function = hook
        except (TypeError, ValueError):
            raise ValueError(f"hooks has {hook!r}; expected pairs of a place and a function, as ('3/stream', f)") from None
        found = PLACE.fullmatch(place) if isinstance(place, str) else None
        if not found or not callable(function):
            raise ValueError(f"hooks has {hook!r}; expected [LAYER/]STAGE, as '3/stream' or 'weights', and a function of its array")
        layer, name = found.groups()
        parsed.append((place, (int(layer) if layer is not None else None, NAMES.get(name, name)), function))
    return parsed


def _in_order(parsed, request, run_once):
    """The hooks as a model computes their stages; those of one stage as they are given."""
    if len(parsed) < 2:
        return parsed
    orders, known = {}, {}

    def rank(hook):
        layer, name = hook[1]
        if layer not in orders:
            # The manifest lists the layer's stages as they are computed, whichever are written.
            _, manifest = run_once(name, request if layer is None else {**request, "layer": layer})
            orders[layer] = list(manifest["stages"])
            known[layer] = manifest.get("model", {}).get("layer", 0) if layer is None else layer
        of_layer = orders[layer]
        place = OF_MODEL.get(name, AFTER_MLP if name.startswith("mlp_") else
                             of_layer.index(name) if name in of_layer else len(of_layer))
        return known[layer], place
    return sorted(parsed, key=rank)


def _refuse_later(place, stage, manifest, set_here):
    """ValueError where another option acts on the stage of a hook after it is set, or a session sets stages itself."""
    request = manifest["request"]
    if "set" in request and not set_here:
        raise ValueError("the session of a request with hooks sets stages itself; expected them as set=, beside hooks")
    if stage[1] in OF_MODEL and any(option in request for option in TWO_STACKS):
        raise ValueError(f"a hook on {place} of a decoder beside an encoder cannot be; expected a stage of a layer's attention")
    shown = manifest.get("model", {}).get("layer")
    layer, name = stage
    layer = shown if layer is None else layer
    for option in LATER:
        for term in str(request.get(option, "")).split(";"):
            found = PLACE.match(term)
            if not found or NAMES.get(found[2], found[2]) != name:
                continue
            if (int(found[1]) if found[1] is not None else shown) == layer:
                raise ValueError(f"{option} acts on {place} as the hook does, after it; expected one of them: let the function do it")
