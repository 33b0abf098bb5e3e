/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_HANDLERS_ACT_ATOMIC_H
#define TESTS_HANDLERS_ACT_ATOMIC_H

/*
 * Handlers that do one atomic operation on memory, one host-direct write (up to 32 bytes, taken at the call) or one operation on the
 * entry's counter per packet, as its payload says (struct act_atomic_ask, little-endian): act_atomic for messages, act_atomic_d for
 * datagrams. Old values and counts read are stored in the state. For tests/vectors/actions_dma, actions_memory.
 */
#include <stdint.h>

enum act_atomic_op {
	ACT_ATOMIC_NONE,
	ACT_CAS64,  /* compares with a, stores b; `result` of the state: the comparand afterwards */
	ACT_FADD32, /* adds a; `result`: the old value */
	ACT_FADD64,
	ACT_CAS64_NB,
	ACT_FADD32_NB,
	ACT_FADD64_NB,
	ACT_HOST_WRITE, /* a = 0, 4, 8 or 32 bytes of the state's words, which are zeroed right after the call */
	ACT_CT_INC,     /* a: successes, b: failures */
	ACT_CT_GET,     /* into `ct` */
	ACT_CT_SET,     /* sets to a, b */
	ACT_HPU_FADD,   /* adds a to the state's `word`; `result`: the old value */
	ACT_CT_SWAP,    /* sets to a, b; then adds one success; then reads into `ct` */
};

struct act_atomic_ask {
	uint8_t op;
	uint8_t space; /* enum spin_host_space */
	uint8_t when;  /* 0: payload handler; 1: header handler, 2: completion handler; those support FADD64 and CT_INC */
	uint8_t unused;
	uint32_t at;
	uint64_t a, b;
};

struct act_atomic_state {
	uint64_t result;
	uint32_t success, failure; /* from ACT_CT_GET */
	uint32_t word, unused;
	uint32_t words[8];
};

#ifdef SPIN_SPIN_H
#define ACT_SPACE(ask) ((enum spin_host_space)(ask)->space)

SPIN_INLINE int act_host_write(struct spin_payload *p, const struct act_atomic_ask *ask, struct act_atomic_state *state)
{
	enum spin_host_space space = ACT_SPACE(ask);
	int rc = 0;

	switch ((uint32_t)ask->a) {
	case 0:
		rc = spin_host_write(p, space, ask->at, state->words, 0);
		break;
	case 4:
		rc = spin_host_write(p, space, ask->at, state->words, 4);
		break;
	case 8:
		rc = spin_host_write(p, space, ask->at, state->words, 8);
		break;
	case 32:
		rc = spin_host_write(p, space, ask->at, state->words, 32);
		break;
	}
	for (uint32_t i = 0; i < 8; i++)
		state->words[i] = 0;
	return rc;
}

SPIN_INLINE int act_cas64(struct spin_payload *p, const struct act_atomic_ask *ask, struct act_atomic_state *state)
{
	uint64_t compare = ask->a;
	struct spin_dma dma;
	int rc;

	if (ask->op == ACT_CAS64) {
		rc = spin_dma_cas64(p, ACT_SPACE(ask), ask->at, &compare, ask->b);
	} else {
		rc = spin_dma_cas64_nb(p, ACT_SPACE(ask), ask->at, &compare, ask->b, &dma);
		if (!rc)
			spin_dma_wait(p, &dma);
	}
	state->result = compare;
	return rc;
}

SPIN_INLINE int act_fadd(struct spin_payload *p, const struct act_atomic_ask *ask, struct act_atomic_state *state)
{
	enum spin_host_space space = ACT_SPACE(ask);
	uint64_t before = 0;
	uint32_t before32 = 0;
	struct spin_dma dma;
	int rc = 0;

	if (ask->op == ACT_FADD32)
		rc = spin_dma_fadd32(p, space, ask->at, (uint32_t)ask->a, &before32);
	else if (ask->op == ACT_FADD64)
		rc = spin_dma_fadd64(p, space, ask->at, ask->a, &before);
	else if (ask->op == ACT_FADD32_NB)
		rc = spin_dma_fadd32_nb(p, space, ask->at, (uint32_t)ask->a, &before32, &dma);
	else
		rc = spin_dma_fadd64_nb(p, space, ask->at, ask->a, &before, &dma);
	if (!rc && (ask->op == ACT_FADD32_NB || ask->op == ACT_FADD64_NB))
		spin_dma_wait(p, &dma);
	if (!rc)
		state->result = before + before32;
	return rc;
}

SPIN_INLINE void act_counter(struct spin_payload *p, const struct act_atomic_ask *ask, struct act_atomic_state *state)
{
	struct spin_ct ct = { (uint32_t)ask->a, (uint32_t)ask->b };

	if (ask->op == ACT_CT_INC) {
		spin_ct_inc(p, ct.success, ct.failure);
		return;
	}
	if (ask->op == ACT_CT_SET || ask->op == ACT_CT_SWAP)
		spin_ct_set(p, ct);
	if (ask->op == ACT_CT_SWAP)
		spin_ct_inc(p, 1, 0);
	if (ask->op == ACT_CT_SET)
		return;
	ct = spin_ct_get(p);
	state->success = ct.success;
	state->failure = ct.failure;
}

SPIN_INLINE int act_atomic(struct spin_payload *p, const struct act_atomic_ask *ask, struct act_atomic_state *state)
{
	switch (ask->op) {
	case ACT_CAS64:
	case ACT_CAS64_NB:
		return act_cas64(p, ask, state);
	case ACT_FADD32:
	case ACT_FADD64:
	case ACT_FADD32_NB:
	case ACT_FADD64_NB:
		return act_fadd(p, ask, state);
	case ACT_HOST_WRITE:
		return act_host_write(p, ask, state);
	case ACT_CT_INC:
	case ACT_CT_GET:
	case ACT_CT_SET:
	case ACT_CT_SWAP:
		act_counter(p, ask, state);
		return 0;
	case ACT_HPU_FADD:
		state->result = spin_fadd32(&state->word, (uint32_t)ask->a);
		return 0;
	}
	return 0;
}
#endif

#endif
