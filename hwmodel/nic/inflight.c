/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Packets in flight in the modelled NIC: their allocation, queues of them, and the bytes that their handlers sent or wrote to the host.
 * Called by ingress.c, her_queue.c, mpq.c and command.c. A packet's memory is reused until the NIC is closed.
 */
#include <stdlib.h>
#include <string.h>

#include "hwmodel/nic/inflight.h"

static struct inflight *alloc_inflight(struct inflights *inflights)
{
	struct inflight *inflight;

	if (inflights->count == inflights->room) {
		unsigned room = inflights->room ? 2 * inflights->room : 64;
		struct inflight **all = realloc(inflights->all, room * sizeof(struct inflight *));

		if (!all)
			return NULL;
		inflights->all = all;
		inflights->room = room;
	}
	inflight = malloc(sizeof(*inflight));
	if (!inflight)
		return NULL;
	inflight->index = inflights->count;
	inflight->reply.at = inflight->deposit.at = NULL;
	inflight->reply.room = inflight->deposit.room = 0;
	inflights->all[inflights->count++] = inflight;
	return inflight;
}

struct inflight *inflights__alloc(struct inflights *inflights)
{
	struct inflight *inflight = inflights->unused;
	struct moved reply, deposit;
	uint32_t index;

	if (inflight)
		inflights->unused = inflight->next;
	else
		inflight = alloc_inflight(inflights);
	if (!inflight)
		return NULL;
	index = inflight->index;
	reply = inflight->reply;
	deposit = inflight->deposit;
	memset(inflight, 0, sizeof(*inflight));
	inflight->index = index;
	inflight->reply = (struct moved){ .at = reply.at, .room = reply.room };
	inflight->deposit = (struct moved){ .at = deposit.at, .room = deposit.room };
	return inflight;
}

uint32_t inflight__offset(const struct inflight *inflight)
{
	return buffer__offset(inflight->place) + inflight->lead_bytes;
}

void inflights__free(struct inflights *inflights, struct inflight *inflight)
{
	free(inflight->offered);
	inflight->offered = NULL;
	inflight->next = inflights->unused;
	inflights->unused = inflight;
}

void inflights__close(struct inflights *inflights)
{
	for (unsigned i = 0; i < inflights->count; i++) {
		free(inflights->all[i]->offered);
		free(inflights->all[i]->reply.at);
		free(inflights->all[i]->deposit.at);
		free(inflights->all[i]);
	}
	free(inflights->all);
	*inflights = (struct inflights){ 0 };
}

void inflight_queue__add(struct inflight_queue *queue, struct inflight *inflight)
{
	inflight->next = NULL;
	if (queue->first)
		queue->last->next = inflight;
	else
		queue->first = inflight;
	queue->last = inflight;
}

struct inflight *inflight_queue__take(struct inflight_queue *queue)
{
	struct inflight *inflight = queue->first;

	if (inflight)
		queue->first = inflight->next;
	return inflight;
}

int out_buffer__store(struct moved *moved, uint32_t offset, const uint8_t *from, uint32_t bytes)
{
	if (!moved->at || moved->room < offset + bytes) {
		uint8_t *at = realloc(moved->at, offset + bytes + 1u); /* not NULL even for 0 bytes */

		if (!at)
			return -1;
		memset(at + moved->room, 0, offset + bytes - moved->room);
		moved->at = at;
		moved->room = offset + bytes;
	}
	if (bytes)
		memcpy(moved->at + offset, from, bytes);
	return 0;
}
