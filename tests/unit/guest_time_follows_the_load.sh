#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# kernel/guest/boot runs a guest (here a shell script in QEMU's place) with a time limit. A limit of 2 s must end it with status 124; with a
# load of 4 per CPU this must take 9 s or more, because the guest is slower then. A guest that ends by itself must give its own status. Run
# by tests/run.
[ "$(id -u)" = 0 ] && unshare --mount true 2>/dev/null || { echo "skip: a /proc/loadavg of its own needs root"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
	echo "FAIL: $*"
	exit 1
}
printf '#!/bin/sh\n[ -z "$ENDS" ] || exit "$ENDS"\nexec sleep 60\n' >"$work/qemu"
chmod +x "$work/qemu"

# boot LOAD SECONDS: prints status and duration; the load average is LOAD per CPU
boot() {
	echo "$(($1 * $(nproc))).00 0 0 1/1 1" >"$work/loadavg"
	begin=$(date +%s)
	QEMU=$work/qemu unshare --mount sh -c 'mount --bind "$1/loadavg" /proc/loadavg && shift && exec "$@"' sh \
		"$work" kernel/guest/boot "$2" vmlinuz initramfs "$work/out"
	status=$?
	took=$(($(date +%s) - begin))
}

export ENDS
ENDS=0 boot 0 60
[ $status = 0 ] && [ $took -lt 20 ] || fail "a guest that powers off: status $status after $took s"
ENDS=3 boot 0 60
[ $status = 3 ] || fail "a guest that fails: status $status"
ENDS='' boot 0 2
[ $status = 124 ] || fail "idle: status $status instead of 124"
idle=$took
ENDS='' boot 4 2
[ $status = 124 ] || fail "busy: status $status instead of 124"
[ $took -ge 9 ] || fail "a busy machine gives it $took s, an idle one $idle"
exit 0
