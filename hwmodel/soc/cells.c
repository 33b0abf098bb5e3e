/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>

#include "hwmodel/soc/cells.h"

struct cell {
	struct soc_her her;
	uint64_t arrived;
	int is_static;
	struct cell *next;
};

struct queue {
	struct cell *first, *last;
	struct cell *arriving; /* the first that has not arrived */
	uint32_t used_static;
};

struct cells {
	uint32_t statics, shared; /* of each message; free ones */
	int refused;
	struct queue *queue; /* by message */
	uint32_t messages;
	struct cell *unused;
};

struct cells *cells__new(const struct pspin_target *target, uint32_t messages)
{
	struct cells *cells = calloc(1, sizeof(*cells));

	if (!cells)
		return NULL;
	cells->statics = (uint32_t)target->cells_static;
	cells->shared = (uint32_t)target->cells_shared;
	cells->messages = messages;
	cells->queue = calloc(messages, sizeof(*cells->queue));
	if (cells->queue)
		return cells;
	free(cells);
	return NULL;
}

static void drop(struct cell *cell)
{
	while (cell) {
		struct cell *next = cell->next;

		free(cell);
		cell = next;
	}
}

void cells__free(struct cells *cells)
{
	if (!cells)
		return;
	for (uint32_t i = 0; i < cells->messages; i++)
		drop(cells->queue[i].first);
	drop(cells->unused);
	free(cells->queue);
	free(cells);
}

static int has_room(const struct cells *cells, const struct queue *queue)
{
	return cells->shared || queue->used_static < cells->statics;
}

int cells__has_room(struct cells *cells, uint32_t message)
{
	int has = has_room(cells, &cells->queue[message]);

	cells->refused |= !has;
	return has;
}

int cells__add(struct cells *cells, const struct soc_her *her)
{
	struct queue *queue = &cells->queue[her->message_id];
	struct cell *cell = cells->unused;

	if (!has_room(cells, queue))
		return -ENOSPC;
	if (cell)
		cells->unused = cell->next;
	else if (!(cell = malloc(sizeof(*cell))))
		return -ENOMEM;
	*cell = (struct cell){ .her = *her, .is_static = queue->used_static < cells->statics };
	if (cell->is_static)
		queue->used_static++;
	else
		cells->shared--;
	if (queue->first)
		queue->last->next = cell;
	else
		queue->first = cell;
	queue->last = cell;
	if (!queue->arriving)
		queue->arriving = cell;
	return 0;
}

const struct soc_her *cells__arrived(struct cells *cells, uint32_t message, uint64_t cycle)
{
	struct cell *cell = cells->queue[message].arriving;

	cell->arrived = cycle;
	cells->queue[message].arriving = cell->next;
	return &cell->her;
}

const struct soc_her *cells__first(const struct cells *cells, uint32_t message, uint64_t *cycle)
{
	const struct cell *cell = cells->queue[message].first;

	*cycle = cell->arrived;
	return &cell->her;
}

int cells__pop(struct cells *cells, uint32_t message)
{
	struct queue *queue = &cells->queue[message];
	struct cell *cell = queue->first;
	int refused = cells->refused;

	queue->first = cell->next;
	if (cell->is_static)
		queue->used_static--;
	else
		cells->shared++;
	cell->next = cells->unused;
	cells->unused = cell;
	cells->refused = 0;
	return refused;
}
