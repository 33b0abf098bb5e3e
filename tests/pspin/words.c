/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests every atomic operation, lock and futex of PsPIN's runtime, on words in the own L1, another cluster's, and L2. Each HPU (core of the
 * NIC) checks its own words. All HPUs add to counters in handler memory: under a lock and by amo_add for packets of 60 bytes, by
 * compare-and-swap for packets of 92 bytes, which come one at a time. Run by tests/model/pspin_files_compute.c: 128 of the first and 8 of
 * the others must be counted.
 */
#include <handler.h>
#include <packets.h>

#define COMPARES_FROM_BYTES 64
#define WORD(base, args)    ((volatile uint32_t *)((uint8_t *)(base) + 4096 + 64 * (args)->hpu_gid))

static int each_operation(volatile uint32_t *word)
{
	volatile int32_t *number = (volatile int32_t *)word;

	amo_store(word, 5);
	if (*word != 5 || amo_swap(word, 7) != 5 || amo_add(number, -3) != 7 || amo_and(word, 6) != 4)
		return 1;
	if (amo_or(word, 0x80000001) != 4 || amo_xor(word, 0xffffffff) != 0x80000005 || amo_max(number, -1) != 0x7ffffffa)
		return 2;
	if (amo_min(number, -1) != 0x7ffffffa || amo_maxu(word, 1) != 0xffffffff || amo_minu(word, 1) != 0xffffffff || *word != 1)
		return 3;
	if (amo_max(number, 9) != 1 || amo_minu(word, 10) != 9 || amo_maxu(word, 0xfffffff0) != 9 || amo_min(number, 3) != -16)
		return 4;
	futex_init(word);
	if (!futex_try_lock(word) || futex_try_lock(word))
		return 5;
	futex_unlock(word);
	if (futex_lock(word) != 1 || futex_try_lock(word))
		return 6;
	futex_unlock(word);
	if (futex_lock_s(word) != 1 || *word != 1)
		return 7;
	futex_unlock(word);
	if (spin_lock_init(word) != SPIN_OK || spin_lock_lock(word) != SPIN_OK || spin_lock_try_lock(word) != 0 ||
	    spin_lock_unlock(word) != SPIN_OK || spin_lock_try_lock(word) != 1 || spin_lock_unlock(word) != SPIN_OK)
		return 8;
	return *word;
}

static int readers_and_writers(spin_rw_lock_t *lock)
{
	spin_lock_init(&lock->glock);
	lock->num_readers = 0;
	if (spin_rw_lock_r_lock(lock) != SPIN_OK || spin_rw_lock_r_lock(lock) != SPIN_OK || lock->num_readers != 2 || lock->glock != 1)
		return 1;
	if (spin_rw_lock_r_unlock(lock) != SPIN_OK || lock->glock != 1 || spin_rw_lock_r_unlock(lock) != SPIN_OK || lock->glock)
		return 2;
	if (spin_rw_lock_w_lock(lock) != SPIN_OK || lock->glock != 1 || lock->num_readers || spin_rw_lock_w_unlock(lock) != SPIN_OK)
		return 3;
	return lock->glock != 0;
}

/*
 * Returns 0 if LR, SC and compare-and-swap do what they must. An SC may fail without reason, so it is repeated: it checks the reservation
 * of its own ID in the port to L2, which need not be the ID that its LR had.
 */
static int reserved(volatile uint32_t *word)
{
	int failed;

	*word = 3;
	do
		if (load_reserved(word) != 3)
			return 1;
	while (store_conditional(word, 4));
	if (!store_conditional(word, 5) || *word != 4) /* there is no reservation */
		return 2;
	if (compare_and_swap(word, 3, 6) != -1 || *word != 4)
		return 3;
	do
		failed = compare_and_swap(word, 4, 6);
	while (failed > 0);
	return failed || *word != 6;
}

__handler__ void words_ph(handler_args_t *args)
{
	task_t *task = args->task;
	volatile uint32_t *shared = (volatile uint32_t *)task->handler_mem;
	uint32_t other = args->cluster_id ? 0 : NB_CLUSTERS - 1, was;

	if (task->pkt_mem_size >
	    COMPARES_FROM_BYTES) { /* alone: HPUs that use LR and SC at the same time may never succeed, as on the RTL */
		do
			was = shared[2];
		while (compare_and_swap(&shared[2], was, was + 1));
		ASSERT(!reserved(WORD(task->handler_mem, args)));
		return;
	}
	while (!task->scratchpad[other])
		other--;
	ASSERT(!each_operation(WORD(task->scratchpad[args->cluster_id], args)));
	ASSERT(!each_operation(WORD(task->scratchpad[other], args)));
	ASSERT(!each_operation(WORD(task->handler_mem, args)));
	ASSERT(!readers_and_writers((spin_rw_lock_t *)WORD(task->scratchpad[args->cluster_id], args)));
	ASSERT(!readers_and_writers((spin_rw_lock_t *)WORD(task->handler_mem, args)));

	spin_lock_lock((spin_lock_t *)&shared[0]);
	shared[1]++;
	spin_lock_unlock((spin_lock_t *)&shared[0]);
	amo_add((volatile int32_t *)&shared[3], 1);
}

void init_handlers(handler_fn *hh, handler_fn *ph, handler_fn *th, void **handler_mem)
{
	*hh = NULL;
	*ph = words_ph;
	*th = NULL;
	*handler_mem = NULL;
}
