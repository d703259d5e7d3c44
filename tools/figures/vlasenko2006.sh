#!/bin/sh
# The car of Vlasenko and Kasper 2006: fig. 6 (height of the body), its drift.
set -eu
. "$(dirname "$0")/draw"

run car car --until 6
chart vlasenko2006-fig6-car << END
set xlabel 't, s'
set ylabel 'height of the body, m'
set title 'Car: sinks by its weight, a passenger gets in at 2.5 s (Vlasenko 2006, fig. 6)'
plot '$out/car.csv' using 1:'body.z' with lines title 'body', \
     0.483023 with lines dt 2 lc rgb '#606060' title 'static balance without passenger: 0.483023 m', \
     0.469236 with lines dt 3 lc rgb '#606060' title 'with passenger: 0.469236 m'
END
chart vlasenko2006-car-drift << END
set xlabel 't, s'
set ylabel 'largest violation of a joint, m'
set logscale y
set format y '10^{%T}'
set yrange [1e-17:1e-9]
set title 'Car: drift (the paper reports 1e-10)'
plot '$out/car.csv' using 1:(column('drift') > 0 ? column('drift') : 1e-17) with lines lw 1 title 'drift', \
     1e-10 with lines dt 2 lc rgb '#606060' title '1e-10'
END
