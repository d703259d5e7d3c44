#!/bin/bash
# The long runs of the tick: the tests' own claims over 60 s, 10^9 copies, 10^7 ticks.
set -u
cd "$(dirname "$0")/../.." || exit 2
tests="tests/rt/test_rig_run.c tests/rt/test_realtime.c tests/fault/test_services.c
       tests/rt/test_ring_hammer.c tests/rt/test_tick_walk.c"
make OUT=build/campaign programs TESTS="$(echo $tests)" > build/campaign.log 2>&1 ||
    { tail -n 20 build/campaign.log; exit 1; }
bad=0
run() {
    echo "$*"
    env "$@" || bad=1
}
run TRAPEZE_SECONDS=60 build/campaign/tests/rt/test_rig_run
run TRAPEZE_SECONDS=60 build/campaign/tests/rt/test_realtime
run TRAPEZE_SECONDS=60 build/campaign/tests/fault/test_services
run TRAPEZE_HAMMER_COPIES=1000000000 build/campaign/tests/rt/test_ring_hammer
run TRAPEZE_WALK_TICKS=10000000 build/campaign/tests/rt/test_tick_walk
exit $bad
