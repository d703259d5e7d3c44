#!/bin/sh
# The pendulums of Seguy, Joli, Feng and Pascal: fig. 2-4 (path of the double pendulum's lower end),
# fig. 5 (the pendulum that swaps its pivot), and its variants with impacts.
set -eu
. "$(dirname "$0")/draw"

# the same by another integrator
cat > "$out/double-pendulum-table.csv" << 'END'
t,x,y
0.5,0.91678190,-1.49437817
1,-1.44198993,-0.54023221
2,0.47640585,-1.57642016
3,-0.79530514,0.20181622
5,-1.0991590,-1.3491665
END
for figure in "2 10 5" "3 1 5" "4 1 20"; do
    set -- $figure
    run "double-pendulum-$1" double-pendulum --step "$2ms" --until "$3"
    chart "seguy-fig$1-double-pendulum" 900 << END
set xlabel 'x, m'
set ylabel 'y, m'
set size ratio -1
set xrange [-2.1:2.1]
set yrange [-2.1:1.1]
set title 'Double pendulum of two rods, path of the lower end, $2 ms, $3 s (Seguy, fig. $1)'
plot '$out/double-pendulum-$1.csv' using 'tip.x':'tip.y' with lines lw $([ "$3" = 20 ] && echo 1 || echo 2) notitle, \
     '$out/double-pendulum-table.csv' using 'x':'y':(sprintf('%g s', \$1)) with labels point pt 6 ps 1.5 offset 2.5,0.7 notitle
END
done

# swaps NAME HEIGHT TITLE RANGES: paths of both ends, the bar every 50 ms
swaps() {
    chart "$1" "$2" << END
set xlabel 'x, m'
set ylabel 'y, m'
set size ratio -1
$4
set key outside bottom center maxrows 1
set title '$3'
plot '$out/$1.csv' using 'first.x':'first.y':(column('second.x') - column('first.x')):(column('second.y') - column('first.y')) every 50 with vectors nohead lw 0.7 lc rgb '#b0b0b0' title 'the bar every 50 ms', \
     '' using 'first.x':'first.y' with lines lt 1 title 'point 1, the pivot at the start', \
     '' using 'second.x':'second.y' with lines lt 2 title 'point 2'
END
}
run seguy-fig5-swapping-pendulum swapping-pendulum --until 6
swaps seguy-fig5-swapping-pendulum 430 'Pendulum that swaps its pivot, 6 s (Seguy, fig. 5): nothing is lost' 'set xrange [-1.2:7.2]; set yrange [-1.2:0.4]'
run seguy-swapping-crossing swapping-pendulum-crossing --until 3
swaps seguy-swapping-crossing 650 'Thrown with 2 rad/s: swaps wherever it crosses the axis, 3/4 of the energy lost each time' 'set xrange [-1.6:2.2]; set yrange [-1.2:0.4]'
run seguy-swapping-below swapping-pendulum-below --until 6
swaps seguy-swapping-below 680 'Swaps when the free end rises to 0.3 m below the pivot' 'set xrange [-1.2:7]; set yrange [-3:0.6]'
chart seguy-swapping-energy << END
set xlabel 't, s'
set ylabel 'energy, J'
set title 'Pendulum that swaps its pivot: energy never grows'
plot '$out/seguy-fig5-swapping-pendulum.csv' using 1:'energy' with lines title 'without speed (fig. 5)', \
     '$out/seguy-swapping-crossing.csv' using 1:'energy' with lines title 'thrown, at the axis', \
     '$out/seguy-swapping-below.csv' using 1:'energy' with lines title 'below the pivot'
END
