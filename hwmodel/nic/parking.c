/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Packets that overtook the first one of their message wait for it. */
#include <stdlib.h>
#include <string.h>

#include "messages.h"

enum spin_reason parking__add(struct pspin *nic, struct mpq *mpq, const struct arrival *a)
{
	struct messages *messages = nic->messages;
	struct parked *parked;

	for (parked = mpq->first; parked; parked = parked->next)
		if (parked->arrival.slmp.offset == a->slmp.offset)
			return SPIN_REASON_DUPLICATE;
	if (messages->parked_count == messages->limits.parking)
		return SPIN_REASON_NO_PARKING;
	parked = malloc(sizeof(*parked) + a->frame_bytes);
	if (!parked) {
		nic->journal.incomplete = 1;
		return SPIN_REASON_NO_PARKING;
	}
	parked->next = NULL;
	parked->arrival = *a;
	parked->arrival.frame = parked->frame;
	memcpy(parked->frame, a->frame, a->frame_bytes);
	if (mpq->first)
		mpq->last->next = parked;
	else
		mpq->first = parked;
	mpq->last = parked;
	messages->parked_count++;
	return SPIN_REASON_PARKED;
}

struct parked *parking__take(struct pspin *nic, struct mpq *mpq)
{
	struct parked *parked = mpq->first;

	if (parked) {
		mpq->first = parked->next;
		nic->messages->parked_count--;
	}
	return parked;
}
