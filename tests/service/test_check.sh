#!/bin/bash
# `trapeze check` as a user runs it: tables, JSON, messages, exit codes; and what the
# command line says about wrong use.
set -u
trapeze=$(realpath "${TRAPEZE:-build/trapeze}")
dir=${TEST_DIR:-$(mktemp -d)}
n=0 bad=0
ok() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; fi; }
is() { [ "$1" = "$2" ]; local r=$?; [ $r = 0 ] || echo "# wanted $1, got $2"; ok $r "$3"; }
has() { grep -q -- "$1" "$2"; local r=$?; [ $r = 0 ] || sed 's/^/# /' "$2"; ok $r "$3"; }

"$trapeze" check config/models/cart.yaml > "$dir/out" 2> "$dir/err"
is 0 $? "a good model is accepted"
has '17 bodies, 20 joints, 88 constraints' "$dir/out" "it counts bodies, joints and rows"
has '14 degrees of freedom, 88 constraints, 0 redundant' "$dir/out" "it knows the freedoms"
has 'front-left/strut/upper ' "$dir/out" "it names bodies by their paths"
has 'front-left/strut/travel *joint-position *mm' "$dir/out" "it shows sensors with their units"
has '^    rear-right  *2 ' "$dir/out" "it shows the tree of components"
is 0 "$(wc -l < "$dir/err")" "it has nothing to say about it"

"$trapeze" check config/models/four-bar.yaml > "$dir/out" 2> "$dir/err"
has 'redundant: d z, tilt x, tilt y' "$dir/out" "it names redundant rows by joint and direction"
has 'drive *torque *N.m *\[-50, 50\], 0, 0' "$dir/out" "it shows actuators with range and safe value"

for signal in TERM INT; do # heard while the loops are planned, which takes seconds
    [ $signal = TERM ] && what=(check) || what=(sim --out "$dir/never.csv")
    "$trapeze" "${what[@]}" config/models/nfourbar.yaml --set n=1500 > "$dir/out" 2> "$dir/err" &
    pid=$!
    sleep 0.7
    kill -$signal $pid
    wait $pid
    is 0 $? "SIG$signal ends ${what[0]} while it plans"
    has "trapeze ${what[0]}: stopped while config/models/nfourbar.yaml was planned" "$dir/err" "and it says so"
done

"$trapeze" check config/models/four-bar.yaml --json > "$dir/out" 2> "$dir/err"
is 0 $? "JSON comes with exit code 0"
for pair in '"bodies": 3' '"joints": 4' '"constraints": 20' '"dof": 1' '"redundant": 3' '"components": 1'; do
    has "$pair" "$dir/out" "JSON has $pair"
done

"$trapeze" check config/models/chain.yaml --set n=5 --json > "$dir/out" 2> "$dir/err"
has '"dof": 5' "$dir/out" "--set changes a parameter"
"$trapeze" check config/models/chain.yaml --set n=3 --set n=6 --json > "$dir/out" 2> "$dir/err"
has '"dof": 6' "$dir/out" "of two --set the last counts"
"$trapeze" check config/models/chain.yaml --set m=5 > "$dir/out" 2> "$dir/err"
is 1 $? "--set of an unknown parameter is refused"
has "did you mean 'n'?" "$dir/err" "and the nearest is named"

"$trapeze" check tests/data/bad/unknown-key.yaml > "$dir/out" 2> "$dir/err"
is 1 $? "a wrong model is refused"
has '^tests/data/bad/unknown-key.yaml:3:16: error: ' "$dir/err" "messages begin with file, line and column"
has '^3 errors$' "$dir/err" "all errors are counted"
"$trapeze" check tests/data/bad/unknown-key.yaml --json > "$dir/out" 2> "$dir/err"
is 1 $? "JSON of a wrong model is refused, too"
has '"line": 3' "$dir/out" "and holds the messages"
"$trapeze" check tests/data/bad/free-body.yaml > "$dir/out" 2> "$dir/err"
is 0 $? "notes do not refuse a model"

# a gear that turns two wheels about their own centres: assembly is told although no centre moves
printf '%s\n' 'bodies:' '  a: {mass: 1, inertia: [1, 1, 1]}' '  b: {mass: 1, inertia: [1, 1, 1]}' 'joints:' \
    '  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}' \
    '  k: {type: revolute, between: [ground, b], at: [0, 0, 0], axis: [0, 0, 1]}' \
    '  m: {type: gear, joints: [j, k], ratios: [1, 2], offset: 0.5}' > "$dir/geared.yaml"
"$trapeze" check "$dir/geared.yaml" > "$dir/out" 2> "$dir/err"
is 1 $? "a gear that the start misses is refused"
has 'geared.yaml:7:3: error: gear m is missed by 0.25 ' "$dir/err" "and told by how much"
echo 'closure: 0.3' >> "$dir/geared.yaml"
"$trapeze" check "$dir/geared.yaml" > "$dir/out" 2> "$dir/err"
has 'assembly moved the pose by 0.2 m' "$dir/out" "turns of the assembly count"

# a joint that the start pose misses: in its own unit, also where the axes are opposite
turned() {
    printf '%s\n' 'bodies:' '  a: {mass: 1, inertia: [1, 1, 1], position: [2, 0, 0]}' 'joints:' \
        "  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], axis-b: $1}" \
        'sensors:' '  s: {type: joint-angle, joint: j}' > "$dir/turned.yaml"
}
turned '[0, 0.01, 1]'
"$trapeze" check "$dir/turned.yaml" > "$dir/out" 2> "$dir/err"
is 1 $? "an axis off by a hundredth is refused"
has 'turned.yaml:4:3: error: joint j is missed by 0.01 rad in tilt x' "$dir/err" "and told in rad"
turned '[0, 0, -1]'
"$trapeze" check "$dir/turned.yaml" > "$dir/out" 2> "$dir/err"
has 'missed by half a turn' "$dir/err" "axes against each other are told"
sed -i 's/type: revolute.*/type: distance, between: [ground, a], at: [0, 0, 0], at-b: [2, 0, 0], length: 3}/
    /^sensors/,$d' "$dir/turned.yaml"
"$trapeze" check "$dir/turned.yaml" > "$dir/out" 2> "$dir/err"
has 'missed by 1 m in distance' "$dir/err" "the miss of a distance is a length"
turned '[0, 0, 1]'
"$trapeze" check "$dir/turned.yaml" --json > "$dir/out" 2> "$dir/err"
has '"range": null' "$dir/out" "JSON knows no range where none is given"

"$trapeze" check config/models/pendulum.yaml --step 0 2> "$dir/err"
is 2 $? "a step of zero is wrong use"
"$trapeze" check config/models/pendulum.yaml --step 1kg 2> "$dir/err"
is 2 $? "so is a step in kilograms"
has 'must be given in s, not in kg' "$dir/err" "which is said"
"$trapeze" check 2> "$dir/err"
is 2 $? "so is a missing model"
"$trapeze" check a b 2> "$dir/err"
is 2 $? "and one model too many"
"$trapeze" check --jsn a 2> "$dir/err"
is 2 $? "and an unknown option"
has 'did you mean --json?' "$dir/err" "the nearest option is named"
"$trapeze" chek 2> "$dir/err"
is 2 $? "and an unknown verb"
has "did you mean 'check'?" "$dir/err" "the nearest verb is named"
"$trapeze" 2> "$dir/err"
is 2 $? "no verb at all is wrong use"
"$trapeze" --help > "$dir/out"
is 0 $? "help is no error"
for verb in $(sed -n 's/^  \([a-z]*\) .*/\1/p' "$dir/out"); do
    "$trapeze" "$verb" --help > "$dir/help"
    is 0 $? "$verb has a help"
    has "^usage: trapeze $verb" "$dir/help" "which says how to use it"
done

echo "1..$n"
exit $bad
