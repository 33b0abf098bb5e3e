/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_COPY_H
#define SPIN_TARGET_COPY_H

/*
 * Copies within the memory of handlers (<spin/copy.h>) on BPF and in the host build: complete when the call returns. Included by
 * <spin/target/frame.h>.
 */

/*
 * Copies up to this size use constant offsets. The isolated class requires them on the stack. Linux 6.1 needs them for copies that are not
 * too long, because it follows each iteration, including speculative paths.
 */
#ifdef SPIN_BOUNDED_LOOPS
#define SPIN_UNROLLED_BYTES_ 1024u
#else
#define SPIN_UNROLLED_BYTES_ 256u
#endif

/* `bytes` is a constant. A longer copy is one iteration for the verifier; with bounded loops it follows each. */
SPIN_INLINE void spin_copy_(const struct spin_packet *packet, void *to, const void *from, uint32_t bytes)
{
	const volatile uint32_t *word = from;
	uint64_t round = 0;

	(void)packet;
	if (bytes <= SPIN_UNROLLED_BYTES_) {
		SPIN_UNROLL_
		for (uint32_t i = 0; i < bytes / 4; i++)
			((uint32_t *)to)[i] = word[i];
		return;
	}
	for (uint32_t i = spin_verifier_forget32(0); i < bytes / 4 && spin_can_loop_(&round, bytes / 4); i = spin_verifier_forget32(i + 1))
		((uint32_t *)to)[i] = word[i];
}

SPIN_INLINE void spin_copy_nb_(const struct spin_packet *packet, void *to, const void *from, uint32_t bytes, struct spin_transfer *copy)
{
	copy->id = 0;
	spin_copy_(packet, to, from, bytes);
}

SPIN_INLINE _Bool spin_copy_test_(const struct spin_packet *packet, const struct spin_transfer *copy)
{
	(void)packet;
	(void)copy;
	return 1;
}

SPIN_INLINE void spin_copy_wait_(const struct spin_packet *packet, const struct spin_transfer *copy)
{
	(void)packet;
	(void)copy;
}

SPIN_INLINE const void *spin_fetch_(const struct spin_packet *packet, const void *from, void *buffer, uint32_t bytes)
{
	(void)packet;
	(void)buffer;
	(void)bytes;
	return from;
}

#define SPIN_FETCHED_(at, from, near) ((void)(from), (void)(near), (const __typeof__(*(at)) *)(at))

#endif
