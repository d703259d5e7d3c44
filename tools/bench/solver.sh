#!/bin/sh
# solver.sh [--quick] [--strict]: time per step of our solver, of the same step through
# LAPACKE and of other engines (tools/peers), with the limits they are held to.
# solver.sh --instructions: instead, instructions per step as callgrind counts them,
# which a busy machine does not disturb.
# OUT is the build folder, filled by `make bench`; an engine that could not be built is
# left out with a sentence.
set -eu
cd "$(dirname "$0")/../.."
OUT=${OUT:-build}
export OUT OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1

instructions() {
    warm=60 steps=20
    echo "Instructions per step (callgrind, $steps steps after $warm)"
    while read -r name command; do
        if ! [ -x "${command%% *}" ]; then continue; fi
        # shellcheck disable=SC2086
        total=$(printf 'run %d\ncount %d\n' $warm $steps |
            valgrind --tool=callgrind --collect-atstart=no --callgrind-out-file="$OUT/bench/callgrind.$name" \
                $command 2>&1 | sed -n 's/.*Collected : *//p' || true)
        if [ "${total:-0}" -gt 0 ]; then
            printf '%-24s%12d\n' "$name" $((total / steps))
        else
            printf '%-24s%12s  this valgrind does not know all its instructions\n' "$name" -
        fi
    done << LIST
chain-16 $OUT/bench/ours config/models/chain.yaml n=16
chain-16-mujoco-euler $OUT/peers/mujoco chain 16 Euler
chain-64 $OUT/bench/ours config/models/chain.yaml n=64
chain-64-mujoco-euler $OUT/peers/mujoco chain 64 Euler
chain-128 $OUT/bench/ours config/models/chain.yaml n=128
chain-128-banded $OUT/bench/condensed banded config/models/chain.yaml n=128
four-bars $OUT/bench/ours config/models/nfourbar.yaml n=40
four-bars-mujoco-euler $OUT/peers/mujoco fourbar 40 Euler
car $OUT/bench/ours config/models/bench-car.yaml
car-mujoco-euler $OUT/peers/mujoco car 4 Euler
LIST
    echo "By function: callgrind_annotate $OUT/bench/callgrind.NAME"
}

for peer in mujoco simbody; do
    [ -x "$OUT/peers/$peer" ] || echo "bench: $peer is left out: $OUT/peers/$peer is not built"
done
if [ "${1:-}" = --instructions ]; then
    command -v valgrind > /dev/null || { echo "bench: valgrind is not installed" >&2; exit 1; }
    instructions
else
    "$OUT/bench/solver" "$@"
fi
