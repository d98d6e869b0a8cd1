"""The transformer of the demos: attention alone, no MLP, pre-norm, learned positions."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class AttentionLayer(nn.Module):
    """x + concat(heads) W_output, heads = softmax(q k^T / sqrt(head_dim)) v of the normed x; rows of qkv are [Q K V]."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.norm = nn.LayerNorm(d_model)
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.output = nn.Linear(d_model, d_model)

    def forward(self, x, hidden):
        """x [batch, len, d_model]; hidden bool, broadcasts to [batch, heads, len, len]. Returns (x, weights)."""
        batch, length, d_model = x.shape
        query, key, value = (
            part.view(batch, length, self.num_heads, d_model // self.num_heads).transpose(1, 2)
            for part in self.qkv(self.norm(x)).chunk(3, dim=-1)
        )
        scores = query @ key.transpose(-1, -2) / math.sqrt(d_model // self.num_heads)
        weights = scores.masked_fill(hidden, -math.inf).softmax(-1)
        self.context = weights @ value  # of the last call, for added_by()
        concat = self.context.transpose(1, 2).reshape(batch, length, d_model)
        return x + self.output(concat), weights

    def added_by(self, head):
        """What one head alone added to the stream in the last call, [batch, len, d_model]."""
        width = self.context.shape[-1]
        return F.linear(self.context[:, head], self.output.weight[:, head * width : (head + 1) * width])


class AttentionOnly(nn.Module):
    """`config` is the checkpoint's config.json as a dictionary; parameters are named as in model.safetensors."""

    def __init__(self, config):
        super().__init__()
        d_model = config["hidden_size"]
        self.config = config
        self.embedding = nn.Embedding(config["vocab_size"], d_model)
        self.position = nn.Embedding(config["max_position_embeddings"], d_model)
        self.layers = nn.ModuleList(
            AttentionLayer(d_model, config["num_attention_heads"]) for _ in range(config["num_hidden_layers"])
        )
        self.norm = nn.LayerNorm(d_model)
        for norm in [self.norm, *(layer.norm for layer in self.layers)]:
            norm.eps = config["layer_norm_eps"]
        if not config["tie_word_embeddings"]:
            self.output = nn.Linear(d_model, config["vocab_size"], bias=False)
        for table in (self.embedding, self.position):
            nn.init.normal_(table.weight, std=d_model**-0.5)

    def hidden(self, ids, pad_id=None, first_position=0):
        """What enters the output matrix [batch, len, d_model], and each layer's weights.

        ids [batch, len] at positions first_position, first_position + 1, ...
        """
        length = ids.shape[1]
        hidden = torch.zeros(1, 1, length, length, dtype=torch.bool)
        if self.config["is_decoder"]:
            hidden = torch.ones(length, length, dtype=torch.bool).triu(1)[None, None]
        if pad_id is not None:
            hidden = hidden | (ids == pad_id)[:, None, None, :]
        x = self.embedding(ids) + self.position(torch.arange(first_position, first_position + length))
        weights = []
        self.after = []  # the stream after each layer
        for layer in self.layers:
            x, layer_weights = layer(x, hidden)
            weights.append(layer_weights)
            self.after.append(x)
        return self.norm(x), weights

    def logits(self, hidden):
        """[..., d_model] to [..., vocab_size]."""
        return F.linear(hidden, self.embedding.weight if self.config["tie_word_embeddings"] else self.output.weight)

    def forward(self, ids, pad_id=None):
        """ids [batch, len]. Returns logits [batch, len, vocab_size] and each layer's weights [batch, heads, len, len]."""
        hidden, weights = self.hidden(ids, pad_id)
        return self.logits(hidden), weights


def mean_entropy(weights, counted):
    """Mean over heads and counted rows of -sum_j w ln w, in nats. counted bool [batch, len]."""
    entropy = -(weights * weights.clamp_min(1e-9).log()).sum(-1)
    return (entropy * counted[:, None, :]).sum() / (counted.sum() * weights.shape[1])


def mean_overlap(weights, counted):
    """Mean over pairs of heads and counted rows of sum_j w_head w_other: 1 when all look at the same token."""
    heads = weights.shape[1]
    pairs = weights.sum(1).square().sum(-1) - weights.square().sum((1, 3))  # (sum_h w_h)^2 holds each pair twice
    return (pairs * counted).sum() / (counted.sum() * heads * (heads - 1))


def mean_excess_distance(weights, counted, free):
    """Mean over heads and counted rows of sum_j w_ij max(0, |i - j| - free), in tokens."""
    places = torch.arange(weights.shape[-1])
    excess = ((places[:, None] - places[None, :]).abs() - free).clamp_min(0)
    rows = (weights * excess).sum(-1)
    return (rows * counted[:, None, :]).sum() / (counted.sum() * weights.shape[1])
