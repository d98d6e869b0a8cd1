"""assets/corpus/engines/parallel.sh: the bytes of one scan, also when it goes on from what another run has left.

    parallel_test.py HEADSCOPE_CLI
"""
import engine

engine.need("parallel", "parallel")
work = engine.Work()
line = engine.line_of("parallel.sh")
work.run(*line)
work.assert_same("all.hsagg")

# Of a run one shard could not be written (there is a folder in its place): that is an error, and the others are kept.
(work.folder / "all.hsagg").unlink()
(work.folder / "all.hsagg.shards" / "3.hsagg").mkdir(parents=True)
work.run(*line, fails=True)
(work.folder / "all.hsagg.shards" / "3.hsagg").rmdir()
assert not (work.folder / "all.hsagg").exists()
# The same command again scans that shard alone.
listed = work.folder / "bin" / "headscope-cli"
listed.unlink()
listed.write_text(f'#!/bin/sh\necho "$@" >>"{work.folder}/calls"\nexec "{work.cli}" "$@"\n')
listed.chmod(0o755)
work.run(*line)
calls = (work.folder / "calls").read_text()
assert calls.count("--shard") == 1 and f"--shard 3/{engine.SHARDS} " in calls, calls
work.assert_same("all.hsagg")
