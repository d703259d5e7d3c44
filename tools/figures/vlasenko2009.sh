#!/bin/sh
# Engine and robot of Vlasenko and Kasper 2009: fig. 2 (pressure over volume), 3 (speed with 4, 2
# and 1 working cylinders), 4 (drift), the robot's axes and drift.
set -eu
. "$(dirname "$0")/draw"

for n in 4 2 1; do run "engine-$n" r1-engine --set working=$n --until 6 --step 0.1ms --every 1ms; done
run engine-50 r1-engine --until 6 --step 0.1ms
run engine-idle r1-engine --set p_i=39.71 --until 6 --step 0.1ms
for p in 50 idle; do { head -1 "$out/engine-$p.csv"; tail -1200 "$out/engine-$p.csv"; } > "$out/engine-last-$p.csv"; done
chart vlasenko2009-fig2-pressure-volume << END
area = pi*0.074**2/4
volume(mm) = (2.309711e-5 - area*mm*1e-3)*1e6
pressure(force) = (101325 - force/area)*1e-5
set xlabel 'volume, cm³'
set ylabel 'pressure, bar'
set xrange [0:300]
set yrange [0:55]
set title 'Otto cycle of cylinder 1, compression 11.8 (Vlasenko 2009, fig. 2)' noenhanced
plot '$out/engine-last-50.csv' using (volume(column('piston-1'))):(pressure(column('gas-1'))) with lines title 'ignition at 50 p_a', \
     '$out/engine-last-idle.csv' using (volume(column('piston-1'))):(pressure(column('gas-1'))) with lines title 'at 39.71 p_a, idling at 1050 rpm'
END
# cycle means of a slider-crank with one freedom
cat > "$out/engine-table.csv" << 'END'
t,four,two,one
0.5,1247,911,737
1,1780,1019,669
2,2643,1139,
4,3712,1315,
6,4207,1431,
END
chart vlasenko2009-fig3-speed << END
set xlabel 't, s'
set ylabel 'crankshaft, rpm'
set yrange [-500:4500]
set key left top
set title 'Speed with 4, 2 and 1 working cylinders (Vlasenko 2009, fig. 3)'
plot '$out/engine-4.csv' using 1:'speed' with lines lw 1.5 title '4 cylinders', \
     '$out/engine-2.csv' using 1:'speed' with lines lw 1.5 title '2 cylinders', \
     '$out/engine-1.csv' using 1:'speed' with lines lw 1.5 title '1 cylinder: stops', \
     '$out/engine-table.csv' using 1:'four' with points pt 6 ps 1.5 lc rgb 'black' title 'cycle means of a slider-crank with one freedom', \
     '' using 1:'two' with points pt 6 ps 1.5 lc rgb 'black' notitle, \
     '' using 1:'one' with points pt 6 ps 1.5 lc rgb 'black' notitle
END
chart vlasenko2009-fig4-drift << END
set xlabel 't, s'
set ylabel 'largest violation of a joint'
set logscale y
set format y '10^{%T}'
set yrange [1e-18:1e-8]
set key right center
set title 'Engine, 4 cylinders, 0.1 ms: drift (Vlasenko 2009, fig. 4)'
plot '$out/engine-4.csv' using 1:'drift-rate' with lines lw 1 lt 2 title 'of velocities, m/s', \
     '' using 1:'drift' with lines lw 1 lt 1 title 'of places, m'
END
run kr15 kr15 --set volt=60 --until 1
chart vlasenko2009-kr15-axes << END
set xlabel 't, s'
set ylabel 'axis, degrees'
set key bottom left
set title 'KR 15/2 from its home pose, all six motors at 60 V (Vlasenko 2009, section 7)'
plot for [i = 1:6] '$out/kr15.csv' using 1:sprintf('a%d', i) with lines title sprintf('A%d', i)
END
chart vlasenko2009-kr15-drift << END
set xlabel 't, s'
set ylabel 'largest violation of a joint, m'
set logscale y
set format y '10^{%T}'
set yrange [1e-17:1e-9]
set title 'KR 15/2, 79 redundant rows: drift'
plot '$out/kr15.csv' using 1:(column('drift') > 0 ? column('drift') : 1e-17) with lines lw 1 notitle
END
