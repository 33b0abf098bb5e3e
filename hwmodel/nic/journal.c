/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hwmodel/nic/journal.h"

void journal__empty(struct journal *journal)
{
	journal->task_count = journal->event_count = journal->send_count = 0;
}

void journal__begin(struct journal *journal)
{
	journal__empty(journal);
	journal->incomplete = 0;
}

void journal__free(struct journal *journal)
{
	free(journal->tasks);
	free(journal->events);
	free(journal->sends);
}

/* Room for one more; NULL if there is none. */
static void *add(struct journal *journal, void *list, unsigned *count, unsigned *room, size_t bytes)
{
	if (*count == *room) {
		unsigned more = *room ? *room * 2 : 64;
		void *grown = realloc(list, more * bytes);

		if (!grown) {
			journal->incomplete = 1;
			return NULL;
		}
		list = grown;
		*room = more;
	}
	memset((uint8_t *)list + *count * bytes, 0, bytes);
	(*count)++;
	return list;
}

struct pspin_task *journal__task(struct journal *journal)
{
	struct pspin_task *list = add(journal, journal->tasks, &journal->task_count, &journal->task_room, sizeof(*list));

	if (!list)
		return &journal->lost_task;
	journal->tasks = list;
	return &list[journal->task_count - 1];
}

struct spin_event *journal__event(struct journal *journal)
{
	struct spin_event *list = add(journal, journal->events, &journal->event_count, &journal->event_room, sizeof(*list));

	if (!list)
		return &journal->lost_event;
	journal->events = list;
	return &list[journal->event_count - 1];
}

struct spin_request *journal__send(struct journal *journal)
{
	struct spin_request *list = add(journal, journal->sends, &journal->send_count, &journal->send_room, sizeof(*list));

	if (!list)
		return &journal->lost_send;
	journal->sends = list;
	return &list[journal->send_count - 1];
}

int journal__end(const struct journal *journal, struct pspin_result *out)
{
	out->tasks = journal->tasks;
	out->task_count = journal->task_count;
	out->events = journal->events;
	out->event_count = journal->event_count;
	out->sends = journal->sends;
	out->send_count = journal->send_count;
	return journal->incomplete ? -ENOMEM : 0;
}
