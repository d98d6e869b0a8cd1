"""A checkpoint folder, written and read: config.json, model.safetensors (F32), tokenizer.json."""

import json
import os
import struct

import torch

from model import AttentionOnly

DTYPES = {torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16", torch.int64: "I64"}


def write_safetensors(path, tensors, metadata=None):
    """Writes {name: tensor}: eight bytes of header length, the header as JSON padded to eight bytes, the data."""
    header, data, place = {}, [], 0
    if metadata:
        header["__metadata__"] = metadata
    for name, tensor in tensors.items():
        values = tensor.detach().contiguous()
        values = (values.view(torch.int16) if values.dtype == torch.bfloat16 else values).numpy().tobytes()
        header[name] = {
            "dtype": DTYPES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [place, place + len(values)],
        }
        data.append(values)
        place += len(values)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(data))


def read_safetensors(path):
    """{name: tensor} of a file whose tensors are F32, F16, BF16 or I64."""
    with open(path, "rb") as file:
        content = file.read()
    length = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8 : 8 + length])
    header.pop("__metadata__", None)
    dtypes = {name: dtype for dtype, name in DTYPES.items()}
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        values = bytearray(content[8 + length + begin : 8 + length + end])
        tensors[name] = torch.frombuffer(values, dtype=dtypes[entry["dtype"]]).reshape(entry["shape"])
    return tensors


def configuration(vocabulary, *, d_model, max_positions, is_decoder, tied):
    """config.json of an attention-only model of two layers and eight heads."""
    return {
        "architectures": ["AttentionOnly"],
        "model_type": "attention_only",
        "vocab_size": len(vocabulary),
        "hidden_size": d_model,
        "num_hidden_layers": 2,
        "num_attention_heads": 8,
        "max_position_embeddings": max_positions,
        "layer_norm_eps": 1e-5,
        "is_decoder": is_decoder,
        "tie_word_embeddings": tied,
    }


def tokenizer_json(vocabulary, special):
    """tokenizer.json for whole words in lower case: split on blanks, stops by themselves, "didn't" one word."""

    def alone(stop):
        return {"type": "Split", "pattern": {"String": stop}, "behavior": "Isolated", "invert": False}

    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": number,
                "content": word,
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "special": True,
            }
            for number, word in enumerate(special)
        ],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Replace", "pattern": {"String": "\u2019"}, "content": "'"},
                {"type": "Lowercase"},
            ],
        },
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [{"type": "WhitespaceSplit"}, *(alone(stop) for stop in ".,!?")],
        },
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "WordLevel",
            "vocab": {word: number for number, word in enumerate(vocabulary)},
            "unk_token": "[UNK]",
        },
    }


def save(folder, model, vocabulary, special):
    os.makedirs(folder, exist_ok=True)
    for name, content in (
        ("config.json", model.config),
        ("tokenizer.json", tokenizer_json(vocabulary, special)),
    ):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            json.dump(content, file, ensure_ascii=False, indent=1)
            file.write("\n")
    write_safetensors(os.path.join(folder, "model.safetensors"), model.state_dict(), {"format": "pt"})


def load(folder):
    """(model, {word: id}) of a folder that `save` wrote."""
    with open(os.path.join(folder, "config.json"), encoding="utf-8") as file:
        model = AttentionOnly(json.load(file))
    with open(os.path.join(folder, "tokenizer.json"), encoding="utf-8") as file:
        ids = json.load(file)["model"]["vocab"]
    model.load_state_dict(read_safetensors(os.path.join(folder, "model.safetensors")))
    return model.eval(), ids
