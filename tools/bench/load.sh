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
awk -v ms="$limit" 'BEGIN { over = !(ms < 200)
    printf "1024 bodies in %.0f ms   limit 200  %s\n%d of 1 limits missed\n", ms, over ? "OVER" : "ok", over
    exit over }'
