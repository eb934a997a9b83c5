#!/usr/bin/env bash
#SBATCH --job-name=parity
#SBATCH --cpus-per-task=4
#SBATCH --mem=16G
#SBATCH --time=01:00:00
# A run as a job array, a shard a task, in a folder that all machines see; then the verdict, as a job that waits for it.
#
#   export PARITY_FOLDER=$PWD/parity-run
#   array=$(sbatch --parsable --array=1-16 slurm.sh --backend my_package.my_backend:compile_graph)
#   sbatch --dependency="afterany:$array" slurm.sh
set -uo pipefail

folder=${PARITY_FOLDER:-$PWD/parity-run}
if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then
    # Kernels are compiled on the machine's own disk.
    export TORCHINDUCTOR_CACHE_DIR=${TMPDIR:-/tmp}/parity-kernels-${SLURM_JOB_ID:-$$}
    parity gate --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" -n "${SLURM_CPUS_PER_TASK:-1}" \
        --report "$folder/shard-$SLURM_ARRAY_TASK_ID" "$@"
    code=$?
    rm -rf "$TORCHINDUCTOR_CACHE_DIR"
    # 1 is a verdict on this shard, which the last job gives for all; 2 and 3 are none.
    [ "$code" -le 1 ] && exit 0
    exit "$code"
fi

ledgers=()
for ledger in "$folder"/shard-*/ledger.jsonl; do
    ledgers+=(--from "$ledger")
done
parity gate "${ledgers[@]}" --report "$folder/whole" "$@"
