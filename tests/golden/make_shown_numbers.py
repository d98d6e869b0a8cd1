#!/usr/bin/python3
"""Writes shown_numbers.json: small weights as --groups, --hide-tokens, --weighting, --top-p and --renormalise show them,
by NumPy in float64 with matrices of 0 and 1, and without a line of Headscope's. Run it again only when a formula is
added; the draws are seeded."""
import itertools
import json
import pathlib

import numpy as np

random = np.random.default_rng(71)


def rows_of(words, tokens, merge):
    """Each row of the result is one shown token: 1 where a position belongs to it."""
    starts = [i for i in range(tokens) if not (merge and i > 0 and words[i] >= 0 and words[i] == words[i - 1])]
    member = np.zeros((len(starts), tokens))
    for row, (begin, end) in enumerate(itertools.pairwise(starts + [tokens])):
        member[row, begin:end] = 1
    return member


def top_p_of(row, share):
    order = np.argsort(-row, kind="stable")
    before = np.concatenate([[0.0], np.cumsum(row[order])[:-1]])
    result = np.zeros_like(row)
    kept = order[before < share * np.cumsum(row[order])[-1]]
    result[kept] = row[kept]
    return result


def shown(weights, values, words, options):
    heads, tokens = weights.shape[1:3]
    norms = np.linalg.norm(values.astype(np.float64), axis=-1)  # [batch, kv_heads, key]
    m = weights.astype(np.float64)
    if options["weighting"] == "value-norm":
        m = m * np.repeat(norms, heads // values.shape[1], axis=1)[:, :, None, :]
    member = rows_of(words, tokens, options["groups"] == "words")
    m = (member / member.sum(-1, keepdims=True)) @ m @ member.T
    special = np.array([words[int(np.argmax(row))] < 0 for row in member])
    first = np.arange(len(member)) == 0
    hidden = {"none": first & False, "special": special, "first": first}[options["hide_tokens"]]
    m = m[..., ~hidden]
    if options["top_p"] < 1 and m.size:
        m = np.apply_along_axis(top_p_of, -1, m, options["top_p"])
    if options["renormalise"]:
        total = m.sum(-1, keepdims=True)
        m = np.divide(m, total, out=m.copy(), where=total != 0)
    return m


def case(batch, heads, kv_heads, words, causal):
    tokens, features = len(words), 3
    scores = 2 * random.standard_normal((batch, heads, tokens, tokens))
    if causal:
        scores[..., np.triu(np.ones((tokens, tokens), bool), 1)] = -np.inf
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights = (weights / weights.sum(-1, keepdims=True)).astype(np.float32)
    values = random.standard_normal((batch, kv_heads, tokens, features)).astype(np.float32)
    results = []
    for groups, hide, weighting, top_p, again in itertools.product(
            ["pieces", "words"], ["none", "special", "first"], ["weights", "value-norm"], [1, 0.6], [False, True]):
        options = {"groups": groups, "hide_tokens": hide, "weighting": weighting, "top_p": top_p, "renormalise": again}
        m = shown(weights, values, words, options)
        if m.size:
            results.append(options | {"rows": m.shape[2], "columns": m.shape[3],
                                      "values": [float(f"{x:.9g}") for x in m.ravel()]})
    return {"batch": batch, "heads": heads, "kv_heads": kv_heads, "features": features, "words": words,
            "causal": causal, "weights": [float(x) for x in weights.ravel()],
            "values": [float(x) for x in values.ravel()], "results": results}


CASES = [case(1, 1, 1, [0], False),
         case(1, 2, 2, [0, 0], True),
         case(2, 4, 2, [-1, 0, 0, 1, 2, 2, -1], False),
         case(1, 2, 1, [0, 0, 0, 1, 2], True)]

PATH = pathlib.Path(__file__).parent / "shown_numbers.json"
PATH.write_text(json.dumps(CASES, separators=(",", ":")) + "\n")
print(PATH, PATH.stat().st_size, "bytes")
