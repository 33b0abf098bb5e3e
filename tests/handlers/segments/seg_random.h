/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_HANDLERS_SEG_RANDOM_H
#define TESTS_HANDLERS_SEG_RANDOM_H

/*
 * Handlers of TCP segments that do what the segments' headers say and record their arguments. Variants differ in the handlers that are
 * present. tests/segments/reference_engine.c has the same behaviour in plain C; tests/segments compares all results with it.
 *
 * What they do is in fields that TCP leaves alone, so that a segment can be sent again with other verdicts:
 *
 *	code point   the header handler's return code, XOR SPIN_RC_PROCESS_DATA, so that 0 (ordinary traffic) processes data
 *	TTL          bits 2:0: enum seg_ask of the payload handler; bit 3: it rewrites the payload first
 *	source port  bits 2:0: enum seg_ask of the completion handler
 */
#include <stdint.h>

enum seg_ask {
	SEG_SUCCESS,
	SEG_DROP, /* no code of completion handlers: BAD_RETURN */
	SEG_FAIL,
	SEG_SEGV,
	SEG_PROCESS_DATA, /* a code of header handlers only: BAD_RETURN */
	SEG_REPLY,        /* REPLIED, a code of handlers of datagrams only: BAD_RETURN. Completion handlers: 5, no code */
	SEG_PENDING,      /* SUCCESS with the flag PENDING: a code of completion handlers only */
	SEG_OVERRUN,      /* loops until its steps are used up */
};

#define SEG_REWRITES 8u
#define SEG_BUDGET   50

#define SEG_RUNS      8
#define SEG_REWRITE16 0x5aa5u     /* XORed into bytes 2 and 3 */
#define SEG_REWRITE32 0x13579bdfu /* into bytes 4 to 7 */

enum { SEG_HEADER = 1, SEG_PAYLOAD, SEG_COMPLETION };

/* One run of a handler. */
struct seg_run {
	uint32_t kind;
	uint32_t ports;  /* source port in the upper half */
	uint32_t length; /* argument of the handler; header: SPIN_LENGTH_UNKNOWN */
	uint32_t at;     /* header: 0; payload: offset; completion: dropped bytes */
	/* header and payload: flags of TCP; SEG_BYTES() of the payload. completion: TTL; flow control */
	uint32_t packet, seen;
	uint32_t before; /* payload handlers of this connection that ran before */
	uint32_t unused;
};

struct seg_state {
	uint32_t runs;
	uint32_t hash;      /* over all runs, in order */
	uint32_t strangers; /* segments whose connection has another connection's number: always 0 */
	uint32_t never;     /* stays 0 */
	struct seg_run run[SEG_RUNS];
	/* by spin_connection(); tests do not read it */
	struct seg_slot {
		uint32_t ports, payloads;
	} slot[1024];
};

/* The part of the state that tests compare. */
#define SEG_STATE_COMPARED offsetof(struct seg_state, slot)

#ifdef SPIN_SPIN_H
SPIN_STATE(struct seg_state);

_Static_assert(SPIN_CONNECTIONS_MAX == 1024, "a slot for each connection");

#define SEG_PORTS(v)       ((uint32_t)spin_ntoh16(spin_src_port(v)) << 16 | spin_ntoh16(spin_dst_port(v)))
#define SEG_SLOT(v, state) (&(state)->slot[spin_connection(v) & (SPIN_CONNECTIONS_MAX - 1)])

/* Without branches, like what follows: the verifier multiplies their paths by those of the runtime's loops. */
SPIN_INLINE void seg_note(struct seg_state *state, uint32_t kind, uint32_t ports, uint32_t length, uint32_t at, uint32_t packet,
			  uint32_t seen, uint32_t before)
{
	struct seg_run *run = &state->run[state->runs & (SEG_RUNS - 1)];
	uint32_t hash = state->hash;

	run->kind = kind;
	run->ports = ports;
	run->length = length;
	run->at = at;
	run->packet = packet;
	run->seen = seen;
	run->before = before;
	hash = (hash ^ kind) * 16777619;
	hash = (hash ^ ports) * 16777619;
	hash = (hash ^ length) * 16777619;
	hash = (hash ^ at) * 16777619;
	hash = (hash ^ packet) * 16777619;
	hash = (hash ^ seen) * 16777619;
	hash = (hash ^ before) * 16777619;
	state->hash = hash;
	state->runs++;
}

/* The payload's first, second and fifth byte, and how many of these there are. Each pointer is tested at once (spin-handler(7)). */
#define SEG_BYTES(v)                                                \
	({                                                          \
		const uint8_t *byte_ = SPIN_GET(v, 0, uint8_t);     \
		uint32_t seen_ = byte_ ? 1u << 24 | *byte_ : 0;     \
                                                                    \
		byte_ = SPIN_GET(v, 1, uint8_t);                    \
		if (byte_)                                          \
			seen_ += 1u << 24 | (uint32_t)*byte_ << 8;  \
		byte_ = SPIN_GET(v, 4, uint8_t);                    \
		if (byte_)                                          \
			seen_ += 1u << 24 | (uint32_t)*byte_ << 16; \
		seen_;                                              \
	})

/* Uses up the steps of a handler's run. */
#define SEG_OVERRUNS(v, state)                             \
	SPIN_WHILE((v), spin_load32(&(state)->never) == 0) \
	spin_yield(v)

SPIN_INLINE enum spin_header_rc seg_header(struct spin_header *h, struct seg_state *state)
{
	struct seg_slot *slot = SEG_SLOT(h, state);
	uint32_t rc = spin_dscp(h) ^ SPIN_RC_PROCESS_DATA;

	slot->ports = SEG_PORTS(h);
	slot->payloads = 0;
	seg_note(state, SEG_HEADER, slot->ports, h->length, 0, spin_tcp_flags(h), SEG_BYTES(h), 0);
	if (rc == SPIN_RC_OVERRUN)
		SEG_OVERRUNS(h, state);
	return (enum spin_header_rc)rc;
}

SPIN_INLINE void seg_rewrite(struct spin_payload *p)
{
	const uint16_t *half = SPIN_GET(p, 2, uint16_t);
	const uint32_t *word;

	if (half)
		spin_set16(p, half, *half ^ SEG_REWRITE16);
	word = SPIN_GET(p, 4, uint32_t);
	if (word)
		spin_set32(p, word, *word ^ SEG_REWRITE32);
}

/* Return codes by enum seg_ask, one in a byte: looked up without a branch. */
#define SEG_CODES            0x0708060403020100ull
#define SEG_COMPLETION_CODES 0x0708050403020100ull
#define SEG_CODE(codes, ask) ((uint32_t)((codes) >> 8 * (ask)) & 0xff)

/* `numbered`: there is a header handler, which sets the connection's slot. */
SPIN_INLINE enum spin_payload_rc seg_payload(struct spin_payload *p, struct seg_state *state, _Bool numbered)
{
	struct seg_slot *slot = SEG_SLOT(p, state);
	uint32_t ttl = spin_ttl(p), ask = ttl & 7, ports = SEG_PORTS(p), before = 0;

	if (numbered) {
		state->strangers += slot->ports != ports;
		before = slot->payloads++;
	}
	seg_note(state, SEG_PAYLOAD, ports, p->length, p->offset, spin_tcp_flags(p), SEG_BYTES(p), before);
	if (ttl & SEG_REWRITES)
		seg_rewrite(p);
	if (ask == SEG_OVERRUN)
		SEG_OVERRUNS(p, state);
	return (enum spin_payload_rc)SEG_CODE(SEG_CODES, ask);
}

SPIN_INLINE enum spin_completion_rc seg_completion(struct spin_completion *c, struct seg_state *state, _Bool numbered)
{
	const struct seg_slot *slot = SEG_SLOT(c, state);
	uint32_t ports = SEG_PORTS(c), ask = ports >> 16 & 7, before = 0;

	if (numbered) {
		state->strangers += slot->ports != ports;
		before = slot->payloads;
	}
	seg_note(state, SEG_COMPLETION, ports, c->length, c->dropped_bytes, spin_ttl(c), c->flow_control_triggered, before);
	if (ask == SEG_OVERRUN)
		SEG_OVERRUNS(c, state);
	return (enum spin_completion_rc)SEG_CODE(SEG_COMPLETION_CODES, ask);
}
#endif

#endif
