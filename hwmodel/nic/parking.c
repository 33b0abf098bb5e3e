/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Packets that overtook the first one of their message wait for it. */
#include "hwmodel/nic/messages.h"

enum spin_reason parking__add(struct pspin *nic, struct mpq *mpq, struct flight *flight)
{
	struct messages *messages = nic->messages;

	for (const struct flight *parked = mpq->parked.first; parked; parked = parked->next)
		if (parked->arrival.slmp.offset == flight->arrival.slmp.offset)
			return SPIN_REASON_DUPLICATE;
	if (messages->parked_count == messages->limits.parking)
		return SPIN_REASON_NO_PARKING;
	flight_queue__add(&mpq->parked, flight);
	messages->parked_count++;
	return SPIN_REASON_PARKED;
}

struct flight *parking__take(struct pspin *nic, struct mpq *mpq)
{
	struct flight *flight = flight_queue__take(&mpq->parked);

	if (flight)
		nic->messages->parked_count--;
	return flight;
}
