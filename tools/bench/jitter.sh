#!/bin/bash
# Wake-up latency of the step process: against cyclictest, and undisturbed against services
# that are killed, stopped or burn their core. About 13 minutes; TRIPLES and SLICE shorten it.
# What the disturbed services say is shown only where a measurement fails.
set -u
cd "$(dirname "$0")/../.." || exit 2
out=${OUT:-build}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
bad=0
for against in cyclictest kill stop busy; do
    "$out/bench/jitter" config/rigs/default.yaml $against 2> "$log"
    case $? in
    0) ;;
    1) bad=$((bad + 1)) ;;
    *) tail -n 20 "$log"; bad=$((bad + 1)) ;;
    esac
    echo
done
echo "$bad of 4 claims missed"
[ $bad = 0 ]
