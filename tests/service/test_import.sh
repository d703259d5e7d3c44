#!/bin/bash
# `trapeze import` as a user runs it: a robot in URDF becomes a model that can be checked,
# simulated, edited and used by another; messages, exit codes, bounds.
set -u
trapeze=$(realpath "${TRAPEZE:-build/trapeze}")
dir=${TEST_DIR:-$(mktemp -d)}
data=tests/data/urdf
n=0 bad=0
ok() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; fi; }
is() { [ "$1" = "$2" ]; local r=$?; [ $r = 0 ] || echo "# wanted $1, got $2"; ok $r "$3"; }
has() { grep -q -- "$1" "$2"; local r=$?; [ $r = 0 ] || sed 's/^/# /' "$2"; ok $r "$3"; }

for robot in "$data"/*.urdf; do
    name=$(basename "$robot" .urdf)
    "$trapeze" import "$robot" -o "$dir/$name.yaml" > "$dir/out" 2> "$dir/err"
    is 0 $? "$name is imported"
    is 0 "$(wc -c < "$dir/out")" "nothing on standard output"
    has "^$dir/$name.yaml: .* degrees of freedom" "$dir/err" "the model is told in a line"
    "$trapeze" check "$dir/$name.yaml" > "$dir/out" 2> "$dir/err"
    is 0 $? "its model passes the check"
    "$trapeze" sim "$dir/$name.yaml" --until 1 --out "$dir/run.csv" > "$dir/out" 2>&1
    is 0 $? "it runs for a second"
    is 1002 "$(wc -l < "$dir/run.csv")" "every millisecond of it"
    ! grep -qi 'nan\|inf' "$dir/run.csv"
    ok $? "in finite numbers"
done

"$trapeze" import "$data/six-axis.urdf" > "$dir/out" 2> "$dir/err"
is 0 $? "without -o the model goes to standard output"
cmp -s "$dir/out" "$dir/six-axis.yaml"
is 0 $? "and is the same"
has 'mesh package://six_axis/meshes/base.dae' "$dir/out" "meshes are named for the view"
"$trapeze" import "$data/six-axis.urdf" --set joint_A2=-30deg --merge --no-io > "$dir/out" 2> "$dir/err"
has 'joint-a2: .*start: -0.5235987' "$dir/out" "--set gives a start value, with units"
"$trapeze" import "$data/rover.urdf" --floating -o "$dir/rover.yaml" 2> "$dir/err"
has 'moves freely' "$dir/err" "--floating lets the root move, which is told"

# a robot on a cart, and a loop closed across the border of the component
cat > "$dir/cell.yaml" << 'END'
gravity: [0, 0, -9.81]
bodies:
  cart: {mass: 20, inertia: [1, 1, 1], position: [0, 0, 0.5]}
joints:
  rail: {type: prismatic, between: [ground, cart], at: [0, 0, 0.5], axis: [1, 0, 0]}
  mount: {type: fixed, between: [cart, rover/base-link], at: [0, 0, 1]}
  close: {type: revolute, between: [bars/rocker, ground], at: [6, 0, 0], axis: [0, -1, 0]}
use:
  rover: {file: rover.yaml, position: [0, 0, 1]}
  bars: {file: four-bar.yaml, position: [5, 0, 0]}
END
"$trapeze" check "$dir/cell.yaml" > "$dir/out" 2> "$dir/err"
is 0 $? "imported models are components of another"
has '6 degrees of freedom, .* 3 redundant' "$dir/out" "with a loop closed in it"
"$trapeze" sim "$dir/cell.yaml" --until 1 --out "$dir/run.csv" > "$dir/out" 2>&1
is 0 $? "and run"

cp "$dir/six-axis.yaml" "$dir/kept.yaml"
"$trapeze" import "$data/bad/tree.urdf" -o "$dir/kept.yaml" > "$dir/out" 2> "$dir/err"
is 1 $? "a wrong robot is refused"
has "^$data/bad/tree.urdf:9:70: error: joint 'shoulder': there is no link 'upperarm'; did you mean" "$dir/err" \
    "with file, line, column and remedy"
has '^12 errors$' "$dir/err" "all of its errors at once"
cmp -s "$dir/six-axis.yaml" "$dir/kept.yaml"
is 0 $? "and the model that was there stays"
"$trapeze" import "$data/defects.urdf" --strict 2> "$dir/err" > "$dir/out"
is 1 $? "--strict refuses what would be mended"
timeout 20 "$trapeze" import "$data/bad/bomb.urdf" 2> "$dir/err" > "$dir/out"
is 1 $? "a bomb of entities is refused at once"
has 'bomb.urdf:2:1: error: a DOCTYPE' "$dir/err" "by its DOCTYPE"
head -c 20000000 /dev/zero | tr '\0' ' ' > "$dir/huge.urdf"
"$trapeze" import "$dir/huge.urdf" 2> "$dir/err" > "$dir/out"
is 1 $? "so is a file of 20 MB"
"$trapeze" import "$dir" 2> "$dir/err" > "$dir/out"
is 1 $? "and a folder"
"$trapeze" import "$dir/nowhere.urdf" 2> "$dir/err" > "$dir/out"
is 1 $? "and a file that is not there"
"$trapeze" import "$data/rover.urdf" -o "$dir/no/such/folder.yaml" 2> "$dir/err" > "$dir/out"
is 1 $? "a model that cannot be written is an error"
has 'cannot be written: No such file' "$dir/err" "with its reason"
"$trapeze" import "$data/rover.urdf" --command torque 2> "$dir/err" > "$dir/out"
is 2 $? "an unknown --command is wrong use"
"$trapeze" import "$data/rover.urdf" --density -1 2> "$dir/err" > "$dir/out"
is 2 $? "so is a negative density"
"$trapeze" import 2> "$dir/err" > "$dir/out"
is 2 $? "and no robot"

echo "1..$n"
exit $bad
