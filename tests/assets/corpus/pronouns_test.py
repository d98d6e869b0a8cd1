"""The corpus that is shipped: assets/corpus/make_pronouns.py makes its very bytes again.

    pronouns_test.py HEADSCOPE_CLI
"""
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
SHIPPED = ROOT / "assets" / "corpus"
MOST_BYTES = 2_000_000

cpu = pathlib.Path("/proc/cpuinfo")
if not cpu.exists() or not {"avx2", "fma"} <= set(cpu.read_text().split()):
    print("this processor has no AVX2 with fused multiply-add: its numbers differ in their last bits from the shipped ones")
    sys.exit(77)

size = sum((SHIPPED / name).stat().st_size for name in ("pronouns.txt.gz", "pronouns.hsagg"))
assert size <= MOST_BYTES, size
with tempfile.TemporaryDirectory(prefix="headscope_corpus_") as folder:
    programs = pathlib.Path(folder, "bin")
    programs.mkdir()
    (programs / "headscope-cli").symlink_to(pathlib.Path(sys.argv[1]).resolve())
    done = subprocess.run([sys.executable, SHIPPED / "make_pronouns.py", folder], check=True, capture_output=True, text=True,
                          env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"})
    print(done.stdout, end="")
    made, shipped = ([gzip.decompress(pathlib.Path(where, "pronouns.txt.gz").read_bytes()),
                      pathlib.Path(where, "pronouns.hsagg").read_bytes()] for where in (folder, SHIPPED))
assert made[0] == shipped[0], "other sentences"
assert made[1] == shipped[1], "other bytes in pronouns.hsagg: if scan or the model was changed on purpose, make it again"
# What the guide says of it.
said = json.loads(subprocess.run([sys.argv[1], "report", SHIPPED / "pronouns.hsagg", "--json"], check=True, capture_output=True,
                                 text=True).stdout)
guide = " ".join((ROOT / "assets" / "guide" / "07-a-corpus.md").read_text().split())
of = {(head["layer"], head["head"]): head for head in said["heads"]}
for words in (f"Head 0.2 gives {of[0, 2]['next']:.2f} to the next token",
              f"1.6 looks {of[1, 6]['distance']:.1f} tokens away, and {of[1, 6]['max_weight']:.2f} of it",
              f"looks {of[1, 7]['distance']:.1f} tokens away with {of[1, 7]['max_weight']:.2f}"):
    assert words in guide, f"the guide does not say: {words}"
print(f"the same {len(shipped[0]):,} bytes of sentences and {len(shipped[1]):,} of pronouns.hsagg; {size:,} are shipped")
