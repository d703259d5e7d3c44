#!/bin/bash
# rtcheck holds for the tree, and fails with a clear sentence when a rule is broken.
# Each case breaks one rule in a scratch copy, looks for the sentence, and mends it.
# NO_SANITIZER: it looks at objects of the real build.
set -u
cd "$(dirname "$0")/../.." || exit 2
out=${TEST_OUT:-build/test}
scratch=${TEST_DIR:-build/scratch}/tree
n=0

echo "1..11"
result() { # STATUS NAME
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"
    else echo "not ok $n - $2"; sed 's/^/# /' "$scratch/answer"
    fi
}

rm -rf "$scratch"
mkdir -p "$scratch/build"
cp -a Makefile rt services tools "$scratch"
cp -a "$out/obj" build/setup "$scratch/build"
[ ! -d build/deps ] || ln -s "$PWD/build/deps" "$scratch/build/deps"

rtcheck() {
    (cd "$scratch" && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -k OUT=build rtcheck) \
        > "$scratch/answer" 2>&1
}

rtcheck
result $? "the_tree_keeps_the_rules"

# broken NAME SENTENCE FILE [SED_SCRIPT]: with FILE changed (or, without a script, extended
# by standard input), rtcheck fails and says SENTENCE.
broken() {
    local name=$1 sentence=$2 file=$scratch/$3
    [ ! -f "$file" ] || cp -p "$file" "$scratch/kept"
    if [ $# -gt 3 ]; then sed -i "$4" "$file"; else cat >> "$file"; fi
    touch "$file"
    if rtcheck; then result 1 "$name"
    else grep -q -F -- "$sentence" "$scratch/answer"; result $? "$name"
    fi
    if [ -f "$scratch/kept" ]; then mv "$scratch/kept" "$file"; touch "$file"
    else rm "$file"
    fi
}

broken a_call_of_malloc_stops_the_compiler 'attempt to use poisoned "malloc"' rt/status.c << 'C'
void *status_spoil(void);
void *status_spoil(void) { return malloc(1); }
C
broken a_call_outside_the_list_is_named "rt/status.c: calls rand, which it may not" rt/status.c << 'C'
int status_spoil(void);
int status_spoil(void) { extern int rand(void); return rand(); }
C
broken a_static_variable_in_rt_is_named "rt/status.c: count.0 is data that can change" rt/status.c << 'C'
int status_spoil(void);
int status_spoil(void) { static int count; return count++; }
C
broken a_foreign_symbol_is_named \
    "rt/status.c: the global function wrong_name does not begin with the stem" rt/status.c << 'C'
int wrong_name(void);
int wrong_name(void) { return 1; }
C
broken rt_may_not_include_services "rt may not include services/base/diag.h" \
    rt/status.c '1i #include "services/base/diag.h"'
broken mechanics_may_not_include_the_solver "rt/mech may not include rt/solve/step.h" \
    rt/mech/force.c '1i #include "rt/solve/step.h"'
broken a_missing_rtsafe_is_named 'rt/status.c: its last include is not "rt/rtsafe.h"' \
    rt/status.c '/rtsafe/d'
broken lapacke_outside_linsolve_is_named "rt/mech/force.c:1: LAPACKE belongs in" \
    rt/mech/force.c '1i #include <lapacke.h>'
mkdir -p "$scratch/services/record"
broken a_service_at_the_border_may_not_include_the_solver \
    "services/record may not include rt/solve/step.h" services/record/spoil.c << 'C'
#include "rt/solve/step.h"
C

rtcheck
result $? "mended_it_passes_again"
