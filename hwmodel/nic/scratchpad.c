/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Scratchpads lie in the home cluster's L1, in the part that images leave to them. More
 * messages can be in flight than fit there: those share a place, and each finds
 * its own content when it is its turn. A NIC would have a cluster for each.
 */
#include <string.h>

#include "messages.h"

struct hpu_scratch *scratchpad__of(struct pspin *nic, struct mpq *mpq, uint32_t *addr)
{
	struct messages *messages = nic->messages;
	unsigned place = (unsigned)(mpq - messages->mpqs) % messages->scratch_places;
	uint32_t bytes = messages->scratch_bytes, at = nic->soc.memory.l1_scratchpads + place * bytes;
	struct mpq **owner = &messages->scratch_owner[place];

	if (*owner != mpq) {
		if (*owner)
			memcpy((*owner)->scratch, nic->soc.memory.l1[0] + at, bytes);
		memcpy(nic->soc.memory.l1[0] + at, mpq->scratch, bytes);
		*owner = mpq;
	}
	if (addr)
		*addr = at;
	return (struct hpu_scratch *)(nic->soc.memory.l1[0] + at);
}

struct hpu_scratch *scratchpad__clear(struct pspin *nic, struct mpq *mpq)
{
	struct hpu_scratch *scratch = scratchpad__of(nic, mpq, NULL);

	memset(scratch, 0, nic->messages->scratch_bytes);
	return scratch;
}

void scratchpad__forget(struct pspin *nic, struct mpq *mpq)
{
	struct messages *messages = nic->messages;
	struct mpq **owner = &messages->scratch_owner[(unsigned)(mpq - messages->mpqs) % messages->scratch_places];

	if (*owner == mpq)
		*owner = NULL;
}
