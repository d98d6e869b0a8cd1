"""PyTorch's side of compare_torch.py: one process that answers lines of JSON, so that the PyTorch of another system
(a chroot, a container) can take part. It is handed over as text: it imports nothing of ours and reads no file."""
import json
import math
import pathlib
import statistics
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

SECONDS_OF_TURN = 0.5


class Size:
    """A size as `headscope-cli bench --size` takes it; the mask is none or causal here."""

    def __init__(self, text):
        self.alone = text.startswith("attn:")
        fields = text.removeprefix("attn:").split(",")
        self.causal = {"none": False, "causal": True}[fields[-1]]
        numbers = [int(field) for field in fields[:-1]]
        if self.alone:
            self.batch, (self.tokens, self.heads, self.head_dim) = 1, numbers
            self.d_model = self.heads * self.head_dim
        else:
            self.batch, self.tokens, self.input_dim, self.d_model, self.heads = numbers
            self.head_dim = self.d_model // self.heads


def causal_mask(tokens):
    """Added to the scores: -inf above the diagonal."""
    return torch.triu(torch.full((tokens, tokens), float("-inf")), diagonal=1)


def tutorial_attention(query, key, value, causal):
    """The tutorials' scaled_dot_product, which makes its mask on the spot: context and weights."""
    scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(key.shape[-1])
    if causal:
        scores += torch.triu(torch.full(scores.size(), float("-inf")), diagonal=1)
    weights = F.softmax(scores, dim=-1)
    return torch.matmul(weights, value), weights


class TutorialLayer(nn.Module):
    """The tutorials' module without its print lines, heads merged as they should be. Returns output and weights."""

    def __init__(self, size):
        super().__init__()
        self.size = size
        self.qkv_layer = nn.Linear(size.input_dim, 3 * size.d_model)
        self.linear_layer = nn.Linear(size.d_model, size.d_model)

    def attention(self, query, key, value):
        return tutorial_attention(query, key, value, self.size.causal)

    def forward(self, x):
        batch, tokens, _ = x.shape
        qkv = self.qkv_layer(x).reshape(batch, tokens, self.size.heads, 3 * self.size.head_dim).permute(0, 2, 1, 3)
        context, weights = self.attention(*qkv.chunk(3, dim=-1))
        concat = context.permute(0, 2, 1, 3).reshape(batch, tokens, self.size.d_model)
        return self.linear_layer(concat), weights


class CarefulLayer(TutorialLayer):
    """The same arithmetic written with care: one mask for all heads, made once, added inside the product; softmax in
    place. What a developer gets who needs the weights and minds the time."""

    def __init__(self, size):
        super().__init__(size)
        self.mask = causal_mask(size.tokens) if size.causal else torch.zeros(())

    def attention(self, query, key, value):
        batch, heads, tokens, head_dim = query.shape
        mask = self.mask.expand(batch * heads, tokens, tokens)
        scores = torch.baddbmm(mask, query.reshape(-1, tokens, head_dim), key.reshape(-1, tokens, head_dim).mT,
                               beta=1 if self.size.causal else 0, alpha=1 / math.sqrt(head_dim))
        torch.softmax(scores, dim=-1, out=scores)
        context = torch.bmm(scores, value.reshape(-1, tokens, head_dim))
        return context.view(batch, heads, tokens, head_dim), scores.view(batch, heads, tokens, tokens)


def multihead_attention(size):
    """nn.MultiheadAttention as Headscope is used: all weights of all heads returned."""
    layer = nn.MultiheadAttention(size.d_model, size.heads, batch_first=True).eval()
    x = torch.randn(size.batch, size.tokens, size.input_dim)
    mask = causal_mask(size.tokens) if size.causal else None
    return lambda: layer(x, x, x, need_weights=True, average_attn_weights=False, attn_mask=mask)


def contenders(text):
    """Name -> function. `mha` is missing where nn.MultiheadAttention cannot (input_dim other than d_model)."""
    size = Size(text)
    torch.manual_seed(0)
    if size.alone:
        query, key, value = torch.randn(3, 1, size.heads, size.tokens, size.head_dim)
        found = {"tutorial": lambda: tutorial_attention(query, key, value, size.causal)}
        if hasattr(F, "scaled_dot_product_attention"):  # 2.0 and later; returns no weights, as flash
            found["sdpa"] = lambda: F.scaled_dot_product_attention(query, key, value, is_causal=size.causal)
        return found
    x = torch.randn(size.batch, size.tokens, size.input_dim)
    tutorial, careful = TutorialLayer(size).eval(), CarefulLayer(size).eval()
    found = {"tutorial": lambda: tutorial(x), "careful": lambda: careful(x)}
    if size.input_dim == size.d_model:
        found["mha"] = multihead_attention(size)
    return found


def median_seconds(function):
    """Median of repetitions for about half a second, after one that is not counted."""
    times, spent = [], 0.0
    function()
    while spent < SECONDS_OF_TURN or len(times) < 3:
        begin = time.perf_counter()
        function()
        times.append(time.perf_counter() - begin)
        spent += times[-1]
    return statistics.median(times)


def blas_libraries():
    """The BLAS libraries that this process has mapped, by their real paths."""
    torch.ones(64, 64) @ torch.ones(64, 64)
    mapped = [line.split(maxsplit=5) for line in pathlib.Path("/proc/self/maps").read_text().splitlines()]
    paths = {fields[5] for fields in mapped if len(fields) == 6}
    return sorted(path for path in paths if any(name in path.rsplit("/", 1)[-1] for name in ("blas", "mkl", "blis")))


def main():
    print(json.dumps({"version": torch.__version__, "libraries": blas_libraries()}), flush=True)
    size, functions = None, {}
    with torch.inference_mode():
        for line in sys.stdin:
            asked = json.loads(line)
            torch.set_num_threads(asked["threads"])
            if asked["size"] != size:
                size, functions = asked["size"], contenders(asked["size"])
            name = asked.get("contender")
            print(json.dumps(median_seconds(functions[name]) if name else sorted(functions)), flush=True)


main()
