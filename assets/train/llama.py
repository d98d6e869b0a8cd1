"""A decoder in Llama's form: RMS norms, rotary positions (halves), SwiGLU, no biases, one matrix for tokens in and out."""

import math

import torch
import torch.nn.functional as F
from torch import nn


def rms_norm(x, weight, eps):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * weight


def rotations(length, head_dim, theta):
    """(cos, sin) [length, head_dim]: angle of position p and pair k is p theta^(-2k / head_dim), once for each half."""
    rates = theta ** (-torch.arange(0, head_dim, 2).float() / head_dim)
    angles = torch.outer(torch.arange(length).float(), rates)
    angles = torch.cat([angles, angles], -1)
    return angles.cos(), angles.sin()


def rotated(x, cos, sin):
    low, high = x.chunk(2, -1)
    return x * cos + torch.cat([-high, low], -1) * sin


class Layer(nn.Module):
    def __init__(self, config):
        super().__init__()
        d_model, inner = config["hidden_size"], config["intermediate_size"]
        self.num_heads, self.eps = config["num_attention_heads"], config["rms_norm_eps"]
        self.self_attn = nn.ModuleDict(
            {f"{part}_proj": nn.Linear(d_model, d_model, bias=False) for part in ("q", "k", "v", "o")}
        )
        self.mlp = nn.ModuleDict(
            {
                "gate_proj": nn.Linear(d_model, inner, bias=False),
                "up_proj": nn.Linear(d_model, inner, bias=False),
                "down_proj": nn.Linear(inner, d_model, bias=False),
            }
        )
        for norm in ("input_layernorm", "post_attention_layernorm"):
            self.register_module(norm, nn.Module())
            getattr(self, norm).weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x, cos, sin, hidden):
        """x [batch, len, d_model]; hidden [len, len] is -inf above the diagonal. Returns (x, weights)."""
        batch, length, d_model = x.shape
        normed = rms_norm(x, self.input_layernorm.weight, self.eps)
        query, key, value = (
            self.self_attn[f"{part}_proj"](normed).view(batch, length, self.num_heads, -1).transpose(1, 2)
            for part in ("q", "k", "v")
        )
        scores = rotated(query, cos, sin) @ rotated(key, cos, sin).transpose(-1, -2)
        weights = (scores / math.sqrt(d_model // self.num_heads) + hidden).softmax(-1)
        x = x + self.self_attn["o_proj"]((weights @ value).transpose(1, 2).reshape(batch, length, d_model))
        normed = rms_norm(x, self.post_attention_layernorm.weight, self.eps)
        gated = F.silu(self.mlp["gate_proj"](normed)) * self.mlp["up_proj"](normed)
        return x + self.mlp["down_proj"](gated), weights


class Llama(nn.Module):
    """`config` is the checkpoint's config.json as a dictionary; parameters are named as in model.safetensors."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        d_model = config["hidden_size"]
        self.model = nn.Module()
        self.model.embed_tokens = nn.Embedding(config["vocab_size"], d_model)
        self.model.layers = nn.ModuleList(Layer(config) for _ in range(config["num_hidden_layers"]))
        self.model.norm = nn.Module()
        self.model.norm.weight = nn.Parameter(torch.ones(d_model))
        nn.init.normal_(self.model.embed_tokens.weight, std=0.02)
        for name, weight in self.named_parameters():
            if "_proj" in name:
                # What writes into the stream begins at zero: each layer passes on what it gets, until it learns.
                nn.init.zeros_(weight) if "o_proj" in name or "down_proj" in name else nn.init.normal_(
                    weight, std=d_model**-0.5
                )

    def forward(self, ids):
        """ids [batch, len]. Returns logits [batch, len, vocab_size] and each layer's weights [batch, heads, len, len]."""
        config, length = self.config, ids.shape[1]
        cos, sin = rotations(length, config["hidden_size"] // config["num_attention_heads"], config["rope_theta"])
        hidden = torch.full((length, length), -math.inf).triu(1)
        x = self.model.embed_tokens(ids)
        weights = []
        for layer in self.model.layers:
            x, of_layer = layer(x, cos, sin, hidden)
            weights.append(of_layer)
        x = rms_norm(x, self.model.norm.weight, config["rms_norm_eps"])
        return F.linear(x, self.model.embed_tokens.weight), weights
