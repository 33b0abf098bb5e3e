/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_RV32_COPY_H
#define SPIN_TARGET_RV32_COPY_H

/*
 * Copies within the memory of handlers on PsPIN (<spin/copy.h>), by the DMA engine of the core's cluster on global addresses. Included by
 * <spin/target/rv32.h>.
 *
 * A transfer reads what the HPU stored before it: the compiler moves no store past the fence, and the HPU, which has no store buffer,
 * begins the access that launches the transfer after the store is done.
 */
SPIN_INLINE uint32_t spin_move_nb_(uint32_t to, uint32_t from, uint32_t bytes)
{
	spin_fence_();
	return spin_move_begin_(to, from, bytes);
}

SPIN_INLINE void spin_move_await_(uint32_t id)
{
	while (!spin_move_is_done_(id))
		;
}

SPIN_INLINE void spin_move_(uint32_t to, uint32_t from, uint32_t bytes)
{
	spin_move_await_(spin_move_nb_(to, from, bytes));
}

SPIN_INLINE void spin_copy_nb_(struct spin_packet *packet, void *to, const void *from, uint32_t bytes, struct spin_transfer *copy)
{
	(void)packet;
	copy->id = spin_move_nb_(spin_nic_address_(to), spin_nic_address_(from), bytes);
}

SPIN_INLINE _Bool spin_copy_test_(struct spin_packet *packet, const struct spin_transfer *copy)
{
	(void)packet;
	return spin_move_is_done_(copy->id);
}

SPIN_INLINE void spin_copy_wait_(struct spin_packet *packet, const struct spin_transfer *copy)
{
	(void)packet;
	spin_move_await_(copy->id);
}

SPIN_INLINE void spin_copy_(struct spin_packet *packet, void *to, const void *from, uint32_t bytes)
{
	struct spin_transfer copy;

	spin_copy_nb_(packet, to, from, bytes, &copy);
	spin_copy_wait_(packet, &copy);
}

/*
 * The source may be anywhere, by one path, so that the compiler knows where the result is. It must not be on the stack or in memory of
 * clusters: the DMA does not know such an address of the own L1, and the task ends with a fault.
 */
SPIN_INLINE const void *spin_fetch_(struct spin_packet *packet, const void *from, void *buffer, uint32_t bytes)
{
	(void)packet;
	spin_move_(spin_stack_address_(buffer), (uint32_t)(uintptr_t)from, bytes);
	return buffer;
}

#define SPIN_FETCHED_(at, from, near) ((const __typeof__(*(at)) *)((uintptr_t)(near) + ((uintptr_t)(at) - (uintptr_t)(from))))

#endif
