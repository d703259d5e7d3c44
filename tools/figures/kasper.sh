#!/bin/sh
# SPBot of Kasper and Vlasenko: a step of 12.7 V on the v motor, the h axis braked, against the
# closed form of a DC motor on an inertia.
set -eu
. "$(dirname "$0")/draw"

run spbot spbot --set brake_h=20 --set start_v=12.7 --until 0.5 --step 0.2ms
chart kasper-spbot-step 1000 << END
R = 0.9; L = 4.5e-3; k = 0.55; J = 0.0253237; u = 12.7
d = sqrt(R*R/(L*L)/4 - k*k/(L*J))
a = -R/L/2 + d
b = -R/L/2 - d
speed(t) = u/k*(1 + (b*exp(a*t) - a*exp(b*t))/(a - b))
current(t) = J/k*u/k*a*b*(exp(a*t) - exp(b*t))/(a - b)
angle(t) = u/k*(t + (b/a*(exp(a*t) - 1) - a/b*(exp(b*t) - 1))/(a - b))
set samples 26
set lmargin 12
set multiplot layout 3, 1 title 'SPBot, 12.7 V on the v motor (Kasper)'
set key bottom right
set xrange [0:0.5]
set ylabel 'motor, rad/s'
plot '$out/spbot.csv' using 1:'v-motor/speed' with lines title 'simulated', speed(x) with points pt 6 lc rgb 'black' title 'closed form'
set ylabel 'arm, rad'
set key top right
plot '$out/spbot.csv' using 1:'v-angle' with lines title 'simulated', -angle(x)/119 with points pt 6 lc rgb 'black' title 'closed form'
set ylabel 'motor torque, N m'
set xlabel 't, s'
plot '$out/spbot.csv' using 1:'v-torque' with lines title 'simulated', k*current(x) with points pt 6 lc rgb 'black' title 'closed form'
unset multiplot
END
