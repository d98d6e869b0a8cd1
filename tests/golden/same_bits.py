#!/usr/bin/env python3
"""The bits of every stage, whichever way the engine was built:

    python3 tests/golden/same_bits.py CLI            against the digests in stage_digests.json
    python3 tests/golden/same_bits.py CLI OTHER      two builds against each other
    python3 tests/golden/same_bits.py CLI --record   writes the digests anew

Files compiled as one or apart, all of them by full optimisation or the kernels alone, GCC or Clang, with sanitizers or
without: no number may change. What is run: every shipped and every golden model, layers of drawn weights with each mask, scale,
merge and cap, and each known variant; a digest is over the bytes of every exported stage. A model that a build refuses must
be refused by every build.
"""
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
RECORD = HERE / "stage_digests.json"
PHRASE = "the animal did not cross the street because it was too tired"


def requests(cli):
    """name -> options of `run`"""
    found = {f"model {path.name}": ["--model", str(path), "--token-ids", "1,2,3,1,4,2,5"]
             for path in sorted((HERE / "models").iterdir()) if path.is_dir()}
    for name in ("pronouns", "induction", "stories"):
        found[f"demo {name}"] = ["--model", f"demo:{name}", "--token-ids", "1,2,3,1,4,2,5"]
    drawn = ["--model", "seeded", "--phrase", PHRASE, "--heads", "4", "--d-model", "64", "--seed", "7"]
    for options in ("", "--kv-heads 2", "--batch 3 --embedding sequence", "--position sinusoidal", "--mask causal",
                    "--mask causal,window:2", "--mask prefix:3", "--mask padding:4 --fully-masked uniform", "--softcap 2.5",
                    "--mask causal --mask-order before-scale --mask-fill=-1e20", "--scale 0.37", "--merge direct",
                    "--dropout 0.3 --dropout-seed 5", "--qkv-layout blocked", "--ablate 0.1,0.3", "--init-gain 3 --threads 2",
                    "--backend reference"):
        found["drawn " + options] = drawn + options.split()
    for variant in variants_of(cli):
        # Twelve heads of twelve features for twelve words: one of the mistakes needs as many features as keys.
        square = ["--model", "seeded", "--phrase", PHRASE, "--heads", "3", "--d-model", "36", "--seed", "7"]
        layout = ["--qkv-layout", "blocked"] if variant.startswith("qkv-blocked") else []
        found["variant " + variant] = [*square, "--mask", "causal", *layout, "--variant", variant]
    return found


def variants_of(cli):
    """The names of its table, which it lists where one is wrong."""
    refused = subprocess.run([cli, "run", "--variant", "?"], capture_output=True, text=True).stderr
    return re.split(r", | or ", refused.split("expected none, ")[1].strip())


def digest_of(cli, options):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([cli, "run", *options, "--export", "all", "--format", "npy", "--out", folder],
                              capture_output=True, text=True)
        if done.returncode:
            return f"exit {done.returncode}"
        total, count = hashlib.sha256(), 0
        for path in sorted(pathlib.Path(folder).rglob("*.npy")):
            total.update(path.name.encode() + b"\0" + path.read_bytes())
            count += 1
        return f"{count} files {total.hexdigest()[:24]}"


def main():
    cli, other = sys.argv[1], (sys.argv[2:] or [None])[0]
    asked = requests(cli)
    ours = {name: digest_of(cli, options) for name, options in asked.items()}
    if other == "--record":
        RECORD.write_text(json.dumps(ours, indent=0, sort_keys=True) + "\n")
        return 0
    if other:
        theirs = {name: digest_of(other, options) for name, options in asked.items()}
    else:
        theirs = json.loads(RECORD.read_text())
    wrong = [f"{name}: {ours.get(name, 'not run')}, expected {theirs.get(name, 'nothing: record it')}"
             for name in sorted({*ours, *theirs}) if ours.get(name) != theirs.get(name)]
    computed = sum("files" in digest for digest in ours.values())
    print(*wrong, f"{len(ours)} requests, {computed} of them computed, {len(wrong)} with other bits", sep="\n")
    return 1 if wrong or computed < len(ours) // 2 else 0


if __name__ == "__main__":
    sys.exit(main())
