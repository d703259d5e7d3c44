#!/bin/bash
# Which program made a result is told: by --version, in reports and beside every CSV; files may
# say for which form they were written.
set -u
cd "$TEST_DIR" || exit 1
n=0
say() { # say CODE NAME
    n=$((n + 1))
    [ "$1" -eq 0 ] && echo "ok $n - $2" || echo "not ok $n - $2"
}
cat > ball.yaml << 'YAML'
model: ball
format: 1
bodies:
  ball: {mass: 1, point: true, velocity: [1, 0, 0]}
sensors:
  p: {type: position, body: ball}
YAML
"$TRAPEZE" --version > version.txt
release=$(awk '/^trapeze / { print $2; exit }' version.txt)
build=$(awk '/^build / { print $2 }' version.txt)
[[ $release =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]
say $? "the release is three numbers"
[ "$build" = "$(readelf -n "$TRAPEZE" | awk '/Build ID/ { print $3 }')" ]
say $? "the build id is the linker's"
"$TRAPEZE" sim ball.yaml --until 0.1 --report ball.json > /dev/null 2>&1
grep -q "\"trapeze\": \"$release (.*${build:0:12})\"" ball.json
say $? "a report says which program wrote it"
[ "$(tail -n 1 ball.csv.units)" = "#,trapeze $(sed -n 's/.*"trapeze": "\(.*\)",/\1/p' ball.json)" ]
say $? "so does the file of units beside a CSV"
head -n 1 ball.csv | grep -q '^t,p.x,p.y,p.z$'
say $? "the CSV itself begins with the names of its columns"
sed 's/format: 1/format: 99/' ball.yaml > later.yaml
"$TRAPEZE" check later.yaml > later.txt 2>&1
[ $? -eq 1 ] && grep -q 'later.yaml:2:9: .*format 99 is newer than this program' later.txt
say $? "a file of a later form is refused with its place"
printf 'rig: r\nformat: 99\nmodel: ball.yaml\nstep: 1 ms\n' > rig.yaml
"$TRAPEZE" admit rig.yaml > rig.txt 2>&1
[ $? -eq 1 ] && grep -q 'rig.yaml:2:9: .*format 99 is newer' rig.txt
say $? "so is a rig file"
echo "1..$n"
