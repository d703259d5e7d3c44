#!/bin/bash
# trapeze drive in a terminal (tmux): keys of the rig file move the actuator, letting go
# brings it back, space stops; trapeze opcua nodes prints what a rig shows.
# RUN_ALONE NO_SANITIZER TIME_LIMIT=120
set -u
trapeze=$(realpath "${TRAPEZE:-build/trapeze}")
dir=${TEST_DIR:-$(mktemp -d)}
models=$PWD/config/models
n=0 bad=0
ok() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; fi; }
command -v tmux > /dev/null || { echo "tmux is not installed"; exit 77; }
screen() { tmux -L "trapeze-$$" capture-pane -p > "$dir/screen"; }
# sees PATTERN NAME: it comes to stand on the screen
sees() {
    for _ in $(seq 60); do screen; grep -q -- "$1" "$dir/screen" && { ok 0 "$2"; return; }; sleep 0.1; done
    sed 's/^/# /' "$dir/screen"; ok 1 "$2"
}
key() { tmux -L "trapeze-$$" send-keys "$1"; }

cat > "$dir/rig.yaml" << END
rig: test-drive
model: $models/pendulum.yaml
step: 1 ms
trip: {consecutive: 0}
autostart: true
commands: {timeout: 1 s, action: zero}
services: {opcua: {port: 48418}}
drive:
  left: {actuator: drive, rate: -40, back: 40}
  right: {actuator: drive, rate: 40, back: 40}
show: [tip.x, speed]
END

# ---- nodes without a running rig
"$trapeze" opcua nodes "$dir/rig.yaml" > "$dir/nodes" 2> "$dir/err"
ok $? "opcua nodes prints"
grep -q 'actuator:drive.command .*Double *rw N.m' "$dir/nodes"; ok $? "a command with type, access and unit"
grep -q 'sensor:tip.x .*Double *r  m' "$dir/nodes"; ok $? "a channel of a sensor"
grep -q 'rig.estop .*method' "$dir/nodes"; ok $? "a method"
"$trapeze" opcua dance "$dir/rig.yaml" 2> /dev/null; [ $? = 2 ]; ok $? "another word is wrong use"
"$trapeze" drive opc.tcp://127.0.0.1:48418 > "$dir/out" 2> "$dir/err"; [ $? = 1 ]; ok $? "drive without a rig is refused"

# ---- drive
"$trapeze" run "$dir/rig.yaml" --allow-degraded --insecure > "$dir/run" 2>&1 &
rig=$!
trap 'kill $rig 2> /dev/null; tmux -L "trapeze-$$" kill-server 2> /dev/null' EXIT
for _ in $(seq 100); do grep -q '^opc.tcp' "$dir/run" && break; sleep 0.1; done
sleep 0.5
tmux -L "trapeze-$$" new-session -d -x 120 -y 30 "$trapeze drive opc.tcp://127.0.0.1:48418; echo ended \$?; sleep 30"
sees '^running .*driving' "it drives"
sees '^tip.x .* m$\|^tip.x .* m ' "and shows the sensors with their units"
sees 'commands [0-9]* ms old' "and the age of its commands"
grep -q '^angle ' "$dir/screen"; [ $? = 1 ]; ok $? "but only those the rig file shows"
sees 'from above' "and the track from above"
for _ in 1 2 3 4 5 6 7 8; do key Right; sleep 0.1; done
sees '^drive  *[1-9][0-9.]* -> *[1-9]' "the right key moves the actuator up"
sees '^drive  *-\?0\.00 -> *-\?0\.00 N.m' "let go, it comes back"
for _ in 1 2 3 4 5 6 7 8; do key Left; sleep 0.1; done
sees '^drive  *-[1-9][0-9.]* -> *-[1-9]' "the left key moves it down"
key Space
sees '^safe .*STOPPED.*emergency stop' "space is the emergency stop"
sees '^drive .* -> *-\?0\.00 N.m' "the actuator is safe"
key R
sees '^running .*driving' "R resets and drives again"
key q
sees '^ended 0' "q ends it"
kill -INT $rig; wait $rig; ok $? "the rig ends well"

# ---- the same with security: who is asked for, whom each side believes, and how that is said
has() { grep -q -- "$1" "$dir/err"; local r=$?; [ $r = 0 ] || sed 's/^/# /' "$dir/err"; ok $r "$2"; }
chmod 755 "$dir"
server=$dir/server-state client=$dir/client-state url=opc.tcp://127.0.0.1:48418
rm -rf "$server" "$client"
echo otto-password | TRAPEZE_STATE=$server "$trapeze" opcua user add otto --role operator > /dev/null; ok $? "a user"
TRAPEZE_STATE=$server "$trapeze" run "$dir/rig.yaml" --allow-degraded > "$dir/run" 2>&1 &
rig=$!
for _ in $(seq 100); do grep -q '^opc.tcp' "$dir/run" && break; sleep 0.1; done
sleep 0.5
drive() { TRAPEZE_STATE=$client "$trapeze" drive $url "$@" > "$dir/out" 2> "$dir/err" < /dev/null; [ $? = 1 ]; }
drive; ok $? "without a name it is refused"
has 'wants to know who you are: --user NAME' "and says what it wants"
drive --user otto; ok $? "without a password too"
has 'no password: give it at the prompt, in TRAPEZE_PASSWORD or by --password-file FILE' "and says how to give it"
export TRAPEZE_PASSWORD=otto-password
drive --user otto; ok $? "a server that is not known is not believed"
has 'its certificate is not known here; if it is the right one: trapeze opcua cert trust LAST' "and it says what to do"
TRAPEZE_STATE=$client "$trapeze" opcua cert trust LAST --yes > /dev/null; ok $? "the server is trusted"
drive --user otto; ok $? "the server does not trust the client"
has 'does not trust this client yet (certificate [0-9a-f]\{8\})' "which is said"
has '^    trapeze opcua cert trust LAST' "with the command"
TRAPEZE_STATE=$server "$trapeze" opcua cert trust LAST --yes > "$dir/out"; ok $? "the client is trusted"
grep -q 'Trapeze drive (urn:trapeze:client)' "$dir/out"; ok $? "by its name"
echo wrong-password > "$dir/secret"
chmod 644 "$dir/secret"
drive --user otto --password-file "$dir/secret"; ok $? "a password file that others may read is refused"
has 'others may read .*secret: chmod 600 it' "and says so"
chmod 600 "$dir/secret"
drive --user otto --password-file "$dir/secret"; ok $? "a wrong password is refused"
has 'wrong name or password' "and said"
unset TRAPEZE_PASSWORD
sleep 1.2
tmux -L "trapeze-$$" kill-server 2> /dev/null
sleep 0.5
tmux -L "trapeze-$$" new-session -d -x 120 -y 30 "TRAPEZE_STATE=$client $trapeze drive $url --user otto; echo ended \$?; sleep 30"
sees '^password:' "the password is asked for"
tmux -L "trapeze-$$" send-keys otto-password Enter
sees '^running .*driving' "it drives over a secure line"
grep -q otto-password "$dir/screen" && r=1 || r=0; ok $r "the password is never on the screen"
for _ in 1 2 3 4 5 6 7 8; do key Right; sleep 0.1; done
sees '^drive  *[1-9][0-9.]* -> *[1-9]' "the right key moves the actuator"
sees "driving, commands [0-9]* ms old" "the age of the command is shown"
key Space
sees '^safe .*STOPPED.*emergency stop' "space is the emergency stop"
key q
sees '^ended 0' "q ends it"
TRAPEZE_STATE=$server TRAPEZE_PASSWORD=otto-password timeout 3 "$trapeze" drive $url --user otto > "$dir/out" 2> "$dir/err" < /dev/null
grep -q 'not known here' "$dir/err" && r=1 || r=0; ok $r "this machine's own server is believed without asking"
is_mode() { [ "$(stat -c %a "$1")" = "$2" ]; ok $? "$3"; }
is_mode "$client/opcua/client/key.der" 600 "the client's key is for its owner only"
is_mode "$client/opcua/client" 700 "so is its folder"
kill -INT $rig; wait $rig; ok $? "the secure rig ends well"
"$trapeze" run "$dir/rig.yaml" --allow-degraded --insecure > "$dir/run" 2>&1 &
rig=$!
for _ in $(seq 100); do grep -q '^opc.tcp' "$dir/run" && break; sleep 0.1; done
sleep 0.5
TRAPEZE_PASSWORD=otto-password drive --user otto; ok $? "no password goes to a rig without security"
has 'it offers no security, so no password goes there' "and it says so"
kill -INT $rig; wait $rig
echo "1..$n"
[ $bad = 0 ]
