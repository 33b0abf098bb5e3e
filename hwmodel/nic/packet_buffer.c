/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The allocator of packet memory of the modelled NIC: next fit from a rover; free neighbours are merged. Called by the ingress link when a
 * packet arrives, and by her_queue.c when it is done. Invariant: two adjacent buffers are never both free, and the tree holds each free
 * buffer once.
 */
#include <errno.h>
#include <stdlib.h>

#include "hwmodel/nic/packet_buffer.h"

struct buffer {
	struct buffer *before, *after; /* by address, cyclic */
	uint32_t at, units;
	int taken;
};

/* Sets the units of the free buffer that begins at `at`; 0: none begins there. */
static void set_leaf(struct packet_buffer *pool, uint32_t at, uint32_t units)
{
	uint32_t *longest = pool->longest;
	uint32_t node = pool->leaves + at;

	longest[node] = units;
	while (node >>= 1) {
		uint32_t left = longest[2 * node], right = longest[2 * node + 1], most = left > right ? left : right;

		if (longest[node] == most)
			break;
		longest[node] = most;
	}
}

static void insert_free(struct packet_buffer *pool, struct buffer *buffer)
{
	pool->begins[buffer->at] = buffer;
	set_leaf(pool, buffer->at, buffer->units);
}

static void remove_free(struct packet_buffer *pool, const struct buffer *buffer)
{
	set_leaf(pool, buffer->at, 0);
}

/* Returns the first free buffer of at least `units` units that begins at or after `from`; NULL if none. */
static struct buffer *first_fit(const struct packet_buffer *pool, uint32_t from, uint32_t units)
{
	const uint32_t *longest = pool->longest;
	uint32_t node = pool->leaves + from;

	/* go up until a node at or after `from` has room: the node itself, or its right neighbour */
	while (longest[node] < units) {
		while (node & 1)
			node >>= 1;
		if (!node)
			return NULL;
		node++;
	}
	while (node < pool->leaves)
		node = longest[2 * node] >= units ? 2 * node : 2 * node + 1;
	return pool->begins[node - pool->leaves];
}

int packet_buffer__open(struct packet_buffer *pool, uint32_t bytes)
{
	struct buffer *all = calloc(1, sizeof(*all));

	*pool = (struct packet_buffer){ .rover = all, .units = bytes / BUFFER_UNIT_BYTES, .leaves = 1 };
	while (pool->leaves < pool->units)
		pool->leaves *= 2;
	pool->longest = calloc(2 * (size_t)pool->leaves, sizeof(*pool->longest));
	pool->begins = calloc(pool->leaves, sizeof(struct buffer *));
	if (all) {
		all->before = all->after = all;
		all->units = pool->units;
	}
	if (!all || !pool->longest || !pool->begins) {
		packet_buffer__close(pool);
		return -ENOMEM;
	}
	insert_free(pool, all);
	return 0;
}

void packet_buffer__close(struct packet_buffer *pool)
{
	struct buffer *buffer = pool->rover, *next;

	if (buffer)
		buffer->before->after = NULL;
	for (; buffer; buffer = next) {
		next = buffer->after;
		free(buffer);
	}
	for (buffer = pool->unused; buffer; buffer = next) {
		next = buffer->after;
		free(buffer);
	}
	free(pool->longest);
	free(pool->begins);
	*pool = (struct packet_buffer){ 0 };
}

static struct buffer *alloc_descriptor(struct packet_buffer *pool)
{
	struct buffer *buffer = pool->unused;

	if (buffer)
		pool->unused = buffer->after;
	else
		buffer = malloc(sizeof(*buffer));
	return buffer;
}

/* Merges `buffer` with the one after it. Neither may be in the tree. */
static void merge_with_next(struct packet_buffer *pool, struct buffer *buffer)
{
	struct buffer *next = buffer->after;

	buffer->units += next->units;
	buffer->after = next->after;
	buffer->after->before = buffer;
	if (pool->rover == next)
		pool->rover = buffer;
	next->after = pool->unused;
	pool->unused = next;
}

/* Keeps the first units of a buffer; the rest becomes a free buffer. Returns 0 if the host is out of memory. */
static int split(struct packet_buffer *pool, struct buffer *buffer, uint32_t units)
{
	struct buffer *rest = alloc_descriptor(pool);

	if (!rest)
		return 0;
	*rest = (struct buffer){ .before = buffer, .after = buffer->after, .at = buffer->at + units, .units = buffer->units - units };
	buffer->after->before = rest;
	buffer->after = rest;
	buffer->units = units;
	insert_free(pool, rest);
	return 1;
}

struct buffer *packet_buffer__alloc(struct packet_buffer *pool, uint32_t bytes, int *incomplete)
{
	uint32_t units = (bytes + BUFFER_UNIT_BYTES - 1) / BUFFER_UNIT_BYTES;
	struct buffer *buffer;

	if (units > pool->units - pool->taken_units)
		return NULL;
	buffer = first_fit(pool, pool->rover->at, units);
	if (!buffer)
		buffer = first_fit(pool, 0, units);
	if (!buffer)
		return NULL;
	if (buffer->units > units && !split(pool, buffer, units)) {
		*incomplete = 1;
		return NULL;
	}
	remove_free(pool, buffer);
	buffer->taken = 1;
	pool->rover = buffer->after;
	pool->taken_units += units;
	if (pool->peak_units < pool->taken_units)
		pool->peak_units = pool->taken_units;
	return buffer;
}

void packet_buffer__free(struct packet_buffer *pool, struct buffer *buffer)
{
	struct buffer *before = buffer->before, *after = buffer->after;

	buffer->taken = 0;
	pool->taken_units -= buffer->units;
	if (!after->taken && after->at > buffer->at) {
		remove_free(pool, after);
		merge_with_next(pool, buffer);
	}
	if (!before->taken && before->at < buffer->at) {
		remove_free(pool, before);
		merge_with_next(pool, before);
		buffer = before;
	}
	insert_free(pool, buffer);
}

uint32_t buffer__offset(const struct buffer *buffer)
{
	return buffer->at * BUFFER_UNIT_BYTES;
}

uint32_t buffer__bytes(const struct buffer *buffer)
{
	return buffer->units * BUFFER_UNIT_BYTES;
}
