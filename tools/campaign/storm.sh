#!/bin/bash
# A storm on the OPC UA server of a rig: 8 sessions of 100 items, commands at 1 kHz, browsing,
# garbage, half-open connections, 2000 unfinished chunks of 64 KiB. The server stays up and
# keeps its memory, and the step wakes as it does without. About 4 minutes; TRIPLES and SLICE
# shorten it.
set -u
cd "$(dirname "$0")/../.." || exit 2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"${OUT:-build}/bench/jitter" tools/bench/sensors-rig.yaml storm 2> "$log"
code=$?
[ $code -le 1 ] || tail -n 20 "$log"
exit $code
