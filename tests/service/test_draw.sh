#!/bin/bash
# Pictures of a mechanism: names, views and formats; a body that is not where its joint is.
set -u
trapeze=$(realpath "${TRAPEZE:-build/trapeze}")
dir=${TEST_DIR:-$(mktemp -d)}
n=0 bad=0
ok() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; fi; }

"$trapeze" check config/models/car-drive.yaml --draw "$dir/car.svg" > "$dir/out" 2> "$dir/err"
ok $? "the car is drawn"
grep -q "drawn to $dir/car.svg" "$dir/out"
ok $? "where is said"
for word in front 'from above' 'from the right' 'from aside' front-left/wheel rack 'x \[m\]'; do
    grep -q "$word" "$dir/car.svg"
    ok $? "the picture says $word"
done
xmllint --noout "$dir/car.svg" 2> "$dir/err" || ! command -v xmllint > /dev/null
ok $? "it is an SVG"
"$trapeze" check config/models/pendulum.yaml --draw "$dir/p.png" > "$dir/out" 2>&1
[ "$(head -c 4 "$dir/p.png" | tail -c 3)" = PNG ]
ok $? "or a PNG"
"$trapeze" check config/models/pendulum.yaml --draw "$dir/p.jpg" > "$dir/out" 2>&1
[ $? = 2 ] && grep -q "must end in .png or .svg" "$dir/out"
ok $? "another ending is refused"
cat > "$dir/off.yaml" <<'Y'
bodies:
  rod: {mass: 1, inertia: [0.0001, 0.0033, 0.0033], position: [0.2, 0, 0]}
joints:
  hinge: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0]}
Y
"$trapeze" check "$dir/off.yaml" > "$dir/out" 2> "$dir/err"
[ $? = 0 ] && grep -q "off.yaml:2:3: warning: body rod lies 0.2 m from its nearest joint" "$dir/err"
ok $? "a rod of 0.2 m that stands 0.1 m off its hinge is warned of"
sed 's/0.2, 0, 0/0.1, 0, 0/' "$dir/off.yaml" > "$dir/on.yaml"
"$trapeze" check "$dir/on.yaml" 2> "$dir/err" > "$dir/out"
[ ! -s "$dir/err" ]
ok $? "one that stands on it is not"
echo "1..$n"
exit $bad
