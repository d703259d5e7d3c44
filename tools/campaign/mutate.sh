#!/bin/bash
# A million requests of a logged-in client, broken at random, on the OPC UA server of a rig:
# it survives and keeps its memory. About 10 minutes; TRAPEZE_MUTATIONS shortens it.
set -u
cd "$(dirname "$0")/../.." || exit 2
make OUT=build/campaign programs TESTS=tests/fault/test_opcua_mutate.c > build/campaign.log 2>&1 ||
    { tail -n 20 build/campaign.log; exit 1; }
TRAPEZE=$PWD/build/trapeze TRAPEZE_MUTATIONS=${TRAPEZE_MUTATIONS:-1000000} \
    build/campaign/tests/fault/test_opcua_mutate
