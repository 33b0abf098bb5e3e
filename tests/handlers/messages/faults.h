/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_HANDLERS_FAULTS_H
#define TESTS_HANDLERS_FAULTS_H

/*
 * Handlers that fail as selected by a packet's first bytes, one for each handler: faults.c for datagrams, msg_faults.c for messages. Except
 * for FAULT_WALK, handlers count in `guarded` under one lock, and loop or deadlock while they hold it. If it were not released after the
 * fault, the next handler would overrun its budget.
 */
#include <stdint.h>

enum fault {
	FAULT_NONE,
	FAULT_WHILE,    /* waits for a condition that is never true */
	FAULT_DEADLOCK, /* takes a lock that it holds */
	FAULT_WALK,     /* walks over more pieces than it has steps; payload handlers */
	FAULT_SEGV,     /* fails a checked access */
	FAULT_FAIL,
};

#define FAULTS_BUDGET 100

struct fault_ask {
	uint8_t header, payload, completion, unused;
};

#ifdef FAULTS_KEEP
struct faults {
	struct spin_lock lock;
	uint32_t never;                          /* stays 0 */
	uint32_t guarded;                        /* counted under the lock, by each handler that started */
	uint32_t headers, payloads, completions; /* that succeeded */
	uint32_t completion;                     /* datagrams: fault of the completion handler */
	uint32_t walked;                         /* sum of the words read by walks; tests do not check it */
};

/* Provokes the fault `how`, in any handler, and returns it. Does not leave SPIN_LOCKED by return, so that the verifier sees one path. */
#define FAULT_DO(v, how, state)                                                    \
	({                                                                         \
		uint32_t fault_ = (how);                                           \
		SPIN_LOCKED((v), &(state)->lock) {                                 \
			(state)->guarded++;                                        \
			if (fault_ == FAULT_WHILE)                                 \
				SPIN_WHILE((v), spin_load32(&(state)->never) == 0) \
					spin_yield(v);                             \
			if (fault_ == FAULT_DEADLOCK)                              \
				SPIN_LOCKED((v), &(state)->lock)                   \
					spin_store32(&(state)->never, 0);          \
		}                                                                  \
		fault_;                                                            \
	})

static enum spin_header_rc faults_header(struct spin_header *h, struct faults *state)
{
	const struct fault_ask *ask = SPIN_GET(h, 0, struct fault_ask);
	uint32_t how;

	if (!ask)
		return SPIN_HEADER_SEGV;
	how = ask->header;
	FAULTS_KEEP(h, state, ask->completion);
	how = FAULT_DO(h, how, state);
	if (how == FAULT_SEGV && !SPIN_GET(h, 60000, uint32_t))
		return SPIN_HEADER_SEGV;
	if (how == FAULT_FAIL)
		return SPIN_HEADER_FAIL;
	spin_add32(&state->headers, how == FAULT_NONE);
	return SPIN_HEADER_PROCESS_DATA;
}

static enum spin_payload_rc faults_payload(struct spin_payload *p, struct faults *state)
{
	const struct fault_ask *ask = SPIN_GET(p, 0, struct fault_ask);
	uint32_t how, sum = 0;

	if (!ask)
		return SPIN_SEGV;
	how = ask->payload;
	if (how == FAULT_WALK) {
		SPIN_FOR_EACH(p, uint32_t, word)
			sum += *word;
		spin_add32(&state->walked, sum);
		return SPIN_SUCCESS;
	}
	how = FAULT_DO(p, how, state);
	if (how == FAULT_SEGV && !SPIN_GET(p, 60000, uint32_t))
		return SPIN_SEGV;
	if (how == FAULT_FAIL)
		return SPIN_FAIL;
	spin_add32(&state->payloads, how == FAULT_NONE);
	return SPIN_SUCCESS;
}
#endif

#endif
