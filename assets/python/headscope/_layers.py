"""Which modules of a PyTorch model are the attention of its layers."""

import dataclasses
from typing import Any, Optional


@dataclasses.dataclass
class Attention:
    """The modules of one layer's attention.

    heads: how many. output: the projection W_O; what enters it are the merged heads.
    qkv: the one projection of queries, keys and values, or query, key, value: three of them.
    layout: of qkv, "blocked" [Q K V] or "per-head" [q_0 k_0 v_0 q_1 ...]. kv_heads: where heads share keys and values.
    block: the module that the layer's stream enters as its first argument; patches of the stream need it.
    causal, scale: how scores are masked, and what multiplies them (None: 1/sqrt(head_dim)).
    turned: queries and keys are changed between projection and product (rotary positions, norms of heads).
    """

    heads: int
    output: Any
    qkv: Any = None
    query: Any = None
    key: Any = None
    value: Any = None
    layout: str = "blocked"
    kv_heads: Optional[int] = None
    block: Any = None
    causal: bool = True
    scale: Optional[float] = None
    turned: bool = False

    def __post_init__(self):
        separate = [self.query, self.key, self.value]
        if (self.qkv is None) == all(part is None for part in separate) or (self.qkv is None and None in separate):
            raise ValueError("an Attention has qkv, or query, key and value")
        if self.layout not in ("blocked", "per-head"):
            raise ValueError(f"layout {self.layout!r}; expected 'blocked' or 'per-head'")
        self.kv_heads = self.kv_heads or self.heads
        if self.heads % self.kv_heads or (self.layout == "per-head" and self.kv_heads != self.heads):
            raise ValueError(f"{self.kv_heads} key and value heads for {self.heads} heads of layout {self.layout!r}")

    def modules(self):
        return [part for part in (self.qkv, self.query, self.key, self.value, self.output) if part is not None]


def find_layers(model):
    """The attention of a model's layers, in the order of model.modules(): torch.nn.MultiheadAttention, or modules that
    have c_attn and c_proj as GPT-2 has. ValueError when there is none."""
    import torch

    found = [part for part in model.modules() if isinstance(part, torch.nn.MultiheadAttention)]
    if found:
        return found
    named = dict(model.named_modules())
    for name, part in named.items():
        children = dict(part.named_children())
        if "c_attn" not in children or "c_proj" not in children or "q_attn" in children:  # that reads an encoder
            continue
        heads = getattr(part, "num_heads", None) or getattr(part, "n_head", None)
        if not isinstance(heads, int):
            raise ValueError(f"{name} has c_attn and c_proj, and neither num_heads nor n_head; say layers=[Attention(...)]")
        parent = named.get(name.rpartition(".")[0]) if "." in name else None
        found.append(Attention(heads=heads, qkv=children["c_attn"], output=children["c_proj"], block=parent))
    if not found:
        raise ValueError("the model has neither torch.nn.MultiheadAttention nor GPT-2's c_attn and c_proj; say which "
                         "modules are its attention: layers=[headscope.Attention(heads=, qkv=, output=), ...]")
    return found
