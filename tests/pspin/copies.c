/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests transfers of the cluster's DMA engine, by both levels of calls, for nine lengths from 1 to 64 bytes, most at unaligned addresses:
 * between handler memory, the own scratchpad, and the packet in L1 and L2. Bytes around a copy must not change, and a copy must include
 * what the handler stored just before it. A failed ASSERT traps. Run by tests/model/pspin_files_compute.c: the counter in handler memory
 * must end at 64, the number of packets.
 */
#include <handler.h>
#include <packets.h>
#include <string.h>

#define BLOCK 1024

struct place {
	uint8_t from[BLOCK], to[BLOCK];
};

static uint8_t byte(uint32_t i)
{
	return (uint8_t)(i * 7 + 3);
}

static int is_copied(const volatile uint8_t *to, uint32_t off, uint32_t bytes)
{
	for (uint32_t i = 0; i < 80; i++)
		if (to[i] != (i - off < bytes ? byte(i - off) : 0x5a))
			return 0;
	return 1;
}

static void lengths(struct place *from, struct place *to)
{
	static const uint16_t length[] = { 1, 2, 3, 4, 5, 31, 32, 63, 64 };

	for (unsigned l = 0; l < sizeof(length) / sizeof(length[0]); l++) {
		uint32_t source = l * 5 % 7, dest = l * 3 % 11, bytes = length[l], done = 0;
		spin_dma_t transfer;

		memset(to->to, 0x5a, 80);
		for (uint32_t i = 0; i < bytes; i++)
			from->from[source + i] = byte(i);
		ASSERT(spin_dma(from->from + source, to->to + dest, bytes, SPIN_DMA_EXT2LOC, 0, &transfer) == SPIN_OK);
		if (l & 1) {
			ASSERT(spin_dma_wait(transfer) == SPIN_OK);
		} else {
			while (!done)
				ASSERT(spin_dma_test(transfer, &done) == SPIN_OK);
			ASSERT(done == 1);
		}
		ASSERT(is_copied(to->to, dest, bytes));
	}
}

static void lower_level(struct place *from, struct place *to)
{
	uint32_t first, second;

	memset(to->to, 0x5a, 80);
	for (uint32_t i = 0; i < 40; i++)
		from->from[i] = byte(i);
	first = spin__memcpy_nonblk(from->from, to->to, 20);
	second = spin__memcpy_nonblk(from->from + 20, to->to + 20, 20);
	ASSERT(second > first);
	spin__wait_for_tf_completion(second);
	ASSERT(spin__tf_completed(first)); /* they complete in order */
	ASSERT(is_copied(to->to, 0, 40));
	spin__memcpy(from->from, to->to + 40, 40);
	ASSERT(!memcmp(to->to, to->to + 40, 40));
}

__handler__ void copies_ph(handler_args_t *args)
{
	task_t *task = args->task;
	struct place *l2 = (struct place *)task->handler_mem + args->hpu_gid;
	struct place *l1 = (struct place *)task->scratchpad[args->cluster_id] + args->hpu_id;
	uint32_t bytes = task->pkt_mem_size < BLOCK ? task->pkt_mem_size : BLOCK;
	spin_dma_t transfer = 77;

	lengths(l2, l1);
	lengths(l1, l2);
	lengths(l1, l1);
	lengths(l2, l2);
	lower_level(l2, l1);
	lower_level(l1, l2);

	ASSERT(spin_dma(l1->from, l1->to, 0, SPIN_DMA_LOC2EXT, 0, &transfer) == SPIN_FAIL && transfer == 77);
	ASSERT(spin_dma(task->pkt_mem, l2->to, bytes, SPIN_DMA_LOC2EXT, 0, &transfer) == SPIN_OK);
	spin_dma_wait(transfer);
	ASSERT(!memcmp(l2->to, task->pkt_mem, bytes));
	ASSERT(spin_dma(task->l2_pkt_mem, l1->to, bytes, SPIN_DMA_EXT2LOC, 0, &transfer) == SPIN_OK);
	spin_dma_wait(transfer);
	ASSERT(!memcmp(l1->to, task->pkt_mem, bytes));
	amo_add((volatile int32_t *)((struct place *)task->handler_mem + CORE_COUNT), 1);
}

void init_handlers(handler_fn *hh, handler_fn *ph, handler_fn *th, void **handler_mem)
{
	*hh = NULL;
	*ph = copies_ph;
	*th = NULL;
	*handler_mem = NULL;
}
