#!/bin/sh
# A rig with five clients, one of them cut off again and again: memory and descriptors stay
# where they are. 15 minutes; SECONDS=60 makes it shorter.
set -u
cd "$(dirname "$0")/../.." || exit 2
mkdir -p build/campaign/soak
TRAPEZE=$PWD/${OUT:-build}/trapeze TEST_DIR=$PWD/build/campaign/soak SOAK_SECONDS=${SECONDS:-900} \
    exec node tools/campaign/soak.mjs
