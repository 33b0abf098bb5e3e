/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The heap of events of the discrete-event simulation (event.h): the earliest cycle first, and events of the same cycle in the order in
 * which they were added. Any component and the NIC may add an event; soc.c alone runs them.
 */
#include <stdlib.h>

#include "hwmodel/soc/event.h"

static int earlier(const struct event *a, const struct event *b)
{
	return a->cycle != b->cycle ? a->cycle < b->cycle : a->order < b->order;
}

static void swap(struct event *a, struct event *b)
{
	struct event tmp = *a;

	*a = *b;
	*b = tmp;
}

void events__free(struct events *events)
{
	free(events->heap);
	*events = (struct events){ 0 };
}

void events__add(struct events *events, uint64_t cycle, void (*happen)(void *, uint64_t, uint64_t), void *arg, uint64_t what)
{
	if (events->count == events->room) {
		size_t room = events->room ? 2 * events->room : 256;
		struct event *heap = realloc(events->heap, room * sizeof(*heap));

		if (!heap) {
			events->incomplete = 1;
			return;
		}
		events->heap = heap;
		events->room = room;
	}
	events->heap[events->count] = (struct event){ cycle, events->added++, happen, arg, what };
	for (size_t i = events->count++; i && earlier(&events->heap[i], &events->heap[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&events->heap[i], &events->heap[(i - 1) / 2]);
}

uint64_t events__next(const struct events *events)
{
	return events->count ? events->heap[0].cycle : UINT64_MAX;
}

void events__run_next(struct events *events)
{
	struct event first = events->heap[0];
	size_t i = 0;

	events->heap[0] = events->heap[--events->count];
	for (;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < events->count && earlier(&events->heap[child + 1], &events->heap[child]))
			child++;
		if (child >= events->count || !earlier(&events->heap[child], &events->heap[i]))
			break;
		swap(&events->heap[i], &events->heap[child]);
		i = child;
	}
	first.happen(first.arg, first.cycle, first.what);
}
