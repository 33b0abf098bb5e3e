#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# make demo must end with its summary and its JSON also on a busy machine: a part that takes longer than it may does fewer
# rounds or is given up, and says so.
. "$(dirname "$0")/setup.inc"
need_root
command -v iperf3 >/dev/null || skip "iperf3 is not installed"
# it writes beside itself
mkdir -p "$WORK/tests"
cp -r "$BUILD/tests/demo" "$WORK/tests/demo" && ln -s "$BUILD/handlers" "$WORK/handlers" || skip "no demo is built"
cd "$WORK" || exit 1

# demo SECONDS: with that limit for a step
demo() {
	rm -f demo.json
	SPIN_TEST_STEP_S=$1 tests/demo/demo >"$WORK/out" 2>"$WORK/err"
	status=$?
	for line in '=== filtering ===' '=== kvstore ===' 'demo.json written'; do
		says out "$line"
	done
	[ -s demo.json ] || fail "no demo.json with $1 s for a step"
	"$BUILD/tests/tools/well_formed" json demo.json >/dev/null || fail "demo.json is not well formed"
	grep -q '"kv.rounds"' demo.json || fail "no number of rounds in demo.json"
	for try in $(seq 50); do # spind's process for the namespace ends when it has taken its context away
		pgrep -f "$WORK" >/dev/null || break
		sleep 0.1
	done
	pgrep -f "$WORK" >/dev/null && fail "processes are left: $(pgrep -af "$WORK")"
}

# iperf3 alone takes 2 s; requests may be answered in one
demo 1
[ $status = 1 ] || fail "status $status where a part could not be measured"
says out 'filtering: given up after '
grep -q '^  [0-9]* rounds of 11: this machine is slow or busy' out || fail "it does not say how many rounds it did"
says out 'Not everything was measured'
says err 'no end in sight'
# rounds are done for half of that; on a machine that is busy indeed there may be none
demo 8
grep -q '^  [0-9]* rounds of 11: this machine is slow or busy' out || fail "it does not say how many rounds it did"
grep -q '^  0 rounds' out || says out 'speed-up, median of the rounds'
exit $FAILED
