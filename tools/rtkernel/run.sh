#!/bin/bash
# Run the real program on Debian's PREEMPT_RT kernel in an emulated machine, once with
# core 1 isolated and once without, and see that it can tell the two apart.
#
# Proves the path (kernel found, isolated core taken, rights dropped, step kept going),
# never a latency: the processor is emulated in software. Nothing is installed but in
# build/rtkernel: the kernel's package is fetched once and unpacked there.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
out=$(realpath "${OUT:-build}")
work=$PWD/build/rtkernel
here=tools/rtkernel
mkdir -p "$work"

kernel=$($here/fetch)

# ---- the guest's file system: init, program, libraries, one rig
root=$work/root
rm -rf "$root"
mkdir -p "$root"/{bin,lib,lib64,rig,dev,etc}
gcc -O2 -static -o "$root/init" $here/init.c
cp "$out/trapeze" "$root/bin/"
ldd "$out/trapeze" | awk '$3 ~ /^\// { print $3 }' | xargs cp -L -t "$root/lib"
cp -L /lib64/ld-linux-x86-64.so.2 "$root/lib64/"
cp config/models/pendulum.yaml "$root/rig/"
echo 'nobody:x:65534:65534:nobody:/:/bin/false' > "$root/etc/passwd"
cat > "$root/rig/rig.yaml" << END
rig: emulated
model: pendulum.yaml
step: 10 ms
trip: {consecutive: 0}
autostart: true
services: {null: , opcua: }
END
cat > "$root/commands" << END
/bin/trapeze doctor
/bin/trapeze run /rig/rig.yaml --insecure --duration 5s
END
(cd "$root" && find . | cpio -o -H newc --quiet | gzip -1) > "$work/initrd.gz"

# boot LOG [kernel arguments]
boot() {
    local log=$1
    shift
    $here/boot "$kernel" "$work/initrd.gz" 768 80 "$@" > "$log" ||
        { tail -n 20 "$log" >&2; echo "the emulator failed" >&2; return 1; }
}

bad=0
# see LOG PATTERN SENTENCE
see() {
    if grep -q -- "$2" "$1"; then echo "ok      $3"
    else echo "NOT OK  $3 (no '$2' in $1)"; bad=1
    fi
}
never() {
    if grep -q -- "$2" "$1"; then echo "NOT OK  $3 ('$2' in $1)"; bad=1
    else echo "ok      $3"
    fi
}

begin=$(date +%s)
boot "$work/isolated.log" isolcpus=managed_irq,domain,1 nohz_full=1 rcu_nocbs=1 irqaffinity=0
see "$work/isolated.log" '^good    kernel .*PREEMPT_RT' "isolated: doctor finds the real-time kernel"
see "$work/isolated.log" '^good    isolated .*core 1 is isolated' "isolated: doctor finds core 1 isolated"
see "$work/isolated.log" '^good    nohz_full' "isolated: and tickless"
see "$work/isolated.log" '^admit   step .* on core 1, services on 0: .*accepted' "isolated: the step runs on core 1 and is admitted"
see "$work/isolated.log" '^doctor  PREEMPT_RT kernel, core 1 isolated, memory locked: deadlines are guaranteed' \
    "isolated: run says what it can promise"
see "$work/isolated.log" '^opc.tcp://127.0.0.1:4840' "isolated: the OPC UA server is up"
never "$work/isolated.log" 'ended with exit code\|ended by signal' "isolated: no process of it fell"
see "$work/isolated.log" '^ended   running at t' "isolated: it ran to its end"
see "$work/isolated.log" '^exit 0 of /bin/trapeze run' "isolated: and ended with exit code 0"
boot "$work/plain.log"
see "$work/plain.log" '^good    kernel .*PREEMPT_RT' "plain: doctor finds the real-time kernel"
see "$work/plain.log" '^mend    isolated .*core 1 is not isolated' "plain: doctor says that core 1 is not isolated"
see "$work/plain.log" '^doctor  core 1 not isolated: deadlines are watched but not guaranteed' \
    "plain: run does not promise"
see "$work/plain.log" '^exit 0 of /bin/trapeze run' "plain: and runs all the same"
never "$work/plain.log" 'deadlines are guaranteed' "plain: nothing claims a guarantee"
echo "both machines booted, ran and ended in $(($(date +%s) - begin)) s"
exit $bad
