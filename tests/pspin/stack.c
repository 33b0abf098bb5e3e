/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A stack in the first cluster's scratchpad, under a lock there. HPUs (cores of the NIC) of all clusters push and pop; each message's
 * completion handler writes pushed - popped - left to the host, which must be 0. Header handlers take the lock as readers and read nothing:
 * PsPIN's lock lets a second reader in while the first one still waits for a writer, so what they read could change. Run by
 * tests/model/pspin_files_compute.c with 8 messages of 30 packets.
 */
#include <handler.h>
#include <packets.h>
#include <pspin_rt.h>
#include <string.h>

#define BLOCKS 128

struct stack {
	spin_rw_lock_t lock;
	uint32_t height, pushed, taken;
	uint32_t block[BLOCKS];
};

_Static_assert(NB_CLUSTERS == 4 && NB_CORES == 8, "PsPIN's dimensions");

__handler__ void stack_hh(handler_args_t *args)
{
	volatile struct stack *stack = (volatile struct stack *)args->task->scratchpad[0];

	spin_rw_lock_r_lock((spin_rw_lock_t *)&stack->lock);
	spin_rw_lock_r_unlock((spin_rw_lock_t *)&stack->lock);
}

/* Pushes the payload's first word, or pops one if it is 0. */
__handler__ void stack_ph(handler_args_t *args)
{
	task_t *task = args->task;
	volatile struct stack *stack = (volatile struct stack *)task->scratchpad[0];
	uint32_t bytes, word;
	uint8_t *payload;

	GET_IP_UDP_PLD(task->pkt_mem, payload, bytes);
	if (bytes < sizeof(word))
		return;
	memcpy(&word, payload, sizeof(word));
	spin_rw_lock_w_lock((spin_rw_lock_t *)&stack->lock);
	if (word && stack->height < BLOCKS) {
		stack->block[stack->height++] = word;
		stack->pushed += word;
	} else if (!word && stack->height) {
		stack->taken += stack->block[--stack->height];
	}
	spin_rw_lock_w_unlock((spin_rw_lock_t *)&stack->lock);
	ASSERT(rt_cluster_id() == args->cluster_id)
}

__handler__ void stack_th(handler_args_t *args)
{
	task_t *task = args->task;
	volatile struct stack *stack = (volatile struct stack *)task->scratchpad[0];
	uint64_t host = (uint64_t)task->host_mem_high << 32 | task->host_mem_low;
	uint32_t left = 0, lost;

	spin_rw_lock_w_lock((spin_rw_lock_t *)&stack->lock);
	for (uint32_t i = 0; i < stack->height; i++)
		left += stack->block[i];
	lost = stack->pushed - stack->taken - left;
	spin_rw_lock_w_unlock((spin_rw_lock_t *)&stack->lock);
	/* no command handle (NULL): the handler need not wait, the feedback does */
	spin_write_to_host(host + 16 * task->flow_id, (uint64_t)lost << 32 | stack->pushed, NULL);
	spin_write_to_host(host + 16 * task->flow_id + 8, (uint64_t)1 << 32 | task->home_cluster_id, NULL);
}

void init_handlers(handler_fn *hh, handler_fn *ph, handler_fn *th, void **handler_mem)
{
	handler_fn handlers[] = { stack_hh, stack_ph, stack_th };

	*hh = handlers[0];
	*ph = handlers[1];
	*th = handlers[2];
}
