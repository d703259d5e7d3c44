#!/bin/bash
# The systemd unit under a real process 1: a small Debian with systemd in an emulated
# machine, the program put there by `make install`. See systemd-guest for what is claimed.
#
# Needs root for debootstrap; where something is missing it says so and ends with 0.
# All files lie in build/systemd; the bare system is kept, so a repeat is fast.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
work=$PWD/build/systemd
root=$work/root
key=/usr/share/keyrings/debian-archive-keyring.gpg
skip() { echo "systemd: left out: $*"; exit 0; }

[ "$(id -u)" = 0 ] || skip "needs root"
for tool in qemu-system-x86_64 cpio debootstrap; do
    command -v $tool > /dev/null || skip "$tool is not here: apt-get install qemu-system-x86 cpio debootstrap"
done
[ -f $key ] || skip "$key is not here"
# shellcheck disable=SC1091
suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(LABEL)' 'Identifier: Packages' |
    awk '$2 == "Debian" && $3 == "Debian" { print $1; exit }')
[ -n "$suite" ] && [ -n "$mirror" ] || skip "this is no Debian that apt knows a mirror of"
kernel=$(tools/rtkernel/fetch)

# ---- the bare system: systemd and the libraries the program is linked with
mkdir -p "$work"
if [ ! -f "$work/bare.tar" ]; then
    echo "systemd: debootstrap $suite"
    # a file of /usr/lib may be on record as one of /lib
    libraries=$(ldd build/trapeze | awk '$3 ~ /^\// && $3 !~ /deps/ { print $3 }' | xargs realpath |
        while read -r file; do dpkg -S "$file" || dpkg -S "${file#/usr}" || true; done 2> /dev/null |
        cut -d: -f1 | sort -u | paste -sd,)
    rm -rf "$root"
    debootstrap --variant=minbase --include="systemd,systemd-sysv,procps,$libraries" --keyring=$key \
        "$suite" "$root" "$mirror" > "$work/debootstrap.log" 2>&1 ||
        { tail -n 5 "$work/debootstrap.log" >&2; exit 1; }
    rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/usr/share/{doc,man,locale,info}/*
    tar -C "$root" -cf "$work/bare.tar.new" .
    mv "$work/bare.tar.new" "$work/bare.tar"
fi
rm -rf "$root"
mkdir -p "$root"
tar -C "$root" -xf "$work/bare.tar"

# ---- the program, one rig slow enough for an emulated processor, and the guest's script
make -s install DESTDIR="$root" PREFIX=/usr/local
mkdir -p "$root/etc/trapeze/rigs"
cp -r config/models config/components "$root/etc/trapeze/"
cat > "$root/etc/trapeze/rigs/car.yaml" << END
rig: car
model: ../models/car.yaml
step: 50 ms
trip: {consecutive: 0}
autostart: true
services: {opcua: }
END
install -m 755 tools/campaign/systemd-guest "$root/usr/local/bin/"
cat > "$root/etc/systemd/system/proof.service" << END
[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/usr/local/bin/systemd-guest
TimeoutStartSec=infinity
END
mkdir -p "$root/etc/systemd/system/graphical.target.wants"
ln -sf ../proof.service "$root/etc/systemd/system/graphical.target.wants/"
ln -sf lib/systemd/systemd "$root/init"
: > "$root/etc/machine-id"
(cd "$root" && find . | cpio -o -H newc --quiet) > "$work/initrd"

begin=$(date +%s)
tools/rtkernel/boot "$kernel" "$work/initrd" 2048 400 systemd.show_status=0 > "$work/console.log" ||
    { tail -n 20 "$work/console.log" >&2; echo "the emulator failed" >&2; exit 1; }
grep -E '^(ok|NOT OK|        )' "$work/console.log" || true
echo "systemd: the machine ran $(($(date +%s) - begin)) s"
grep -q '^guest ends' "$work/console.log" || { echo "NOT OK  the guest did not come to its end ($work/console.log)"; exit 1; }
! grep -q '^NOT OK' "$work/console.log"
