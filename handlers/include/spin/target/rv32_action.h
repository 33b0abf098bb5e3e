/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_RV32_ACTION_H
#define SPIN_TARGET_RV32_ACTION_H

/*
 * Transfers between the memory of a PsPIN HPU (a core of the NIC) and host memory, and the counter of a matching entry (<spin/action.h>).
 * Included by <spin/target/rv32.h>. A transfer is one DMA command, or one per segment for several segments of the handlers' memory. A
 * context's host memory never crosses a multiple of 4 GiB.
 */

/* Host address of a space's first byte. */
SPIN_INLINE uint32_t spin_space_high_(const struct spin_packet *packet, enum spin_host_space space)
{
	return space == SPIN_HANDLER_MEM ? packet->handler_high : packet->host_high;
}

SPIN_INLINE uint32_t spin_space_low_(const struct spin_packet *packet, enum spin_host_space space)
{
	return space == SPIN_ME_MEM ? packet->host_low : space == SPIN_ENTRY_MEM ? packet->entry->memory.start : packet->handler_low;
}

SPIN_INLINE _Bool spin_in_space_(const struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint32_t bytes)
{
	uint32_t all = packet->handler_bytes;

	if (space == SPIN_ME_MEM || space == SPIN_ENTRY_MEM) {
		if (!packet->has_place)
			return 0;
		all = space == SPIN_ME_MEM ? packet->host_bytes : packet->entry->memory.length;
	} else if (space != SPIN_HANDLER_MEM) {
		return 0;
	}
	return at <= all && bytes <= all - at;
}

/* Returns 1 if the space consists of several segments. */
SPIN_INLINE _Bool spin_in_pieces_(const struct spin_packet *packet, enum spin_host_space space)
{
	return space == SPIN_HANDLER_MEM && __builtin_expect(packet->handler_segments > 1, 0);
}

/* Returns the segment that contains byte *at of the handlers' memory; *at becomes the offset in it. */
SPIN_INLINE const struct spin_segment *spin_segment_of_(const struct spin_entry_block *entry, uint32_t *at)
{
	const struct spin_segment *segment = entry->segment;

	while (*at >= segment->length) {
		*at -= segment->length;
		segment++;
	}
	return segment;
}

/* Returns the last command's id; those before it are done. `bytes` must not be 0, and the range must be inside the segments. */
static __attribute__((noinline, cold, unused)) uint32_t spin_pieces_transfer_(const struct spin_entry_block *entry, uint32_t commands,
									      uint32_t high, uint32_t at, uint32_t nic, uint32_t bytes,
									      _Bool to_host)
{
	const struct spin_segment *segment = spin_segment_of_(entry, &at);

	for (;;) {
		uint32_t low = segment->start + at, part = segment->length - at, id;

		if (part > bytes)
			part = bytes;
		id = spin_command_id_(&commands, to_host ? spin_command_to_host_(high, low, nic, part)
							 : spin_command_from_host_(high, low, nic, part));
		nic += part;
		bytes -= part;
		if (!bytes)
			return id;
		spin_command_await_(id);
		at = 0;
		do
			segment++;
		while (!segment->length);
	}
}

#define SPIN_MANY_COMMANDS_ 32u /* more commands than a task knows the ids of */

/* `bytes` must not be 0, and the range must be inside the space. */
SPIN_INLINE uint32_t spin_transfer_(struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint32_t nic, uint32_t bytes,
				    _Bool to_host)
{
	uint32_t high = spin_space_high_(packet, space), low = spin_space_low_(packet, space) + at;

	if (spin_in_pieces_(packet, space)) {
		uint32_t id = spin_pieces_transfer_(packet->entry, packet->commands, high, at, nic, bytes, to_host);

		packet->commands += SPIN_MANY_COMMANDS_;
		return id;
	}
	return spin_command_id_(&packet->commands,
				to_host ? spin_command_to_host_(high, low, nic, bytes) : spin_command_from_host_(high, low, nic, bytes));
}

/*
 * These calls block (sPIN B.6): their source may change afterwards. For packet bytes that happens only if the handler stores to them, so
 * the stores wait; without a store the driver's own wait at the end of the task suffices.
 */
SPIN_INLINE int spin_payload_to_host_(struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint32_t off, uint32_t bytes)
{
	if (off > packet->bytes || bytes > packet->bytes - off || !spin_in_space_(packet, space, at, bytes))
		return SPIN_SEGV;
	if (!bytes)
		return 0;
	packet->command = spin_transfer_(packet, space, at, (uint32_t)packet->payload + off, bytes, 1);
	packet->in_flight = 1;
	return 0;
}

SPIN_INLINE int spin_payload_from_host_(struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint32_t off, uint32_t bytes)
{
	if (off & 1 || off > packet->bytes || bytes > packet->bytes - off || !spin_in_space_(packet, space, at, bytes))
		return SPIN_SEGV;
	if (!bytes)
		return 0;
	spin_settle_(packet);
	spin_command_await_(spin_transfer_(packet, space, at, (uint32_t)packet->payload + off, bytes, 0));
	spin_fence_();
	return 0;
}

/* A handle is the command's id + 1; 0: no transfer in flight. */
SPIN_INLINE struct spin_dma spin_dma_of_(uint32_t id)
{
	if (id > SPIN_ANY_COMMAND_)
		__builtin_unreachable();
	return (struct spin_dma){ id + 1 };
}

/* rv32_atomic_nb.h */
SPIN_INLINE _Bool spin_is_atomic_(const struct spin_packet *packet, const struct spin_dma *dma);
SPIN_INLINE void spin_atomic_wait_(struct spin_packet *packet, const struct spin_dma *dma);
SPIN_INLINE int spin_atomic_test_(struct spin_packet *packet, const struct spin_dma *dma);

SPIN_INLINE void spin_dma_wait_(struct spin_packet *packet, const struct spin_dma *dma)
{
	if (spin_is_atomic_(packet, dma))
		spin_atomic_wait_(packet, dma);
	else if (dma->id)
		spin_command_await_(dma->id - 1);
	spin_fence_();
}

/* Waits for commands that cannot be tested. */
SPIN_INLINE int spin_dma_test_(struct spin_packet *packet, const struct spin_dma *dma)
{
	if (spin_is_atomic_(packet, dma))
		return spin_atomic_test_(packet, dma);
	if (dma->id == 1 && !spin_command_test_(0))
		return 0;
	if (dma->id != 1)
		spin_dma_wait_(packet, dma);
	else
		spin_fence_();
	return 1;
}

SPIN_INLINE int spin_dma_to_host_nb_(struct spin_packet *packet, enum spin_host_space space, uint32_t at, const void *from, uint32_t bytes,
				     struct spin_dma *dma)
{
	*dma = (struct spin_dma){ 0 };
	if (!spin_in_space_(packet, space, at, bytes))
		return SPIN_SEGV;
	if (!bytes)
		return 0;
	spin_fence_();
	*dma = spin_dma_of_(spin_transfer_(packet, space, at, spin_nic_address_(from), bytes, 1));
	return 0;
}

/* The handler's earlier blocking transfers to the host complete before the read. */
SPIN_INLINE int spin_dma_from_host_nb_(struct spin_packet *packet, enum spin_host_space space, uint32_t at, void *to, uint32_t bytes,
				       struct spin_dma *dma)
{
	*dma = (struct spin_dma){ 0 };
	if (!spin_in_space_(packet, space, at, bytes))
		return SPIN_SEGV;
	if (!bytes)
		return 0;
	spin_settle_(packet);
	spin_fence_();
	*dma = spin_dma_of_(spin_transfer_(packet, space, at, spin_nic_address_(to), bytes, 0));
	return 0;
}

SPIN_INLINE int spin_dma_to_host_(struct spin_packet *packet, enum spin_host_space space, uint32_t at, const void *from, uint32_t bytes)
{
	struct spin_dma dma;
	int rc = spin_dma_to_host_nb_(packet, space, at, from, bytes, &dma);

	spin_dma_wait_(packet, &dma);
	return rc;
}

SPIN_INLINE int spin_dma_from_host_(struct spin_packet *packet, enum spin_host_space space, uint32_t at, void *to, uint32_t bytes)
{
	struct spin_dma dma;
	int rc = spin_dma_from_host_nb_(packet, space, at, to, bytes, &dma);

	spin_dma_wait_(packet, &dma);
	return rc;
}

/* --- host-direct: PsPIN's carries 8 bytes, so one command for each 8 --- */

SPIN_INLINE uint32_t spin_word_at_(const void *from, uint32_t off)
{
	uint32_t word;

	__builtin_memcpy(&word, (const uint8_t *)from + off, sizeof(word));
	return word;
}

/* A segment may end anywhere: there the bytes are written one by one. */
static __attribute__((noinline, cold, unused)) void spin_pieces_write_(const struct spin_entry_block *entry, uint32_t high, uint32_t at,
								       const void *from, uint32_t bytes)
{
	const struct spin_segment *segment = spin_segment_of_(entry, &at);

	for (uint32_t done = 0, part; done < bytes; done += part, at += part) {
		uint32_t left;

		while (at >= segment->length) {
			at -= segment->length;
			segment++;
		}
		left = segment->length - at;
		part = left >= 4 ? 4 : 1;
		spin_command_write_(high, segment->start + at, part, part == 4 ? spin_word_at_(from, done) : ((const uint8_t *)from)[done],
				    0);
	}
}

/* Writes to host memory by commands of the host-direct interface, whose completion it does not wait for. */
SPIN_INLINE int spin_host_write_(struct spin_packet *packet, enum spin_host_space space, uint32_t at, const void *from, uint32_t bytes)
{
	uint32_t high = spin_space_high_(packet, space), low = spin_space_low_(packet, space) + at;

	if (!spin_in_space_(packet, space, at, bytes))
		return SPIN_SEGV;
	if (!bytes)
		return 0;
	spin_settle_(packet); /* the host-direct interface would overtake an earlier transfer */
	if (spin_in_pieces_(packet, space)) {
		spin_pieces_write_(packet->entry, high, at, from, bytes);
		packet->commands += SPIN_MANY_COMMANDS_;
		return 0;
	}
#pragma GCC unroll 4
	for (uint32_t i = 0; i < bytes; i += 8)
		spin_command_write_(high, low + i, bytes - i < 8 ? 4 : 8, spin_word_at_(from, i),
				    bytes - i < 8 ? 0 : spin_word_at_(from, i + 4));
	packet->commands += (bytes + 7) / 8;
	return 0;
}

/* --- the entry's counter, in the NIC's block --- */

SPIN_INLINE void spin_ct_inc_(const struct spin_packet *packet, uint32_t success, uint32_t failure)
{
	if (!__builtin_constant_p(success) || success)
		__atomic_fetch_add(&packet->entry->ct.success, success, __ATOMIC_RELAXED);
	if (!__builtin_constant_p(failure) || failure)
		__atomic_fetch_add(&packet->entry->ct.failure, failure, __ATOMIC_RELAXED);
}

SPIN_INLINE struct spin_ct spin_ct_get_(const struct spin_packet *packet)
{
	return (struct spin_ct){ .success = *(volatile uint32_t *)&packet->entry->ct.success,
				 .failure = *(volatile uint32_t *)&packet->entry->ct.failure };
}

SPIN_INLINE void spin_ct_set_(const struct spin_packet *packet, struct spin_ct ct)
{
	*(volatile uint32_t *)&packet->entry->ct.success = ct.success;
	*(volatile uint32_t *)&packet->entry->ct.failure = ct.failure;
}

#endif
