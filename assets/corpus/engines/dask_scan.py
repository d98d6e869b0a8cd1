"""A corpus with Dask: Bag.fold over scan and merge.

    python3 dask_scan.py MODEL PHRASES SHARDS OUT.hsagg [ADDRESS OF A SCHEDULER]

Without an address on two workers of this machine. Model and phrases lie where every worker sees them; what is counted
travels as bytes, so nothing else has to be shared. A shard whose worker is lost begins anew on another one: take many.
"""
import pathlib
import subprocess
import sys
import tempfile


def scan(shard, model, phrases, shards):
    """The .hsagg of one shard, as bytes."""
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/shard.hsagg"
        subprocess.run(["headscope-cli", "scan", "--model", model, "--phrases", phrases, "--shard", f"{shard}/{shards}",
                        "--threads", "1", "--out", out], check=True, stdout=subprocess.DEVNULL)
        return pathlib.Path(out).read_bytes()


def merged(one, other):
    """The .hsagg of two, as bytes: the same in any order and grouping, which is what fold asks for."""
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder, name) for name in ("one.hsagg", "other.hsagg", "all.hsagg")]
        files[0].write_bytes(one)
        files[1].write_bytes(other)
        subprocess.run(["headscope-cli", "merge", files[0], files[1], "--out", files[2]], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return files[2].read_bytes()


def corpus(model, phrases, shards):
    """The .hsagg of the whole list, as bytes, by the client that is open."""
    import dask.bag

    bag = dask.bag.from_sequence(range(shards), npartitions=shards)
    return bag.map(scan, model=model, phrases=phrases, shards=shards).fold(merged, split_every=4).compute()


if __name__ == "__main__":
    import dask.distributed

    if len(sys.argv) not in (5, 6):
        sys.exit(__doc__)
    model, phrases, shards, out = sys.argv[1:5]
    where = {"address": sys.argv[5]} if len(sys.argv) > 5 else {"n_workers": 2, "threads_per_worker": 1}
    with dask.distributed.Client(**where):
        pathlib.Path(out).write_bytes(corpus(model, str(pathlib.Path(phrases).resolve()), int(shards)))
