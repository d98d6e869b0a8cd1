"""assets/corpus/engines/parallel.sh: the bytes of one scan, also when it goes on from what another run has left.

    parallel_test.py HEADSCOPE_CLI
"""
import engine

engine.need("parallel", "parallel")
work = engine.Work()
line = engine.line_of("parallel.sh")
work.run(*line)
work.assert_same("all.hsagg")

# Of a run one shard could not be written (there is a folder in its place): that is an error, and what is done is kept.
(work.folder / "all.hsagg").unlink()
(work.folder / "all.hsagg.shards" / "3.hsagg").mkdir(parents=True)
work.run(*line, fails=True)
(work.folder / "all.hsagg.shards" / "3.hsagg").rmdir()
assert not (work.folder / "all.hsagg").exists()
# The same command again scans what is missing.
said = work.run(*line)
assert 1 <= said.count("kept, of this very scan") < engine.SHARDS, said
work.assert_same("all.hsagg")
