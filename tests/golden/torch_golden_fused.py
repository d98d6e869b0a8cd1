"""The layer whose query, key and value are one product, as in tutorial 000, and the causal mask."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class FusedAttention(nn.Module):
    """The tutorials' class (000), with both merges."""

    def __init__(self, input_dim, d_model, num_heads):
        super().__init__()
        self.num_heads, self.head_dim = num_heads, d_model // num_heads
        self.qkv_layer = nn.Linear(input_dim, 3 * d_model)
        self.linear_layer = nn.Linear(d_model, d_model)

    def forward(self, x, key_x=None, mask=None, blocked=False, direct=False):
        def split(vectors):
            qkv = self.qkv_layer(vectors)
            batch, length = qkv.shape[:2]
            if blocked:
                return [part.reshape(batch, length, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
                        for part in qkv.chunk(3, dim=-1)]
            return qkv.reshape(batch, length, self.num_heads, 3 * self.head_dim).permute(0, 2, 1, 3).chunk(3, dim=-1)

        query, key, value = split(x)
        if key_x is not None:
            _, key, value = split(key_x)
        scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(self.head_dim)
        if mask is not None:
            scores = scores + mask
        weights = F.softmax(scores, dim=-1)
        context = torch.matmul(weights, value)
        batch, _, length, _ = context.shape
        merged = context if direct else context.permute(0, 2, 1, 3)
        concat = merged.reshape(batch, length, self.num_heads * self.head_dim)
        return {'input': x, 'query': query, 'key': key, 'value': value, 'masked_scores': scores, 'weights': weights,
                'context': context, 'concat': concat, 'output': self.linear_layer(concat)}


def causal(query_len, key_len):
    return torch.triu(torch.full((query_len, key_len), float('-inf')), diagonal=1)
