#!/bin/bash
# `trapeze sim` and `trapeze plot` as a user meets them: files, columns, units, exit codes,
# the report, Ctrl-C, pictures.
set -u
cd "$(dirname "$0")/../.." || exit 2
models=$PWD/config/models
trapeze=${TRAPEZE:-$PWD/build/trapeze}
scratch=${TEST_DIR:-build/scratch}
mkdir -p "$scratch"
cd "$scratch" || exit 2
n=0

# claim NAME: the claim is the script on standard input; it ends at its first failure.
claim() {
    n=$((n + 1))
    mkdir -p "$1"
    if (cd "$1" && rm -f -- * && set -e && . /dev/stdin) > "$1.log" 2>&1; then
        echo "ok $n - $1"
    else
        echo "not ok $n - $1"
        sed 's/^/# /' "$1.log"
    fi
}

exits() { # exits CODE COMMAND...: what it said is in `said`
    local want=$1 got=0
    shift
    "$@" > said 2>&1 || got=$?
    [ "$got" = "$want" ] || { echo "exit $got, wanted $want: $*"; cat said; return 1; }
}

# a number in a report
value() { sed -n "s/^ *\"$2\": \([^,]*\),*$/\1/p" "$1"; }
holds() { awk "BEGIN { exit !($*) }" || { echo "not so: $*"; return 1; }; }

cat > thrown.yaml << 'YAML'
model: thrown
bodies:
  stone: {mass: 2, inertia: [1, 1, 1], velocity: [1, 0, 3]}
gravity: [0, 0, -10]
sensors:
  height: {type: position, body: stone}
  speed: {type: velocity, body: stone}
  turn: {type: attitude, body: stone}
YAML
cat > broken.yaml << 'YAML'
model: broken
bodies:
  stone: {mass: 2, inertia: [1, 1, 1]}
forces:
  root: {type: force, body: stone, value: ["sqrt(0.05 - t)", 0, 0]}
YAML

echo "1..19"

claim the_first_row_names_t_then_every_sensor << 'SH'
exits 0 "$trapeze" sim ../thrown.yaml --until 10ms
[ "$(head -n 1 thrown.csv)" = t,height.x,height.y,height.z,speed.x,speed.y,speed.z,turn.w,turn.x,turn.y,turn.z ]
[ "$(wc -l < thrown.csv)" = 12 ]
SH

claim units_stand_in_a_file_beside << 'SH'
exits 0 "$trapeze" sim "$models/pendulum.yaml" --until 10ms
[ "$(sed -n '1,4p' pendulum.csv.units)" = "$(printf 'column,unit\nt,s\nangle,deg\nspeed,rad/s')" ]
[ "$(($(head -n 1 pendulum.csv | tr ',' '\n' | wc -l) + 2))" = "$(wc -l < pendulum.csv.units)" ]
SH

claim numbers_keep_17_digits_and_times_are_short << 'SH'
exits 0 "$trapeze" sim "$models/pendulum.yaml" --until 1
awk -F, 'NR == 6 { exit $1 != "0.004" }' pendulum.csv
awk -F, 'NR == 900 { gsub(/[-.]/, "", $2); sub(/^0*/, "", $2); exit length($2) < 16 }' pendulum.csv
SH

claim bodies_and_reactions_are_added_when_asked_for << 'SH'
exits 0 "$trapeze" sim "$models/four-bar.yaml" --until 1ms --bodies --reactions --out f.csv
head -n 1 f.csv | grep -q ',crank.x,crank.y,crank.z,crank.q0,crank.q1,crank.q2,crank.q3,crank.vx,crank.vy,crank.vz,crank.wx,crank.wy,crank.wz,coupler.x,'
head -n 1 f.csv | grep -q ',a.fx,a.fy,a.fz,a.tx,a.ty,a.tz,b.fx,'
awk -F, '{ if (NF != 70) exit 1 }' f.csv
SH

claim rows_come_every_so_often_and_the_last_state_always << 'SH'
exits 0 "$trapeze" sim ../thrown.yaml --step 3ms --every 10ms --until 0.1s
[ "$(cut -d, -f1 thrown.csv | tr '\n' ' ')" = "t 0 0.009 0.021 0.03 0.039 0.051 0.06 0.069 0.081 0.09 0.099 0.102 " ]
SH

claim a_thrown_stone_follows_its_parabola_exactly << 'SH'
exits 0 "$trapeze" sim ../thrown.yaml --until 2
tail -n 1 thrown.csv | awk -F, '{ d = $4 - (3 * 2 - 5 * 4); exit !($1 == 2 && d * d < 1e-20) }'
SH

claim a_parameter_is_set_from_outside << 'SH'
exits 0 "$trapeze" sim "$models/chain.yaml" --set n=5 --until 10ms --report r.json
[ "$(value r.json bodies)" = 5 ]
exits 1 "$trapeze" sim "$models/chain.yaml" --set nn=5 --until 10ms
grep -q "nn" said
SH

claim the_report_has_every_figure << 'SH'
exits 0 "$trapeze" sim "$models/pendulum.yaml" --report r.json
for key in bodies joints constraints dof redundant rho steps newton_mean newton_max not_converged \
    position_error_max velocity_error_max acceleration_error_max energy_balance_error_max_J \
    real_time_factor allocations_in_steps memory_bytes; do
    [ -n "$(value r.json $key)" ] || { echo "no $key"; exit 1; }
done
for key in median p99 p999 max; do [ -n "$(value r.json $key)" ]; done
[ "$(value r.json steps)" = 10000 ] && [ "$(value r.json dof)" = 1 ] && [ "$(value r.json rho)" = 1.0 ]
holds "$(value r.json newton_max) <= 3 && $(value r.json energy_balance_error_max_J) < 1e-4"
holds "$(value r.json median) > 0 && $(value r.json median) <= $(value r.json max)"
SH

claim steps_take_no_memory << 'SH'
for solver in fast dense; do
    exits 0 "$trapeze" sim "$models/four-bar.yaml" --until 0.2 --solver $solver --report r.json
    case $(value r.json allocations_in_steps) in 0 | null) ;; *) exit 1 ;; esac
done
SH

claim both_solvers_give_the_same_motion << 'SH'
for solver in fast dense; do
    exits 0 "$trapeze" sim "$models/crank-rocker.yaml" --until 1 --solver $solver --out $solver.csv --tolerance 1e-12 --iterations 5
done
paste -d, <(tail -n 1 fast.csv) <(tail -n 1 dense.csv) |
    awk -F, '{ for (i = 1; i <= NF / 2; i++) { d = $i - $(i + NF / 2); if (d * d > 1e-16) exit 1 } }'
SH

claim a_fault_names_its_element_finishes_the_files_and_exits_with_5 << 'SH'
exits 5 "$trapeze" sim ../broken.yaml --report r.json
grep -q "force root (../broken.yaml:5)" said
[ "$(tail -n 1 broken.csv | cut -d, -f1)" = 0.05 ] || [ "$(tail -n 1 broken.csv | cut -d, -f1)" = 0.049 ]
value r.json fault | grep -q "force root"
SH

claim ctrl_c_finishes_the_files << 'SH'
"$trapeze" sim "$models/chain.yaml" --until 100000 --every 0.1 --report r.json > said 2>&1 &
pid=$!
until [ -s chain.csv.units ]; do sleep 0.01; done
sleep 0.3
kill -INT $pid
wait $pid
grep -q "stopped at" said
[ "$(awk -F, '{ print NF }' chain.csv | sort -u)" = 8 ]
[ "$(value r.json status)" = '"stopped on request"' ]
SH

claim wrong_use_exits_with_2_and_says_what_would_be_right << 'SH'
exits 2 "$trapeze" sim
exits 2 "$trapeze" sim ../thrown.yaml --stp 1
grep -q -e "--step" said
exits 2 "$trapeze" sim ../thrown.yaml --step "1 kg"
exits 2 "$trapeze" sim ../thrown.yaml --step 0
exits 2 "$trapeze" sim ../thrown.yaml --rho 2
exits 2 "$trapeze" sim ../thrown.yaml --iterations 2.5
exits 2 "$trapeze" sim ../thrown.yaml --solver other
exits 2 "$trapeze" sim ../thrown.yaml --formulation index4
grep -q "there is no 'index4'; there is index3 (" err || fail "--formulation index4: $(cat err)"
exits 1 "$trapeze" sim nothing.yaml
exits 1 "$trapeze" sim ../thrown.yaml --out nowhere/x.csv
SH

claim standard_output_can_take_the_table << 'SH'
"$trapeze" sim ../thrown.yaml --until 2ms --out - 2> said > table.csv
[ "$(wc -l < table.csv)" = 4 ] && [ ! -e ./-.units ]
SH

claim a_run_is_repeated_bit_by_bit << 'SH'
for i in 1 2; do exits 0 "$trapeze" sim "$models/nfourbar.yaml" --set n=4 --until 0.5 --bodies --reactions --out $i.csv; done
cmp 1.csv 2.csv
SH

claim a_picture_is_drawn_as_png_and_as_svg_with_units << 'SH'
exits 0 "$trapeze" sim "$models/pendulum.yaml" --until 1
exits 0 "$trapeze" plot pendulum.csv
[ "$(head -c 4 pendulum.png | tail -c 3)" = PNG ]
exits 0 "$trapeze" plot pendulum.csv -x tip.x -y tip.z -o path.svg --title "It's a path"
grep -q "It.*s a path" path.svg && grep -q "tip.x \[m\]" path.svg && grep -q "tip.z \[m\]" path.svg
exits 0 "$trapeze" plot pendulum.csv -y tip,angle --out both.svg
grep -q "angle \[deg\]" both.svg && grep -q "t \[s\]" both.svg && grep -q ">tip.y<" both.svg
SH

claim a_wrong_column_or_file_is_said << 'SH'
exits 0 "$trapeze" sim "$models/pendulum.yaml" --until 1
exits 2 "$trapeze" plot pendulum.csv -y angel
grep -q "did you mean 'angle'" said
exits 2 "$trapeze" plot pendulum.csv -o picture.gif
exits 1 "$trapeze" plot nothing.csv
SH

claim a_bushing_turned_beyond_3_rad_is_told_with_its_number << 'SH'
cat > turned.yaml << 'YAML'
model: turned
parameters: {w: 10}
bodies:
  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0], angular-velocity: [0, 0, w]}
joints:
  h: {type: revolute, between: [ground, b], at: [0, 0, 0], axis: [0, 0, 1]}
forces:
  u: {type: bushing, between: [ground, b], at: [0, 0, 0], stiffness: [0, 0, 0, 0, 0, 0.5]}
YAML
exits 0 "$trapeze" sim turned.yaml --until 0.33s --force --report far.json
grep -q '^turned.yaml:8:3: warning: bushing u was turned by 3.1[0-9]* rad; it holds to 3 rad' said
holds "$(value far.json bushing_turn_max_rad) > 3"
exits 0 "$trapeze" sim turned.yaml --set w=6 --until 2s --force --report near.json
if grep 'warning: bushing' said; then exit 1; fi
holds "$(value near.json bushing_turn_max_rad) > 2.6 && $(value near.json bushing_turn_max_rad) < 2.69"
sed -i 's/0, 0.5]/0, 0]/' turned.yaml
exits 0 "$trapeze" sim turned.yaml --until 0.33s --force
if grep 'warning: bushing' said; then exit 1; fi
SH

claim a_rotor_off_its_axis_that_turns_far_in_a_step_is_told_with_the_step_that_would_do << 'SH'
cat > rotor.yaml << 'YAML'
model: rotor
parameters: {w: 500, off: 10 mm}
bodies:
  r: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [off, 0, 0], angular-velocity: [0, 0, w]}
joints:
  h: {type: revolute, between: [ground, r], at: [0, 0, 0], axis: [0, 0, 1]}
YAML
exits 0 "$trapeze" sim rotor.yaml --until 0.1s --force
grep -q 'r turned by 0.5 rad in step .* a step of 0.4 ms' said
exits 0 "$trapeze" sim rotor.yaml --until 0.1s --step 0.39ms --force
if grep 'r turned by' said; then exit 1; fi
exits 0 "$trapeze" sim rotor.yaml --until 0.1s --set off=0 --force
if grep 'r turned by' said; then exit 1; fi
SH
