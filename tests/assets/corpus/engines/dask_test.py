"""assets/corpus/engines/dask_scan.py on a LocalCluster of two workers, of which one is killed while it scans.

    dask_test.py HEADSCOPE_CLI
"""
import os
import subprocess
import sys
import tempfile

import engine

PYTHON = "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else sys.executable  # Debian's has its packages
if subprocess.run([PYTHON, "-c", "import dask.bag, distributed"], capture_output=True, check=False).returncode:
    engine.skip("Dask is missing: apt-get install python3-distributed")

SHARDS, KILLED = engine.SHARDS, 3
work = engine.Work()
# headscope-cli that writes down each call, and kills the worker that calls it for one shard, the first time.
wrapper = work.folder / "bin" / "headscope-cli"
wrapper.unlink()
wrapper.write_text(f"""#!/bin/sh
echo "$@" >>"{work.folder}/calls"
case "$*" in *"--shard {KILLED}/{SHARDS} "*)
  if mkdir "{work.folder}/killed" 2>/dev/null; then kill -KILL $PPID; exit 1; fi;;
esac
exec "{work.cli}" "$@"
""")
wrapper.chmod(0o755)
where = {"TMPDIR": tempfile.mkdtemp(dir=work.folder), "DASK_TEMPORARY_DIRECTORY": str(work.folder / "dask"),
         "DASK_DISTRIBUTED__WORKER__DAEMON": "True"}
work.run(PYTHON, *engine.line_of("dask_scan.py")[1:], **where)
calls = (work.folder / "calls").read_text().splitlines()
assert (work.folder / "killed").exists(), "no worker was killed"
assert sum(f"--shard {KILLED}/{SHARDS} " in call for call in calls) == 2, calls
scans = sum(call.startswith("scan") for call in calls)
merges = sum(call.startswith("merge") for call in calls)
assert scans > SHARDS and merges >= SHARDS - 1, calls
print(f"{scans} scans of {SHARDS} shards and {merges} merges; the worker of shard {KILLED} was killed")
work.assert_same("all.hsagg")
