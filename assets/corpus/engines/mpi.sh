#!/bin/sh
# A corpus with MPI, a rank a shard:
#   mpi.sh MODEL PHRASES RANKS OUT.hsagg [OPTION OF mpirun ...]
# From a folder that all nodes see. Ranks say nothing to each other: mpirun starts them, and its end is theirs. The command
# goes on from what was kept in OUT.hsagg.shards when it is given again; what another one left there is refused by name.
set -eu
if [ "$1" = --rank ]; then  # Open MPI, MPICH and srun each have a name of their own for it
  rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-$SLURM_PROCID}}
  exec headscope-cli scan --model "$2" --phrases "$3" --shard "$rank/$4" --threads 1 --out "$5/$rank.hsagg" --keep
fi
model=$1 phrases=$2 ranks=$3 out=$4 parts=$4.shards
shift 4
mkdir -p "$parts"
mpirun -n "$ranks" "$@" sh "$0" --rank "$model" "$phrases" "$ranks" "$parts"
headscope-cli merge "$parts"/*.hsagg --out "$out"
# What was made here, file by file: what else lies there is somebody's.
for shard in $(seq 0 $((ranks - 1))); do
  rm -f "$parts/$shard.hsagg"
done
rmdir "$parts" || echo "$parts stays: something else lies there" >&2
