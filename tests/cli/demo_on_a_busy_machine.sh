#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# On a busy machine, make demo must still end with its summary and its JSON: a part that exceeds its time limit runs fewer rounds or is
# aborted, and reports that. Run by tests/run.
. "$(dirname "$0")/setup.inc"
skip_unless_root
command -v iperf3 >/dev/null || skip "iperf3 is not installed"
# it writes to its own directory
mkdir -p "$WORK/tests"
cp -r "$BUILD/tests/demo" "$WORK/tests/demo" && ln -s "$BUILD/handlers" "$WORK/handlers" || skip "no demo is built"
cd "$WORK" || exit 1

# demo SECONDS: runs the demo with that limit per step
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
	for try in $(seq 50); do # spind's process for the namespace ends after it has detached its context
		pgrep -f "$WORK" >/dev/null || break
		sleep 0.1
	done
	pgrep -f "$WORK" >/dev/null && fail "processes are left: $(pgrep -af "$WORK")"
}

# iperf3 alone takes 2 s; requests may finish within one
demo 1
[ $status = 1 ] || fail "status $status where a part could not be measured"
says out 'filtering: given up after '
grep -q '^  [0-9]* rounds of 11: this machine is slow or busy' out || fail "it does not say how many rounds it did"
says out 'Not everything was measured'
says err 'no end in sight'
# rounds run for half of the limit; on a very busy machine there may be none
demo 8
grep -q '^  [0-9]* rounds of 11: this machine is slow or busy' out || fail "it does not say how many rounds it did"
grep -q '^  0 rounds' out || says out 'speed-up, median of the rounds'
exit $FAILED
