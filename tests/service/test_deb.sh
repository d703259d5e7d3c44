#!/bin/bash
# The Debian package builds, says what it needs, runs from wherever it is unpacked, and dpkg
# installs and removes it, in a root of its own: the machine's packages are not touched.
# TIME_LIMIT=180
set -u
[ -z "${SANITIZER:-}" ] || { echo "SKIP: a package is made of the plain program"; exit 77; }
command -v dpkg-deb > /dev/null || { echo "SKIP: dpkg-deb is not here"; exit 77; }
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR PREFIX
n=0
say() { # say CODE NAME
    n=$((n + 1))
    [ "$1" -eq 0 ] && echo "ok $n - $2" || echo "not ok $n - $2"
}
out=$(dirname "$TRAPEZE")
out=${out#"$PWD/"} # as make test names it: nothing that others run is linked anew
before=$(stat -c %i.%Y "$TRAPEZE")
make -s -j1 deb OUT="$out" WERROR=-Werror > "$TEST_DIR/make.txt" 2>&1
say $? "make deb ($(tail -n 1 "$TEST_DIR/make.txt"))"
[ "$before" = "$(stat -c %i.%Y "$TRAPEZE")" ]
say $? "the program under test stays"
deb=$(realpath "$out"/deb/*.deb)
release=$(sed -n 's/^#define VERSION_RELEASE "\(.*\)"/\1/p' services/base/version.h)
cd "$TEST_DIR" || exit 1
dpkg-deb -I "$deb" > info.txt && dpkg-deb -c "$deb" > contents.txt
say $? "dpkg-deb reads it"
grep -q "^ Version: $release\$" info.txt
say $? "its version is the release"
depends=$(sed -n 's/^ Depends: //p' info.txt)
bad=$(echo "$depends" | tr ',' '\n' | sed 's/(.*//' | while read -r name; do
    dpkg -s "$name" > /dev/null 2>&1 || echo "$name"
done)
[ -z "$bad" ] && [[ $depends == *libc6\ \(\>=\ 2.* && $depends == *libseccomp2* && $depends == *openblas* ]]
say $? "it depends on packages there are ($depends)"
for file in ./usr/bin/trapeze ./usr/lib/systemd/system/trapeze@.service ./usr/share/man/man1/trapeze.1.gz \
    ./usr/share/bash-completion/completions/trapeze ./usr/share/trapeze/examples/example_client.c \
    ./etc/trapeze/rigs/car.yaml; do
    grep -q " $file\$" contents.txt
    say $? "it holds $file"
done
! awk '{ print $2 }' contents.txt | grep -qv '^root/root$'
say $? "all of it belongs to root"
! awk '{ print $1 }' contents.txt | grep -v '^l' | grep -q '^.\{5\}w\|^.\{8\}w'
say $? "nobody but root may write to it"
dpkg-deb -x "$deb" tree
env -u LD_LIBRARY_PATH tree/usr/bin/trapeze --version > version.txt 2>&1 && grep -qx "trapeze $release" version.txt
say $? "unpacked the program runs ($(head -n 1 version.txt))"
if ls tree/usr/lib/trapeze/libopen62541.so.* > /dev/null 2>&1; then
    ldd tree/usr/bin/trapeze | grep -q "libopen62541.* $PWD/tree/\|libopen62541.* /usr/lib/trapeze/"
    say $? "with the libraries of the package"
fi
! readelf -d tree/usr/bin/trapeze | grep -i 'r.*path' | grep -q "$out\|build/"
say $? "and looks into no folder of who built it"
tree/usr/bin/trapeze check tree/etc/trapeze/rigs/car.yaml > check.txt 2>&1
say $? "its rigs are whole"
! grep -q /usr/local tree/usr/lib/systemd/system/trapeze@.service
say $? "its unit names the installed program"

# dpkg with the machine's list of packages, so that Depends is judged, and another root
mkdir -p root/var/lib/dpkg/info root/var/lib/dpkg/updates root/tmp
sed '/^Package: trapeze$/,/^$/d' /var/lib/dpkg/status > root/var/lib/dpkg/status
touch root/var/lib/dpkg/available
if [ "$(id -u)" -eq 0 ]; then
    run() { dpkg --root="$PWD/root" --no-triggers "$@" > dpkg.txt 2>&1; }
    run -i "$deb" && root/usr/bin/trapeze --version > /dev/null && run -V trapeze && [ ! -s dpkg.txt ]
    say $? "dpkg installs it and finds it whole ($(tail -n 1 dpkg.txt))"
    run -r trapeze && [ -z "$(find root/usr -type f 2> /dev/null)" ] && [ -f root/etc/trapeze/rigs/car.yaml ]
    say $? "dpkg -r removes all but the rigs of /etc"
    run -P trapeze && [ ! -e root/etc/trapeze ] && [ -z "$(find root/usr root/etc -type f 2> /dev/null)" ]
    say $? "dpkg -P leaves nothing"
fi
