/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_SPACE_H
#define BPF_SPACE_H

/*
 * Finds and checks the host memory that handlers access. Called by the headers of bpf/actions/. There are three spaces (<spin/action.h>;
 * sPIN B.2, B.6): the message's range of its matching entry (memory posted for messages), the whole entry, and the handlers' own memory of
 * the entry, in segments. All are in one array of the context. Slack after the array lets the verifier prove a transfer in bounds from its
 * start alone; no byte beyond the range is written.
 */
#include <spin/context.h>

#include "bpf/atomic.h"
#include "bpf/actions/me.h"
#include "bpf/messages/message_state.h"

static struct spin_me_memory spin_me_memory[SPIN_MES_MAX] SPIN_MPQ_ATTR_;

/* Returns the memory of the message's entry; for datagrams that of entry 0. */
SPIN_INLINE struct spin_me_memory *spin_me_memory_of(const struct spin_packet *packet)
{
	uint32_t me = 0;

	if (spin_handlers_.delivery == SPIN_DELIVER_ME)
		me = spin_read_once(&spin_mpq_at(packet->mpq)->me);
	return &spin_me_memory[me & (SPIN_MES_MAX - 1)];
}

/* Returns 1 if [at, at + bytes) is inside the space. */
SPIN_INLINE _Bool spin_space_has(const struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint32_t bytes)
{
	uint32_t size;

	if (space == SPIN_HANDLER_MEM)
		size = spin_read_once(&spin_me_memory_of(packet)->bytes);
	else if (space == SPIN_ENTRY_MEM && spin_handlers_.delivery == SPIN_DELIVER_ME)
		spin_me_memory_at(spin_me_at(spin_read_once(&spin_mpq_at(packet->mpq)->me)), &size);
	else if (space == SPIN_ME_MEM && spin_handlers_.delivery == SPIN_DELIVER_ME)
		size = spin_mpq_at(packet->mpq)->place_bytes;
	else
		return 0;
	return bytes <= size && at <= size - bytes;
}

/* Returns the offset of byte `at` of the handlers' own memory, and in *room how many bytes are contiguous from there. */
SPIN_INLINE uint32_t spin_segment_at_(const struct spin_me_memory *memory, uint32_t at, uint32_t *room)
{
	uint32_t segments = spin_read_once(&memory->segments), length;
	uint64_t round = 0;

	*room = 0;
	/* can_loop first: the verifier forgets there what was tested before */
	for (uint32_t i = spin_verifier_forget32(0); spin_can_loop_(&round, SPIN_SEGMENTS_MAX) && i < SPIN_SEGMENTS_MAX && i < segments;
	     i = spin_verifier_forget32(i + 1)) {
		length = spin_read_once(&memory->segment[i].length);
		if (at < length) {
			*room = length - at;
			return spin_read_once(&memory->segment[i].start) + at;
		}
		at -= length;
	}
	return spin_verifier_forget32(0); /* a value used as an index must be unknown on every path */
}

/* The same for any space; `at` must be inside it. Offsets are in the context's host memory. */
SPIN_INLINE uint32_t spin_space_at(const struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint32_t *room)
{
	const struct spin_mpq *q = spin_mpq_at(packet->mpq);
	uint32_t start, bytes;

	if (space == SPIN_HANDLER_MEM)
		return spin_segment_at_(spin_me_memory_of(packet), at, room);
	if (space == SPIN_ENTRY_MEM) {
		start = spin_me_memory_at(spin_me_at(spin_read_once(&q->me)), &bytes);
		*room = bytes - at;
		return start + at;
	}
	*room = q->place_bytes - at;
	return q->place + at;
}

/*
 * Returns a pointer to that offset; NULL is unreachable. If `bytes` is a compile-time constant, the verifier knows that the range is in
 * bounds. Test for NULL before anything else, so that the compiler merges both tests. Without CAP_PERFMON the verifier follows both sides
 * even of a known NULL, and before Linux 6.17 rejects the access through it.
 */
SPIN_INLINE uint8_t *spin_host_at(uint32_t start, uint32_t bytes)
{
	uint8_t *host = spin_host_memory();
	uint64_t at, most;

	if (!__builtin_constant_p(bytes))
		bytes = 0;
	if (!host || bytes > spin_config.host_bytes)
		return 0;
	most = spin_config.host_bytes - bytes;
	at = spin_barrier_var64_(start); /* last: verifiers before 6.3 lose the bound of a spilled value (6.1) */
	if (at > most)
		return 0;
	return host + at;
}

#endif
