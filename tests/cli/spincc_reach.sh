#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# spincc finds how many bytes at the start of a payload handlers may look at, because a TCP stream's others are not copied: those of SPIN_GET
# with a constant offset, also in functions that a handler calls, and beside searches in tables. An offset that is not a constant, and a walk
# over the payload, may look at all. Run by tests/run.
. "$(dirname "$0")/setup.inc"
cd "$WORK" || exit 1

reaches() { # FILE BYTES; BYTES is "all", or a number
	expect 0 "$SPINCC" -v --no-verify "$1" -o reach.spin
	if [ "$2" = all ]; then
		! grep -q 'handlers look at' err || fail "$1: $(grep 'handlers look at' err)"
	else
		says err "the handlers look at the first $2 bytes of a payload"
	fi
}

cat >functions.c <<'END'
#include <spin/spin.h>
struct flow { SPIN_KEY(uint32_t, src); uint32_t packets; };
SPIN_TABLE(flows, struct flow, 256);
SPIN_NO_STATE;
#define WORD(p, i) SPIN_GET(p, 4 * (i), uint32_t)
static uint32_t second_word(struct spin_payload *p)
{
	const uint32_t *word = WORD(p, 1);

	return word ? *word : 0;
}
static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *state)
{
	const uint64_t *first = SPIN_GET(p, 0, uint64_t), *third = SPIN_GET(p, 16, uint64_t);
	struct flow *flow = SPIN_FIND(flows, second_word(p));

	if (flow && first && third && *first == *third)
		spin_add32(&flow->packets, 1);
	return SPIN_SUCCESS;
}
SPIN_HANDLERS(functions, .payload = f);
END
sed 's/WORD(p, 1)/WORD(p, spin_src_port(p) \& 3)/' functions.c >computed.c
sed 's/if (flow \&\& first/if (!flow)\n		return SPIN_DROP;\n	SPIN_FOR_EACH(p, uint8_t, byte)\n		spin_add32(\&flow->packets, *byte);\n	if (first/' \
	functions.c >walk.c

reaches functions.c 24
reaches computed.c all
reaches walk.c all
reaches "$ROOT/tests/handlers/streams/heads.c" 8
reaches "$ROOT/tests/handlers/streams/nth_byte.c" all
exit $FAILED
