"""Random requests: their options, the files that these name, and what the oracle must know of them."""
from contract_scores import Scores
from contract_sources import Sources, torch


class Maker(Sources, Scores):
    """Draws one request of a seed, with its files in a folder: make() returns (options, case)."""

    def make(self):
        # Without PyTorch nobody else knows what a seed draws: a layer from a file instead.
        kind = self.pick([self.alone, self.seeded if torch else self.layer_file, self.layer_file, self.layer_file])
        sizes = kind()
        self.scores(*sizes)
        self.fused_parts()
        for name in ('causal-align', 'softcap-order', 'mask-kind', 'mask-order', 'fully-masked'):
            if name in self.options:
                self.case[name] = self.options[name]
        return self.options, self.case
