#!/bin/sh
# make figures: every script draws its pictures, as PNG and SVG, and gnuplot complains of nothing.
# TIME_LIMIT=240
set -u
cd "$(dirname "$0")/../.."
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
ln -s "$(realpath "${TRAPEZE:-build/trapeze}")" "$dir/trapeze"
n=0
bad=0
say() { # GOOD NAME
    n=$((n + 1))
    [ "$1" = 0 ] || bad=1
    [ "$1" = 0 ] && echo "ok $n - $2" || echo "not ok $n - $2"
}
for script in tools/figures/*.sh; do
    OUT=$dir nice "$script" > "$dir/out" 2> "$dir/err"
    say $? "$script draws"
    sed 's/^/# /' "$dir/err"
    [ ! -s "$dir/err" ]
    say $? "and has nothing to complain of"
    for picture in $(sed -n 's/^ *\(.*\)\.png$/\1/p' "$dir/out"); do
        [ "$(head -c 4 "$picture.png" | tail -c 3)" = PNG ] && grep -q '</svg>' "$picture.svg"
        say $? "$(basename "$picture") is there as PNG and SVG"
    done
done
for figure in malczyk-fig3 malczyk-fig4 malczyk-fig5 vlasenko2006-fig6 kasper-spbot vlasenko2009-fig2 vlasenko2009-fig3 \
    vlasenko2009-fig4 vlasenko2009-kr15 seguy-fig2 seguy-fig3 seguy-fig4 seguy-fig5 car-drive; do
    ls "$dir/figures/$figure"*.png > /dev/null 2>&1
    say $? "$figure is among them"
done
echo "1..$n"
exit $bad
