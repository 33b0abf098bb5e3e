/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Answers of the daemon spind to programs that ask it for handlers (answer.h). Called by all threads that serve requests (client.c,
 * operate.c, by_rule.c, front.c, holder.c). Sending never blocks: if a client does not read its answers, they are lost.
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "user/libspin/error.h"
#include "user/libspin/guard.h"
#include "user/libspin/share.h"
#include "user/spind/answer.h"
#include "user/spind/handoff.h"
#include "user/spind/journal.h"

void answer__send(int connection, const struct broker_answer *answer, const int *fds, unsigned count)
{
	broker__send(connection, answer, sizeof(*answer), fds, count, MSG_DONTWAIT);
}

void answer__begin(struct broker_answer *out)
{
	memset(out, 0, sizeof(*out));
	out->magic = BROKER_MAGIC;
	out->version = BROKER_VERSION;
}

void answer__refuse(int connection, const struct handoff *from, int err, const char *reason)
{
	struct broker_answer out;

	answer__begin(&out);
	out.error = err;
	snprintf(out.text, sizeof(out.text), "%s", reason);
	answer__send(connection, &out, NULL, 0);
	journal__refused(from->uid, from->pid, from->request.op, out.text);
}

void answer__count(const struct held *held, struct held_counts *out)
{
	uint64_t packets[SPIN_REASON_COUNT];
	struct spin_guard_sum sum;

	*out = (struct held_counts){ 0 };
	spin_ctx__counters(held->ctx, packets);
	for (unsigned r = SPIN_REASON_SUCCESS; r <= SPIN_REASON_OVERRUN; r++)
		out->handled += packets[r];
	spin_guard__counts(held->ctx, &sum);
	out->left = sum.left;
	out->refused = sum.refused;
	out->over = sum.over;
	out->busy_ns = sum.busy_ns;
}

void answer__identify(const struct held *held, const struct held_counts *counts, struct broker_answer *out)
{
	answer__begin(out);
	out->handled = counts->handled;
	out->left = counts->left;
	out->refused = counts->refused;
	out->over = counts->over;
	out->busy_ns = counts->busy_ns;
	out->id = held->id;
	out->uid = held->uid;
	out->pid = held->pid;
	out->class = held->class;
	out->attached = (uint32_t)held->attached;
	out->map_bytes = held->map_bytes;
	out->swaps = held->swaps;
	out->netns = held->netns;
	snprintf(out->name, sizeof(out->name), "%s", spin_ctx__name(held->ctx));
	snprintf(out->handler, sizeof(out->handler), "%s", held->handler);
	snprintf(out->interfaces, sizeof(out->interfaces), "%s", held->interfaces);
	snprintf(out->text, sizeof(out->text), "%s", held->rule);
}

void answer__describe(const struct held *held, struct broker_answer *out)
{
	struct held_counts counts;

	answer__count(held, &counts);
	answer__identify(held, &counts, out);
}

void answer__memories(int connection, const struct held *held, int with_object)
{
	struct share_memories memories;
	struct broker_answer out;
	int fds[BROKER_MEMORIES];
	unsigned count = 0;

	answer__describe(held, &out);
	share__memories(held->ctx, &memories);
	out.hpus = memories.hpus;
	out.bounded = memories.bounded;
	out.direct_bytes = memories.direct_bytes;
	out.host_bytes = memories.host_bytes;
	const int all[BROKER_MEMORIES] = { memories.data, memories.bss, memories.events, memories.host,
					   with_object ? held->object_fd : -1 };

	for (unsigned i = 0; i < BROKER_MEMORIES; i++)
		if (all[i] >= 0) {
			out.memories |= 1u << i;
			fds[count++] = all[i];
		}
	answer__send(connection, &out, fds, count);
}

void answer__moved(int connection)
{
	struct broker_answer out;

	answer__begin(&out);
	out.flags = BROKER_MOVED;
	answer__send(connection, &out, NULL, 0);
}

void answer__result(int connection, const struct held *held, uint32_t op, int err)
{
	struct broker_answer out;

	if (err) {
		const struct handoff from = { .uid = held->uid, .pid = held->pid, .request.op = op };

		answer__refuse(connection, &from, err, spin_strerror_last());
		return;
	}
	answer__describe(held, &out);
	answer__send(connection, &out, NULL, 0);
}
