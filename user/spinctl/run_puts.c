/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What became of packets that handlers sent: nothing of it for handlers that send none. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "user/spinctl/run_puts.h"

static const struct count {
	const char *name;
	size_t at;
	const char *meaning;
} counts[] = {
#define COUNT(field, meaning)                                           \
	{                                                               \
#field, offsetof(struct spin_put_stats, field), meaning \
	}
	COUNT(returned, "sent in the frame that came"),
	COUNT(copied, "sent beside it"),
	COUNT(sent, "sent by this program"),
	COUNT(puts, "messages put from host memory"),
	COUNT(lost_queue, "lost: no room in the queue to this program"),
	COUNT(lost_copy, "lost: no copy of the frame, or under way"),
	COUNT(lost_way, "lost: no way to the target"),
	COUNT(puts_failed, "messages that no target acknowledged"),
	COUNT(answers, "gets that were answered"),
	COUNT(answers_failed, "gets that were not answered"),
	COUNT(events_lost, "events of puts that found no room"),
#undef COUNT
};

static uint64_t value(const struct spin_put_stats *stats, const struct count *c)
{
	return *(const uint64_t *)((const char *)stats + c->at);
}

void run_puts__text(struct spin_ctx *ctx)
{
	struct spin_put_stats stats;

	if (spin_ctx__put_stats(ctx, &stats))
		return;
	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (value(&stats, &counts[i]))
			printf("%-16s %-7s %14" PRIu64 "  %s\n", counts[i].name, "", value(&stats, &counts[i]), counts[i].meaning);
}

void run_puts__json(struct json *j, struct spin_ctx *ctx, unsigned puts)
{
	struct spin_put_stats stats;

	if (!puts || spin_ctx__put_stats(ctx, &stats))
		return;
	json_object(j, "sent_by_handlers");
	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		json_uint(j, counts[i].name, value(&stats, &counts[i]));
	json_object_end(j);
}
