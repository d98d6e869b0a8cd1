"""A GPT-2 in PyTorch, written from the published definition (Radford et al. 2019), and its checkpoint folder."""
import json
import math
import pathlib

import torch

from headscope._arrays import safetensors_bytes

LAYERS, HEADS, WIDTH, WORDS, PLACES = 3, 4, 32, 40, 16


class Conv1D(torch.nn.Module):
    """y = x W + b, W [in, out]."""

    def __init__(self, inward, outward):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(inward, outward) * 0.3)
        self.bias = torch.nn.Parameter(torch.randn(outward) * 0.2)

    def forward(self, x):
        return x @ self.weight + self.bias


class Attention(torch.nn.Module):
    """Radford et al. 2019: one projection of queries, keys and values, a causal softmax, one projection out."""

    def __init__(self):
        super().__init__()
        self.n_head = HEADS
        self.c_attn, self.c_proj = Conv1D(WIDTH, 3 * WIDTH), Conv1D(WIDTH, WIDTH)

    def forward(self, x):
        batch, length, _ = x.shape
        q, k, v = (part.view(batch, length, HEADS, -1).transpose(1, 2) for part in self.c_attn(x).split(WIDTH, -1))
        scores = q @ k.transpose(-2, -1) / math.sqrt(WIDTH // HEADS)
        scores = scores.masked_fill(torch.ones(length, length, dtype=torch.bool).triu(1), -math.inf)
        return self.c_proj((torch.softmax(scores, -1) @ v).transpose(1, 2).reshape(batch, length, WIDTH))


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.ln_1, self.ln_2 = torch.nn.LayerNorm(WIDTH), torch.nn.LayerNorm(WIDTH)
        self.attn = Attention()
        self.mlp = torch.nn.ModuleDict({"c_fc": Conv1D(WIDTH, 4 * WIDTH), "c_proj": Conv1D(4 * WIDTH, WIDTH)})

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        h = self.mlp["c_fc"](self.ln_2(x))
        h = 0.5 * h * (1 + torch.tanh(math.sqrt(2 / math.pi) * (h + 0.044715 * h ** 3)))
        return x + self.mlp["c_proj"](h)


class Gpt2(torch.nn.Module):
    """Pre-norm layers on learned positions; the embedding is the output head, too."""

    def __init__(self):
        super().__init__()
        self.wte, self.wpe = torch.nn.Embedding(WORDS, WIDTH), torch.nn.Embedding(PLACES, WIDTH)
        torch.nn.init.normal_(self.wte.weight, std=0.2)  # logits of a size at which float32 tells 1e-5
        self.h = torch.nn.ModuleList(Block() for _ in range(LAYERS))
        self.ln_f = torch.nn.LayerNorm(WIDTH)

    def forward(self, ids):
        x = self.wte(ids) + self.wpe(torch.arange(ids.shape[-1]))
        for block in self.h:
            x = block(x)
        return self.ln_f(x) @ self.wte.weight.T


def save_checkpoint(model, folder):
    config = {"model_type": "gpt2", "vocab_size": WORDS, "n_embd": WIDTH, "n_layer": LAYERS, "n_head": HEADS,
              "n_positions": PLACES, "layer_norm_epsilon": 1e-5, "activation_function": "gelu_new"}
    pathlib.Path(folder, "config.json").write_text(json.dumps(config))
    tensors = {name: parameter.detach().numpy() for name, parameter in model.named_parameters()}
    pathlib.Path(folder, "model.safetensors").write_bytes(safetensors_bytes(tensors, {}))
