#!/bin/bash
# How the program is hardened, read from the program itself.
# NO_SANITIZER
set -u
trapeze=$(realpath "${TRAPEZE:-build/trapeze}")
out=${TEST_OUT:-build}
n=0 bad=0
ok() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; fi; }
reads() { readelf -W "$1" "$2" 2> /dev/null | grep -q -- "$3"; }

reads -h "$trapeze" 'Type: *DYN'; ok $? "position independent"
reads -d "$trapeze" 'BIND_NOW\|FLAGS_1.*NOW'; ok $? "bound at start"
reads -l "$trapeze" 'GNU_RELRO'; ok $? "its tables are read-only then"
reads -l "$trapeze" 'GNU_STACK.* RW '; ok $? "no executable stack"
[ -z "$(readelf -W -l "$trapeze" | awk '$1 == "LOAD" && / RWE /')" ]; ok $? "nothing is writable and executable"
reads --dyn-syms "$trapeze" '__stack_chk_fail'; ok $? "stack protector"
reads --dyn-syms "$trapeze" '__[a-z]*printf_chk\|__mem[a-z]*_chk'; ok $? "buffers are watched"
# the compiler keeps its options in the debug information
compiled() { readelf --debug-dump=info "$out/obj/$1" 2> /dev/null | grep -m1 DW_AT_producer | grep -q -- "$2"; }
case $(${CC:-gcc} --version | head -n 1) in
*clang*) ok 0 "# SKIP clang keeps no options" ;;
*)
    for file in services/run/supervisor.o rt/tick/cycle.o rt/solve/eliminate.o; do
        compiled $file '-fstack-clash-protection'; ok $? "$file: the stack grows page by page"
        case $(uname -m) in
        x86_64)
            compiled $file '-fcf-protection'; ok $? "$file: jumps land where they may"
            readelf -n "$out/obj/$file" | grep -q 'IBT, SHSTK'; ok $? "$file: and says so" ;;
        esac
    done
    compiled services/run/supervisor.o '-fstack-protector-strong'; ok $? "services have a stack protector" ;;
esac
major=$(${CC:-gcc} -dumpfullversion 2> /dev/null | cut -d. -f1)
level=2
[ "${major:-0}" -lt 12 ] || level=3
touch=$(make -n -s V=1 OUT="$out" -W services/run/cores.c "$out/obj/services/run/cores.o" 2> /dev/null | grep -o 'FORTIFY_SOURCE=[0-9]' | head -n 1)
[ "$touch" = "FORTIFY_SOURCE=$level" ]; ok $? "buffers are watched at level $level ($touch)"
# a program with file capabilities gets no $ORIGIN: an absolute path must lead to its libraries
if ldd "$trapeze" | grep -q "$PWD/build/deps"; then
    reads -d "$trapeze" "RPATH.*$PWD/build/deps"; ok $? "its libraries are found by an absolute path too"
fi
echo "1..$n"
exit $bad
