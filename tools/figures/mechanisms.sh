#!/bin/sh
# The figures of the papers' mechanisms, named by paper and figure number, PNG and SVG, in
# build/figures. Papers by their first authors: malczyk (chain), vlasenko2006 (car), kasper
# (SPBot), vlasenko2009 (engine, robot), seguy (pendulums).
set -eu
cd "$(dirname "$0")/../.."
out=${OUT:-build}/figures
trapeze=${OUT:-build}/trapeze
mkdir -p "$out"

# run NAME MODEL options of sim ...: the table $out/NAME.csv
run() {
    name=$1 model=$2
    shift 2
    "$trapeze" sim "config/models/$model.yaml" --out "$out/$name.csv" --report "$out/$name.json" "$@" > /dev/null
}

# draw NAME TABLE TITLE options of plot ...
draw() {
    name=$1 table=$2 title=$3
    shift 3
    for form in png svg; do
        "$trapeze" plot "$out/$table.csv" --title "$title" -o "$out/$name.$form" "$@" > /dev/null
    done
    echo "  $out/$name.png"
}

# chart NAME < gnuplot commands: what trapeze plot does not do
chart() {
    cat > "$out/$1.gp"
    for form in "png:pngcairo size 1200,700" "svg:svg size 1200,700"; do
        { printf "set terminal %s\nset output '%s'\nset grid\nset datafile separator ','\n" \
            "${form#*:}" "$out/$1.${form%%:*}"; cat "$out/$1.gp"; } | gnuplot
    done
    echo "  $out/$1.png"
}

# column FILE NAME: number of a column
column() { head -1 "$out/$1.csv" | tr ',' '\n' | grep -nx "$2" | cut -d: -f1; }

# figure FILE KEY: a number of a report
figure() { sed -n "s/^ *\"$2\": *\([-0-9.e+]*\),*$/\1/p" "$out/$1.json" | head -1; }

# ---- malczyk, fig. 5: time of the run over n
: > "$out/chain-timing.csv"
for n in 8 16 32 64 128 256; do
    run "chain-$n" chain --set n=$n --until 10 --step 17.5ms --tolerance 3e-4 --iterations 4 --every 1
    echo "$n,$(figure "chain-$n" median)" >> "$out/chain-timing.csv"
    rm -f "$out/chain-$n.csv" "$out/chain-$n.csv.units"
done
chart malczyk-fig5-timing << END
set logscale xy
set xlabel 'bodies'
set ylabel 'time of the steps of a run of 10 s, s'
set title 'Chain, 17.5 ms, tolerance 3e-4 (Malczyk, fig. 5)'
plot '$out/chain-timing.csv' using 1:(\$2*571e-6) with linespoints lw 2 title '571 steps, median'
END

# ---- vlasenko2006, fig. 6: z of the car's body; its drift
run car car --until 6
draw vlasenko2006-fig6-car car 'Car, a passenger gets in at 2.5 s (Vlasenko 2006, fig. 6)' -y body.z
draw vlasenko2006-car-drift car 'Car, drift' -y drift

# ---- kasper: step of 12.7 V on the v axis, h braked
run spbot spbot --set brake_h=20 --set start_v=12.7 --until 0.5 --step 0.2ms
draw kasper-spbot-step spbot 'SPBot, 12.7 V on the v motor' -y v-motor/speed,v-angle,v-torque

# ---- vlasenko2009, fig. 2-4: engine
for n in 4 2 1; do run "engine-$n" r1-engine --set working=$n --until 6 --step 0.1ms --every 1ms; done
run engine-cycle r1-engine --set p_i=39.71 --until 6 --step 0.1ms --every 0.1ms
gas=$(column engine-cycle gas-1) piston=$(column engine-cycle piston-1)
chart vlasenko2009-fig2-pressure-volume << END
area = pi*0.074**2/4
set xlabel 'volume, cm³'
set ylabel 'pressure, bar'
set title 'Otto cycle of cylinder 1, p_i = 39.71 p_a, idling (Vlasenko 2009, fig. 2)'
plot '$out/engine-cycle.csv' every ::57000 using ((2.309711e-5 - area*\$$piston*1e-3)*1e6):((101325 - \$$gas/area)*1e-5) \
     with points pt 7 ps 0.3 notitle
END
speed=$(column engine-4 speed)
chart vlasenko2009-fig3-speed << END
set xlabel 't, s'
set ylabel 'speed, rpm'
set yrange [-900:]
set key left top
set title 'Speed of the crankshaft (Vlasenko 2009, fig. 3)'
plot '$out/engine-4.csv' using 1:$speed with lines title '4 cylinders', \
     '$out/engine-2.csv' using 1:$speed with lines title '2 cylinders', \
     '$out/engine-1.csv' using 1:$speed with lines title '1 cylinder'
END
draw vlasenko2009-fig4-drift engine-4 'Engine, drift of places and rates (Vlasenko 2009, fig. 4)' --log -y drift,drift-rate

# ---- vlasenko2009, section 7: robot, all motors at 60 V
run kr15 kr15 --set volt=60 --until 1
draw vlasenko2009-kr15-axes kr15 'KR 15/2, all motors at 60 V' -y a1,a2,a3,a4,a5,a6
draw vlasenko2009-kr15-drift kr15 'KR 15/2, drift' -y drift

# ---- seguy, fig. 2-4: path of the lower end
for run in "10ms 5 fig2" "1ms 5 fig3" "1ms 20 fig4"; do
    set -- $run
    run "double-pendulum-$3" double-pendulum --step "$1" --until "$2"
    draw "seguy-$3-double-pendulum" "double-pendulum-$3" "Double pendulum, $1, $2 s (Seguy, ${3%?}. ${3#fig})" -x tip.x -y tip.y
done
