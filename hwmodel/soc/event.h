/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SOC_EVENT_H
#define SOC_EVENT_H

/* What will happen at a cycle. Of the same cycle, first added comes first. */
#include <stddef.h>
#include <stdint.h>

struct event {
	uint64_t cycle, order;
	void (*happen)(void *arg, uint64_t cycle, uint64_t what);
	void *arg;
	uint64_t what;
};

struct events {
	struct event *heap;
	size_t count, room;
	uint64_t added;
	int incomplete; /* memory ran out: one is missing */
};

void events__free(struct events *events);
void events__add(struct events *events, uint64_t cycle, void (*happen)(void *, uint64_t, uint64_t), void *arg, uint64_t what);
/* UINT64_MAX: none. */
uint64_t events__next(const struct events *events);
/* Takes the first one out and lets it happen. */
void events__happen(struct events *events);

#endif
