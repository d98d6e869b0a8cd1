"""A GPT-2 in PyTorch with hooks, against headscope-cli, for tests that are started as NAME_test.py HEADSCOPE_CLI."""
import os
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
try:
    import numpy as np
    import torch
except ImportError as missing:
    print(f"{missing.name} was not found: sudo apt-get install python3-numpy python3-torch (./dev test installs them)")
    sys.exit(77)

PACKAGE = pathlib.Path(__file__).resolve().parents[3] / "assets" / "python"
sys.path.insert(0, str(PACKAGE))
os.environ["HEADSCOPE"] = str(pathlib.Path(sys.argv.pop(1)).resolve())
import headscope  # noqa: E402
from gpt2 import HEADS, WIDTH, Gpt2, save_checkpoint  # noqa: E402

torch.set_num_threads(1)
TOLERANCE = 1e-5
IDS = [3, 17, 5, 29, 5, 11, 38]
OTHER_IDS = [3, 17, 8, 29, 5, 21, 38]
LONGER_IDS = [3, 17, 8, 9, 29, 5, 11, 38]


class OnGpt2(unittest.TestCase):
    """The model, and whether with hooks it says what the program does."""

    @classmethod
    def setUpClass(cls):
        torch.manual_seed(21)
        cls.model = Gpt2().eval()
        cls.place = tempfile.TemporaryDirectory()
        cls.folder = cls.place.name
        save_checkpoint(cls.model, cls.folder)
        cls.plain = cls.logits()

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    @classmethod
    def logits(cls, ids=IDS):
        with torch.no_grad():
            return cls.model(torch.tensor([ids]))[0].numpy()

    @classmethod
    def theirs(cls, ids=IDS, **options):
        result = headscope.run(export=["logits"], model=cls.folder, token_ids=ids, backend="reference", **options)
        return result["logits"][0]

    def both(self, source=None, ids=IDS, least=1e-3, **options):
        """Logits with hooks equal Headscope's, and differ from those without."""
        theirs = self.theirs(ids, **options)
        with headscope.intervene(self.model, options if source is None else source):
            mine = self.logits(ids)
        np.testing.assert_allclose(mine, theirs, atol=TOLERANCE, rtol=0)
        self.assertGreater(np.abs(theirs - self.logits(ids)).max(), least, "the intervention changes nothing")
        np.testing.assert_array_equal(self.logits(), self.plain, "hooks that were taken off still act")
