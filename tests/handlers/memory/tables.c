/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * tables - looks up a row by key (SPIN_FIND) and another by index (SPIN_AT), both from the packet, and counts the hits. A key that is not
 * found is counted, an index beyond the 16 rows is SEGV. For tests/vectors/tables.
 */
#include <spin/spin.h>

struct ask {
	spin_be32 index; /* of slots */
	spin_be32 key;   /* of names */
};

struct slot {
	SPIN_COUNTER(hits);
};

struct named {
	SPIN_KEY(uint32_t, key);
	SPIN_READ_ONLY(uint32_t, value);
	SPIN_COUNTER(hits);
};

struct last {
	uint32_t value, misses;
};

SPIN_TABLE(slots, struct slot, 16);
SPIN_TABLE(names, struct named, 16);
SPIN_STATE(struct last);

static enum spin_payload_rc tables_payload(struct spin_payload *p, struct last *state)
{
	const struct ask *ask = SPIN_GET(p, 0, struct ask);
	struct slot *slot;
	struct named *named;

	if (!ask)
		return SPIN_SEGV;
	named = SPIN_FIND(names, spin_ntoh32(ask->key));
	if (named) {
		state->value = named->value;
		spin_count(&named->hits, 2);
	} else {
		spin_add32(&state->misses, 1);
	}
	slot = SPIN_AT(slots, spin_ntoh32(ask->index));
	if (!slot)
		return SPIN_SEGV;
	spin_count(&slot->hits, 1);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(tables, .payload = tables_payload);
