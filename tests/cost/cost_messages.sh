#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spinctl cost makes messages of several packets for the handler that it runs on the modelled NIC: each packet must be handled once, header
# and completion handler must run once per message, sizes and numbers must be as requested. 40 messages on 8 message ids must wait for an
# id, and none be refused. Impossible requests must be refused. A capture of flows must be split where the rule's eom (end of message) says.
# Run by tests/run.
. "$(dirname "$0")/../cli/setup.inc"
need_hpu_compiler
cd "$WORK" || exit 1

cat >tally.c <<'END'
#include <spin/spin.h>

struct tally { uint32_t words, forbidden; };
struct so_far { uint32_t bytes, unused; };
SPIN_SCRATCHPAD(struct so_far);
SPIN_STATE(struct tally);

static enum spin_header_rc tally_header(struct spin_header *h, struct tally *state)
{
	SPIN_SCRATCH(h)->bytes = 0;
	return SPIN_HEADER_PROCESS_DATA;
}

static enum spin_payload_rc tally_payload(struct spin_payload *p, struct tally *state)
{
	uint32_t words = 0, bits = 0;

	SPIN_FOR_EACH(p, uint32_t, w) {
		words++;
		bits |= *w;
	}
	spin_add32(&state->words, words);
	spin_add32(&SPIN_SCRATCH(p)->bytes, p->length);
	return bits & state->forbidden ? SPIN_FAIL : SPIN_SUCCESS;
}

/* The message is whole: else it fails. */
static enum spin_completion_rc tally_completion(struct spin_completion *c, struct tally *state)
{
	return SPIN_SCRATCH(c)->bytes == c->length && !c->dropped_bytes ? SPIN_COMPLETION_SUCCESS : SPIN_COMPLETION_FAIL;
}

SPIN_HANDLERS(tally, .header = tally_header, .payload = tally_payload, .message_completion = tally_completion,
	      .delivery = SPIN_DELIVER_ME);
END
expect 0 "$SPINCC" tally.c -o tally.spin

number() { # KEY: prints its first value in the JSON
	sed -n "s/.*\"$1\": \([0-9.e+-]*\),\{0,1\}\$/\1/p" out | head -n 1
}
of() { # HANDLER KEY: prints a value of the handler
	sed -n "/\"handler\": \"$1\"/,/}/s/.*\"$2\": \([0-9.]*\).*/\1/p" out
}
is() { # WHAT HAVE WANT
	[ "$2" = "$3" ] || fail "$1: '$2', not '$3'"
}

expect 0 "$SPINCTL" cost tally.spin --messages 3 --packets 5 --payload 256 --json
is frames "$(number frames)" 15
is handled "$(number handled_packets)" 15
is "packet bytes" "$(number mean_packet_bytes)" $((20 + 8 + 10 + 256))
for row in header:3 payload:15 completion:3; do
	is "${row%:*} runs" "$(of "${row%:*}" runs)" "${row#*:}"
	is "${row%:*} errors" "$(of "${row%:*}" errors)" 0
done
short=$(of payload median_cycles)

# if all message ids of the target are in use, a new message must wait and not be refused
echo "mpqs = 8" >eight.target
expect 0 "$SPINCTL" cost tally.spin --messages 40 --packets 2 --payload 1456 --target ./eight.target --sizes none --json
is "messages in flight" "$(number messages_peak)" 8
is "handled of 8 ids" "$(number handled_packets)" 80

expect 0 "$SPINCTL" cost tally.spin --messages 1 --packets 2 --payload 1024 --match "ip6 udp dport 7000" --json
is "packet bytes of IPv6" "$(number mean_packet_bytes)" $((40 + 8 + 10 + 1024))
is "payload runs of IPv6" "$(of payload runs)" 2
[ "$(of payload median_cycles)" -gt "$short" ] || fail "1024 bytes take no longer than 256"

expect 0 "$SPINCTL" cost tally.spin --messages 2
says out "2 messages made, of 16 packets with 1456 bytes of payload: 32 frames, 32 handled"
grep -Eq "^(success|proceeded) +ack " "$WORK/out" || fail "packets of messages are not acknowledged: $(cat "$WORK/out")"

# payload numbers below 1024, and without a limit
expect 0 "$SPINCTL" cost tally.spin --messages 2 --values 1024 --set spin_state.forbidden=0xfffffc00 --json
is "failures with numbers below 1024" "$(of payload errors)" 0
expect 0 "$SPINCTL" cost tally.spin --messages 2 --set spin_state.forbidden=0xfffffc00 --json
is "failures with any number" "$(of payload errors)" 32

for wrong in "" "--messages 0" "--messages 1 --pcap x" "--messages 1 --payload 0" "--messages 1 --payload 9159" \
	"--messages 1 --packets 0" "--messages 1 --packets 5000000"; do
	expect 2 "$SPINCTL" cost tally.spin $wrong
	says err "spinctl cost --help"
done
expect 1 "$SPINCTL" cost "$OBJECT" --messages 1
says err "takes datagrams, not messages"

# packets that arrive before the first packet of their message are parked, and must be counted when they are handled
packet() { # FLAGS OFFSET, in octal: prints a packet with four bytes of payload
	printf '\0\0\0\0\0\0\0\0\070\0\0\0\070\0\0\0'
	printf '\002\000\000\000\000\002\002\000\000\000\000\001\010\000\105\000\000\052\000\000\000\000\100\021\146\301\012\000\000\001\012\000\000\002'
	printf '\017\240\044\162\000\026\000\000'
	printf "\\$1\0\0\0\0\001\0\0\0\\$2\1\2\3\4"
}
{
	printf '\324\303\262\241\002\000\004\000\000\000\000\000\000\000\000\000\377\377\000\000\001\000\000\000'
	packet 100 4
	packet 300 10
	packet 100 0
} >parked.pcap
expect 0 "$SPINCTL" cost tally.spin --pcap parked.pcap --json --trace trace.json
is "payload runs of parked packets" "$(of payload runs)" 3
is "parked packets handled" "$(number handled_packets)" 3
sum=$(sed -n '/"mean_cycles_per_packet_by_cause"/,/}/s/.*": \([0-9.]*\).*/\1/p' out | awk '{ s += $1 } END { printf "%.2f", s }')
is "causes of parked packets, together" "$sum" "$(printf %.2f "$(sed -n '/"packet": {/,/}/s/.*"mean_cycles": \([0-9.]*\).*/\1/p' out)")"
grep '"name": "in packet memory"' trace.json | tail -n 1 | grep -q '"bytes": 0}' || fail "packet memory is not empty in the end"
grep '"name": "HERs"' trace.json | tail -n 1 | grep -q '"HERs": 0}' || fail "HERs are left in the end"
# flows: 40 consecutive messages of 6 datagrams from one source port
datagram() { # BYTES: prints a datagram; BYTES are the first two of its 18 payload bytes, as octal escapes
	printf '\0\0\0\0\0\0\0\0\074\0\0\0\074\0\0\0'
	printf '\002\0\0\0\0\001\002\0\0\0\0\002\010\0'
	printf '\105\0\0\056\0\0\0\0\100\021\146\275\012\0\0\001\012\0\0\002\020\0\043\050\0\032\0\0'
	printf "$1"
	printf '\0\0abcdefghijklmn'
}
{
	printf '\324\303\262\241\002\000\004\000\000\000\000\000\000\000\000\000\377\377\000\000\001\000\000\000'
	for message in $(seq 40); do
		for packet in 1 2 3 4 5; do
			datagram '\001\002'
		done
		datagram '\377\377'
	done
} >flows.pcap
cat >whole.c <<'END'
#include <spin/spin.h>

struct whole { uint32_t messages; };
struct so_far { uint32_t bytes, offsets; };
SPIN_SCRATCHPAD(struct so_far);
SPIN_STATE(struct whole);

static enum spin_payload_rc whole_payload(struct spin_payload *p, struct whole *state)
{
	spin_add32(&SPIN_SCRATCH(p)->bytes, p->length);
	spin_add32(&SPIN_SCRATCH(p)->offsets, p->offset);
	return SPIN_SUCCESS;
}

/* Six packets of 18 bytes, each at its place: else it fails, and so does the command. */
static enum spin_completion_rc whole_completion(struct spin_completion *c, struct whole *state)
{
	spin_add32(&state->messages, 1);
	return SPIN_SCRATCH(c)->bytes == 108 && SPIN_SCRATCH(c)->offsets == 18 * 15 && c->length == 108 && !c->dropped_bytes ?
		SPIN_COMPLETION_SUCCESS : SPIN_COMPLETION_FAIL;
}

SPIN_HANDLERS(whole, .payload = whole_payload, .message_completion = whole_completion, .delivery = SPIN_DELIVER_ME);
END
expect 0 "$SPINCC" --no-verify whole.c -o whole.spin
for target in pspin-rtl spin-discrete; do
	expect 0 "$SPINCTL" cost whole.spin --pcap flows.pcap --match 'udp dport 9000 eom 10/0xffff=0xffff' --target $target --json
	is "packets of flows" "$(number handled_packets)" 240
	is "their bytes" "$(number mean_packet_bytes)" 46
	is "payload handlers of flows" "$(of payload runs)" 240
	is "completions of flows" "$(of completion runs)" 40
	is "no error" "$(sed -n 's/.*"errors": \([0-9]*\).*/\1/p' out | sort -u)" 0
done
# without eom the packets must have SLMP headers, which these do not
expect 0 "$SPINCTL" cost whole.spin --pcap flows.pcap --match 'udp dport 9000' --json
is "without eom" "$(number handled_packets)" 0
refused() { # TEXT WORDS...: spinctl cost WORDS must fail with a line that contains TEXT
	says=$1
	shift
	expect 1 "$SPINCTL" cost "$@"
	one_line
	says err "$says"
}
refused "packets of a rule with eom are not made" whole.spin --messages 2 --match 'udp dport 9000 eom 10/0xffff=0xffff'
refused "the handler takes datagrams" "$OBJECT" --pcap flows.pcap --match 'udp dport 9000 eom 10/0xffff=0xffff'

exit $FAILED
