"""What an ended run of an engine's script has left: the same command goes on from it, another one is refused, and never
takes it for its own. The engines are stand-ins of a few lines, so this runs everywhere.

    leftover_test.py HEADSCOPE_CLI
"""
import engine

PARALLEL = """#!/bin/sh
for last; do :; done
while read -r shard; do sh -c "$(printf %s "$last" | sed "s/{}/$shard/g")" || exit 1; done
"""
MPIRUN = """#!/bin/sh
ranks=$2 rank=0
shift 2
while [ $rank -lt $ranks ]; do OMPI_COMM_WORLD_RANK=$rank "$@" || exit 1; rank=$((rank + 1)); done
"""
SBATCH = """#!/bin/sh
last=
while [ $# -gt 0 ]; do
  case $1 in
    --array) last=${2#0-}; shift;;
    --output) output=$2; shift;;
    --wrap) wrap=$2; shift;;
    --export | --dependency | --kill-on-invalid-dep) shift;;
  esac
  shift
done
if [ -z "$last" ]; then
  if rm "$HOME/failed" 2>/dev/null; then exit 1; fi  # the job waits for all of the array
  sh -c "$wrap" >"$output" 2>&1
  exit
fi
for task in $(seq 0 "$last"); do
  SLURM_ARRAY_TASK_ID=$task sh -c "$wrap" >"$(echo "$output" | sed "s/%a/$task/")" 2>&1 || touch "$HOME/failed"
done
echo 1
"""
# headscope-cli that writes down what it says, and merges nothing where there is a file no_merge.
LISTENING = """#!/bin/sh
if [ "$1" = merge ] && [ -e "{folder}/no_merge" ]; then exit 1; fi
"{cli}" "$@" >"{folder}/said.$$"
code=$?
cat "{folder}/said.$$"
cat "{folder}/said.$$" >>"{folder}/said"
rm "{folder}/said.$$"
exit $code
"""


def install(work, name, text):
    path = work.folder / "bin" / name
    path.unlink(missing_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def check(script, program, stand_in):
    work = engine.Work(24)
    install(work, program, stand_in)
    install(work, "headscope-cli", LISTENING.format(folder=work.folder, cli=work.cli))
    line = engine.line_of(script)
    phrases = work.folder / "phrases.txt"
    scanned = phrases.read_bytes()

    (work.folder / "no_merge").touch()
    work.run(*line, fails=True)
    (work.folder / "no_merge").unlink()
    left = {path.name: path.read_bytes() for path in (work.folder / "all.hsagg.shards").glob("*.hsagg")}
    assert len(left) == engine.SHARDS, sorted(left)

    # Other phrases, another model, and another number of shards into the same file.
    phrases.write_bytes(scanned.replace(b"the", b"a", 1))
    other_list = work.run(*line, fails=True)
    phrases.write_bytes(scanned)
    other_model = work.run(*(word.replace(engine.MODEL, "demo:induction") for word in line), fails=True)
    fewer = work.run(*(word.replace(str(engine.SHARDS), "5") if word == str(engine.SHARDS) else word for word in line),
                     fails=True)
    for said in (other_list, other_model, fewer):
        assert "0.hsagg is of another scan" in said, said
    assert not (work.folder / "all.hsagg").exists()
    for name, counted in left.items():
        assert (work.folder / "all.hsagg.shards" / name).read_bytes() == counted, f"{name} was written over"

    (work.folder / "said").unlink()
    work.run(*line)
    said = (work.folder / "said").read_text()
    assert said.count("kept, of this very scan") == engine.SHARDS, said
    work.assert_same("all.hsagg")


for each in (("parallel.sh", "parallel", PARALLEL), ("mpi.sh", "mpirun", MPIRUN), ("slurm.sh", "sbatch", SBATCH)):
    check(*each)
