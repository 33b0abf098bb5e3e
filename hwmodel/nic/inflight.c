/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdlib.h>
#include <string.h>

#include "hwmodel/nic/inflight.h"

static struct flight *one_more(struct flights *flights)
{
	struct flight *flight;

	if (flights->count == flights->room) {
		unsigned room = flights->room ? 2 * flights->room : 64;
		struct flight **all = realloc(flights->all, room * sizeof(struct flight *));

		if (!all)
			return NULL;
		flights->all = all;
		flights->room = room;
	}
	flight = malloc(sizeof(*flight));
	if (!flight)
		return NULL;
	flight->index = flights->count;
	flight->reply.at = flight->deposit.at = NULL;
	flight->reply.room = flight->deposit.room = 0;
	flights->all[flights->count++] = flight;
	return flight;
}

struct flight *flights__take(struct flights *flights)
{
	struct flight *flight = flights->unused;
	struct moved reply, deposit;
	uint32_t index;

	if (flight)
		flights->unused = flight->next;
	else
		flight = one_more(flights);
	if (!flight)
		return NULL;
	index = flight->index;
	reply = flight->reply;
	deposit = flight->deposit;
	memset(flight, 0, sizeof(*flight));
	flight->index = index;
	flight->reply = (struct moved){ .at = reply.at, .room = reply.room };
	flight->deposit = (struct moved){ .at = deposit.at, .room = deposit.room };
	return flight;
}

void flights__give_back(struct flights *flights, struct flight *flight)
{
	free(flight->offered);
	flight->offered = NULL;
	flight->next = flights->unused;
	flights->unused = flight;
}

void flights__close(struct flights *flights)
{
	for (unsigned i = 0; i < flights->count; i++) {
		free(flights->all[i]->offered);
		free(flights->all[i]->reply.at);
		free(flights->all[i]->deposit.at);
		free(flights->all[i]);
	}
	free(flights->all);
	*flights = (struct flights){ 0 };
}

void flight_queue__add(struct flight_queue *queue, struct flight *flight)
{
	flight->next = NULL;
	if (queue->first)
		queue->last->next = flight;
	else
		queue->first = flight;
	queue->last = flight;
}

struct flight *flight_queue__take(struct flight_queue *queue)
{
	struct flight *flight = queue->first;

	if (flight)
		queue->first = flight->next;
	return flight;
}

int moved__keep(struct moved *moved, uint32_t offset, const uint8_t *from, uint32_t bytes)
{
	if (!moved->at || moved->room < offset + bytes) {
		uint8_t *at = realloc(moved->at, offset + bytes + 1u); /* of nothing there is a place, too */

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
