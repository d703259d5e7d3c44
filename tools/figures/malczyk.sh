#!/bin/sh
# The chain of Malczyk, Fraczek and Cuadrado: fig. 3 (the mechanism), 4 (constraint errors and
# iterations of 16 bodies), 5 (time of a run over the number of bodies).
set -eu
. "$(dirname "$0")/draw"

run chain-drawn chain --until 1.5 --step 10ms --every 500ms --bodies
{
    echo t,x,y
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^link-[0-9]+\.x$/) at[n++] = i; next }
             { for (i = 0; i < n; i++) print $1 "," $at[i] "," $(at[i] + 1); print "" }' "$out/chain-drawn.csv"
} > "$out/chain-shape.csv"
chart malczyk-fig3-chain << END
set xlabel 'x, m'
set ylabel 'y, m'
set size ratio -1
set key bottom right
set title 'Chain of 16 bodies on a sine, joints π/8 apart in x (Malczyk, fig. 3), and as it falls'
joint(i) = i*pi/8
plot [-3:7.5][-8:2] '$out/chain-shape.csv' using 2:((\$1 == 0) ? \$3 : 1/0) with linespoints pt 7 title 'mass centres at the start', \
     '+' using (joint(\$0)):((\$0 <= 16) ? sin(joint(\$0)) : 1/0) with points pt 6 lc rgb 'black' title 'joints and tip', \
     '$out/chain-shape.csv' using 2:((\$1 == 0.5) ? \$3 : 1/0) with linespoints pt 7 ps 0.6 title '0.5 s', \
     '' using 2:((\$1 == 1) ? \$3 : 1/0) with linespoints pt 7 ps 0.6 title '1 s', \
     '' using 2:((\$1 == 1.5) ? \$3 : 1/0) with linespoints pt 7 ps 0.6 title '1.5 s'
END

# as in the paper: 20 s, 10 ms, Newton until |d| < 1e-6
for solver in fast dense; do
    run "chain-errors-$solver" chain --until 20 --step 10ms --tolerance 1e-6 --solver $solver --newton
done
chart malczyk-fig4-constraint-errors 1100 << END
set multiplot layout 4, 1 title 'Chain of 16 bodies, 10 ms, ε = 1e-6 (Malczyk, fig. 4)' noenhanced
set lmargin 12
set rmargin 14
set logscale y
set format y '10^{%T}'
set key outside right top
f(solver) = '$out/chain-errors-'.solver.'.csv'
level(x) = x > 0 ? x : 1e-17
set ylabel 'position, m'
plot f('dense') using 1:(level(column('error'))) with lines lt 2 lw 1 title 'dense', f('fast') using 1:(level(column('error'))) with lines lt 1 lw 1 title 'fast'
set ylabel 'velocity, m/s'
plot f('dense') using 1:(level(column('error-velocity'))) with lines lt 2 lw 1 notitle, f('fast') using 1:(level(column('error-velocity'))) with lines lt 1 lw 1 notitle
set ylabel 'acceleration, m/s²'
plot f('dense') using 1:(level(column('error-acceleration'))) with lines lt 2 lw 1 notitle, f('fast') using 1:(level(column('error-acceleration'))) with lines lt 1 lw 1 notitle
unset logscale y
set format y '%g'
set ylabel 'Newton iterations'
set xlabel 't, s'
set yrange [0:4]
set ytics 1
plot f('fast') using 1:(column('newton.iterations')) with lines lt 1 lw 1 notitle
unset multiplot
END

# 10 s, 17.5 ms, |d| < 3e-4, at most 4 iterations; the best of three runs
echo bodies,fast,dense > "$out/chain-timing.csv"
for n in 8 16 32 64 128 256; do
    row=$n
    for solver in fast dense; do
        best=
        for turn in 1 2 3; do
            [ $solver = fast ] || [ $n -le 64 ] || break
            [ $solver = fast ] || [ $turn = 1 ] || break
            run chain-run chain --set n=$n --until 10 --step 17.5ms --tolerance 3e-4 --iterations 4 --every 10 --solver $solver
            took=$(figure chain-run median)
            best=$(awk -v a="$took" -v b="${best:-1e9}" 'BEGIN { print a < b ? a : b }')
        done
        row="$row,${best:+$(awk -v us="$best" 'BEGIN { print us * 571e-6 }')}"
    done
    echo "$row" >> "$out/chain-timing.csv"
done
chart malczyk-fig5-timing << END
set logscale x 2
set logscale y
set xrange [6:340]
set yrange [1e-4:100]
set format y '10^{%T}'
set xlabel 'number of bodies'
set ylabel 'time of all 571 steps, s (median step x 571)'
set key top left
set title 'Chain, 10 s at 17.5 ms, ε = 3e-4, at most 4 iterations (Malczyk, fig. 5)'
plot '$out/chain-timing.csv' using 1:'fast' with linespoints pt 7 title 'fast (elimination along the chain, one core)', \
     '' using 1:'dense' with linespoints pt 5 title 'dense (LAPACK on the whole system, one core)', \
     '' using 1:(10) with lines dt 2 lc rgb '#808080' title 'real time', \
     '' using 1:(\$1*1e-4) with lines dt 3 lc rgb '#808080' title 'proportional to the number of bodies'
END
