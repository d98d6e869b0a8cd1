"""What the interventions of one layer do to its tensors, as PyTorch operations."""

import math

import torch

from headscope._interventions import Ablate, Edit, Factor, Freeze, Paint, Patch
from headscope._own_arrays import Put, apply_put

# Axes of the stages that hooks reach: b batch, h head, p position, q query, k key, f feature.
AXES = {"stream": "bpf", "input": "bpf", "key_input": "bpf", "value_input": "bpf", "qkv": "bpf", "query_proj": "bpf",
        "key_proj": "bpf", "value_proj": "bpf", "query": "bhpf", "key": "bhpf", "value": "bhpf", "raw_scores": "bhqk",
        "scores": "bhqk", "masked_scores": "bhqk", "weights": "bhqk", "dropped_weights": "bhqk", "context": "bhpf",
        "concat": "bpf", "output": "bpf"}
SCORE_STAGES = tuple(stage for stage, axes in AXES.items() if axes == "bhqk")


def partners(a_len, b_len, a_tokens, b_tokens):
    """(positions of B, their positions in A): one by one where both are as long, else by what begins and ends alike."""
    if a_len == b_len:
        return list(range(b_len)), list(range(b_len))
    if a_tokens is None or b_tokens is None or (len(a_tokens), len(b_tokens)) != (a_len, b_len):
        raise ValueError(f"A has {a_len} positions and this call {b_len}; positions are matched by their tokens: say tokens=")
    shorter, prefix, suffix = min(a_len, b_len), 0, 0
    while prefix < shorter and a_tokens[prefix] == b_tokens[prefix]:
        prefix += 1
    while suffix < shorter - prefix and a_tokens[-1 - suffix] == b_tokens[-1 - suffix]:
        suffix += 1
    ends = range(suffix, 0, -1)
    return [*range(prefix), *(b_len - end for end in ends)], [*range(prefix), *(a_len - end for end in ends)]


def alike(a, b):
    """Whether two tensors are the same numbers in the same memory, be they one object or two views of it."""
    if a is b:
        return True
    return (torch.is_tensor(a) and torch.is_tensor(b) and a.dtype == b.dtype and a.shape == b.shape and
            a.stride() == b.stride() and a.data_ptr() == b.data_ptr() and a.device == b.device)


def split_heads(vectors, heads):
    """[batch, len, heads * size] to [batch, heads, len, size]."""
    return vectors.unflatten(-1, (heads, vectors.shape[-1] // heads)).transpose(1, 2)


def merge_heads(vectors):
    """[batch, heads, len, size] to [batch, len, heads * size]."""
    return vectors.transpose(1, 2).flatten(2)


class Work:
    """The interventions of layer `number`, each with the layer that it speaks of filled in."""

    def __init__(self, number, values, numbers, tokens):
        self.number = number
        self.values = [each for each in values if getattr(each, "layer", None) in (None, number)]
        self.numbers = numbers  # (layer, stage) -> numbers of A, its tokens
        self.tokens = tokens

    def of(self, kind, stage=None):
        """Those of a kind (or of one of some kinds); with a stage: of Edit, Patch, Factor and Put those of that stage."""
        return [each for each in self.values if isinstance(each, kind) and (stage is None or each[0] == stage)]

    def touches(self, *stages):
        return any(self.of((Edit, Patch, Factor, Put), stage) for stage in stages)

    def recomputes(self):
        """Whether something acts between queries and keys on one side and context on the other."""
        return bool(self.of((Freeze, Paint))) or self.touches(*SCORE_STAGES)

    def recomputed_heads(self, heads):
        """The heads whose context follows from it."""
        named = self.of(Freeze)
        if self.of(Paint):
            return list(range(heads))
        found = {each.head for each in named}
        for each in self.of((Edit, Patch, Put)):
            if each[0] in SCORE_STAGES:
                head = each.index[1] if isinstance(each, Edit) else each.head
                found |= set(range(heads)) if head is None else {head}
        return sorted(found)

    def put(self, stage, tensor):
        """The stage with its factors, own arrays, the numbers of A and its edits, in this order; the tensor itself without any."""
        if not self.touches(stage):
            return tensor
        tensor = tensor.clone()
        for each in self.of(Factor, stage):
            if each.head is None:
                tensor = tensor * each.factor
            else:
                self._within(stage, "head", each.head, tensor.shape[1])
                tensor[:, each.head] = tensor[:, each.head] * each.factor
        for each in self.of(Put, stage):
            apply_put(each, tensor, AXES[stage], self.number)
        for each in self.of(Patch, stage):
            self._put_numbers(each, tensor)
        for each in self.of(Edit, stage):
            if len(each.index) != tensor.dim():
                raise ValueError(f"{stage} has {tensor.dim()} axes; found {len(each.index)} indices")
            for at, size in zip(each.index, tensor.shape):
                self._within(stage, "place", at, size)
            tensor[each.index] = each.value
        return tensor

    def _within(self, stage, what, at, size):
        if at >= size:
            raise ValueError(f"{stage} of layer {self.number} has no {what} {at}; there are {size}")

    def _put_numbers(self, patch, tensor):
        numbers, a_tokens = self.numbers[self.number, patch.stage]
        numbers = numbers.to(device=tensor.device, dtype=tensor.dtype)
        places, origins = [], []
        for at, axis in enumerate(AXES[patch.stage]):
            if axis in "pqk":
                here, there = partners(numbers.shape[at], tensor.shape[at], a_tokens, self.tokens)
                if axis != "k" and patch.position is not None:
                    self._within(patch.stage, "position", patch.position, tensor.shape[at])
                    kept = [k for k, place in enumerate(here) if place == patch.position]
                    here, there = [here[k] for k in kept], [there[k] for k in kept]
            else:
                if numbers.shape[at] != tensor.shape[at]:
                    raise ValueError(f"{patch.stage} of layer {self.number} is {list(numbers.shape)} in A and "
                                     f"{list(tensor.shape)} here; batch, heads and features must be as many")
                here = there = range(tensor.shape[at])
                if axis == "h" and patch.head is not None:
                    self._within(patch.stage, "head", patch.head, tensor.shape[at])
                    here = there = [patch.head]
            shape = [1] * tensor.dim()
            shape[at] = -1
            places.append(torch.tensor(list(here), dtype=torch.long, device=tensor.device).view(shape))
            origins.append(torch.tensor(list(there), dtype=torch.long, device=tensor.device).view(shape))
        tensor[tuple(places)] = numbers[tuple(origins)]

    def paint(self, hidden, added):
        """Hidden cells [batch or 1, heads or 1, q, k] with the rectangles put over them, the last one on top."""
        painted = self.of(Paint)
        if painted:
            hidden = hidden.clone()
            for each in painted:
                hidden[..., each.queries, each.keys] = each.hides
        return hidden, added

    def attend(self, query, key, value, hidden, added=None, scale=None, dropout=None, acts=True):
        """(context, weights) of queries [batch, heads, len, size], keys and values [batch, kv_heads, len, size].

        hidden: True hides. dropout: what is done to the weights. acts False: without the interventions. query None: the
        weights of frozen heads, for values of all heads; the others' are 0.
        """
        put = self.put if acts else (lambda _, tensor: tensor)
        if acts:
            hidden, added = self.paint(hidden, added)
        if query is None:
            weights = value.new_zeros(*value.shape[:2], *hidden.shape[-2:])
        else:
            group = query.shape[1] // key.shape[1]
            key, value = key.repeat_interleave(group, 1), value.repeat_interleave(group, 1)
            scores = put("raw_scores", query @ key.transpose(-2, -1))
            scores = put("scores", scores * (1 / math.sqrt(query.shape[-1]) if scale is None else scale))
            scores = scores if added is None else scores + added
            scores = put("masked_scores", scores.masked_fill(hidden, -math.inf))
            weights = torch.softmax(scores, -1)
        if acts:
            weights = put("weights", self._frozen(weights, hidden))
        kept = weights if dropout is None else put("dropped_weights", dropout(weights))
        return kept @ value, kept

    def _frozen(self, weights, hidden):
        frozen = self.of(Freeze)
        if not frozen:
            return weights
        visible = ~hidden.expand(weights.shape)
        weights = weights.clone()
        for each in frozen:
            seen = visible[:, each.head].to(weights.dtype)
            if each.way == "uniform":
                weights[:, each.head] = seen / seen.sum(-1, keepdim=True).clamp(min=1)
            else:
                weights[:, each.head] = seen * torch.eye(*seen.shape[-2:], dtype=seen.dtype, device=seen.device)
        return weights

    def put_context(self, context):
        """Context with the heads that are off cleared, then as put() does."""
        off = self.of(Ablate)
        if off:
            context = context.clone()
            for each in off:
                context[:, each.head] = 0
        return self.put("context", context)
