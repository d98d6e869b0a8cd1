#!/bin/sh
# A corpus with GNU parallel, a process a core:
#   parallel.sh MODEL PHRASES SHARDS OUT.hsagg [OPTION OF parallel ...]
# --sshloginfile HOSTS spreads it over machines that see this folder. A shard that fails is tried again and goes on from
# what it has kept; so does the whole command when it is given again. What another one left in OUT.hsagg.shards is refused
# by name.
set -eu
export model="$1" phrases="$2" shards="$3" parts="$4.shards"
out=$4
shift 4
mkdir -p "$parts"
seq 0 $((shards - 1)) | parallel --retries 3 --halt soon,fail=1 --workdir . --env model --env phrases --env shards --env parts \
  "$@" 'headscope-cli scan --model "$model" --phrases "$phrases" --shard {}/"$shards" --threads 1 --out "$parts/{}.hsagg" --keep'
headscope-cli merge "$parts"/*.hsagg --out "$out"
# What was made here, file by file: what else lies there is somebody's.
for shard in $(seq 0 $((shards - 1))); do
  rm -f "$parts/$shard.hsagg"
done
rmdir "$parts" || echo "$parts stays: something else lies there" >&2
