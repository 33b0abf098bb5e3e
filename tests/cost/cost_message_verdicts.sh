#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spinctl cost (on the modelled NIC) of a handler of messages that returns errors: 16 messages of 4 packets, in eight kinds. It must report
# 16 header runs with 2 errors, 64 payload runs with 2 errors, 16 completion runs with 4 errors, and the 64 packets by reason and verdict as
# in the list below, the same in text and JSON. Run by tests/run.
. "$(dirname "$0")/../cli/setup.inc"
need_hpu_compiler
cd "$WORK" || exit 1

# There are eight kinds of messages. The kind determines what each of the three handlers returns.
cat >kinds.c <<'END'
#include <spin/spin.h>

struct kinds { uint32_t messages, unused; };
struct kind { uint32_t number, unused; };
SPIN_SCRATCHPAD(struct kind);
SPIN_STATE(struct kinds);

static enum spin_header_rc kinds_header(struct spin_header *h, struct kinds *state)
{
	uint32_t number = spin_fadd32(&state->messages, 1) & 7;

	SPIN_SCRATCH(h)->number = number;
	return number == 1 ? SPIN_HEADER_DROP : number == 2 ? SPIN_HEADER_PROCEED : number == 3 ? SPIN_HEADER_FAIL : SPIN_HEADER_PROCESS_DATA;
}

static enum spin_payload_rc kinds_payload(struct spin_payload *p, struct kinds *state)
{
	uint32_t number = SPIN_SCRATCH(p)->number;

	return number == 4 && p->offset >= 512 ? SPIN_DROP : number == 5 && !p->offset ? SPIN_FAIL : SPIN_SUCCESS;
}

static enum spin_completion_rc kinds_completion(struct spin_completion *c, struct kinds *state)
{
	return SPIN_SCRATCH(c)->number >= 6 ? SPIN_COMPLETION_FAIL : SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(kinds, .header = kinds_header, .payload = kinds_payload, .message_completion = kinds_completion,
	      .delivery = SPIN_DELIVER_ME);
END
expect 0 "$SPINCC" kinds.c -o kinds.spin
made="--messages 16 --packets 4 --payload 256 --sizes none"
expect 0 "$SPINCTL" cost kinds.spin $made
cp out text
expect 0 "$SPINCTL" cost kinds.spin $made --json
cp out json

of() { # HANDLER KEY: prints a value of the JSON
	sed -n "/\"handler\": \"$1\"/,/}/s/.*\"$2\": \([0-9.]*\).*/\1/p" json | head -n 1
}
column() { # HANDLER FIELD: prints a field of the text's table
	awk -v name="$1" -v field="$2" '$1 == name && NF >= 9 { print $field; exit }' text
}
is() { # WHAT HAVE WANT
	[ "$2" = "$3" ] || fail "$1: '$2', not '$3'"
}
same() { # WHAT TEXT JSON: compares with the precision of the text
	awk -v a="$2" -v b="$3" 'BEGIN { d = a - b; exit !(a != "" && b != "" && d < 0.051 && d > -0.051) }' ||
		fail "$1: '$2' in the text, '$3' in JSON"
}

# how often each handler ran and failed
for row in header:16:2 payload:64:2 completion:16:4; do
	name=${row%%:*} numbers=${row#*:}
	is "$name runs" "$(of "$name" runs)" "${numbers%:*}"
	is "$name errors" "$(of "$name" errors)" "${numbers#*:}"
	is "$name errors in the text" "$(sed -n "s/^$name commands: .*; errors: //p" text)" "${numbers#*:}"
	field=2
	for key in runs min_cycles median_cycles p99_cycles max_cycles mean_cycles mean_instructions instructions_per_cycle; do
		same "$name $key" "$(column "$name" $field)" "$(of "$name" $key)"
		field=$((field + 1))
	done
done
[ "$(grep -c '"handler": "\(header\|payload\|completion\)"' json)" = 3 ] || fail "not three handlers"

# packets by reason and verdict, in the same rows: a header handler decides for its message, a payload handler for its packet
awk '$1 == "reason" && $2 == "verdict" { on = 1; next } $1 == "all" && on { exit } on { print $1, $2, $3 }' text >text.reasons
sed -n '/"reasons": \[/,/\]/p' json | awk -F '"' '$2 == "reason" { r = $4 } $2 == "verdict" { v = $4 }
	$2 == "packets" { gsub(/[^0-9]/, "", $3); print r, v, $3 }' >json.reasons
cmp -s text.reasons json.reasons || fail "reasons differ: $(cat text.reasons), and in JSON: $(cat json.reasons)"
cat >want.reasons <<'END'
dropped ack 4
failed ack 10
header_dropped ack 8
proceeded ack 8
success ack 34
END
sort json.reasons | cmp -s - want.reasons || fail "not what the handlers said: $(cat json.reasons)"
is "packets, together" "$(awk '{ n += $3 } END { print n }' json.reasons)" 64
is "packets in the text" "$(awk '$1 == "all" && NF == 2 { print $2 }' text)" 64
is "frames" "$(sed -n 's/.*"frames": \([0-9]*\),$/\1/p' json)" 64
exit $FAILED
