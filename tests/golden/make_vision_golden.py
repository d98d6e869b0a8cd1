#!/usr/bin/env python3
"""Makes tests/golden/vision_models/: tiny random checkpoints that read images, and what PyTorch computes with them.

    apt-get install python3-torch && /usr/bin/python3 tests/golden/make_vision_golden.py

One folder a checkpoint: config.json, preprocessor_config.json, model.safetensors, and of the image beside the folders
(image.png, 37 x 29 pixels) expected.safetensors: pixel_values [3, rows, columns] and the stages that
make_model_golden.py names, without logits; of models that compare texts and images projected [len, features], of a model
whose patches are gathered by one more layer the stages of that layer, pool.NAME. Models that read texts as well have expected_text.safetensors, with
token_ids. resized.safetensors: the image at several sizes by every filter. Everything is computed in float64.
"""
import json
import os
import struct
import sys
import zlib

import torch

import model_golden_pixels
import model_golden_vision
from make_model_golden import Draw, save_safetensors

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'vision_models')
SIZES = [(12, 18), (33, 40), (7, 50), (1, 1)]


def made_image():
    """[3, 29, 37]: waves of several lengths, an edge, and noise, so that every filter overshoots somewhere."""
    generator = torch.Generator().manual_seed(29)
    y, x = torch.meshgrid(torch.arange(29.0), torch.arange(37.0), indexing='ij')
    image = torch.stack([128 + 120 * torch.sin(x / 3 + y / 7), 250.0 * (x + y > 33), 128 + 100 * torch.cos(x * y / 60)])
    image += 30 * torch.randn(image.shape, generator=generator)
    return image.round().clamp(0, 255)


def save_png(path, image):
    rows = b''.join(b'\0' + bytes(row.T.flatten().to(torch.uint8).tolist()) for row in image.permute(1, 0, 2))

    def chunk(name, data):
        return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))

    with open(path, 'wb') as file:
        file.write(b'\x89PNG\r\n\x1a\n' +
                   chunk(b'IHDR', struct.pack('>IIBBBBB', image.shape[2], image.shape[1], 8, 2, 0, 0, 0)) +
                   chunk(b'IDAT', zlib.compress(rows, 9)) + chunk(b'IEND', b''))


def saved(path, stages):
    stages = {key: value.float() if value.dtype == torch.float64 else value for key, value in stages.items()}
    for key, value in stages.items():
        assert value.dtype == torch.int64 or torch.isfinite(value).all(), (path, key)
    largest = stages['layers.0.weights'].amax(-1)[:, 1:].mean()
    assert 0.15 < largest < 0.97, (path, largest)
    save_safetensors(path, stages)


def make(name, family, config, processor, image):
    draw = Draw(sum(ord(c) for c in name))
    weights = family.weights(config, draw)
    wide = {key: value.double() if value.dtype != torch.int64 else value for key, value in weights.items()}
    folder = os.path.join(FOLDER, name)
    os.makedirs(folder, exist_ok=True)
    for file_name, content in (('config.json', config), ('preprocessor_config.json', processor)):
        with open(os.path.join(folder, file_name), 'w') as file:
            file.write(json.dumps(content, indent=2) + '\n')
    save_safetensors(os.path.join(folder, 'model.safetensors'), weights, {'format': 'pt'})
    pixels = model_golden_pixels.pixel_values(image, processor)
    stages = {'pixel_values': pixels.contiguous()}
    family.forward(config, wide, pixels, stages)
    saved(os.path.join(folder, 'expected.safetensors'), stages)
    if not hasattr(family, 'forward_text'):
        return
    ids = draw.ids(config['text_config']['vocab_size'])
    stages = {'token_ids': ids}
    family.forward_text(config, wide, ids, stages)
    saved(os.path.join(folder, 'expected_text.safetensors'), stages)


def main():
    torch.set_num_threads(1)
    os.makedirs(FOLDER, exist_ok=True)
    image = made_image()
    save_png(os.path.join(FOLDER, 'image.png'), image)
    with torch.no_grad():
        sizes = {f'{number}.{height}x{width}': model_golden_pixels.resized(image.double(), height, width, number).float()
                 for number in model_golden_pixels.FILTERS for height, width in SIZES}
        save_safetensors(os.path.join(FOLDER, 'resized.safetensors'), sizes)
        for case in model_golden_vision.CASES:
            make(*case, image)
    return 0


if __name__ == '__main__':
    sys.exit(main())
