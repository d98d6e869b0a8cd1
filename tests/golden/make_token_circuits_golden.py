#!/usr/bin/python3
"""Writes token_circuits.json: what heads do with tokens and with learned positions, by NumPy in float64, with every
matrix of the whole vocabulary by itself made, and without a line of Headscope's: scores and logits of some tokens with
each other, the eigenvalues' copying score, the previous-token score of positions. Run it again only when a model is added."""
import json

import numpy as np

from make_circuits_golden import DEMOS, HERE, attention_only, gemma2, gpt2, heads_of, llama, tensors

# name, folder, layers, heads, LayerNorms, how a layer is read, names of embedding, positions, final gain and decoder,
# epsilon, scale of scores, scale of embeddings, what is added to gains
MODELS = [("demo:induction", DEMOS / "induction", 2, 8, True, attention_only,
           ("embedding.weight", "position.weight", "norm.weight", "output.weight"), 1e-5, 8 ** -0.5, 1.0, 0),
          ("gpt2", HERE / "models" / "gpt2", 2, 3, True, gpt2,
           ("transformer.wte.weight", "transformer.wpe.weight", "transformer.ln_f.weight", "transformer.wte.weight"),
           1e-5, 0.5, 1.0, 0),
          ("llama", HERE / "models" / "llama", 2, 4, False, llama,
           ("model.embed_tokens.weight", None, "model.norm.weight", "lm_head.weight"), 1e-6, 0.5, 1.0, 0),
          ("gemma2", HERE / "models" / "gemma2", 3, 4, False, gemma2,
           ("model.embed_tokens.weight", None, "model.norm.weight", "model.embed_tokens.weight"),
           1e-6, 11 ** -0.5, float(np.float32(15 ** 0.5)), 1)]
TOKENS = [6, 2, 11, 19, 0]


def scaled(rows, means, eps):
    """Rows with the scale of the norm before attention, but neither its gain nor its mean, which are in the maps."""
    centred = rows - rows.mean(1, keepdims=True) if means else rows
    return rows / np.sqrt((centred ** 2).mean(1, keepdims=True) + eps)


def previous_token(scores):
    hidden = np.triu(np.ones(scores.shape), 1) > 0
    scores = np.where(hidden, -np.inf, scores)
    weights = np.exp(scores - scores.max(1, keepdims=True))
    weights /= weights.sum(1, keepdims=True)
    return float(np.mean([weights[i, i - 1] for i in range(1, len(weights))]))


def main():
    result = []
    for name, folder, layers, heads, means, read, names, eps, scale, embedding_scale, plus in MODELS:
        t = tensors(folder / "model.safetensors")
        words = t[names[0]] * embedding_scale
        final = plus + t[names[2]]
        d_model = words.shape[1]
        centre = np.eye(d_model) - np.ones((d_model, d_model)) / d_model if means else np.eye(d_model)
        for fold in (True, False):
            entered = scaled(words, means, eps) if fold else words
            decoder = t[names[3]] @ np.diag(final) @ centre if fold else t[names[3]]
            found = []
            for layer in range(layers):
                for head, (qk, ov) in enumerate(heads_of(t, layer, heads, means, read, fold)):
                    scores = scale * entered @ qk @ entered.T
                    logits = (decoder @ ov @ entered.T).T
                    values = np.linalg.eigvals(logits.T)
                    previous = None
                    if names[1]:
                        rows = scaled(t[names[1]], means, eps) if fold else t[names[1]]
                        previous = previous_token(scale * rows @ qk @ rows.T)
                    some = np.ix_(TOKENS, TOKENS)
                    found.append({"layer": layer, "head": head, "qk": scores[some].tolist(), "ov": logits[some].tolist(),
                                  "copying": float(values.sum().real / np.abs(values).sum()),
                                  "previous_token": previous})
            result.append({"model": name, "norms": "fold" if fold else "ignore", "tokens": TOKENS, "heads": found})
    text = json.dumps(result)
    (HERE / "token_circuits.json").write_text(text.replace('{"model"', '\n{"model"') + "\n")


if __name__ == "__main__":
    main()
