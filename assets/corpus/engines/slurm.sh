#!/bin/sh
# A corpus as a Slurm array, a task a shard, and a job after them that merges:
#   slurm.sh MODEL PHRASES SHARDS OUT.hsagg [OPTION OF sbatch ...]
# From a folder that all nodes see. A task that its node loses is queued again and goes on from what it has kept; so does
# the whole command when it is given again. It waits for the end; what the jobs say lies in OUT.hsagg.shards.
set -eu
export model="$1" phrases="$2" shards="$3" out="$4" parts="$4.shards"
shift 4
mkdir -p "$parts"
array=$(sbatch --parsable --export ALL --requeue --array "0-$((shards - 1))" --output "$parts/%a.log" "$@" --wrap '
  part=$parts/$SLURM_ARRAY_TASK_ID.hsagg
  test -e "$part" || exec headscope-cli scan --model "$model" --phrases "$phrases" \
    --shard "$SLURM_ARRAY_TASK_ID/$shards" --threads 1 --out "$part"')
sbatch --parsable --export ALL --wait --kill-on-invalid-dep yes --dependency "afterok:${array%%;*}" \
  --output "$parts/merge.log" "$@" --wrap 'exec headscope-cli merge "$parts"/*.hsagg --out "$out"'
rm -r "$parts"
