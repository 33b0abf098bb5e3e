/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test handler, run on all HPUs (modelled cores) at once by tests/model/words_in_any_l1.c and words_on_a_nic.c: operations on shared words
 * that need the word's old value (fetch-and-add, CAS, locks), and HPUs that trap or hang in the middle of one. Each ticket must be taken
 * once, `torn` must stay 0, and no HPU may leave a lock behind.
 */
#include <spin/spin.h>

#include "words.h"

SPIN_STATE(struct words);

static inline __attribute__((always_inline)) void record_ticket(struct words *words, uint32_t ticket)
{
	if (ticket < WORDS_TICKETS)
		spin_add32(&words->taken[ticket], 1);
}

static inline __attribute__((always_inline)) void meet(struct words *words)
{
	struct spin_packet packet = { .steps = 1000000 };

	for (unsigned i = 0; i < WORDS_TURNS; i++) {
		uint32_t before;

		record_ticket(words, spin_fadd32_(&words->tickets, 1));
		do {
			before = spin_load32(&words->tickets);
		} while (!spin_cas32(&words->tickets, before, before + 1));
		record_ticket(words, before);

		if (spin_lock_(&packet, &words->lock)) {
			words->locked++;
			spin_unlock_(&words->lock);
		}
		if (spin_write_lock_(&packet, &words->rw)) {
			words->first++;
			words->second++;
			spin_write_unlock_(&words->rw);
		}
		if (spin_read_lock_(&packet, &words->rw)) {
			if (words->first != words->second)
				spin_add32(&words->torn, 1);
			spin_read_unlock_(&words->rw);
		}
		before = spin_host_lock_take_();
		words->host++;
		spin_host_lock_give_(before, i & 1);
	}
}

static enum spin_payload_rc words_payload(struct spin_payload *p, struct words *words)
{
	const uint32_t *how = SPIN_GET(p, 0, uint32_t);

	switch (how ? *how : WORDS_ALL_OPS) {
	case WORDS_ALL_OPS:
		meet(words);
		break;
	case WORDS_ADD_FOREVER:
		for (;;)
			spin_fadd32_(&words->tickets, 0);
	case WORDS_TICKET:
		record_ticket(words, spin_fadd32_(&words->tickets, 1));
		break;
	case WORDS_TICKETS_SPACED:
		for (unsigned i = 0; i < WORDS_TURNS; i++) {
			uint32_t ticket = spin_fadd32_(&words->tickets, 1);

			record_ticket(words, ticket);
			for (uint32_t pause = ticket * 40503 & 16383; pause; pause--)
				__asm__ volatile("");
		}
		break;
	case WORDS_LOCK:
		SPIN_LOCKED(p, &words->lock)
			words->locked++;
		break;
	case WORDS_READ_LOCK:
		SPIN_READ_LOCKED(p, &words->rw)
		words->locked++;
		break;
	case WORDS_WRITE_LOCK:
		SPIN_WRITE_LOCKED(p, &words->rw)
			words->locked++;
		break;
	}
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(words, .payload = words_payload, .budget = WORDS_BUDGET);

__attribute__((used, section(".text.hpu"))) void meet_in_l1(void)
{
	meet((struct words *)WORDS_L1);
}

__attribute__((used, section(".text.hpu"))) void meet_in_own_l1(void)
{
	meet((struct words *)WORDS_OWN_L1);
}

__attribute__((used, section(".text.hpu"))) void meet_in_other_l1(void)
{
	meet((struct words *)WORDS_OTHER_L1);
}

__attribute__((used, section(".text.hpu"))) void meet_in_l2(void)
{
	meet((struct words *)WORDS_L2);
}

/* The address is not mapped: the trap must not leave a guard behind. */
__attribute__((used, section(".text.hpu"))) void trap_with_a_word(void)
{
	spin_fadd32_((uint32_t *)WORDS_NOWHERE, 1);
}

__attribute__((used, section(".text.hpu"))) void trap_and_meet(void)
{
	meet((struct words *)WORDS_L1);
	trap_with_a_word();
}

/*
 * An HPU of cluster 0 has exclusive access to words of another L1, and waits for an HPU of that cluster that never leaves. The watchdog
 * ends the task.
 */
__attribute__((used, section(".text.hpu"))) void hang_alone(void)
{
	volatile struct spin_guard_ *guard = spin_guard_of_((void *)WORDS_OTHER_L1);

	spin_add32((uint32_t *)&guard->inside, 1);
	spin_fadd32_(&((struct words *)WORDS_OTHER_L1)->tickets, 1);
}

/* Traps while it has exclusive access to the stripe of a word that others need (the hash is exclusive.S's). */
__attribute__((used, section(".text.hpu"))) void trap_alone_and_meet(void)
{
	uint32_t *at = (uint32_t *)WORDS_NOWHERE;

	meet((struct words *)WORDS_L2);
	while ((uint32_t)at * 0x9e3779b1u >> 27 != WORDS_L2 * 0x9e3779b1u >> 27)
		at++;
	spin_fadd32_(at, 1);
}

/* Runs until the watchdog ends it, and counts how often each cluster got the word. */
__attribute__((used, section(".text.hpu"))) void add_forever(void)
{
	struct words *words = (struct words *)WORDS_L2;
	uint32_t hart;

	__asm__(".insn i 0x73, 2, %0, x0, 0x014" : "=r"(hart)); /* csrr of uhartid */
	for (;;) {
		spin_fadd32_(&words->tickets, 1);
		spin_add32(&words->taken[hart >> 5 & 3], 1);
	}
}
