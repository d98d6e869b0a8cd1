#!/usr/bin/env python3
"""Makes tests/golden/models/: tiny random checkpoints of every family, and what PyTorch computes with them.

    apt-get install python3-torch && /usr/bin/python3 tests/golden/make_model_golden.py

One folder a checkpoint: config.json and model.safetensors as the ecosystem writes them, and expected.safetensors:
    token_ids [len] (of two sentences: token_types [len] too), embedded [len, d_model] (what enters the first layer),
    layers.N.input (what enters attention), .query .key .value [heads, len, head_dim] (positions applied), .scores
    [heads, len, len] (scaled, before the mask), .weights, .context, .output, .hidden (after the layer),
    final_hidden (what enters the head), logits [len, vocab].

Each family is written here from its paper and its published code, in model_golden_*.py, with PyTorch's own functions;
where PyTorch has the whole layer (nn.TransformerEncoderLayer, nn.MultiheadAttention), both must agree. Everything is
computed in float32 from the numbers as they are stored; families with `exact` in float64, and rounded when saved. They
also have .capped_scores, .attention_norm_out, and .c2p, .p2c and .masked_scores, where a layer has those, and conv_out,
what the convolution beside the first layer adds.

    /usr/bin/python3 tests/golden/make_model_golden.py NAME...      makes only these folders
"""
import json
import os
import struct
import sys

import torch

import model_golden_bert
import model_golden_deberta
import model_golden_deepseek
import model_golden_encoders
import model_golden_falcon
import model_golden_gemma
import model_golden_gpt
import model_golden_llama
import model_golden_neox
import model_golden_olmo
import model_golden_others

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'models')
DTYPES = {torch.float32: ('F32', torch.int32), torch.float16: ('F16', torch.int16),
          torch.bfloat16: ('BF16', torch.int16), torch.int64: ('I64', torch.int64), torch.bool: ('BOOL', torch.uint8)}
LENGTH = 7


def save_safetensors(path, tensors, metadata=None):
    header, data = {}, b''
    if metadata:
        header['__metadata__'] = metadata
    for name, tensor in tensors.items():
        dtype, bits = DTYPES[tensor.dtype]
        raw = tensor.detach().contiguous().view(bits if tensor.dtype != torch.bool else torch.bool)
        raw = raw.to(torch.uint8).numpy().tobytes() if tensor.dtype == torch.bool else raw.numpy().tobytes()
        header[name] = {'dtype': dtype, 'shape': list(tensor.shape), 'data_offsets': [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header, separators=(',', ':')).encode()
    text += b' ' * (-len(text) % 8)
    with open(path, 'wb') as file:
        file.write(struct.pack('<Q', len(text)) + text + data)


class Draw:
    """Random weights with enough spread that attention is far from uniform."""

    def __init__(self, seed):
        self.generator = torch.Generator().manual_seed(seed)

    def normal(self, *shape, spread=0.4, mean=0.0):
        return mean + spread * torch.randn(*shape, generator=self.generator)

    def ids(self, vocab_size):
        return torch.randint(0, vocab_size, (LENGTH,), generator=self.generator)


def make(name, family, config, dtype=torch.float32):
    draw = Draw(sum(ord(c) for c in family.__module__ + family.__name__))
    weights = {key: value if value.dtype in (torch.int64, torch.bool) else value.to(dtype)
               for key, value in family.weights(config, draw).items()}
    if hasattr(family, 'vocabulary'):
        ids, types = family.tokens()
        stages = {'token_ids': ids, 'token_types': types}
    else:
        ids = draw.ids(config['vocab_size'])
        stages = {'token_ids': ids}
    exact = getattr(family, 'exact', False)
    family.forward(config, {key: value.double() if exact else value.float() for key, value in weights.items()}, ids,
                   stages)
    stages = {key: value.float() if value.dtype == torch.float64 else value for key, value in stages.items()}
    for key, value in stages.items():
        assert value.dtype == torch.int64 or torch.isfinite(value).all(), (name, key)
    largest = stages['layers.0.weights'].amax(-1)[:, 1:].mean()
    assert 0.3 < largest < 0.97, (name, largest)
    folder = os.path.join(FOLDER, name)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, 'config.json'), 'w') as file:
        file.write(json.dumps(config, indent=2) + '\n')
    if hasattr(family, 'vocabulary'):
        with open(os.path.join(folder, 'vocab.txt'), 'w') as file:
            file.write('\n'.join(family.vocabulary) + '\n')
    save_safetensors(os.path.join(folder, 'model.safetensors'), weights, {'format': 'pt'})
    save_safetensors(os.path.join(folder, 'expected.safetensors'), stages)


def main():
    torch.set_num_threads(1)
    with torch.no_grad():
        wanted = set(sys.argv[1:])
        for module in (model_golden_gpt, model_golden_bert, model_golden_llama, model_golden_neox, model_golden_gemma,
                       model_golden_olmo, model_golden_others, model_golden_encoders, model_golden_falcon,
                       model_golden_deepseek, model_golden_deberta):
            for name, family, config in module.CASES:
                if wanted and name not in wanted:
                    continue
                make(name, family, config)
                if name in ('gpt2', 'bert', 'llama', 'deberta_v2'):
                    make(name + '-f16', family, {**config, 'torch_dtype': 'float16'}, torch.float16)
                    make(name + '-bf16', family, {**config, 'torch_dtype': 'bfloat16'}, torch.bfloat16)
    return 0


if __name__ == '__main__':
    sys.exit(main())
