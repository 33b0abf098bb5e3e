/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef NIC_JOURNAL_H
#define NIC_JOURNAL_H

/* What happens during a packet or a sweep: tasks, events and what handlers send, in their order. */
#include <hwmodel/pspin.h>

struct journal {
	struct pspin_task *tasks;
	struct spin_event *events;
	struct spin_request *sends;
	unsigned task_count, task_room, event_count, event_room, send_count, send_room;
	int incomplete; /* memory ran out: what came then went here */
	struct pspin_task lost_task;
	struct spin_event lost_event;
	struct spin_request lost_send;
};

void journal__begin(struct journal *journal);
/* What is there is forgotten, but not that something is missing. */
void journal__empty(struct journal *journal);
void journal__free(struct journal *journal);
/* Adds one, all zero; when memory ran out, one that is not kept. */
struct pspin_task *journal__task(struct journal *journal);
struct spin_event *journal__event(struct journal *journal);
struct spin_request *journal__send(struct journal *journal);
/* To the result. 0, or -ENOMEM if something is missing. */
int journal__end(const struct journal *journal, struct pspin_result *out);

#endif
