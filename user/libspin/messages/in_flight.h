/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_MESSAGES_IN_FLIGHT_H
#define USER_LIBSPIN_MESSAGES_IN_FLIGHT_H

/*
 * Reads the messages in flight (their packets are still arriving) from a context's memory: for a context of this process (in_flight.c), or
 * of another process (spinctl mpq). An MPQ (message processing queue) is the state of one such message.
 */
#include "user/libspin/messages/messages.h"

/* The memory to read, mapped by the caller: of a context in this process or in another one. */
struct messages_view {
	const struct spin_mpq *mpq;
	const struct spin_flow *flow;
	const struct spin_park *park;
	const struct spin_message_stats *stats;
	const uint64_t *wide; /* words of wide windows; NULL: they are in the MPQs */
	uint32_t wide_words;
	uint32_t mpqs;    /* MPQs of the context */
	uint32_t ticks_s; /* ticks per second of the context's clock, see messages_view__ticks_s() */
	uint32_t now;     /* the context's clock, in ticks */
};

/* Returns ticks per second: 1,000 for a virtual clock, else from the resolution of the kernel's coarse clock. */
uint32_t messages_view__ticks_s(int virtual_clock);
int messages_view__each(const struct messages_view *v, int (*fn)(void *arg, const struct spin_message_info *message), void *arg);
void messages_view__stats(const struct messages_view *v, struct spin_message_stats *out);

#endif
