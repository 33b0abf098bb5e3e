#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# `spinctl run --delivery ring`, where the command gets the packets from an AF_XDP ring and the host's stack does not: of three datagrams
# all must be counted (18 bytes), and as many be printed as --ring-print says, as text and JSON. Invalid options, several contexts or
# interfaces, and handlers of messages must be refused. `spinctl status` must show the context with its ring. Run by tests/run.
. "$(dirname "$0")/setup.inc"
skip_unless_root
make_nics
in_ns ip address add 10.99.0.1/24 dev v1
in_ns ip neighbour add 10.99.0.2 lladdr 02:00:00:00:00:02 dev v1

# bad usage
for words in "--ring-print 2" "--ring-mode copy" "--ring-queues 0" "--ring-frames 64" "--delivery socket" "--delivery ring --ring-mode fast" \
	"--delivery ring --ring-queues 0 --ring-queues 0"; do
	# shellcheck disable=SC2086
	expect 2 in_ns "$SPINCTL" run "$OBJECT" --dev v0 $words
	one_line
done

# refused
for words in x 0-x 3-2 0-9999999999 4294967296 4294967296-4294967297 -1 1- 1-2-3 ""; do
	expect 1 in_ns "$SPINCTL" run "$OBJECT" --dev v0 --delivery ring --ring-queues "$words"
	one_line
	says err "--ring-queues '$words'"
done
expect 1 in_ns "$SPINCTL" run "$OBJECT" --dev v0 --delivery ring --ring-mode zero-copy
one_line
says err "the driver of v0 has no zero-copy for AF_XDP: let the ring copy"
expect 1 in_ns "$SPINCTL" run "$OBJECT" --dev v0 --delivery ring --ring-frames 100
one_line
says err "power of two"
expect 1 in_ns "$SPINCTL" run "$OBJECT" --dev v0 --delivery ring --hpus spread
one_line
says err "spread over CPUs"
expect 1 in_ns "$SPINCTL" run "$OBJECT" --dev v0 --dev v1 --delivery ring
one_line
says err "create a context for v1"
expect 1 in_ns "$SPINCTL" run "$OBJECT" --dev v0 --share --delivery ring
one_line
says err "shared with programs of others"
expect 1 in_ns "$SPINCTL" run "$BUILD/handlers/copy_to_host.spin" --dev v0 --delivery ring
one_line
says err "matching entries"
expect 1 in_ns "$SPINCTL" run "$OBJECT" "$OBJECT" --dev v0 --match "udp dport 9000" --match "udp dport 9001" --delivery ring
one_line
says err "go to the ring of filtering"
in_ns ip -d link show v0 | grep -q prog/xdp && fail "something is still attached"

# text output, and the context as other commands see it
start_run v0 --match "udp dport 9000" --delivery ring --ring-print 2 --interval 0
in_ns bash -c 'for i in 1 2 3; do echo ring$i >/dev/udp/10.99.0.2/9000; done'
expect 0 in_ns "$SPINCTL" status
says out "filtering on v0, rule: udp dport 9000, to a ring"
says out "success"
expect 0 in_ns "$SPINCTL" status --dev v0 --json # other contexts on this machine may have rings as well
program=$(sed -n '/"ring": true/,/"program_id"/s/.*"program_id": \([0-9]*\).*/\1/p' "$WORK/out")
bpftool prog show id "${program:-0}" | grep -q "name filtering" || fail "the context's program: $(cat "$WORK/out")"
kill -TERM $RUN
wait $RUN || fail "status $? of the command"
says run.out "filtering: ring of queue 0, copy: the driver of v0 has no zero-copy for AF_XDP"
says run.out "to 10.99.0.2 port 9000: 72696e67310a"
[ "$(grep -c '^packet: filtering: queue 0, 6 bytes from 10.99.0.1 port ' "$WORK/run.out")" = 2 ] ||
	fail "packets that are printed: $(cat "$WORK/run.out")"
grep -qE '^ring_received +3  came to this program' "$WORK/run.out" || fail "what was received: $(cat "$WORK/run.out")"
grep -qE '^ring_bytes +18  ' "$WORK/run.out" || fail "bytes that were received: $(cat "$WORK/run.out")"

# JSON
start_run v0 --match "udp dport 9000" --delivery ring --ring-print 1 --interval 0 --json --ring-queues 0
in_ns bash -c 'for i in 1 2 3; do echo ring$i >/dev/udp/10.99.0.2/9000; done'
kill -TERM $RUN
wait $RUN || fail "status $? of the command"
says run.out '"type": "packet", "context": "filtering", "queue": 0, "source": "10.99.0.1", "destination": "10.99.0.2"'
says run.out '"ring": {"mode": "copy", "delivered": 3, "received": 3, "received_payload_bytes": 18, "lost": 0, "unbound": 0, "too_long": 0}'
exit $FAILED
