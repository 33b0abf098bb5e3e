/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The scripted handlers of tests/handlers/messages/msg_script.h in plain C: packets say what their handlers return. Called by the
 * reference, the plain-C model of the message engine. It must do what msg_script.h does in the kernel and on the HPU.
 */
#include <string.h>

#include "tests/reference/script.h"

static void record_run(struct script_state *state, uint32_t kind, uint32_t length, uint32_t at, uint32_t sum, uint32_t sum_so_far)
{
	const struct script_run run = { kind, length, at, sum, sum_so_far };
	const uint32_t words[] = { kind, length, at, sum, sum_so_far };

	state->run[state->runs % SCRIPT_RUNS] = run;
	state->runs++;
	for (unsigned i = 0; i < 5; i++)
		state->hash = (state->hash ^ words[i]) * 16777619;
}

/* Returns 0 if the payload is too short for a request. */
static int parse_ask(const uint8_t *at, uint32_t bytes, struct script_ask *out)
{
	if (bytes < sizeof(*out))
		return 0;
	memcpy(out, at, sizeof(*out));
	return 1;
}

static void start_message(struct script_state *state, struct script_scratch *scratch, const struct script_ask *ask)
{
	state->zeroed++;
	scratch->began = 1;
	if (ask) {
		scratch->completion_rc = ask->completion_rc;
		scratch->what = ask->what;
	}
}

static uint32_t fold(uint64_t v)
{
	return (uint32_t)(v ^ v >> 32);
}

static uint32_t run_header(struct reference *r, struct reference_message *m, const struct reference_packet *p, uint32_t length,
			   uint32_t view_bytes)
{
	struct script_state *state = r->handlers.state;
	struct script_ask ask;
	int asked = parse_ask(p->payload, view_bytes, &ask);

	start_message(state, (struct script_scratch *)m->scratchpad, asked ? &ask : NULL);
	record_run(state, SCRIPT_HEADER, length, m->offset, fold(m->match_bits) + fold(m->hdr_data), 0);
	state->headers++;
	return asked ? ask.header_rc : SPIN_RC_PROCESS_DATA;
}

static uint32_t run_payload(struct reference *r, struct reference_message *m, const struct reference_packet *p, const uint8_t *at,
			    uint32_t bytes, uint32_t offset)
{
	struct script_scratch *scratch = (struct script_scratch *)m->scratchpad;
	struct script_state *state = r->handlers.state;
	uint32_t sum = 0, word, rc;
	struct script_ask ask;
	int asked = parse_ask(at, bytes, &ask);

	(void)p;
	for (uint32_t i = 0; i + 4 <= bytes && i < 4 * SCRIPT_WORDS; i += 4) {
		memcpy(&word, at + i, 4);
		sum += word;
	}
	if (!scratch->began)
		start_message(state, scratch, asked ? &ask : NULL);
	scratch->packets++;
	scratch->bytes += bytes;
	scratch->sum += sum;
	record_run(state, SCRIPT_PAYLOAD, bytes, offset, sum, scratch->sum);
	state->payloads++;
	state->bytes += bytes;
	state->sums += sum;
	rc = asked ? ask.payload_rc : SPIN_RC_SUCCESS;
	if (rc != SPIN_RC_SUCCESS || scratch->what & SCRIPT_NO_DMA)
		return rc;
	if (reference_dma(r, m, offset, at, bytes)) {
		state->failed_dmas++;
		return SPIN_RC_SEGV;
	}
	return SPIN_RC_SUCCESS;
}

static void count_completion(struct script_state *state, const struct reference_message *m)
{
	state->completions++;
	state->dropped_bytes += m->dropped_bytes;
	state->flow_control += m->flow_control != 0;
}

static uint32_t run_completion(struct reference *r, struct reference_message *m)
{
	struct script_scratch *scratch = (struct script_scratch *)m->scratchpad;
	struct script_state *state = r->handlers.state;
	uint32_t to = scratch->what & SCRIPT_DMA_FIRST ? 0 : m->length;

	record_run(state, SCRIPT_COMPLETION, m->length, m->dropped_bytes, m->flow_control != 0, scratch->sum);
	count_completion(state, m);
	if (scratch->what & (SCRIPT_DMA_FIRST | SCRIPT_DMA_BEHIND) && reference_dma(r, m, to, scratch, sizeof(*scratch))) {
		state->failed_dmas++;
		return SPIN_RC_SEGV;
	}
	return scratch->completion_rc;
}

/* Completion of msg_script_pay, which does not get the length. */
static uint32_t run_short_completion(struct reference *r, struct reference_message *m)
{
	struct script_state *state = r->handlers.state;

	record_run(state, SCRIPT_COMPLETION, 0, m->dropped_bytes, m->flow_control != 0, 0);
	count_completion(state, m);
	return SPIN_RC_SUCCESS;
}

int script_handlers(const char *handler, struct script_state *state, struct reference_handlers *out)
{
	int payload_only = !strcmp(handler, "msg_script_pay"), header_only = !strcmp(handler, "msg_script_head");
	int user_header = !strcmp(handler, "msg_script_user");

	if (!payload_only && !header_only && !user_header && strcmp(handler, "msg_script"))
		return -1;
	memset(out, 0, sizeof(*out));
	out->user_header_bytes = user_header ? SCRIPT_USER_HEADER : 0;
	out->header = payload_only ? NULL : run_header;
	out->payload = header_only ? NULL : run_payload;
	out->completion = payload_only ? run_short_completion : run_completion;
	out->state = state;
	out->state_bytes = sizeof(*state);
	return 0;
}
