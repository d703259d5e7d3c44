#!/bin/bash
# The processes around the step, from outside: what is refused before anything moves, what
# ends the program, who may see it, whom the kernel spares, which rights suffice.
# RUN_ALONE NEEDS_ROOT NO_SANITIZER TIME_LIMIT=150
set -u
trapeze=$(realpath "${TRAPEZE:-build/trapeze}")
dir=${TEST_DIR:-$(mktemp -d)}
n=0 bad=0
ok() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; fi; }
is() { [ "$1" = "$2" ]; local r=$?; [ $r = 0 ] || echo "# wanted $1, got $2"; ok $r "$3"; }
has() { grep -q -- "$1" "$2"; local r=$?; [ $r = 0 ] || sed 's/^/# /' "$2"; ok $r "$3"; }
up() { for _ in $(seq 100); do "$trapeze" top "$1" --once > "$dir/top" 2>&1 && grep -q '^running' "$dir/top" && return 0; sleep 0.1; done; return 1; }
models=$PWD/config/models
# rig NAME 'SERVICES': write it
rig() {
    printf 'rig: %s\nmodel: %s/pendulum.yaml\nstep: 1 ms\ntrip: {consecutive: 0}\nautostart: true\nservices: {%s}\n' \
        "$1" "$models" "$2" > "$dir/$1.yaml"
}
run() { "$trapeze" run "$dir/$1.yaml" --allow-degraded "${@:2}" > "$dir/out" 2> "$dir/err"; }

# ---- services that can never run: the rig is refused before it is armed
rig wall-port 'opcua: {port: 99999}'
run wall-port --insecure --duration 2s; is 1 $? "a wrong port refuses the rig"
has 'a port is a number from 1024 to 65535' "$dir/err" "with the reason"
rig wall-key 'opcua: {adress: 127.0.0.1}'
run wall-key --insecure --duration 2s; is 1 $? "an unknown key refuses the rig"
has 'adress: unknown key' "$dir/err" "by name"
"$trapeze" admit "$dir/wall-key.yaml" --duration 0.2s > "$dir/out" 2> "$dir/err"
is 1 $? "admit refuses it as well"
has 'adress: unknown key' "$dir/err" "with the same words"
"$trapeze" doctor "$dir/wall-key.yaml" > "$dir/out" 2> "$dir/err"
has '^mend    services ' "$dir/out" "doctor wants it mended"
rig wall-open 'opcua: {address: 0.0.0.0}'
run wall-open --insecure --duration 2s; is 1 $? "--insecure on all addresses refuses the rig"
rig wall-users 'opcua: {port: 4981}'
mkdir -p "$dir/state/opcua"
touch "$dir/state/opcua/users"
chmod 644 "$dir/state/opcua/users"
TRAPEZE_STATE=$dir/state run wall-users --duration 2s; is 1 $? "users that others may read refuse the rig"
has 'chmod 600' "$dir/err" "with the remedy"
rig wall-taken 'opcua: {port: 4982}'
node -e 'require("net").createServer().listen(4982, "127.0.0.1"); setTimeout(() => process.exit(), 30000)' &
taker=$!
for _ in $(seq 50); do (exec 3<> /dev/tcp/127.0.0.1/4982) 2> /dev/null && break; sleep 0.1; done
run wall-taken --insecure --duration 2s; is 1 $? "a port that is taken refuses the rig"
has 'port 4982 of 127.0.0.1 is taken' "$dir/err" "and says which"
kill $taker
! grep -q '^admit\|^ended' "$dir/out"; ok $? "nothing had been started"

# ---- signals: all that end a program by default end this one in order, or not at all
rig wall-one 'null: '
for signal in HUP QUIT USR1 ALRM; do
    setsid "$trapeze" run "$dir/wall-one.yaml" --allow-degraded > "$dir/out" 2> "$dir/err" &
    pid=$!
    up wall-one || ok 1 "the rig runs"
    kill -s $signal $pid
    case $signal in
    HUP | QUIT) ;;
    *) sleep 0.5
       "$trapeze" top wall-one --once > "$dir/top" 2>&1 && grep -q '^running' "$dir/top"
       ok $? "SIG$signal is nothing to it"
       kill $pid ;;
    esac
    wait $pid
    is 0 $? "after SIG$signal it ends in order"
    has '^ended ' "$dir/out" "with its last line"
    [ -e /run/trapeze/wall-one.sock ]; is 1 $? "and takes its socket away"
done

# ---- memory: what is locked, and whom the kernel picks when there is none left
setsid "$trapeze" run "$dir/wall-one.yaml" --allow-degraded > "$dir/out" 2> "$dir/err" &
pid=$!
up wall-one
step=$(pgrep -P $pid -x trapeze-step) null=$(pgrep -P $pid -x trapeze-null)
locked=$(awk '/^VmLck/ { print $2 }' "/proc/$step/status")
echo "# locked by the step: $locked KiB"
[ "$locked" -gt 1000 ] && [ "$locked" -lt 40000 ]; ok $? "the step locks what it needs, not its libraries"
best=$(bash -c 'echo -1000 > /proc/self/oom_score_adj; cat /proc/self/oom_score_adj' 2> /dev/null)
is "$best" "$(cat "/proc/$step/oom_score_adj")" "the kernel spares the step, as far as may be asked of it here"
is 500 "$(cat "/proc/$null/oom_score_adj")" "and picks services first"
[ "$(awk '/^Uid/ { print $2 }' "/proc/$step/status")" != "$(awk '/^Uid/ { print $2 }' "/proc/$null/status")" ]; ok $? "step and service are two users"
[ "$(awk '/Max address space/ {print $4}' "/proc/$null/limits")" != unlimited ]; ok $? "a service's memory has a bound"

# ---- a second rig on the same core is told; another user is told that the right is missing
rig wall-two 'null: '
run wall-two --duration 0.5s
if [ "$(nproc)" = 2 ]; then has "also that of the step of the rig 'wall-one'" "$dir/err" "a second rig hears that it shares the core"
else ok 0 "# SKIP needs two cores"; fi
"$trapeze" doctor "$dir/wall-two.yaml" > "$dir/out" 2>&1
if [ "$(nproc)" = 2 ]; then has "^mend    other-rigs .*wall-one" "$dir/out" "so does doctor"
else ok 0 "# SKIP needs two cores"; fi
"$trapeze" doctor "$dir/wall-one.yaml" > "$dir/out" 2>&1
has '^good    step-thread .*it runs now, as it was set' "$dir/out" "doctor sees that the step is scheduled as it was set"
chrt -o -p 0 "$(ls "/proc/$step/task" | grep -v "^$step\$")" 2> /dev/null
sleep 2.2
"$trapeze" top wall-one --once > "$dir/top" 2>&1
has '^SCHEDULING of the step was changed 1 times, now: policy priority' "$dir/top" "top shows that somebody demoted it"
"$trapeze" doctor "$dir/wall-one.yaml" > "$dir/out" 2>&1
has '^mend    step-thread .*changed: policy priority' "$dir/out" "and doctor wants it mended"
open=$(mktemp -d /tmp/trapeze-test.XXXXXX)
trap 'rm -rf "$open"' EXIT
chmod 755 "$open"
nobody() { env -u XDG_RUNTIME_DIR setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
cp "$trapeze" "$open/trapeze"
chmod 755 "$open/trapeze"
nobody "$open/trapeze" top wall-one --once > "$dir/out" 2> "$dir/err"
has 'the right is missing' "$dir/err" "top of another user says that the right is missing"
kill $pid
wait $pid

# ---- words for what surrounds it
(ulimit -s 256; "$trapeze" --version) > "$dir/out" 2> "$dir/err"
is 1 $? "a stack too small is refused"
has 'ulimit -s' "$dir/err" "with the remedy"
"$trapeze" check "$models/pendulum.yaml" > /dev/full 2> "$dir/err"
is 1 $? "what cannot be written is no success"
has 'could not be written' "$dir/err" "and is said"
timeout 5 "$trapeze" plot /dev/full > "$dir/out" 2> "$dir/err"
is 1 $? "a device without end is no table"
printf 'rig: ../up\nmodel: %s/pendulum.yaml\nstep: 1 ms\n' "$models" > "$dir/up.yaml"
run up --duration 0.1s
has "cannot be the name of a rig" "$dir/err" "a name with a slash is no name of a rig"

# ---- a cgroup without real-time budget
cg=/sys/fs/cgroup/cpu/trapeze-test-wall
if mkdir "$cg" 2> /dev/null && [ "$(cat "$cg/cpu.rt_runtime_us" 2> /dev/null)" = 0 ]; then
    (echo $BASHPID > "$cg/tasks"; "$trapeze" doctor > "$dir/out" 2>&1)
    has '^mend    rt-cgroup .*budget 0 us' "$dir/out" "doctor finds a cgroup without budget"
    has "echo 900000 > $cg/cpu.rt_runtime_us" "$dir/out" "and the file that mends it"
    has "do:  the cgroup's budget is 0" "$dir/out" "and does not send root to root"
else
    ok 0 "# SKIP no cpu cgroup with real-time budgets here"
fi
rmdir "$cg" 2> /dev/null

# ---- the advised rights make a program that starts, for an ordinary user
sed "s|$models|$open|; s/wall-one/wall-cap/" "$dir/wall-one.yaml" > "$open/rig.yaml"
cp "$models/pendulum.yaml" "$open/"
chmod -R a+r "$open"
if setcap cap_sys_nice,cap_ipc_lock=ep "$open/trapeze" 2> /dev/null && nobody true; then
    nobody "$open/trapeze" run "$open/rig.yaml" --duration 1s > "$dir/out" 2> "$dir/err"
    code=$?
    [ $code = 0 ]; ok $? "with setcap an ordinary user runs it in real time (exit $code)"
    has '^ended   running' "$dir/out" "and it ran"
    setcap -r "$open/trapeze"
    nobody "$open/trapeze" run "$open/rig.yaml" --duration 1s > "$dir/out" 2> "$dir/err"
    is 3 $? "without it the rights are missing"
    has "setcap cap_sys_nice,cap_ipc_lock=ep $open/trapeze" "$dir/err" "the advice names the program that runs"
    nobody "$open/trapeze" doctor > "$dir/out" 2>&1
    has '^note    wall .*only the filter of calls' "$dir/out" "and says what is not separated without root"
else
    ok 0 "# SKIP no file capabilities here"
fi
echo "1..$n"
exit $bad
