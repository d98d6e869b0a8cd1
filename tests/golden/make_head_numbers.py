#!/usr/bin/python3
"""Writes head_numbers.json: metrics and aggregates of small weights by NumPy and PyTorch in float64, from the published
formulas and without a line of Headscope's. Run it again only when a formula is added; the draws are seeded."""
import json
import pathlib

import numpy as np
import torch

torch.manual_seed(41)


def softmax_rows(scores, hidden):
    return torch.softmax(scores.masked_fill(hidden, float("-inf")), -1).float().numpy()


def metrics(w, tokens, visible, special):
    """Means over rows, in float64; the rules of core/README.md, 'Metrics of a head'."""
    w = w.astype(np.float64)
    n = len(tokens)
    with np.errstate(divide="ignore", invalid="ignore"):
        row_entropy = -np.where(w > 0, w * np.log2(w), 0).sum(-1)
    rows = [i for i in range(n) if visible[i] >= 2]
    distance = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    induction = []
    for i in rows:
        places = [p + 1 for p in range(i - 1) if tokens[p] == tokens[i]]
        if places:
            induction.append(w[i, places].sum())
    near = [w[i][distance[i] <= 2].sum() for i in range(n) if visible[i] >= 8]
    even = [row_entropy[i] / np.log2(visible[i]) for i in range(n) if visible[i] >= 4]
    return {
        "entropy": row_entropy.mean(),
        "mean_distance": np.mean([(w[i] * distance[i]).sum() for i in rows]),
        "previous_token": np.mean([w[i, i - 1] for i in rows if i >= 1]),
        "next_token": np.mean([w[i, i + 1] for i in rows if i + 1 < n]),
        "self": np.mean([w[i, i] for i in rows]),
        "first_token": np.mean([w[i, 0] for i in rows if i >= 1]),
        "special_tokens": np.mean([w[i, special].sum() for i in rows]) if special else None,
        "induction": np.mean(induction) if induction else None,
        "local": np.mean(near) if near else None,
        "uniform": np.mean(even) if even else None,
    }


def metric_case(name, tokens, causal, special):
    n = len(tokens)
    hidden = torch.triu(torch.ones(n, n, dtype=torch.bool), 1) if causal else torch.zeros(n, n, dtype=torch.bool)
    w = softmax_rows(2 * torch.randn(n, n), hidden)
    visible = (~hidden).sum(-1).tolist()
    return {"name": name, "tokens": tokens, "causal": causal, "special": special,
            "weights": [float(x) for x in w.ravel()], "metrics": metrics(w, tokens, visible, special)}


def with_residual(layer):
    """0.5 A + 0.5 I with rows that sum to 1, A the mean over heads: Abnar & Zuidema 2020, section 3."""
    mixed = 0.5 * layer.astype(np.float64).mean(0) + 0.5 * np.eye(layer.shape[-1])
    return mixed / mixed.sum(-1, keepdims=True)


def rollout(layers):
    product = np.eye(layers[0].shape[-1])
    for layer in layers:
        product = with_residual(layer) @ product
    return product


def flow(layers):
    """Maximum flow from each query of the last layer to each input token, by Edmonds and Karp on a full matrix."""
    mixed = [with_residual(layer) for layer in layers]
    n, depth = mixed[0].shape[0], len(mixed)
    result = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            left = np.zeros(((depth + 1) * n,) * 2)
            for layer in range(depth):
                left[(layer + 1) * n:(layer + 2) * n, layer * n:(layer + 1) * n] = mixed[layer]
            total, source, sink = 0.0, depth * n + i, j
            while True:
                parent = {source: source}
                queue = [source]
                for node in queue:
                    for other in np.flatnonzero(left[node] > 1e-15):
                        if int(other) not in parent:
                            parent[int(other)] = node
                            queue.append(int(other))
                if sink not in parent:
                    break
                path, node = [], sink
                while node != source:
                    path.append((parent[node], node))
                    node = parent[node]
                amount = min(left[edge] for edge in path)
                for a, b in path:
                    left[a, b] -= amount
                    left[b, a] += amount
                total += amount
            result[i, j] = total
    return result


def aggregate_case(name, depth, heads, n, causal):
    hidden = torch.triu(torch.ones(n, n, dtype=torch.bool), 1) if causal else torch.zeros(n, n, dtype=torch.bool)
    layers = [softmax_rows(2 * torch.randn(heads, n, n), hidden) for _ in range(depth)]
    stacked = np.stack(layers).astype(np.float64)
    return {"name": name, "layers": depth, "heads": heads, "tokens": n, "causal": causal,
            "weights": [float(x) for x in stacked.ravel()],
            "mean": stacked.mean((0, 1)).ravel().tolist(), "max": stacked.max((0, 1)).ravel().tolist(),
            "rollout": rollout(layers).ravel().tolist(), "flow": flow(layers).ravel().tolist()}


def norms_case():
    """|w_ij (v_j W_o^h)| of every head: Kobayashi et al. 2020, section 3. W_o is torch's [out, in]."""
    heads, kv_heads, n, dim, width = 4, 2, 5, 3, 7
    value = torch.randn(kv_heads, n, dim).float()
    output = torch.randn(width, heads * dim).float()
    weights = torch.softmax(torch.randn(heads, n, n), -1).float()
    norms = []
    for h in range(heads):
        moved = value[h // (heads // kv_heads)].double() @ output[:, h * dim:(h + 1) * dim].double().T
        norms.append((weights[h].double()[:, :, None] * moved[None]).norm(dim=-1))
    flat = lambda t: [float(x) for x in t.ravel()]
    return {"heads": heads, "kv_heads": kv_heads, "tokens": n, "head_dim": dim, "width": width, "value": flat(value),
            "output": flat(output), "weights": flat(weights), "norms": flat(torch.stack(norms))}


def main():
    numbers = {
        "metrics": [
            metric_case("bidirectional", "the cat and the cat".split() + ["."], False, []),
            metric_case("causal", "a b a b a c c c a b".split(), True, []),
            metric_case("special", "[CLS] one two one two one [SEP]".split(), False, [0, 6]),
        ],
        "aggregates": [
            aggregate_case("bidirectional", 3, 2, 5, False),
            aggregate_case("causal", 2, 3, 6, True),
            aggregate_case("one layer", 1, 1, 4, False),
        ],
        "norms": norms_case(),
    }
    path = pathlib.Path(__file__).parent / "head_numbers.json"
    text = json.dumps(numbers, separators=(",", ":"))
    path.write_text(text.replace('{"name"', '\n{"name"').replace('"norms":{', '\n"norms":{') + "\n")


if __name__ == "__main__":
    main()
