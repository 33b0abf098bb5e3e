#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spinctl doctor must not change anything, and must leave nothing behind when it is killed at any time. Run by tests/run.
. "$(dirname "$0")/setup.inc"
skip_unless_root
make_nics
cp "$SPINCTL" "$WORK/doctor" || exit 1

state() {
	in_ns ip -d link show
	in_ns ethtool -k v0
	in_ns ethtool -k v1
	ip link show 2>/dev/null | grep -o 'probe[01]'
	pgrep -f "$WORK/doctor"
	find /sys/fs/bpf -name '*spin_probe*' 2>/dev/null
}

# Prints the ids of all probes on the machine. Another doctor may run at the same time.
probes() {
	for kind in map prog; do
		bpftool $kind show 2>/dev/null | sed -n "s/^\([0-9]*\): .*spin_probe.*/$kind \1/p"
	done
}

# Maps that the kernel leaked before this test. If a prog_array is opened by its id, as `bpftool map` does, while its last user closes it,
# Linux 6.18 takes one reference too many: prog_array_map_clear() takes one for work that is already queued.
lost=$(probes | tr ' ' =)

# gone KIND ID...: waits up to 30 s for each: the kernel frees objects asynchronously, and another doctor may be slow on a busy machine
gone() {
	while [ $# -gt 0 ]; do
		i=0
		case " $(echo $lost) " in *" $1=$2 "*) shift 2; continue ;; esac
		while bpftool "$1" show id "$2" >/dev/null 2>&1 && [ $i -lt 300 ]; do
			i=$((i + 1))
			sleep 0.1
		done
		! bpftool "$1" show id "$2" >/dev/null 2>&1 || return 1
		shift 2
	done
}

# settled WHEN: state must be as before, immediately or after the kernel has freed its objects
settled() {
	gone $(probes) || fail "$1: a probe is left"
	i=0
	state >"$WORK/after"
	while ! cmp -s "$WORK/before" "$WORK/after" && [ $i -lt 50 ]; do
		i=$((i + 1))
		sleep 0.1
		state >"$WORK/after"
	done
	cmp -s "$WORK/before" "$WORK/after" || fail "$1: $(diff "$WORK/before" "$WORK/after")"
}

state >"$WORK/before"
expect 0 in_ns "$WORK/doctor" doctor
settled "after a run"
expect 0 in_ns "$WORK/doctor" doctor --dev v0 --dev v1
settled "after a run on both"

# the probes take about 0.2 s
killed=0
for ms in 000 001 002 005 010 015 020 030 040 060 080 100 130 160 200; do
	nsenter --net="/run/netns/$NS" "$WORK/doctor" doctor >"$WORK/out" 2>&1 &
	pid=$!
	sleep "0.$ms"
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
	[ $? = 137 ] && killed=$((killed + 1))
done
[ $killed -ge 3 ] || fail "only $killed of 15 were killed while they ran"
settled "after kill -9"

# the reader closes the pipe
in_ns "$WORK/doctor" doctor 2>"$WORK/err" | head -n 1 >/dev/null
settled "after a closed pipe"
expect 1 sh -c "'$WORK/doctor' doctor >/dev/full"
one_line
exit $FAILED
