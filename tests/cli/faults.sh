#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# `spinctl test` and `spinctl cost` with faulty handlers. Every engine (host build, kernel, model of the card) must report a fault by the
# same event and the same reason (what became of the packet), and handle the next packet. The model's report must name packet and source
# line instead of a cost. The kernel must reject a loop that it cannot prove to terminate. Run by tests/run.
. "$(dirname "$0")/setup.inc"
cd "$WORK" || exit 1
cp "$ROOT"/tests/handlers/messages/faults.[ch] .

cp "$ROOT/tests/vectors/faults/every_fault_of_every_handler.vec" faults.vec
engines="--engine host --engine model"
[ "$(id -u)" = 0 ] && engines=
expect 0 "$SPINCTL" test faults.c faults.vec $engines
[ $FAILED = 0 ] || cat "$WORK/out" "$WORK/err"

cat >endless.c <<'END'
#include <spin/spin.h>

struct tally { uint32_t never, rounds; };
SPIN_STATE(struct tally);

static enum spin_payload_rc endless_payload(struct spin_payload *p, struct tally *state)
{
	const uint32_t *ask = SPIN_GET(p, 0, uint32_t);

	if (!ask)
		return SPIN_SEGV;
	while (*ask && !spin_load32(&state->never))
		spin_add32(&state->rounds, 1);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(endless, .payload = endless_payload);
END
expect 0 "$SPINCC" --no-verify endless.c -o endless.spin
# three datagrams of 64 bytes 10.0.0.1:4000 -> 10.0.0.2:9000; the first one loops forever
frame() { # BYTE: the payload's first
	printf '\0\0\0\0\0\0\0\0\152\0\0\0\152\0\0\0'
	printf '\002\000\000\000\000\002\002\000\000\000\000\001\010\000'
	printf '\105\000\000\134\000\000\100\000\100\021\046\217\012\000\000\001\012\000\000\002'
	printf '\017\240\043\050\000\110\000\000'
	printf "$1"
	head -c 63 /dev/zero
}
{
	printf '\324\303\262\241\002\000\004\000\000\000\000\000\000\000\000\000\377\377\000\000\001\000\000\000'
	frame '\001'
	frame '\000'
	frame '\000'
} >trace.pcap
# a handler that does not end has no cost, neither as text nor as a page
for way in "" "--json" "--html page.html"; do
	expect 1 "$SPINCTL" cost endless.spin --pcap trace.pcap $way
	one_line
	says err "packet 1, payload handler: no end: the watchdog stopped it"
	grep -Eq 'endless\.c:1[234] in endless_payload' "$WORK/err" || fail "no source line: $(cat "$WORK/err")"
	[ -s "$WORK/out" ] && fail "figures in spite of the fault: $way"
	[ -e page.html ] && fail "a page in spite of the fault"
done

# memory of clusters is local: only cores can use its address, and SPIN_FETCH must reject it
cat >near.c <<'END'
#include <spin/spin.h>

struct words { uint32_t n[16]; };
SPIN_PER_CLUSTER(struct words, words);

struct seen { uint32_t n; };
SPIN_STATE(struct seen);

static enum spin_payload_rc near_payload(struct spin_payload *p, struct seen *state)
{
	struct words buffer;
	const struct words *w = SPIN_FETCH(p, SPIN_LOCAL(p, words), &buffer);

	spin_add32(&state->n, w->n[3]);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(near, .payload = near_payload);
END
expect 0 "$SPINCC" --no-verify near.c -o near.spin
expect 1 "$SPINCTL" cost near.spin --datagrams 4
one_line
says err "packet 1, payload handler: a transfer of the cluster's DMA from or to where it may not"
sed 's/SPIN_FETCH(p, SPIN_LOCAL(p, words), &buffer)/\&buffer; spin_copy(p, \&buffer, SPIN_LOCAL(p, words), sizeof(buffer))/' near.c >copied.c
expect 0 "$SPINCC" --no-verify copied.c -o copied.spin
expect 0 "$SPINCTL" cost copied.spin --datagrams 4
[ $FAILED = 0 ] || exit 1
skip_unless_root
make_nics
expect 1 in_ns "$SPINCTL" run endless.spin --dev v0 --duration 0.1
one_line
says err "endless.c:12"
says err "the verifier cannot prove that this loop ends"
exit $FAILED
