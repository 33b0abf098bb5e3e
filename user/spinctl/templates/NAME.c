/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * NAME - counts datagrams and their bytes by the first byte of the payload
 *
 * The first byte of a datagram is its kind. Each datagram is counted under its
 * kind and passed to the host unchanged; the application reads the counts.
 */
#include <spin/spin.h>

/* The packet: a kind, then data that depends on the kind. */
struct NAME_message {
	uint8_t kind;
};

/* The state, shared by all HPUs; the application sees it as spin_state. */
struct NAME_count {
	uint32_t datagrams;
	uint32_t bytes;
};

struct NAME_counts {
	struct NAME_count kind[256];
};

SPIN_STATE(struct NAME_counts);

/* Runs for every datagram that has a payload, on many HPUs at once: counts are added atomically. */
static enum spin_payload_rc NAME_payload(struct spin_payload *p, struct NAME_counts *counts)
{
	const struct NAME_message *m = SPIN_GET(p, 0, struct NAME_message);
	struct NAME_count *count = m ? SPIN_AT(counts->kind, m->kind) : 0;

	if (!count)
		return SPIN_SEGV;
	spin_add32(&count->datagrams, 1);
	spin_add32(&count->bytes, p->length);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(NAME, .payload = NAME_payload);
