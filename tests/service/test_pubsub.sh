#!/bin/bash
# The fast lane from the command line: what `trapeze opcua pubsub` prints, and what is
# refused before anything moves.
# TIME_LIMIT=60
set -u
trapeze=$(realpath "${TRAPEZE:-build/trapeze}")
dir=${TEST_DIR:-$(mktemp -d)}
n=0 bad=0
ok() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; sed 's/^/# /' "$dir/err"; fi; }
says() { grep -q -- "$1" "$dir/err"; }

# rig 'PUBSUB KEYS': write the file
rig() {
    printf 'rig: test-pubsub-cli\nmodel: %s\nstep: 1 ms\nservices:\n  opcua:\n    pubsub: {%s}\n' \
        "$PWD/config/models/pendulum.yaml" "$1" > "$dir/rig.yaml"
}
shown() { "$trapeze" opcua pubsub "$dir/rig.yaml" "$@" > "$dir/out" 2> "$dir/err"; }
started() { "$trapeze" run "$dir/rig.yaml" --allow-degraded --insecure --duration 1 > "$dir/out" 2> "$dir/err"; }

rig 'every: 4, publisher: 11, group: 12, writer: 13, commands: {port: 4935}'
shown; ok $? "a fast lane is printed"
grep -q 'opc.udp://127.0.0.1:4840, every 4 steps (4 ms)' "$dir/out"; ok $? "where and how often"
grep -q 'PublisherId 11 (UInt16), WriterGroupId 12, DataSetWriterId 13' "$dir/out"; ok $? "the ids"
[ "$(awk '/^sensors/ {on = 1} /^commands/ {on = 0} on && $1 ~ /^[0-9]+$/ && $3 == "Double" {printf "%s ", $2}' "$dir/out")" = \
    "Time angle speed tip.x tip.y tip.z support.x support.y support.z energy " ]; ok $? "the channels in the order of sensors.names"
awk '/^commands/ {on = 1} on {print}' "$dir/out" | grep -q '2  drive  *Double  *N.m'; ok $? "the actuators"
shown --json; ok $? "the same as JSON"
node -e 'const j = JSON.parse(require("fs").readFileSync(process.argv[1]));
    const s = j.sensors, c = j.commands;
    process.exit(s.publisherId === 11 && s.every === 4 && s.fields.length === 14 && s.fields[5].name === "angle" &&
        s.fields[5].unit === "deg" && !s.signed && c.port === 4935 && c.fields.length === 3 ? 0 : 1)' "$dir/out"
ok $? "which can be read by a program"
shown; version=$(grep -o 'ConfigurationVersion.*' "$dir/out"); rig 'every: 2'; shown
[ "$version" = "$(grep -o 'ConfigurationVersion.*' "$dir/out")" ]; ok $? "the version is that of the layout"

rig 'commands: {port: 4935, address: 192.168.1.2}'
started; [ $? = 1 ] && says 'rig.yaml:6:.*commands are taken on the loopback only, not on 192.168.1.2'
ok $? "commands from elsewhere are refused, with the place"
rig 'address: 192.168.1.2'
started; [ $? = 1 ] && says "rig.yaml:6:.*must be signed: 'keys' is missing"
ok $? "so are sensors that would leave the machine unsigned"
rig 'keys: key'
started; [ $? = 1 ] && says 'rig.yaml:6:.*keys: .*key: No such file'; ok $? "a missing key file is said"
(umask 077; echo 1 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f > "$dir/key")
for mode in 644 640 400 660; do
    chmod $mode "$dir/key"
    started; [ $? = 1 ] && says "rig.yaml:6:.*its mode is 0$mode.*chmod 600"; ok $? "a key file of mode 0$mode is refused"
done
chmod 600 "$dir/key"
for text in '' '1' '0 00' 'key' '1 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1' \
    '1 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f00' \
    '1 g00102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f'; do
    echo "$text" > "$dir/key"
    started; [ $? = 1 ] && says '64 hexadecimal digits'; ok $? "so is a key like '${text:0:12}'"
    grep -q 0001020304 "$dir/err" && { echo "not ok $((++n)) - no key is ever printed"; bad=1; }
done
# without the right to a priority; root keeps all others
less=
[ "$(id -u)" != 0 ] || less="setpriv --bounding-set=-sys_nice --inh-caps=-sys_nice"
rig 'port: 4936'
sed -i 's/    pubsub:/    port: 4902\n&/' "$dir/rig.yaml"
$less "$trapeze" run "$dir/rig.yaml" --allow-degraded --insecure --duration 1 > "$dir/out" 2> "$dir/err"
grep -q '^opc.udp://127.0.0.1:4936 .*ordinary scheduling' "$dir/out"; ok $? "ordinary scheduling is said"
"$trapeze" opcua pubsub config/rigs/default.yaml > "$dir/out" 2> "$dir/err"
[ $? = 1 ] && says 'has no fast lane'; ok $? "a rig without one says how to switch it on"
echo "1..$n"
[ $bad = 0 ]
