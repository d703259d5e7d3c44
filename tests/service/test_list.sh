#!/bin/bash
# The rigs that run are listed, looked at and ended by name; what is not named is found where
# there is one, and listed where there are several.
# NO_SANITIZER TIME_LIMIT=60
set -u
dir=${TEST_DIR:?} trapeze=${TRAPEZE:?}
failed=0
root=$(cd "$(dirname "$0")/../.." && pwd)
pid=()
mkdir -p "$dir"; chmod 755 "$dir"; cd "$dir" || exit 1
ok() { if [ "$1" = 0 ]; then echo "ok - $2"; else echo "not ok - $2: ${3:-}"; failed=1; fi; }
is() { [ "$1" = "$2" ]; ok $? "$3" "'$1', not '$2'"; }
says() { grep -q -- "$2" <<< "$1"; ok $? "$3" "$1"; }
for n in one two; do
    printf 'rig: test-list-%s\nmodel: %s/config/models/pendulum.yaml\nstep: 5 ms\nautostart: true\nservices: {opcua: }\n' $n "$root" > $n.yaml
    "$trapeze" run $n.yaml --allow-degraded --insecure --quiet --duration 40s --ready "$dir/$n.ready" > $n.log 2>&1 &
    pid[${#pid[@]}]=$!
done
trap 'kill "${pid[@]}" 2> /dev/null' EXIT
for _ in $(seq 300); do [ -e one.ready ] && [ -e two.ready ] && break; sleep 0.1; done
endpoint() { sed -n 's/^endpoint=//p' "$1.ready"; }
out=$("$trapeze" list)
says "$out" "^test-list-one  *running  *core [0-9]*  *pid ${pid[0]}  *$(endpoint one)\$" 'list shows state, core, process and endpoint'
says "$out" "^test-list-two  *running .* ${pid[1]} .*$(endpoint two)\$" 'of each rig'
says "$("$trapeze" top --once 2>&1)" 'rigs run, say which:.* test-list-one test-list-two' 'top without a name lists them where several run'
says "$("$trapeze" drive < /dev/null 2>&1)" 'say which:.* test-list-one' 'so does drive'
says "$("$trapeze" drive test-list-none < /dev/null 2>&1)" "no rig 'test-list-none' runs here" 'and does not dial for a rig that does not run'
"$trapeze" top test-list-one --json > top.json; is $? 0 'top --json'
says "$(cat top.json)" '"unit": "deg"' 'gives the sensors with their units'
says "$("$trapeze" list --json)" '"rig": "test-list-two"' 'list --json'
says "$("$trapeze" stop test-list-one)" '^test-list-one has ended$' 'stop ends a rig by name'
wait "${pid[0]}"; is $? 0 'which ends as by SIGTERM'
! kill -0 "${pid[0]}" 2> /dev/null; ok $? 'and is gone'
! "$trapeze" list | grep -q test-list-one; ok $? 'also from the list'
"$trapeze" stop test-list-one 2> err; is $? 1 'a rig that does not run cannot be ended'
says "$(cat err)" "no rig 'test-list-one' runs here" 'and that is said'
exit $failed
