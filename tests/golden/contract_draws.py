"""What a random request is drawn with: sizes, numbers, words and .npy files, and the record of what was drawn."""
import os

import numpy as np

from contract_files import save_npy

WORDS = ['a', 'the', 'Hola', 'mi', 'nombre', 'es', 'Alex', 'it', 'naïve', '日本', '🙂', 'שלום', 'a,b', '"q"', "don't",
         '-x', '0.5', 'e\u0301', 'tab\\n', '=1+1']


class Draws:
    """Holds what was drawn: `options` for Headscope, `case` for the oracle, files in `folder`."""

    def __init__(self, seed, folder):
        self.rng = np.random.default_rng(seed)
        self.folder = folder
        self.options = {}
        self.large = self.chance(0.08)  # several tiles of every kernel
        self.case = {'mask_terms': [], 'variants': [], 'ablate': [], 'fill': -np.inf, 'layer': None, 'cross': False,
                     'extra_key': 0, 'merge': 'transpose'}

    def pick(self, choices):
        return choices[int(self.rng.integers(len(choices)))]

    def chance(self, p):
        return self.rng.random() < p

    def whole(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def length(self):
        return self.whole(60, 300) if self.large and self.chance(0.7) else self.whole(1, 7)

    def width(self, most=12):
        return self.whole(40, 150) if self.large and self.chance(0.7) else self.whole(1, most)

    def normal(self, *shape):
        return self.rng.standard_normal(shape).astype(np.float32)

    def file(self, name, values):
        """A .npy in one of the ways that NumPy writes; returns its float32 values."""
        path = os.path.join(self.folder, name + self.pick(['.npy', ' of mine.npy', '-é.npy']))
        dtype = self.pick(['<f4', '<f4', '<f8', '>f4', '<f2'])
        kept = values.astype(dtype)
        save_npy(path, kept, self.pick('CCF'))
        self.options[name] = path
        return kept.astype(np.float32)

    def phrase(self):
        words = [self.pick(WORDS) for _ in range(self.length())]
        gaps = [self.pick([' ', ' ', '  ', '\t', '\n']) for _ in words]
        return words, ''.join(w + g for w, g in zip(words, gaps))
