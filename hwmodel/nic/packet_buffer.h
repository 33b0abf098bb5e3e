/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_NIC_PACKET_BUFFER_H
#define HWMODEL_NIC_PACKET_BUFFER_H

/*
 * The allocator of L2 packet memory, in units of 64 bytes: next fit. The search starts after the last packet and skips packets that stay
 * longer. Allocation and free take O(log n) in the size of the memory, regardless of the number of packets. Called by ingress.c and
 * her_queue.c.
 */
#include <stdint.h>

struct buffer; /* consecutive units, free or taken */

/* The allocator's state. */
struct packet_buffer {
	struct buffer *rover;  /* where the next search starts */
	struct buffer *unused; /* descriptors for reuse */
	uint32_t units;        /* of the memory */
	/*
	 * A tree over the units. A leaf has the length of the free buffer that begins there, 0 if none; an inner node the maximum of
	 * both below.
	 */
	uint32_t *longest, leaves;
	struct buffer **begins; /* the free buffer that begins at a unit; valid if the leaf is not 0 */
	uint32_t taken_units, peak_units;
};

#define BUFFER_UNIT_BYTES 64u

/* Returns 0 or -ENOMEM. All of the memory is free at the start. */
int packet_buffer__open(struct packet_buffer *pool, uint32_t bytes);
void packet_buffer__close(struct packet_buffer *pool);

/* Returns NULL if there is no room, or (with *incomplete set) if the host is out of memory. */
struct buffer *packet_buffer__alloc(struct packet_buffer *pool, uint32_t bytes, int *incomplete);
void packet_buffer__free(struct packet_buffer *pool, struct buffer *buffer);
/* Returns its offset in packet memory. */
uint32_t buffer__offset(const struct buffer *buffer);
uint32_t buffer__bytes(const struct buffer *buffer);

#endif
