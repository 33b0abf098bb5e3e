#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# kill -9 of spinctl must leave no program, link, map or pin; SIGINT must end it with the last table and status 0. Run by tests/run.
. "$(dirname "$0")/setup.inc"
skip_unless_root
make_nics

find /sys/fs/bpf -name '*spin*' 2>/dev/null | sort >"$WORK/pins"
start_run v0 || exit 1
program=$(in_ns ip -d link show v0 | sed -n 's/.*prog\/xdp id \([0-9]*\).*/\1/p')
maps=$(bpftool prog show id "$program" | sed -n 's/.*map_ids \([0-9,]*\).*/\1/p' | tr ',' ' ')
link=$(bpftool link show | sed -n "s/^\([0-9]*\): xdp .*prog $program .*/\1/p")
[ -n "$program" ] && [ -n "$maps" ] && [ -n "$link" ] || fail "program '$program', maps '$maps', link '$link'"
expect 0 "$SPINCTL" status
says out "process $RUN (spinctl)"
kill -9 "$RUN"
wait "$RUN" 2>/dev/null

# the kernel frees it asynchronously
i=0
while bpftool prog show id "$program" >/dev/null 2>&1 && [ $i -lt 50 ]; do
	i=$((i + 1))
	sleep 0.1
done
bpftool prog show id "$program" >/dev/null 2>&1 && fail "program $program is still there"
bpftool link show id "$link" >/dev/null 2>&1 && fail "link $link is still there"
for map in $maps; do
	i=0
	while bpftool map show id "$map" >/dev/null 2>&1 && [ $i -lt 50 ]; do
		i=$((i + 1))
		sleep 0.1
	done
	bpftool map show id "$map" >/dev/null 2>&1 && fail "map $map is still there"
done
in_ns ip -d link show v0 | grep -q prog/xdp && fail "the interface still has a program"
find /sys/fs/bpf -name '*spin*' 2>/dev/null | sort | comm -13 "$WORK/pins" - | grep -q . && fail "something is pinned"

for signal in INT TERM; do
	start_run v0 --state --insert 'routes:src=10.0.0.1 port=7000' || exit 1
	kill -s $signal "$RUN"
	wait "$RUN" || fail "SIG$signal: status $?"
	grep -q '^all ' "$WORK/run.out" || fail "SIG$signal: no last table"
	grep -q 'port  *7000$' "$WORK/run.out" || fail "SIG$signal: the inserted entry is not shown"
	in_ns ip -d link show v0 | grep -q prog/xdp && fail "SIG$signal: still attached"
done
exit $FAILED
