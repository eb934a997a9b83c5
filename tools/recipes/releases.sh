#!/usr/bin/env bash
# The gate in each of several Python environments of this machine, one after another; each refreshes the record of its
# release.
#
#   releases.sh FOLDER PYTHON... [-- options of parity gate]
#
# It runs this checkout, which need not be installed in them; PARITY_RECORDS is the folder of the records. The exit code
# is the worst: 1 where a release is not conformant, more where an environment could not run.
set -uo pipefail

if [ $# -lt 2 ]; then
    echo "usage: ${0##*/} FOLDER PYTHON... [-- options of parity gate]" >&2
    exit 2
fi
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
records=${PARITY_RECORDS:-$root/golden/records}
folder=$1
shift
pythons=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    pythons+=("$1")
    shift
done
shift $(($# > 0))

parity() { PYTHONPATH=$root "$python" -m tools.cli "$@"; }

worst=0
told=()
for python in "${pythons[@]}"; do
    if ! version=$("$python" -c 'from importlib.metadata import version; print(version("torch"))' 2>/dev/null); then
        told+=("$python: no Python with torch in it")
        worst=3
        continue
    fi
    report=$folder/torch-$version
    [ -e "$report" ] && report=$report-${#told[@]}
    parity gate --report "$report" "$@"
    code=$?
    # 1 is a verdict on this release; 2 and 3 are none.
    [ "$code" -le 1 ] && { parity report "$report/ledger.jsonl" --record "$records" || code=2; }
    case $code in
        0) told+=("torch $version: conformant") ;;
        1) told+=("torch $version: not conformant, see $report/index.html") ;;
        *) told+=("torch $version: could not run, exit code $code") ;;
    esac
    [ "$code" -gt "$worst" ] && worst=$code
done
printf '%s\n' "${told[@]}"
exit "$worst"
