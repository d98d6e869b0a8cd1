#!/bin/sh
# A corpus as a Slurm array, a task a shard, and a job after them that merges:
#   slurm.sh MODEL PHRASES SHARDS OUT.hsagg [OPTION OF sbatch ...]
# From a folder that all nodes see. A task that its node loses is queued again and goes on from what it has kept; so does
# the whole command when it is given again. What another one left in OUT.hsagg.shards is refused by name. It waits for the
# end; what the jobs say lies there, too, and where one fails the last lines are shown.
set -eu
export model="$1" phrases="$2" shards="$3" out="$4" parts="$4.shards"
shift 4
mkdir -p "$parts"
array=$(sbatch --parsable --export ALL --requeue --array "0-$((shards - 1))" --output "$parts/%a.log" "$@" --wrap '
  exec headscope-cli scan --model "$model" --phrases "$phrases" --shard "$SLURM_ARRAY_TASK_ID/$shards" --threads 1 \
    --out "$parts/$SLURM_ARRAY_TASK_ID.hsagg" --keep')
sbatch --parsable --export ALL --wait --kill-on-invalid-dep yes --dependency "afterok:${array%%;*}" \
  --output "$parts/merge.log" "$@" --wrap 'exec headscope-cli merge "$parts"/*.hsagg --out "$out"' || {
  tail -n 3 "$parts"/*.log >&2
  exit 1
}
# What was made here, file by file: what else lies there is somebody's.
for shard in $(seq 0 $((shards - 1))); do
  rm -f "$parts/$shard.hsagg" "$parts/$shard.log"
done
rm -f "$parts/merge.log"
rmdir "$parts" || echo "$parts stays: something else lies there" >&2
