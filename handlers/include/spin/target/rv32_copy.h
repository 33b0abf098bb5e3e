/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_RV32_COPY_H
#define SPIN_TARGET_RV32_COPY_H

/* Copies within HPU memory (<spin/copy.h>): the cluster DMA, by the addresses that the NIC knows. */
SPIN_INLINE void spin_copy_nb_(struct spin_packet *packet, void *to, const void *from, uint32_t bytes, struct spin_transfer *copy)
{
	(void)packet;
	spin_fence_();
	copy->id = spin_move_begin_(spin_nic_address_(to), spin_nic_address_(from), bytes);
}

SPIN_INLINE _Bool spin_copy_test_(struct spin_packet *packet, const struct spin_transfer *copy)
{
	(void)packet;
	return spin_move_is_done_(copy->id);
}

SPIN_INLINE void spin_copy_wait_(struct spin_packet *packet, const struct spin_transfer *copy)
{
	while (!spin_copy_test_(packet, copy))
		;
}

SPIN_INLINE void spin_copy_(struct spin_packet *packet, void *to, const void *from, uint32_t bytes)
{
	struct spin_transfer copy;

	spin_copy_nb_(packet, to, from, bytes, &copy);
	spin_copy_wait_(packet, &copy);
}

/* Wherever it is: one way lets the compiler know where what was fetched lies. */
SPIN_INLINE const void *spin_fetch_(struct spin_packet *packet, const void *from, void *buffer, uint32_t bytes)
{
	uint32_t id;

	(void)packet;
	spin_fence_();
	id = spin_move_begin_(spin_stack_address_(buffer), (uint32_t)(uintptr_t)from, bytes);
	while (!spin_move_is_done_(id))
		;
	return buffer;
}

#define SPIN_FETCHED_(at, from, near) \
	((const __typeof__(*(at)) *)((uintptr_t)(near) + ((uintptr_t)(at) - (uintptr_t)(from))))

#endif
