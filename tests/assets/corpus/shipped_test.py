"""The corpora that are shipped: assets/corpus/make_NAME.py makes their very bytes again.

    shipped_test.py HEADSCOPE_CLI
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
NAMES = "pronouns", "stories"
MOST_BYTES = 2_000_000

cpu = pathlib.Path("/proc/cpuinfo")
if not cpu.exists() or not {"avx2", "fma"} <= set(cpu.read_text().split()):
    print("this processor has no AVX2 with fused multiply-add: its numbers differ in their last bits from the shipped ones")
    sys.exit(77)


def made_again(name):
    with tempfile.TemporaryDirectory(prefix="headscope_corpus_") as folder:
        programs = pathlib.Path(folder, "bin")
        programs.mkdir()
        (programs / "headscope-cli").symlink_to(pathlib.Path(sys.argv[1]).resolve())
        done = subprocess.run([sys.executable, SHIPPED / f"make_{name}.py", folder], check=True, capture_output=True,
                              text=True, env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"})
        print(done.stdout, end="")
        made, shipped = ([gzip.decompress(pathlib.Path(where, f"{name}.txt.gz").read_bytes()),
                          pathlib.Path(where, f"{name}.hsagg").read_bytes()] for where in (folder, SHIPPED))
    assert made[0] == shipped[0], f"other texts of {name}"
    assert made[1] == shipped[1], f"other bytes in {name}.hsagg: if scan or the model was changed on purpose, make it again"
    print(f"the same {len(shipped[0]):,} bytes of text and {len(shipped[1]):,} of {name}.hsagg")


def heads_of(name):
    said = json.loads(subprocess.run([sys.argv[1], "report", SHIPPED / f"{name}.hsagg", "--json"], check=True,
                                     capture_output=True, text=True).stdout)
    return {(head["layer"], head["head"]): head for head in said["heads"]}


for each in NAMES:
    size = sum((SHIPPED / f"{each}.{ending}").stat().st_size for ending in ("txt.gz", "hsagg"))
    assert size <= MOST_BYTES, (each, size)
    print(f"{size:,} bytes of {each} are shipped")
    made_again(each)
# What the guide says of them.
guide = " ".join((ROOT / "assets" / "guide" / "07-a-corpus.md").read_text().split())
of, told = heads_of("pronouns"), heads_of("stories")
for words in (f"Head 0.2 gives {of[0, 2]['next']:.2f} to the next token",
              f"1.6 looks {of[1, 6]['distance']:.1f} tokens away, and {of[1, 6]['max_weight']:.2f} of it",
              f"looks {of[1, 7]['distance']:.1f} tokens away with {of[1, 7]['max_weight']:.2f}",
              f"3.4 gives {told[3, 4]['repeated']['induction']:.2f} to what followed",
              f"in the tales it is {told[3, 4]['induction']:.2f}"):
    assert words in guide, f"the guide does not say: {words}"
