#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# `spinctl run` on an interface that already has an XDP program: it must be refused with the holder's name, for every kind of holder, and
# the interface must never be taken over. Run by tests/run.
. "$(dirname "$0")/setup.inc"
skip_unless_root
make_nics

holder() {
	in_ns ip -d link show v0 | grep -o 'prog/xdp id [0-9]*'
}

# a process of spinctl
start_run v0 || exit 1
before=$(holder)
expect 1 in_ns "$SPINCTL" run "$OBJECT" --dev v0
one_line
says err "of process $RUN (spinctl)"
says err "kill $RUN"
[ "$(holder)" = "$before" ] || fail "the program was replaced"
kill "$RUN"
wait "$RUN" || fail "SIGTERM: status $?"

# attached by netlink, native and generic: remains after its process exits
for mode in xdpdrv xdpgeneric; do
	attach_by_iproute v0 $mode obj "$OBJECT" sec xdp 2>"$WORK/iproute" || {
		fail "ip link set $mode: $(cat "$WORK/iproute")"
		continue
	}
	before=$(holder)
	expect 1 in_ns "$SPINCTL" run "$OBJECT" --dev v0
	one_line
	says err "'spin_xdp'"
	says err "ip link set dev v0 $mode off"
	[ "$(holder)" = "$before" ] || fail "the program was replaced"
	in_ns ip link set dev v0 $mode off
done

# works again after all are gone
start_run v0 --duration 0.2 || exit 1
wait "$RUN" || fail "after the holders: status $?"
exit $FAILED
