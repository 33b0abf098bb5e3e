/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Names of what packets go through, and their time cut into it. */
#include <stdlib.h>

#include "user/spinctl/cost_run.h"

const char *cost_task_name(enum pspin_task_kind kind)
{
	static const char *const names[PSPIN_TASK_KINDS] = {
		[PSPIN_HEADER] = "header",
		[PSPIN_PAYLOAD] = "payload",
		[PSPIN_COMPLETION] = "completion",
		[PSPIN_PROCEED] = "proceed",
	};

	return names[kind];
}

const char *cost_stage_name(enum cost_stage stage)
{
	static const char *const names[COST_STAGES] = {
#define NAME(stage, word, text) word,
		COST_STAGES_(NAME)
#undef NAME
	};

	return names[stage];
}

const char *cost_stage_text(enum cost_stage stage)
{
	static const char *const texts[COST_STAGES] = {
#define TEXT(stage, word, text) text,
		COST_STAGES_(TEXT)
#undef TEXT
	};

	return texts[stage];
}

/* Time up to `until` belongs to the stage, as far as it has not been given to one before. */
static void spend(uint64_t stages[COST_STAGES], uint64_t *at, uint64_t until, enum cost_stage stage)
{
	if (until <= *at)
		return;
	stages[stage] += until - *at;
	*at = until;
}

static int by_start(const void *a, const void *b)
{
	const struct pspin_task_record *x = a, *y = b;

	return (x->started_ps > y->started_ps) - (x->started_ps < y->started_ps);
}

void cost_stages__cut(const struct pspin_packet_record *packet, struct pspin_task_record *tasks, unsigned count,
		      uint64_t stages[COST_STAGES])
{
	uint64_t at = packet->arrived_ps;

	spend(stages, &at, packet->stored_ps, COST_STAGE_ARRIVE);
	spend(stages, &at, packet->her_ps, COST_STAGE_HER);
	qsort(tasks, count, sizeof(tasks[0]), by_start);
	for (unsigned i = 0; i < count; i++) {
		const struct pspin_task_record *task = &tasks[i];

		spend(stages, &at, task->ready_ps, COST_STAGE_QUEUE);
		spend(stages, &at, task->dispatched_ps, COST_STAGE_DISPATCH);
		spend(stages, &at, task->copied_ps, COST_STAGE_COPY);
		spend(stages, &at, task->started_ps, COST_STAGE_WAIT);
		spend(stages, &at, task->first_ps, COST_STAGE_RUNTIME);
		spend(stages, &at, task->returned_ps, COST_STAGE_HANDLER);
		spend(stages, &at, task->doorbell_ps, COST_STAGE_RUNTIME);
		spend(stages, &at, task->feedback_ps, COST_STAGE_FEEDBACK);
	}
	spend(stages, &at, packet->feedback_ps, COST_STAGE_FEEDBACK);
	spend(stages, &at, packet->left_ps, COST_STAGE_OUT);
}

/* When the room is full, a slot becomes two slots' worth. */
void cost_occupancy__add(struct cost_occupancy *o, uint64_t from, uint64_t to)
{
	while (to >= o->slot_ps * COST_SLOTS) {
		for (unsigned i = 0; i < COST_SLOTS; i++)
			o->busy_ps[i] = i < COST_SLOTS / 2 ? o->busy_ps[2 * i] + o->busy_ps[2 * i + 1] : 0;
		o->slot_ps *= 2;
		o->slots = (o->slots + 1) / 2;
	}
	while (from < to) {
		uint64_t slot = from / o->slot_ps, end = (slot + 1) * o->slot_ps;

		o->busy_ps[slot] += (end < to ? end : to) - from;
		if (slot + 1 > o->slots)
			o->slots = (unsigned)slot + 1;
		from = end;
	}
}
