#!/bin/sh
# Constraint errors of the 16-body chain over 20 s at 10 ms, tolerance 1e-6, on both paths:
# as figure 4 of Malczyk, Fraczek and Cuadrado.
set -eu
cd "$(dirname "$0")/../.."
out=${OUT:-build}/figures
mkdir -p "$out"
for solver in fast dense; do
    for form in png svg; do
        [ $form = svg ] || ${OUT:-build}/trapeze sim config/models/chain.yaml --until 20s --step 10ms \
            --tolerance 1e-6 --solver $solver --out "$out/chain-errors-$solver.csv" > /dev/null
        ${OUT:-build}/trapeze plot "$out/chain-errors-$solver.csv" --log \
            -y error,error-velocity,error-acceleration -o "$out/chain-errors-$solver.$form" \
            --title "Constraint errors of the 16-body chain, 10 ms, $solver path"
    done
done
