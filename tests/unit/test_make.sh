#!/bin/bash
# The Makefile as a user meets it: its help, and a clone in a folder whose name has a blank.
# NO_SANITIZER: nothing of ours runs in it.
set -u
cd "$(dirname "$0")/../.." || exit 2
scratch=${TEST_DIR:-$(mktemp -d)}
n=0
ok() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
echo "1..4"

make help > "$scratch/help"
[ "$(wc -l < "$scratch/help")" -ge 15 ] && [ "$(wc -L < "$scratch/help")" -le 120 ]
ok $? help_names_every_target_in_one_line
documented=$(awk '{ print $1 }' "$scratch/help" | sort)
phony=$(sed -n 's/^\.PHONY: //p' Makefile | tr ' ' '\n' |
    grep -v -x -e binaries -e check -e FORCE -e programs -e fuzzers | sort)
[ "$documented" = "$phony" ]
ok $? help_names_all_of_them

clone="$scratch/a b"
mkdir -p "$clone/build/setup"
cp -r Makefile rt services tools "$clone"
mkdir "$clone/tests"
cp -r tests/unit "$clone/tests"
cp build/setup/flags.mk "$clone/build/setup"
grep -q '^OPCUA_DIR.*=.*[^ ]' "$clone/build/setup/flags.mk" ||
    echo 'OPCUA_DIR := build/deps/usr/lib' >> "$clone/build/setup/flags.mk"
(cd "$clone" && env -u MAKEFLAGS -u MAKELEVEL make -n test V=1 TESTS=tests/unit/test_expr.c) > "$scratch/plan" 2>&1
# the shell reads each link as make would hand it over: no word may begin behind the blank
link=$(grep -m1 -e '-o build/test/tests/unit/test_expr ' "$scratch/plan")
[ -n "$link" ] && ! eval "printf '%s\n' ${link#gcc}" | grep -q '^b/'
ok $? programs_are_linked_in_a_folder_with_a_blank
grep -q "TRAPEZE='[^']*/a b/build/test/trapeze'" "$scratch/plan"
ok $? and_the_tests_find_the_program_there
