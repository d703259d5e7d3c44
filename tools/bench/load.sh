#!/bin/sh
# load.sh: time from file to model; the chain of 1024 bodies must take less than 200 ms.
set -eu
cd "$(dirname "$0")/../.."
OUT=${OUT:-build}
echo "Load and compile, ms (median of 11)"
for n in 16 128 1024 4096; do
    ms=$("$OUT/bench/load" config/models/chain.yaml n=$n)
    printf 'chain of %4d bodies %8s\n' $n "$ms"
    [ $n != 1024 ] || limit=$ms
done
printf 'cart, 17 bodies      %8s\n' "$("$OUT/bench/load" config/models/cart.yaml)"
awk -v ms="$limit" 'BEGIN { if (ms < 200) exit 0; print "bench: 1024 bodies must load in less than 200 ms"; exit 1 }'
