#!/bin/sh
# account.sh: what the deadline monitor costs a step, on the default rig. 20 s.
set -eu
cd "$(dirname "$0")/../.."
"${OUT:-build}/bench/account" config/rigs/default.yaml
