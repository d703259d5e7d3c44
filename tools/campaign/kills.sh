#!/bin/bash
# 200 random signals to the processes of the real program: how long until all is well again,
# and whether anything was wedged, left over or in a wrong state. About 8 minutes;
# TRAPEZE_KILLS says how many, TRAPEZE_SEED which.
set -u
cd "$(dirname "$0")/../.." || exit 2
make -s OUT=build/campaign programs TESTS=tests/fault/test_kills.c > build/campaign.log 2>&1 ||
    { tail -n 20 build/campaign.log; exit 1; }
mkdir -p build/campaign/scratch
TEST_DIR=$PWD/build/campaign/scratch TRAPEZE=$PWD/build/campaign/trapeze \
    TRAPEZE_KILLS=${TRAPEZE_KILLS:-200} build/campaign/tests/fault/test_kills
