/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * c33_broadcast - sPIN's listing C.3.3: forwards a message along a binomial tree (rank 0 of 8 to ranks 4, 2 and 1, rank 4 to 6 and 5),
 * packet by packet, or as a whole from host memory if it has more than 4,096 bytes. For tests/vectors/listings.
 *
 * Ranks are addresses here: the application writes the address of each rank to the state.
 */
#include <spin/spin.h>

enum { PTL_MAX_SIZE = 4096, STREAMING = 1, RANKS = 16 };

struct bcast_info {
	uint32_t offset;
	uint32_t my_rank;
	uint32_t p; /* total number of hosts, up to RANKS */
	uint32_t stream;
	uint32_t length;
	struct spin_process rank[RANKS];
};
SPIN_STATE(struct bcast_info);
SPIN_PUTS(4); /* log2(RANKS) */

static enum spin_header_rc bcast_header_handler(struct spin_header *h, struct bcast_info *i)
{
	if (h->length > PTL_MAX_SIZE || !STREAMING) {
		i->stream = 0;
		i->length = h->length;
		return SPIN_HEADER_PROCEED_COMPLETE;
	}
	i->stream = 1;
	return SPIN_HEADER_PROCESS_DATA; /* execute payload handler to put from device */
}

static enum spin_payload_rc bcast_payload_handler(struct spin_payload *p, struct bcast_info *i)
{
	uint32_t half = i->p / 2;

	SPIN_WHILE(p, half >= 1) {
		if (i->my_rank % (half * 2) == 0) {
			const struct spin_process *to = SPIN_AT(i->rank, i->my_rank + half);

			if (!to || spin_put_payload(p, 0, p->length, &(struct spin_put){ .target = *to, .match_bits = 10 }))
				return SPIN_SEGV;
		}
		half /= 2;
	}
	return SPIN_SUCCESS;
}

static enum spin_completion_rc bcast_completion_handler(struct spin_completion *c, struct bcast_info *i)
{
	uint32_t half = i->p / 2;

	if (i->stream)
		return SPIN_COMPLETION_SUCCESS;
	SPIN_WHILE(c, half >= 1) {
		if (i->my_rank % (half * 2) == 0) {
			const struct spin_process *to = SPIN_AT(i->rank, i->my_rank + half);

			if (!to || spin_put_from_host(c, i->offset, i->length, &(struct spin_put){ .target = *to, .match_bits = 10 }))
				return SPIN_COMPLETION_SEGV;
		}
		half /= 2;
	}
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(c33_broadcast, .header = bcast_header_handler, .payload = bcast_payload_handler,
	      .message_completion = bcast_completion_handler, .delivery = SPIN_DELIVER_ME);
