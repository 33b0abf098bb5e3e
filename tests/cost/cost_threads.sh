#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spinctl cost on modelled HPUs (cores of the NIC) that switch threads while a handler waits for DMA. Report, page and trace must say how
# the HPUs spent their time (shares add up to 1). With four threads per HPU the throughput must be more than twice that with one, and fewer
# than half as many HPUs be needed. Run by tests/run.
. "$(dirname "$0")/../cli/setup.inc"
WELL_FORMED=$BUILD/tests/tools/well_formed
cd "$WORK" || exit 1
make_messages="--messages 4 --packets 32 --sizes none"
HANDLER=$BUILD/handlers/copy_from_host.spin

value() { # KEY: prints its first number in ./out
	sed -n "s/.*\"$1\": \([0-9.e+-]*\).*/\1/p" out | head -n 1
}
holds() { # WHAT CONDITION: the awk expression must be true
	awk "BEGIN { exit !($2) }" || fail "$1: $2"
}

printf 'base = spin-discrete\nhpu_threads = 1\n' >one.target
expect 0 "$SPINCTL" cost "$HANDLER" $make_messages --target ./one.target --json
[ "$(value hpu_threads)" = 1 ] || fail "one thread is $(value hpu_threads)"
grep -q hpu_time\" out && fail "an HPU of one thread has no time between threads"
one_gbps=$(value gbit_per_s) one_hpus=$(value hpus_packet_bytes)

expect 0 "$SPINCTL" cost "$HANDLER" $make_messages --target spin-discrete --json --trace trace.json --html page.html
cp out json
"$WELL_FORMED" json json || fail "the report is not JSON"
"$WELL_FORMED" xml page.html || fail "the page is not whole"
grep -q 'Each HPU has 4 threads: ' page.html || fail "the page says nothing of threads"
"$WELL_FORMED" json trace.json || fail "the trace is not JSON"
[ "$(value hpu_threads)" = 4 ] || fail "four threads are $(value hpu_threads)"
holds "parts of the time" "($(value running) + $(value switching) + $(value all_threads_wait) + $(value no_task) - 1)^2 < 1e-6"
holds "some of it is of each" "$(value running) > 0.05 && $(value all_threads_wait) > 0"
holds "throughput" "$(value gbit_per_s) > 2 * $one_gbps"
holds "HPUs needed" "$(value hpus_packet_bytes) < $one_hpus / 2"
# each thread must have a row in the trace, and more threads must work than there are HPUs
[ "$(grep -o '"name": "payload", "pid": 3, "tid": [0-9]*' trace.json | sort -u | wc -l)" -gt 4 ] ||
	fail "the trace has no more rows than HPUs"

expect 0 "$SPINCTL" cost "$HANDLER" $make_messages --target spin-discrete
grep -q '^4 threads of each HPU: [0-9.]* % of its time one runs, [0-9.]* % between two; idle' out || fail "the text says nothing of threads"
expect 1 "$SPINCTL" cost "$HANDLER" --messages 4 --packets 32 --target spin-discrete --sweep hpus=4,8
grep -q 'hpu_threads = 4: hpus = 8 of clusters = 1 can have 2 each' err || fail "8 HPUs of 4 threads: $(cat err)"
exit $FAILED
