/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_HANDLERS_ACT_DMA_H
#define TESTS_HANDLERS_ACT_DMA_H

/*
 * Handlers that do one DMA transfer with host memory per packet, as selected by its payload (struct act_dma_ask, little-endian): act_dma
 * for messages, act_dma_d for datagrams. A transfer that does not fit in the host memory asked for must change nothing, and the handler
 * returns SEGV; otherwise it returns the packet's code. For tests/vectors/actions*.
 */
#include <stdint.h>

enum act_dma_op {
	ACT_DMA_NONE,
	ACT_TO_HOST, /* 0, 4, 8, 24 or 64 bytes from or to the state's words; other lengths do nothing */
	ACT_FROM_HOST,
	ACT_TO_HOST_NB, /* 4, 24 or 64 bytes, then wait */
	ACT_FROM_HOST_NB,
	ACT_FROM_HOST_POLLED,  /* 24 bytes, then poll until done */
	ACT_FIVE,              /* five of 8 bytes to the host at once, 16 bytes apart; then wait for all */
	ACT_STACK_TO_HOST,     /* 16 bytes of a local variable, from payload offset 16; messages only, not in the isolated class */
	ACT_STACK_FROM_HOST,   /* into a local variable, then copied to the state */
	ACT_PAYLOAD_TO_HOST,   /* bytes [off, off + bytes) */
	ACT_PAYLOAD_FROM_HOST, /* act_from_d only, which supports no other operation */
	ACT_SCRATCH_TO_HOST,   /* 16 bytes, messages only */
	ACT_SCRATCH_FROM_HOST,
	ACT_TWICE, /* 8 bytes to the host at `at`, then at `off`; the first stays if the second fails */
};

enum act_when { ACT_IN_PAYLOAD, ACT_IN_HEADER, ACT_IN_COMPLETION };

struct act_dma_ask {
	uint8_t when; /* handler; header and completion handlers support ACT_TO_HOST and ACT_FROM_HOST of 8 bytes */
	uint8_t op;
	uint8_t space; /* enum spin_host_space */
	uint8_t rc;    /* returned if the transfer succeeds */
	uint32_t at, off, bytes;
};

struct act_dma_state {
	uint32_t words[16];
};

#ifdef SPIN_SPIN_H
/* HANDLER_MEM or ME_MEM; the engine must refuse other values. */
#define ACT_SPACE(ask) ((enum spin_host_space)(ask)->space)

SPIN_INLINE int act_to_host(struct spin_payload *p, const struct act_dma_ask *ask, struct act_dma_state *state)
{
	enum spin_host_space space = ACT_SPACE(ask);
	uint32_t at = ask->at;

	switch (ask->bytes) {
	case 0:
		return spin_dma_to_host(p, space, at, state->words, 0);
	case 4:
		return spin_dma_to_host(p, space, at, state->words, 4);
	case 8:
		return spin_dma_to_host(p, space, at, state->words, 8);
	case 24:
		return spin_dma_to_host(p, space, at, state->words, 24);
	case 64:
		return spin_dma_to_host(p, space, at, state->words, 64);
	}
	return 0;
}

SPIN_INLINE int act_from_host(struct spin_payload *p, const struct act_dma_ask *ask, struct act_dma_state *state)
{
	enum spin_host_space space = ACT_SPACE(ask);
	uint32_t at = ask->at;

	switch (ask->bytes) {
	case 0:
		return spin_dma_from_host(p, space, at, state->words, 0);
	case 4:
		return spin_dma_from_host(p, space, at, state->words, 4);
	case 8:
		return spin_dma_from_host(p, space, at, state->words, 8);
	case 24:
		return spin_dma_from_host(p, space, at, state->words, 24);
	case 64:
		return spin_dma_from_host(p, space, at, state->words, 64);
	}
	return 0;
}

SPIN_INLINE int act_to_host_nb(struct spin_payload *p, const struct act_dma_ask *ask, struct act_dma_state *state)
{
	enum spin_host_space space = ACT_SPACE(ask);
	uint32_t at = ask->at;
	struct spin_dma dma;
	int rc = 0;

	if (ask->bytes == 4)
		rc = spin_dma_to_host_nb(p, space, at, state->words, 4, &dma);
	else if (ask->bytes == 24)
		rc = spin_dma_to_host_nb(p, space, at, state->words, 24, &dma);
	else
		rc = spin_dma_to_host_nb(p, space, at, state->words, 64, &dma);
	if (!rc)
		spin_dma_wait(p, &dma);
	return rc;
}

SPIN_INLINE int act_from_host_nb(struct spin_payload *p, const struct act_dma_ask *ask, struct act_dma_state *state)
{
	enum spin_host_space space = ACT_SPACE(ask);
	uint32_t at = ask->at;
	struct spin_dma dma;
	int rc = 0;

	if (ask->bytes == 4)
		rc = spin_dma_from_host_nb(p, space, at, state->words, 4, &dma);
	else if (ask->bytes == 24)
		rc = spin_dma_from_host_nb(p, space, at, state->words, 24, &dma);
	else
		rc = spin_dma_from_host_nb(p, space, at, state->words, 64, &dma);
	if (!rc)
		spin_dma_wait(p, &dma);
	return rc;
}

SPIN_INLINE int act_polled(struct spin_payload *p, const struct act_dma_ask *ask, struct act_dma_state *state)
{
	struct spin_dma dma;

	if (spin_dma_from_host_nb(p, ACT_SPACE(ask), ask->at, state->words, 24, &dma))
		return SPIN_SEGV;
	SPIN_WHILE(p, !spin_dma_test(p, &dma))
		spin_yield(p);
	return 0;
}

/* One more than a card has slots. A handle may also stand for an earlier transfer. */
SPIN_INLINE int act_five(struct spin_payload *p, const struct act_dma_ask *ask, struct act_dma_state *state)
{
	enum spin_host_space space = ACT_SPACE(ask);
	struct spin_dma a, b, c, d, e;
	uint32_t at = ask->at;

	if (spin_dma_to_host_nb(p, space, at, state->words, 8, &a) || spin_dma_to_host_nb(p, space, at + 16, state->words + 2, 8, &b) ||
	    spin_dma_to_host_nb(p, space, at + 32, state->words + 4, 8, &c) ||
	    spin_dma_to_host_nb(p, space, at + 48, state->words + 6, 8, &d) ||
	    spin_dma_to_host_nb(p, space, at + 64, state->words + 8, 8, &e))
		return SPIN_SEGV;
	spin_dma_wait(p, &a);
	spin_dma_wait(p, &b);
	spin_dma_wait(p, &c);
	spin_dma_wait(p, &d);
	spin_dma_wait(p, &e);
	return 0;
}

SPIN_INLINE int act_stack_to_host(struct spin_payload *p, const struct act_dma_ask *ask)
{
	uint32_t local[4] = { 0 };

	for (uint32_t i = 0; i < 4; i++) {
		const uint32_t *word = SPIN_GET(p, 16 + i * 4, uint32_t);

		if (!word)
			return SPIN_SEGV;
		local[i] = *word;
	}
	return spin_dma_to_host(p, ACT_SPACE(ask), ask->at, local, sizeof(local));
}

SPIN_INLINE int act_stack_from_host(struct spin_payload *p, const struct act_dma_ask *ask, struct act_dma_state *state)
{
	uint32_t local[4] = { 0 };

	if (spin_dma_from_host(p, ACT_SPACE(ask), ask->at, local, sizeof(local)))
		return SPIN_SEGV;
	for (uint32_t i = 0; i < 4; i++)
		state->words[i] = local[i];
	return 0;
}

SPIN_INLINE int act_dma(struct spin_payload *p, const struct act_dma_ask *ask, struct act_dma_state *state)
{
	switch (ask->op) {
	case ACT_TO_HOST:
		return act_to_host(p, ask, state);
	case ACT_FROM_HOST:
		return act_from_host(p, ask, state);
	case ACT_TO_HOST_NB:
		return act_to_host_nb(p, ask, state);
	case ACT_FROM_HOST_NB:
		return act_from_host_nb(p, ask, state);
	case ACT_FROM_HOST_POLLED:
		return act_polled(p, ask, state);
	case ACT_FIVE:
		return act_five(p, ask, state);
	case ACT_PAYLOAD_TO_HOST:
		return spin_payload_to_host(p, ACT_SPACE(ask), ask->at, ask->off, ask->bytes);
	case ACT_TWICE:
		return spin_dma_to_host(p, ACT_SPACE(ask), ask->at, state->words, 8) ||
				       spin_dma_to_host(p, ACT_SPACE(ask), ask->off, state->words, 8)
			       ? SPIN_SEGV
			       : 0;
	}
	return 0;
}
#endif

#endif
