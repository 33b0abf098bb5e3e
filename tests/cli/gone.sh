#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# `spinctl run` on an interface that does not exist, that is deleted while attached, or whose program is detached by another process: each
# must end the command with status 1 and a message that says which of them happened. Run by tests/run.
. "$(dirname "$0")/setup.inc"
skip_unless_root
make_nics

expect 1 in_ns "$SPINCTL" run "$OBJECT" --dev nosuch0
one_line
says err "no interface nosuch0"
expect 1 in_ns "$SPINCTL" status --dev nosuch0
says err "no interface nosuch0"
in_ns ip link set lo up
expect 1 in_ns "$SPINCTL" run "$OBJECT" --dev lo --mode native
says err "native XDP"
in_ns ip link set v1 mtu 9000 # the MTU of its peer limits the frames that a veth receives
expect 0 in_ns "$SPINCTL" run "$OBJECT" --dev v0 --mode native --duration 0.1
in_ns ip link set v1 mtu 1500

# ends_with REASON: run must end by itself with status 1, a last table, and a reason that matches REASON
ends_with() {
	i=0
	while kill -0 "$RUN" 2>/dev/null && [ $i -lt 60 ]; do
		i=$((i + 1))
		sleep 0.1
	done
	kill -0 "$RUN" 2>/dev/null && fail "still running 6 s later, instead of: $1"
	wait "$RUN"
	status=$?
	[ $status = 1 ] || fail "status $status instead of 1"
	grep -q "$1" "$WORK/run.err" || fail "not '$1': $(cat "$WORK/run.err")"
	grep -q '^all ' "$WORK/run.out" || fail "no last table"
}

start_run v0 || exit 1
link=$(cat "/proc/$RUN/fdinfo/"* 2>/dev/null | awk '/^link_type:/ { xdp = $2 == "xdp" } /^link_id:/ && xdp { print $2 }')
in_ns bpftool link detach id "$link" || fail "link '$link' cannot be detached"
ends_with 'somebody else has detached the XDP program of v0'

start_run v0 || exit 1
in_ns ip link del v0
ends_with 'v0 has gone away'
exit $FAILED
