#!/bin/bash
# The test runner counts what happened: a crash, a missing case, a time-out, a refused skip.
# NO_SANITIZER: nothing of ours runs in it.
set -u
cd "$(dirname "$0")/../.." || exit 2
runner=$PWD/tools/runtests
export TEST_TURNS=${TEST_DIR:-/tmp}/turns
scratch=${TEST_DIR:-build/scratch}
n=0
it=tests/unit/test_it.sh
echo "1..10"

# counts NAME EXPECTED_LAST_LINE EXPECTED_EXIT [VARIABLE=VALUE]: run the script on standard
# input as the only test.
counts() {
    local name=$1 line=$2 code=$3
    shift 3
    n=$((n + 1))
    mkdir -p "$scratch/tests/unit"
    { echo '#!/bin/sh'; cat; } > "$scratch/tests/unit/test_it.sh"
    chmod +x "$scratch/tests/unit/test_it.sh"
    (cd "$scratch" && env -u CI "$@" "$runner" out "$it") > "$scratch/answer" 2>&1
    local got=$?
    if [ $got = "$code" ] && [ "$(tail -n 1 "$scratch/answer")" = "$line" ]; then
        echo "ok $n - $name"
    else
        echo "not ok $n - $name"
        echo "# wanted '$line' and exit $code, got exit $got and:"
        sed 's/^/# /' "$scratch/answer"
    fi
}

counts a_plain_script_is_one_case "1 passed, 0 failed" 0 <<< 'exit 0'
counts a_script_that_fails_is_one_failure "0 passed, 1 failed" 1 <<< 'exit 3'
counts tap_lines_are_cases_also_behind_half_a_line "2 passed, 0 failed" 0 << 'SH'
printf '1..2\nok 1 - a\nhalf a line ok 2 - b\n'
SH
counts a_failed_case_fails_the_run "1 passed, 1 failed" 1 << 'SH'
printf '1..2\nok 1 - a\nnot ok 2 - b\n'; exit 1
SH
counts a_crash_after_the_first_of_three_is_two_failures "1 passed, 2 failed" 1 << 'SH'
printf '1..3\nok 1 - a\n'; kill -SEGV $$
SH
counts an_error_after_all_cases_passed_is_a_failure "1 passed, 1 failed" 1 << 'SH'
printf '1..1\nok 1 - a\n'; exit 9
SH
# (the mark is pieced together so that it is not taken for one of this file)
counts a_test_over_its_time_is_a_failure "0 passed, 1 failed" 1 << SH
# TIME_LIMIT${mark:-=}1
sleep 20
SH
# libFuzzer ends with 77 after a finding unless told otherwise, which would read as a skip
mkdir -p "$scratch/build/fuzz/tests/fault" "$scratch/tests/fault"
: > "$scratch/tests/fault/fuzz_it.c"
cat > "$scratch/build/fuzz/tests/fault/fuzz_it" << 'SH'
#!/bin/sh
code=77
for a; do case $a in -error_exitcode=*) code=${a#*=} ;; esac; done
exit "$code"
SH
chmod +x "$scratch/build/fuzz/tests/fault/fuzz_it"
it=tests/fault/fuzz_it.c
counts a_finding_of_a_fuzzer_is_a_failure "0 passed, 1 failed" 1 < /dev/null
it=tests/unit/test_it.sh
counts a_skip_is_counted "0 passed, 0 failed, 1 skipped" 0 <<< 'echo no rights; exit 77'
counts a_skip_is_a_failure_where_ci_is_true "0 passed, 1 failed" 1 CI=true <<< 'exit 77'
