#!/bin/bash
# Every example of config/FORMAT.md and README.md loads: fragments get the elements they name.
set -u
trapeze=$(realpath "${TRAPEZE:-build/trapeze}")
dir=${TEST_DIR:-$(mktemp -d)}
n=0 bad=0
ok() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; fi; }

# block HEADING NUMBER: the n-th indented block below a heading of the manual.
block() {
    awk -v heading="## $1" -v wanted="$2" '
        /^#/ { here = $0 == heading || $0 == "#" heading; if (here) seen = 0 }
        /^    / { if (here && !within) { seen++; within = 1 } if (here && seen == wanted) print substr($0, 5); next }
        /[^ ]/ || !within { within = 0 }
        { if (within && here && seen == wanted) print "" }' config/FORMAT.md
}
# loads NAME: the model on standard input.
loads() {
    cat > "$dir/it.yaml"
    "$trapeze" check "$dir/it.yaml" > "$dir/out" 2> "$dir/err"
    local code=$?
    [ "$(grep -c . "$dir/it.yaml")" -gt 1 ] || code=9
    [ $code = 0 ] || sed 's/^/# /' "$dir/it.yaml" "$dir/err"
    ok $code "$1"
}
body() { for b; do echo "  $b: {mass: 1, inertia: [1, 1, 1]}"; done; }
hinge() { echo "  $1: {type: $2, between: [ground, $3], at: [0, 0, 0], axis: [0, 0, 1]$4}"; }

loads "the model" < <(block "A model" 1)
loads "parameters" < <(block Parameters 1; echo 'bodies:'; body a)
loads "bodies" < <(block Bodies 1)
loads "shapes" < <(block Shapes 1)
loads "joints" < <(
    block Joints 1
    hinge d revolute e ''
    hinge pinion revolute f ''
    hinge slide prismatic g ''
    echo 'bodies:'
    body crank rod e f g
)
loads "motions" < <(
    block Motions 1
    echo 'bodies:'
    body a b
    echo 'joints:'
    hinge a revolute a ''
    hinge tube cylindrical b ''
)
loads "switches" < <(
    block Switches 1
    printf '%s\n' 'sensors:' '  tip: {type: position, body: a}' \
        '  hinge-angle: {type: joint-angle, joint: hinge, unit: deg}' 'bodies:'
    body a
    echo 'joints:'
    hinge hinge revolute a ', switchable: true'
    hinge hook spherical a ', released: true'
)
mapfile -t functions < <(block "Functions of time" 1 | grep .)
[ "${#functions[@]}" = 3 ]
ok $? "there are three functions of time"
for value in "${functions[@]}"; do
    loads "$value" < <(echo 'bodies:'; body a; echo 'forces:'
        echo "  f: {type: force, body: a, value: [0, 0, $value]}")
done
loads "repeats" < <(block Repeat 1)
block Components 1 | awk -v dir="$dir" '/^# [a-z]*.yaml/ { file = dir "/" $2 } { print > file }'
loads "components" < "$dir/car.yaml"
loads "solver settings" < <(block "Solver settings" 1; echo 'bodies:'; body a)
loads "the model of the README" < <(awk '/^```yaml$/ { n++; next } /^```/ { n += n % 2 == 1 } n == 1' README.md)

echo "1..$n"
exit $bad
