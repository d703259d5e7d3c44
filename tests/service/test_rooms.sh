#!/bin/bash
# Each room says what it is, and what it names is there: files, and functions by their name.
set -u
n=0
say() { # say CODE NAME
    n=$((n + 1))
    [ "$1" -eq 0 ] && echo "ok $n - $2" || echo "not ok $n - $2"
}
rooms=$(awk '!/^#/ && NF > 1 && $1 !~ /^[A-Z]/ { print $1 }' tools/rtcheck.rooms)
lacks=
for room in $rooms; do
    [ -d "$room" ] || continue
    # the rooms of a room may be told of there; rt/math is told of in rt
    [ -f "$room/README.md" ] || grep -q "\`${room##*/}/\`" "$(dirname "$room")/README.md" || lacks="$lacks $room"
done
[ -n "$rooms" ] && [ -z "$lacks" ]
say $? "every room has its README or stands in that above it (lacking:$lacks)"
for readme in services/README.md services/*/README.md rt/*/README.md; do
    room=$(dirname "$readme")
    bad=
    for name in $(grep -o '`[^` ]*`' "$readme" | tr -d '`' | sort -u); do
        case $name in
        *'()') grep -rqE "(^|[ *])${name%??}\(" rt services --include='*.[ch]' || bad="$bad $name" ;;
        *.c | *.h | *.md | */)
            [ -e "$room/$name" ] || [ -e "$name" ] || [ -e "services/$name" ] || bad="$bad $name" ;;
        esac
    done
    [ -z "$bad" ] && [ "$(wc -l < "$readme")" -le 60 ]
    say $? "$readme names what there is (not there:$bad)"
done
grep -q 'services/README.md' README.md
say $? "the reading order is named at the top"
