#!/bin/bash
# tools/example_fastlane.c compiles as it says and balances a rig over UADP.
# RUN_ALONE NO_SANITIZER TIME_LIMIT=60
set -u
trapeze=$(realpath "${TRAPEZE:-build/trapeze}")
dir=${TEST_DIR:-$(mktemp -d)}
n=0 bad=0
ok() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; fi; }
lib=$(ls -d build/deps/usr/lib/*/ 2> /dev/null | head -n 1)
# shellcheck disable=SC2086
gcc -Wall -Werror -o "$dir/example_fastlane" tools/example_fastlane.c \
    ${lib:+-Ibuild/deps/usr/include -L$lib -Wl,--disable-new-dtags,-rpath,$PWD/$lib -Wl,-rpath-link,$lib} -lopen62541
ok $? "one gcc line compiles it"
[ "$(wc -l < tools/example_fastlane.c)" -le 220 ]; ok $? "it is short"
sed "s|^rig:.*|rig: test-fastlane|; s|\.\./models|$PWD/config/models|; s|opcua:|opcua:\n    port: 48441|; s|port: 4841|port: 48442|; s|port: 4842|port: 48443|" \
    config/rigs/cart-double-pendulum.yaml > "$dir/rig.yaml"
"$trapeze" run "$dir/rig.yaml" --allow-degraded --insecure --ready "$dir/ready" > "$dir/run" 2>&1 &
rig=$!
trap 'kill $rig 2> /dev/null' EXIT
for _ in $(seq 200); do [ -e "$dir/ready" ] && break; sleep 0.1; done
[ -e "$dir/ready" ]; ok $? "the rig is ready" || sed 's/^/# /' "$dir/run"
"$dir/example_fastlane" opc.tcp://127.0.0.1:48441 7 48442 48443 > "$dir/out" 2> "$dir/err"
ok $? "it balances the double pendulum"
sed 's/^/# /' "$dir/out" "$dir/err"
# at 7 s the cart has been to -0.1 m, and to 0.1 m from 3 s to 6 s
awk '/ frames answered/ { exit !($1 > 5000 && $6 > -0.5 && $6 < 0.5 && $10 * $10 < 0.09 && $10 * $10 > 1e-6) }' "$dir/out"
ok $? "at the rate of the steps, with small angles, and moves the cart"
grep -Eq '^from sending to seeing it act: p50 [0-9.]+ ms' "$dir/out"; ok $? "and says how long a command takes to act"
kill -INT $rig; wait $rig; ok $? "the rig ends well"
echo "1..$n"
[ $bad = 0 ]
