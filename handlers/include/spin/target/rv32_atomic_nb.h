/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_RV32_ATOMIC_NB_H
#define SPIN_TARGET_RV32_ATOMIC_NB_H

/*
 * Non-blocking atomic operations of a PsPIN HPU (a core of the NIC) on host memory (<spin/action.h>). Included by <spin/target/rv32.h>. The
 * call starts a read of the word. The result is written when the handler waits, finds it done by a test, starts another operation, or has
 * ended.
 *
 * No lock is held in between, because handlers may take locks of their own. The value read is still valid if nobody has written since: then
 * the host's lock has the value from before the read (rv32_atomic.h). Otherwise the word is read again with the lock held.
 *
 * The read goes to a word of the HPU: a handler's variable may no longer exist when the data arrives.
 */
#define SPIN_ATOMIC_WORDS_ 16u /* HPUs of a cluster, whose numbers are consecutive */
static uint64_t spin_atomic_words_[SPIN_ATOMIC_WORDS_] __attribute__((unused, section(".spin_buffers.atomic")));

/* Handles of transfers are smaller. */
#define SPIN_ATOMIC_HANDLE_ 0x100u

/*
 * Completes the operation and returns the old value. The function works on copies of *op and of the task's command count, so that struct
 * spin_packet can stay in registers.
 */
static __attribute__((noinline, cold, unused)) uint64_t spin_atomic_complete_(const struct spin_pending_ *op, uint32_t commands,
									      uint32_t hpu)
{
	const volatile uint64_t *word = &spin_atomic_words_[hpu & (SPIN_ATOMIC_WORDS_ - 1)];
	uint64_t was;
	uint32_t lock;
	_Bool writes;

	spin_command_await_(op->command);
	lock = spin_host_lock_take_();
	if (lock != op->lock)
		spin_command_await_(
			spin_command_id_(&commands,
					 spin_command_from_host_(op->high, op->low, spin_stack_address_((const void *)word), op->bytes)));
	spin_fence_();
	was = op->bytes == sizeof(uint32_t) ? *(const volatile uint32_t *)word : *word;
	writes = !op->is_cas || was == op->compare;
	if (writes) {
		const uint64_t value = op->is_cas ? op->operand : was + op->operand;

		spin_command_await_(
			spin_command_id_(&commands, spin_command_write_(op->high, op->low, op->bytes, (uint32_t)value,
									op->bytes == sizeof(uint32_t) ? 0 : (uint32_t)(value >> 32))));
	}
	spin_host_lock_give_(lock, writes);
	return was;
}

/* Completes the operation in flight. Returns the old value. */
SPIN_INLINE uint64_t spin_atomic_end_(struct spin_packet *packet)
{
	/* field by field: copying the whole struct would keep struct spin_packet in memory */
	const struct spin_pending_ op = { .is_cas = packet->atomic.is_cas,
					  .high = packet->atomic.high,
					  .low = packet->atomic.low,
					  .bytes = packet->atomic.bytes,
					  .command = packet->atomic.command,
					  .lock = packet->atomic.lock,
					  .operand = packet->atomic.operand,
					  .compare = packet->atomic.compare };
	uint64_t was = spin_atomic_complete_(&op, packet->commands, packet->hpu);

	packet->commands += SPIN_MANY_COMMANDS_;
	packet->atomic.is_active = 0;
	return was;
}

/* Stores the old value in the handler's variable. */
SPIN_INLINE void spin_atomic_tell_(const struct spin_packet *packet, uint64_t was)
{
	if (packet->atomic.bytes == sizeof(uint32_t))
		*(uint32_t *)packet->atomic.result = (uint32_t)was;
	else
		*(uint64_t *)packet->atomic.result = was;
}

/* Completes the operation in flight, if there is one, and stores its result. */
SPIN_INLINE void spin_atomic_finish_(struct spin_packet *packet)
{
	if (packet->atomic.is_active)
		spin_atomic_tell_(packet, spin_atomic_end_(packet));
}

/* Completes an operation that the handler has not waited for: a result on its stack is no longer valid. */
SPIN_INLINE void spin_atomic_abandon_(struct spin_packet *packet)
{
	uint64_t was;

	if (!packet->atomic.is_active)
		return;
	was = spin_atomic_end_(packet);
	if (!spin_is_own_l1_(packet->atomic.result))
		spin_atomic_tell_(packet, was);
}

/* Begins an atomic operation: finishes the one before and starts the load of the word. spin_atomic_finish_() does the rest. */
SPIN_INLINE int spin_atomic_begin_(struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint32_t bytes, void *result,
				   struct spin_dma *dma)
{
	struct spin_pending_ *op = &packet->atomic;
	uint32_t low;

	*dma = (struct spin_dma){ 0 };
	if (!spin_host_word_(packet, space, at, bytes, &low))
		return SPIN_SEGV;
	spin_atomic_finish_(packet);
	op->is_active = op->is_used = 1;
	op->bytes = bytes;
	op->result = result;
	op->high = spin_space_high_(packet, space);
	op->low = low;
	op->lock = spin_load32(&spin_host_lock_);
	op->command =
		spin_command_id_(&packet->commands,
				 spin_command_from_host_(op->high, low,
							 spin_stack_address_(&spin_atomic_words_[packet->hpu & (SPIN_ATOMIC_WORDS_ - 1)]),
							 bytes));
	*dma = (struct spin_dma){ SPIN_ATOMIC_HANDLE_ + ++op->number };
	return 0;
}

SPIN_INLINE int spin_dma_cas64_nb_(struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint64_t *compare, uint64_t swap,
				   struct spin_dma *dma)
{
	if (spin_atomic_begin_(packet, space, at, sizeof(swap), compare, dma))
		return SPIN_SEGV;
	packet->atomic.is_cas = 1;
	packet->atomic.compare = *compare;
	packet->atomic.operand = swap;
	return 0;
}

SPIN_INLINE int spin_atomic_add_(struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint32_t bytes, uint64_t n,
				 void *before, struct spin_dma *dma)
{
	if (spin_atomic_begin_(packet, space, at, bytes, before, dma))
		return SPIN_SEGV;
	packet->atomic.is_cas = 0;
	packet->atomic.compare = 0;
	packet->atomic.operand = n;
	return 0;
}

SPIN_INLINE int spin_dma_fadd32_nb_(struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint32_t n, uint32_t *before,
				    struct spin_dma *dma)
{
	return spin_atomic_add_(packet, space, at, sizeof(n), n, before, dma);
}

SPIN_INLINE int spin_dma_fadd64_nb_(struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint64_t n, uint64_t *before,
				    struct spin_dma *dma)
{
	return spin_atomic_add_(packet, space, at, sizeof(n), n, before, dma);
}

/* Returns 1 for a handle of such an operation. Optimized away in images without one. */
SPIN_INLINE _Bool spin_is_atomic_(const struct spin_packet *packet, const struct spin_dma *dma)
{
	return __builtin_expect(packet->atomic.is_used, 0) && dma->id >= SPIN_ATOMIC_HANDLE_;
}

/* All operations except the last are already done. */
SPIN_INLINE void spin_atomic_wait_(struct spin_packet *packet, const struct spin_dma *dma)
{
	if (dma->id == SPIN_ATOMIC_HANDLE_ + packet->atomic.number)
		spin_atomic_finish_(packet);
}

/* An HPU's driver can test only command 0; for others this waits for the read. */
SPIN_INLINE int spin_atomic_test_(struct spin_packet *packet, const struct spin_dma *dma)
{
	if (packet->atomic.is_active && dma->id == SPIN_ATOMIC_HANDLE_ + packet->atomic.number && !packet->atomic.command &&
	    !spin_command_test_(0))
		return 0;
	spin_atomic_wait_(packet, dma);
	return 1;
}

#endif
