"""assets/corpus/engines/parallel.sh: the bytes of one scan, also when it goes on from what another run has left.

    parallel_test.py HEADSCOPE_CLI
"""
import engine

engine.need("parallel", "parallel")
work = engine.Work()
script = engine.ENGINES / "parallel.sh"
call = ["sh", script, engine.MODEL, "phrases.txt", engine.SHARDS]
work.run(*call, "all.hsagg", "--jobs", 2)
work.assert_same("all.hsagg")

# One shard is there from a run that was ended: it is used as it is. Another one could not be written: the end is an
# error, and what is done is kept.
(work.folder / "again.hsagg.shards" / "3.hsagg").mkdir(parents=True)
work.run(*call, "again.hsagg", "--jobs", 2, fails=True)
(work.folder / "again.hsagg.shards" / "3.hsagg").rmdir()
assert not (work.folder / "again.hsagg").exists()
slow = work.folder / "bin" / "headscope-cli"
slow.unlink()
slow.write_text(f'#!/bin/sh\necho "$@" >>"{work.folder}/calls"\nexec "{work.cli}" "$@"\n')
slow.chmod(0o755)
work.run(*call, "again.hsagg", "--jobs", 2)
calls = (work.folder / "calls").read_text()
assert calls.count("--shard") == 1 and "--shard 3/5" in calls, calls
(work.folder / "all.hsagg").unlink()
work.assert_same("again.hsagg")
