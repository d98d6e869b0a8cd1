#!/usr/bin/env python3
"""Makes tests/golden/torch/: numbers that PyTorch itself computes, for the golden tests to compare with.

    apt-get install python3-torch && /usr/bin/python3 tests/golden/make_torch_golden.py

draws.json   what the CPU generator draws after torch.manual_seed
cases.json   whole forwards: `options` are Headscope's own, file names are relative to the folder, `stages` what
             torch gave. A large stage is kept as its sum and a selection of cells.
*.npy, *.safetensors  the files that the options name
"""
import os

import torch

from torch_golden_files import FOLDER, write_json
from torch_golden_layers import file_cases, separate_cases
from torch_golden_modules import attention_cases, multihead_cases
from torch_golden_seeded import draws, seeded_cases

if __name__ == '__main__':
    torch.set_num_threads(1)
    os.makedirs(FOLDER, exist_ok=True)
    write_json('draws.json', 'draws', draws())
    write_json('cases.json', 'cases', seeded_cases() + multihead_cases() + attention_cases() + separate_cases() +
               file_cases())
