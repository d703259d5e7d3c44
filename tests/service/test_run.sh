#!/bin/bash
# The program as a user runs it: run, top, admit, doctor, jitter; exit codes and words.
# RUN_ALONE NEEDS_ROOT NO_SANITIZER TIME_LIMIT=240
set -u
trapeze=$(realpath "${TRAPEZE:-build/trapeze}")
dir=${TEST_DIR:-$(mktemp -d)}
n=0 bad=0
ok() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; fi; }
# is WANTED GOT NAME: equal
is() { [ "$1" = "$2" ]; local r=$?; [ $r = 0 ] || echo "# wanted $1, got $2"; ok $r "$3"; }
has() { grep -q -- "$1" "$2"; local r=$?; [ $r = 0 ] || sed 's/^/# /' "$2"; ok $r "$3"; }
# wait until a running rig answers
up() { for _ in $(seq 100); do "$trapeze" top "$1" --once > "$dir/top" 2>&1 && grep -q '^running' "$dir/top" && return 0; sleep 0.1; done; return 1; }
rig() { cat > "$dir/$1.yaml"; }
models=$PWD/config/models

rig one << END
rig: test-one
model: $models/pendulum.yaml
step: 1 ms
trip: {consecutive: 0}
autostart: true
services: {null: }
END

# ---- a run, seen from a second terminal, ended by Ctrl-C and by SIGTERM
for signal in INT TERM; do
    setsid "$trapeze" run "$dir/one.yaml" --allow-degraded > "$dir/out" 2> "$dir/err" &
    pid=$!
    up test-one; ok $? "top sees the rig run"
    has 'service null: up' "$dir/top" "top shows the service"
    has '^step .* us .* us .* us *[0-9]* .* us *[0-9]' "$dir/top" "top shows the times of the phases and where their maxima were"
    has '^-> ' "$dir/top" "top shows the sensors"
    "$trapeze" run "$dir/one.yaml" --quiet 2> "$dir/second"
    is 1 $? "a second run of the same rig is refused"
    has 'runs already' "$dir/second" "and says why"
    kill -s $signal $pid
    [ $signal != TERM ] || kill -s TERM $pid # asked twice it ends in order all the same
    wait $pid
    is 0 $? "SIG$signal ends it with exit code 0"
    has '^ended   running at t' "$dir/out" "with one line that says how it was"
    has '^admit   step 1000 us on core' "$dir/out" "the admission test spoke"
    has '^doctor ' "$dir/out" "the doctor spoke"
    is '' "$(ps -e -o sid= -o pid= -o comm= | awk -v sid=$pid '$1 == sid')" "no process of it is left"
    [ -e /run/trapeze/test-one.sock ]
    is 1 $? "nor its socket"
done
"$trapeze" top test-one --once > "$dir/out" 2> "$dir/err"
is 1 $? "top without a rig is refused"
has "no rig 'test-one' runs here" "$dir/err" "and says so"

# ---- cores: the step alone on its own, everybody else on the others
if [ "$(nproc)" -ge 2 ]; then
    sed 's/^rig:.*/rig: test-cores/' "$dir/one.yaml" | rig cores
    printf 'core: 0\nservice-cores: [1]\n' >> "$dir/cores.yaml"
    setsid "$trapeze" run "$dir/cores.yaml" --allow-degraded > "$dir/out" 2> "$dir/err" &
    pid=$!
    up test-cores; ok $? "a rig runs on the cores it names"
    has '^core 0, services on 1,' "$dir/top" "top shows them"
    has 'on core 0, services on 1:' "$dir/out" "run says them"
    for p in $(ps -e -o sid= -o pid= | awk -v sid=$pid '$1 == sid { print $2 }'); do
        for t in /proc/$p/task/*; do
            where=$(awk '/^Cpus_allowed_list/ { print $2 }' "$t/status")
            echo "$(cat "$t/comm") $where"
        done
    done | sort > "$dir/where"
    printf 'trapeze 1\ntrapeze-null 1\ntrapeze-step 0\ntrapeze-step 1\n' | sort | cmp - "$dir/where"
    ok $? "the step thread alone is on core 0"
    kill $pid
    wait $pid
else
    ok 0 "# SKIP one core only"
fi
sed -i 's/^core: 0/core: 999/' "$dir/cores.yaml" 2> /dev/null ||
    { sed 's/^rig:.*/rig: test-cores/' "$dir/one.yaml"; echo 'core: 999'; } | rig cores
"$trapeze" run "$dir/cores.yaml" --duration 1s > "$dir/out" 2> "$dir/err"
is 1 $? "a core that is not there is refused"
has 'cores.yaml:[0-9]*:7: error: core: there is no core 999; this machine has' "$dir/err" "with its place and what there is"

# ---- injected overruns: counted as what they are
"$trapeze" run "$dir/one.yaml" --allow-degraded --duration 1.5s --inject 100:1.5,200:2.5,300:10 > "$dir/out" 2>&1
is 0 $? "a run of given duration ends by itself"
has ', 3 injected' "$dir/out" "three injected misses are found"
"$trapeze" run "$dir/one.yaml" --inject 0:1 2> "$dir/err"
is 2 $? "a wrong --inject is wrong use"

# ---- trips end a run of given duration with 4
sed 's/^rig:.*/rig: test-trip/; /^trip/d; /^services/d' "$dir/one.yaml" | rig trip
echo 'on-miss: stop' >> "$dir/trip.yaml"
"$trapeze" run "$dir/trip.yaml" --allow-degraded --duration 1s --inject 100:3 > "$dir/out" 2>&1
is 4 $? "a tripped run ends with exit code 4"

# ---- pace free runs without rights and faster than time
sed 's/^rig:.*/rig: test-free/; /^services/d' "$dir/one.yaml" | rig free
"$trapeze" run "$dir/free.yaml" --pace free --duration 1s > "$dir/out" 2>&1
is 0 $? "pace free runs"
awk '/^ended/ { for (i = 1; i < NF; i++) if ($i == "t") t = $(i + 1) } END { exit !(t > 2) }' "$dir/out"
ok $? "and is ahead of the clock"
has ' 0 misses' "$dir/out" "without deadlines nothing is missed"

# ---- rights
# a folder that others may enter, with all that is needed in it
open=$(mktemp -d /tmp/trapeze-test.XXXXXX)
trap 'rm -rf "$open"' EXIT
chmod 755 "$open"
sed "s|$models|$open|" "$dir/trip.yaml" > "$open/rights.yaml"
cp "$models/pendulum.yaml" "$trapeze" "$open/"
ldd "$trapeze" | awk '$3 ~ /deps/ { print $3 }' | xargs -r cp -L -t "$open"
chmod -R a+rX "$open"
if runuser=$(command -v setpriv) && "$runuser" --reuid 65534 --regid 65534 --clear-groups test -x "$open/trapeze"; then
    as_nobody() { XDG_RUNTIME_DIR= LD_LIBRARY_PATH=$open setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all "$@"; }
    as_nobody "$open/trapeze" run "$open/rights.yaml" --duration 1s > "$dir/out" 2> "$dir/err"
    is 3 $? "without rights it ends with exit code 3"
    has 'SCHED_FIFO 80 is refused' "$dir/err" "names the right"
    has 'setcap cap_sys_nice' "$dir/err" "says how to grant it"
    has '--allow-degraded' "$dir/err" "and how to do without"
    as_nobody "$open/trapeze" run "$open/rights.yaml" --allow-degraded --duration 1s > "$dir/out" 2> "$dir/err"
    code=$?
    [ $code = 0 ] || [ $code = 4 ]; ok $? "degraded when asked (exit $code)"
    has 'runs degraded, because asked to' "$dir/out" "and says so"
else
    ok 0 "# SKIP no way to give up rights here"
fi

# ---- admit, doctor, jitter
"$trapeze" admit "$dir/trip.yaml" --duration 1s > "$dir/out" 2>&1
[ $? -le 1 ]; ok $? "admit measures"
has 'with all iterations' "$dir/out" "and shows the worst case"
"$trapeze" admit "$dir/trip.yaml" --duration 0.5s --json > "$dir/out" 2>&1
has '"median_ns": [1-9]' "$dir/out" "admit --json is JSON"
"$trapeze" admit config/rigs/car-drive.yaml --duration 1s > "$dir/out" 2>&1
[ $? -le 1 ]; ok $? "admit measures a car on tyres"
has 'a contact that opens: redone .* 3 ' "$dir/out" "and the step that is redone, with all iterations"
"$trapeze" doctor > "$dir/out" 2>&1
[ $? -le 1 ]; ok $? "doctor looks"
for key in kernel cores isolated nohz_full interrupts governor idle-states rt-throttling rt-cgroup priority \
    memory-lock clock smt-sibling swap huge-pages steal blas open62541 key-files; do
    has " $key " "$dir/out" "doctor knows $key"
done
"$trapeze" doctor --json > "$dir/out" 2>&1
has '"conditions": \[' "$dir/out" "doctor --json lists conditions"
has '"found": "1\.4\.[0-9]' "$dir/out" "doctor knows the release of open62541 that is loaded"
"$trapeze" jitter "$dir/trip.yaml" --duration 1s --out "$dir/jitter" > "$dir/out" 2> "$dir/err"
is 0 $? "jitter measures"
has '^rig ' "$dir/out" "the rig's step beside the machine"
has '^0000' "$dir/jitter.txt" "and writes a histogram"
has "^$(uname -n), Linux $(uname -r), .*, 20[0-9-]* [0-9:]* UTC, trapeze [0-9]" "$dir/out" "it says where, on what and when"
has '^result ' "$dir/out" "and how long until the result"
for row in machine rig result; do
    has '^ *Value *Percentile *TotalCount' "$dir/jitter-$row.hgrm" "$row as HdrHistogram prints it"
    awk -v n="$(awk -v r=$row '$1 == r { print $2 }' "$dir/out")" '/^ *[0-9]/ { last = $3; if ($2 < before) bad = 1; before = $2 } END { exit bad || last != n }' "$dir/jitter-$row.hgrm"
    ok $? "rising to all $row samples"
done
if command -v gnuplot > /dev/null; then
    is 89504e47 "$(head -c 4 "$dir/jitter.png" | od -An -tx1 | tr -d ' ')" "and a picture"
    has '<svg' "$dir/jitter.svg" "in both forms"
    has '>deadline<' "$dir/jitter.svg" "with the deadline"
    has 'share of samples above' "$dir/jitter.svg" "as shares above each latency"
fi
"$trapeze" jitter --duration 0.1s --out "$dir/no/where" > "$dir/out" 2> "$dir/err"
is 1 $? "a picture that cannot be written is not passed over"

# ---- wrong files and words
printf 'model: nowhere.yaml\nstep: 1 ms\n' | rig bad
"$trapeze" run "$dir/bad.yaml" > "$dir/out" 2> "$dir/err"
is 1 $? "a rig without its model is refused"
has 'nowhere.yaml' "$dir/err" "by name"
"$trapeze" run > "$dir/out" 2> "$dir/err"
is 2 $? "run without a rig is wrong use"
echo "1..$n"
exit $bad
