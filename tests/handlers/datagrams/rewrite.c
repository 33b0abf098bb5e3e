/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rewrite - stores to the packet, changes its port, drops it or replies, as its first bytes say (struct ask). A store beyond the payload is
 * SEGV. For tests/vectors/rewrite, ether, icmp and jumbo, tests/sockets.
 */
#include <spin/spin.h>

enum { SET16 = 1, SET32, INVERT_ALL, SET_PORT, SET_DROP, CLEAR_ALL };

struct ask {
	uint8_t what;
	uint8_t reply; /* 1: reply with `bytes` bytes of payload */
	spin_be16 bytes;
	spin_be16 at; /* offset of the store, even */
	spin_be16 port;
	spin_be32 value;
};

struct seen {
	uint32_t stores, src, dst, ports;
};

SPIN_STATE(struct seen);

static enum spin_payload_rc rewrite_payload(struct spin_payload *p, struct seen *state)
{
	const struct ask *ask = SPIN_GET(p, 0, struct ask);
	const uint16_t *half;
	const uint32_t *word;
	uint32_t at, bytes, value, what, reply;

	if (!ask)
		return SPIN_SEGV;
	what = ask->what;
	reply = ask->reply;
	bytes = spin_ntoh16(ask->bytes);
	at = spin_ntoh16(ask->at) & ~1u;
	value = ask->value;
	state->src = spin_src_addr4(p);
	state->dst = spin_dst_addr4(p);
	state->ports = spin_src_port(p) | (uint32_t)spin_dst_port(p) << 16;
	if (what == SET_PORT)
		spin_set_dst_port(p, ask->port);
	if (what == SET16) {
		half = SPIN_GET(p, at, uint16_t);
		if (!half)
			return SPIN_SEGV;
		spin_set16(p, half, (uint16_t)value);
		state->stores++;
	}
	if (what == SET32 || what == SET_DROP) {
		word = SPIN_GET(p, at, uint32_t);
		if (!word)
			return SPIN_SEGV;
		spin_set32(p, word, value);
		state->stores++;
	}
	if (what == INVERT_ALL)
		SPIN_FOR_EACH(p, uint32_t, w)
			spin_set32(p, w, ~*w);
	if (what == CLEAR_ALL)
		SPIN_FOR_EACH(p, uint32_t, w)
			spin_set32(p, w, 0);
	if (what == SET_DROP)
		return SPIN_DROP;
	return reply ? spin_reply(p, bytes) : SPIN_SUCCESS;
}

SPIN_HANDLERS(rewrite, .payload = rewrite_payload);
