/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_HANDLERS_MSG_SCRIPT_H
#define TESTS_HANDLERS_MSG_SCRIPT_H

/*
 * Message handlers that do what the packets say and record their arguments. Variants differ in the handlers that are present, and in the
 * user header. tests/reference/script.c knows the expected behaviour; tests/messages compares all results with it.
 */
#include <stdint.h>

/* At the start of every payload that is long enough. The message's first payload sets the values for the whole message. */
struct script_ask {
	uint8_t payload_rc; /* for this packet's payload handler */
	uint8_t header_rc;  /* for the message: first payload only */
	uint8_t completion_rc;
	uint8_t what; /* SCRIPT_*, first payload only */
};

enum {
	SCRIPT_DMA_FIRST = 1,  /* the completion handler writes the scratchpad over the message's first bytes */
	SCRIPT_DMA_BEHIND = 2, /* same, but after its last bytes */
	SCRIPT_NO_DMA = 4,     /* payload handlers write nothing to host memory */
};

#define SCRIPT_USER_HEADER 8
#define SCRIPT_RUNS        32
#define SCRIPT_WORDS       4 /* words of each payload that are summed */

enum { SCRIPT_HEADER = 1, SCRIPT_PAYLOAD, SCRIPT_COMPLETION };

/* One run of a handler. */
struct script_run {
	uint32_t kind;
	uint32_t length;
	uint32_t at;         /* header: offset in the entry; payload: offset in the message; completion: dropped bytes */
	uint32_t sum;        /* header: match bits and hdr_data; payload: first words; completion: flow control */
	uint32_t sum_so_far; /* of the message's payloads */
};

struct script_state {
	uint32_t runs;
	uint32_t hash; /* over all runs, in order */
	/* independent of the order */
	uint32_t headers, payloads, completions, bytes, dropped_bytes, flow_control;
	uint32_t sums;
	uint32_t failed_dmas;
	uint32_t zeroed; /* messages whose scratchpad was initially zero */
	uint32_t unused;
	struct script_run run[SCRIPT_RUNS];
};

/* Scratchpad of a message. */
struct script_scratch {
	uint32_t began; /* set to 1 */
	uint32_t packets, bytes, sum;
	uint32_t completion_rc, what;
	uint32_t unused[2];
};

#ifdef SPIN_SPIN_H
SPIN_STATE(struct script_state);
SPIN_SCRATCHPAD(struct script_scratch);

SPIN_INLINE void script_note(struct script_state *state, uint32_t kind, uint32_t length, uint32_t at, uint32_t sum, uint32_t sum_so_far)
{
	struct script_run *run = SPIN_AT(state->run, state->runs % SCRIPT_RUNS);
	uint32_t hash = state->hash;

	if (!run)
		return;
	run->kind = kind;
	run->length = length;
	run->at = at;
	run->sum = sum;
	run->sum_so_far = sum_so_far;
	hash = (hash ^ kind) * 16777619;
	hash = (hash ^ length) * 16777619;
	hash = (hash ^ at) * 16777619;
	hash = (hash ^ sum) * 16777619;
	hash = (hash ^ sum_so_far) * 16777619;
	state->hash = hash;
	state->runs++;
}

SPIN_INLINE void script_begin(struct script_scratch *scratch, struct script_state *state, const struct script_ask *ask)
{
	if (!scratch->began && !scratch->packets && !scratch->bytes && !scratch->sum)
		spin_add32(&state->zeroed, 1);
	scratch->began = 1;
	if (ask) {
		scratch->completion_rc = ask->completion_rc;
		scratch->what = ask->what;
	}
}

SPIN_INLINE enum spin_header_rc script_header(struct spin_header *h, struct script_state *state)
{
	const struct script_ask *ask = SPIN_GET(h, 0, struct script_ask);
	struct script_scratch *scratch = SPIN_SCRATCH(h);

	script_begin(scratch, state, ask);
	script_note(state, SCRIPT_HEADER, h->length, h->offset,
		    (uint32_t)(h->match_bits ^ h->match_bits >> 32) + (uint32_t)(h->hdr_data ^ h->hdr_data >> 32), 0);
	spin_add32(&state->headers, 1);
	return ask ? (enum spin_header_rc)ask->header_rc : SPIN_HEADER_PROCESS_DATA;
}

/* Sums the first words only. The rest is checked in host memory. */
SPIN_INLINE uint32_t script_sum(struct spin_payload *p)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < SCRIPT_WORDS; i++) {
		const uint32_t *word = SPIN_GET(p, i * 4, uint32_t);

		if (!word)
			break;
		sum += *word;
	}
	return sum;
}

SPIN_INLINE enum spin_payload_rc script_payload(struct spin_payload *p, struct script_state *state)
{
	const struct script_ask *ask = SPIN_GET(p, 0, struct script_ask);
	struct script_scratch *scratch = SPIN_SCRATCH(p);
	uint32_t rc = ask ? ask->payload_rc : SPIN_SUCCESS, sum = script_sum(p);

	if (!scratch->began)
		script_begin(scratch, state, ask);
	spin_add32(&scratch->packets, 1);
	spin_add32(&scratch->bytes, p->length);
	spin_add32(&scratch->sum, sum);
	script_note(state, SCRIPT_PAYLOAD, p->length, p->offset, sum, scratch->sum);
	spin_add32(&state->payloads, 1);
	spin_add32(&state->bytes, p->length);
	spin_add32(&state->sums, sum);
	if (rc != SPIN_SUCCESS || scratch->what & SCRIPT_NO_DMA)
		return (enum spin_payload_rc)rc;
	if (spin_payload_to_host(p, SPIN_ME_MEM, p->offset, 0, p->length)) {
		spin_add32(&state->failed_dmas, 1);
		return SPIN_SEGV;
	}
	return SPIN_SUCCESS;
}

SPIN_INLINE enum spin_completion_rc script_completion(struct spin_completion *c, struct script_state *state)
{
	struct script_scratch *scratch = SPIN_SCRATCH(c);

	script_note(state, SCRIPT_COMPLETION, c->length, c->dropped_bytes, c->flow_control_triggered, scratch->sum);
	spin_add32(&state->completions, 1);
	spin_add32(&state->dropped_bytes, c->dropped_bytes);
	spin_add32(&state->flow_control, c->flow_control_triggered);
	if (scratch->what & (SCRIPT_DMA_FIRST | SCRIPT_DMA_BEHIND) &&
	    spin_dma_to_host(c, SPIN_ME_MEM, scratch->what & SCRIPT_DMA_FIRST ? 0 : c->length, scratch, sizeof(*scratch))) {
		spin_add32(&state->failed_dmas, 1);
		return SPIN_COMPLETION_SEGV;
	}
	return (enum spin_completion_rc)scratch->completion_rc;
}
#endif

#endif
