#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A signal must end a command while the kernel verifies its handlers, which can take minutes. The load must be aborted without waiting;
# nothing may be attached afterwards, and nothing may be left. Run by tests/run.
. "$(dirname "$0")/setup.inc"
skip_unless_root
make_nics
in_ns ip link set lo up
cd "$WORK" || exit 1
export TMPDIR="$WORK/tmp"
mkdir "$TMPDIR"
SLOW=$BUILD/handlers/histogram.spin

# verifies PID: it has spent 0.15 s in the kernel; before it attaches, only the verifier takes that long
verifies() {
	[ "$(awk '{ print $15 }' "/proc/$1/stat")" -ge 15 ]
}

# interrupted SIGNAL COMMAND...: the signal must arrive during verification and abort it
interrupted() {
	signal=$1
	shift
	for try in 1 2 3 4 5; do
		# nsenter itself, the process that is signalled, enters the namespace
		env --default-signal=INT,TERM nsenter --net="/run/netns/$NS" "$@" >out 2>err &
		pid=$!
		until verifies $pid || grep -q '^State:.*Z' /proc/$pid/status; do sleep 0.02; done
		kill -s "$signal" $pid 2>/dev/null
		wait $pid
		status=$?
		grep -q 'a signal interrupted the kernel' err && break
	done
	drop_progress err
	says err "a signal interrupted the kernel while it verified the program"
	[ $status != 0 ] || fail "$*: status 0 after SIG$signal in a load"
	[ ! -s out ] || fail "$*: went on after SIG$signal: $(head -n 3 out)"
	[ -z "$(ls -A "$TMPDIR")" ] || fail "$*: left in TMPDIR: $(ls -A "$TMPDIR")"
}

for signal in TERM INT; do
	interrupted $signal "$SPINCTL" run "$SLOW" --dev lo --mode generic --interval 0
	[ "$(wc -l <err)" = 1 ] || fail "not one line: $(cat err)"
done
interrupted TERM "$SPINCTL" record "$SLOW" --dev lo --mode generic -o x.spinrec
[ ! -e x.spinrec ] || fail "a recording that never began is there"
interrupted TERM "$SPINCTL" recv received --dev lo
exit $FAILED
