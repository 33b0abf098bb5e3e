#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spinctl cost --advise tries registrations (where a handler's state and packets are placed) on the modelled NIC. For a handler with neither
# in L1 it must advise state and whole packet in L1, which saves more than 1000 cycles per packet, the same in text and JSON. With that
# registration it must find nothing better, and take exactly the predicted cycles. Run by tests/run.
. "$(dirname "$0")/../cli/setup.inc"
cd "$WORK" || exit 1

# A handler that adds every word of the payload to a counter. Packet and state should be in L1, but it is registered for neither.
cat >words.c <<'END'
#include <spin/spin.h>

struct words {
	uint32_t sum[16];
};
SPIN_STATE(struct words);

static enum spin_payload_rc words_payload(struct spin_payload *p, struct words *w)
{
	SPIN_FOR_EACH(p, uint32_t, value)
		spin_add32(&w->sum[*value & 15], 1);
	return SPIN_DROP;
}

SPIN_HANDLERS(words, .payload = words_payload, .bytes_in_l1 = SPIN_HEADERS_ONLY);
END

expect 0 "$SPINCTL" cost words.c --datagrams 20 --payload 484 --advise
cp out text
says text 'register .state_placement = SPIN_STATE_IN_L1, .bytes_in_l1 = SPIN_WHOLE_PACKET: '
[ "$(grep -c ' registered' text)" = 1 ] || fail "what is registered is not told once"
[ "$(grep -c ' best$' text)" = 1 ] || fail "what is best is not told once"

expect 0 "$SPINCTL" cost words.c --datagrams 20 --payload 484 --advise --json
cp out json
value() { # OBJECT KEY: prints a value of an object of the document
	sed -n "/\"$1\": {/,/}/s/.*\"$2\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" json
}
top() { # KEY: prints a value of the document
	sed -n "s/^[[:space:]]*\"$1\": \([^,]*\),\{0,1\}\$/\1/p" json
}
[ "$(value best_registration state_placement)" = L1 ] || fail "JSON: the state is not advised to be in L1"
[ "$(value best_registration bytes_in_l1)" = 0 ] || fail "JSON: the whole packet is not advised to be in L1"
[ "$(value registered state_placement)" = L2 ] || fail "JSON: what is registered is not L2"
awk -v is="$(value registered mean_cycles)" -v best="$(value best mean_cycles)" -v saved="$(top saved_cycles_per_packet)" \
	'BEGIN { d = is - best - saved; exit !(saved > 1000 && d < 0.01 && d > -0.01) }' ||
	fail "JSON: saved cycles are not the difference: $(value registered mean_cycles) $(value best mean_cycles)"
awk -v cycles="$(value best mean_cycles)" '$NF == "best" { found = 1; d = $0 ~ cycles; for (i = 1; i <= NF; i++)
	if ($i - cycles < 0.06 && cycles - $i < 0.06) same = 1 } END { exit !(found && same) }' text ||
	fail "the best one's cycles are others in the text"

# with the advised registration, no other registration is better, and the cycles are those that were predicted
sed 's/\.bytes_in_l1 = SPIN_HEADERS_ONLY/.state_placement = SPIN_STATE_IN_L1/' words.c >good.c
foretold=$(value best_registration mean_cycles)
expect 0 "$SPINCTL" cost good.c --datagrams 20 --payload 484 --advise
says out 'registered as it should be: .state_placement = SPIN_STATE_IN_L1, .bytes_in_l1 = SPIN_WHOLE_PACKET'
expect 0 "$SPINCTL" cost good.c --datagrams 20 --payload 484 --sizes none --json
grep -q "\"mean_cycles\": $foretold,\{0,1\}\$" out || fail "advice foretold $foretold cycles: $(grep mean_cycles out | head -n 3)"

# an object whose source is where it was compiled: same advice. At the end of this test the source is gone.
mkdir away
expect 0 "$SPINCC" --no-verify words.c -o away/words.spin
expect 0 "$SPINCTL" cost away/words.spin --datagrams 20 --payload 484 --advise
sed 1d text >said
sed 1d out | cmp -s - said || fail "the same question has another answer"
# without packets --advise generates some and reports them; without --advise packets are still required
expect 0 "$SPINCTL" cost words.c --advise --payload 484
says out '200 datagrams made, with 484 bytes of payload'
says out 'register .state_placement = SPIN_STATE_IN_L1, .bytes_in_l1 = SPIN_WHOLE_PACKET: a mean of '
expect 2 "$SPINCTL" cost words.c
says err 'give the packets with --pcap'
expect 0 "$SPINCTL" cost "$ROOT/handlers/copy_to_host.c" --advise --payload 64 --json
grep -q '"messages_made": 8' out || fail "JSON does not say which packets"
# payloads that are sent to the host: if aligned, they occupy fewer lines of packet memory
sed '/payload_aligned/d' "$ROOT/handlers/strided_ddt.c" >strided.c
expect 0 "$SPINCTL" cost strided.c --messages 2 --packets 64 --payload 472 --advise --json
cp out json
[ "$(value registered payload_aligned) $(value best payload_aligned)" = "false true" ] || fail "JSON: aligned payloads are not advised"
awk -v is="$(value registered loaded_gbps)" -v best="$(value best loaded_gbps)" 'BEGIN { exit !(best > 1.05 * is) }' ||
	fail "aligned payloads gain little: $(value best loaded_gbps) of $(value registered loaded_gbps) Gbit/s"

rm words.c
expect 1 "$SPINCTL" cost away/words.spin --datagrams 20 --payload 484 --advise
says err 'no source of away/words.spin'

expect 2 "$SPINCTL" cost good.c --datagrams 20 --advise --html page.html
expect 2 "$SPINCTL" cost --image good.elf --payload entry --datagrams 20 --advise
printf '#include <spin/spin.h>\nSPIN_NO_STATE;\nint broken(;\n' >broken.c
expect 1 "$SPINCTL" cost broken.c --datagrams 20 --advise
says err 'broken.c:3'
exit $FAILED
