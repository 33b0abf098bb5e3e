/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_NIC_PACKET_BUFFER_H
#define HWMODEL_NIC_PACKET_BUFFER_H

/*
 * The allocator of L2 packet memory, in units of 64 bytes: next fit. The search starts behind the last packet and skips packets
 * that stay longer. Allocating and freeing take O(log n) in the size of the memory, however many packets stay.
 */
#include <stdint.h>

struct buffer; /* of consecutive beats, free or taken */

struct packet_buffer {
	struct buffer *rover;  /* where the search goes on */
	struct buffer *unused; /* ones to be used again */
	uint32_t units;        /* of the memory */
	/* A tree over the beats: beats of the free place that begins at a leaf, 0 if none does; above, the most of both below. */
	uint32_t *longest, leaves;
	struct buffer **begins; /* the free place that begins at a beat, where a leaf says that one does */
	uint32_t taken_units, peak_units;
};

#define BUFFER_UNIT_BYTES 64u

/* 0 or -ENOMEM. All of the memory is free. */
int packet_buffer__open(struct packet_buffer *pool, uint32_t bytes);
void packet_buffer__close(struct packet_buffer *pool);

/* NULL: no room, or (*incomplete is set) no memory on the host. */
struct buffer *packet_buffer__alloc(struct packet_buffer *pool, uint32_t bytes, int *incomplete);
void packet_buffer__free(struct packet_buffer *pool, struct buffer *buffer);
/* Where it is, from the memory's start. */
uint32_t buffer__offset(const struct buffer *buffer);
uint32_t buffer__bytes(const struct buffer *buffer);

#endif
