#!/bin/sh
# The car one can drive: a step of steering, full braking, a bump.
set -eu
. "$(dirname "$0")/draw"

run drive-steer car-drive --set speed=20 --set steer=8deg --until 3
chart car-drive-step-steer 900 << END
set lmargin 12
set multiplot layout 3, 1 title 'Car: 8 degrees at the steering wheel, 20 m/s'
set key bottom right
set ylabel 'degrees'
plot '$out/drive-steer.csv' using 1:'front-left-steer' with lines title 'left front wheel', '' using 1:'front-right-steer' with lines title 'right front wheel'
set ylabel 'yaw rate, rad/s'
plot '$out/drive-steer.csv' using 1:'turning.z' with lines notitle
set ylabel 'lateral acceleration, m/s²'
set xlabel 't, s'
plot '$out/drive-steer.csv' using 1:'felt.y' with lines title 'felt, with the weight along the rolled axis', \
     '' using 1:(column('speed.x')/3.6*column('turning.z')) with lines title 'speed x yaw rate'
unset multiplot
END
run drive-brake car-drive --set speed=30 --set stop=2000 --until 5
chart car-drive-braking 900 << END
set lmargin 12
set multiplot layout 3, 1 title 'Car: full braking from 30 m/s'
set ylabel 'speed, km/h'
plot '$out/drive-brake.csv' using 1:'speed.x' with lines notitle
set ylabel 'distance, m'
set key bottom right
plot '$out/drive-brake.csv' using 1:'position.x' with lines title 'chassis', 30*30/(2*9.81) with lines dt 2 lc rgb '#606060' title 'v²/(2 μ g) = 45.87 m'
set ylabel 'load of a tyre, N'
set xlabel 't, s'
set key top right
plot '$out/drive-brake.csv' using 1:'front-left/tyre.z' with lines title 'front', '' using 1:'rear-left/tyre.z' with lines title 'rear'
unset multiplot
END
run drive-bump car-drive --set speed=10 --set bump=0.05 --set bump_from=5 --until 2.5
chart car-drive-bump 900 << END
set lmargin 12
set multiplot layout 3, 1 title 'Car: a bump of 50 mm, 1 m long, at 10 m/s'
set ylabel 'chassis, mm'
plot '$out/drive-bump.csv' using 1:(1000*(column('position.z') - 0.61)) with lines notitle
set ylabel 'travel of a leg, mm'
set key top right
plot '$out/drive-bump.csv' using 1:'front-left/damper/travel' with lines title 'front', '' using 1:'rear-left/damper/travel' with lines title 'rear'
set ylabel 'load of a tyre, N'
set xlabel 't, s'
plot '$out/drive-bump.csv' using 1:'front-left/tyre.z' with lines title 'front', '' using 1:'rear-left/tyre.z' with lines title 'rear'
unset multiplot
END
