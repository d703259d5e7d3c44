#!/bin/bash
# Wake-up latency of the step process: against cyclictest, and undisturbed against
# services that are killed, stopped or burn their core. TRIPLES and SLICE shorten it.
set -u
cd "$(dirname "$0")/../.."
out=${OUT:-build}
bad=0
for against in cyclictest kill stop busy; do
    "$out/bench/jitter" config/rigs/default.yaml $against || bad=1
    echo
done
exit $bad
