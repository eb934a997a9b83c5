#!/usr/bin/env bash
# A run in N shards, one after another here, and the verdict on all of them.
#
#   shards.sh N FOLDER [options of parity gate]
#
# Put each line of the loop on a machine of its own: all that the last line needs are the ledgers.
set -uo pipefail

if [ $# -lt 2 ]; then
    echo "usage: ${0##*/} N FOLDER [options of parity gate]" >&2
    exit 2
fi
shards=$1 folder=$2
shift 2

ledgers=()
for number in $(seq "$shards"); do
    parity gate --shard "$number/$shards" --report "$folder/shard-$number" "$@"
    code=$?
    # 1 is a verdict on this shard; 2 and 3 are none.
    [ "$code" -le 1 ] || exit "$code"
    ledgers+=(--from "$folder/shard-$number/ledger.jsonl")
done
parity gate "${ledgers[@]}" --report "$folder/whole"
