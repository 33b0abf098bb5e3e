/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Decodes each packet's payload (XOR of each word but the first with a key that it reads from the host by DMA) and writes it to the host
 * address in its first word. The cluster's DMA engine copies the payload to the scratchpad for that. Run by
 * tests/model/pspin_files_compute.c: each of 60 payloads must be in host memory, decoded, and the counters in the clusters' L1 must add up
 * to 60.
 */
#include <handler.h>
#include <packets.h>

#define KEY_AT    0x80000 /* of host memory */
#define BLOCK     1024
#define MY_BUFFER (BLOCK + 64) /* of each HPU: block, then key */

/* One counter in each cluster's L1, outside the scratchpads. */
__attribute__((section(".data_tiny_l1"))) volatile uint32_t deposited = 7;
const char report[] __attribute__((used)) = "deposit: 0x%x, %u bytes\n";

__handler__ void deposit_ph(handler_args_t *args)
{
	task_t *task = args->task;
	uint64_t host = (uint64_t)task->host_mem_high << 32 | task->host_mem_low;
	uint32_t *block = (uint32_t *)((uint8_t *)task->scratchpad[args->cluster_id] + args->hpu_id * MY_BUFFER);
	volatile uint32_t *key = block + BLOCK / 4;
	uint32_t bytes, copied = 0;
	uint8_t *payload;
	spin_dma_t copy;
	spin_cmd_t from_host, to_host;
	bool done = false;

	GET_IP_UDP_PLD(task->pkt_mem, payload, bytes);
	spin_dma_from_host(host + KEY_AT, (uint32_t)key, 4, 1, &from_host);
	if (spin_dma(payload, block, bytes, SPIN_DMA_LOC2EXT, 0, &copy) != SPIN_OK)
		return;
	while (!copied)
		spin_dma_test(copy, &copied);
	spin_dma_wait(copy);
	spin_cmd_wait(from_host);
	for (uint32_t i = 1; i < bytes / 4; i++)
		block[i] ^= *key;
	spin_dma_to_host(host + block[0], (uint32_t)block, bytes, 1, &to_host);
	do {
		spin_cmd_test(to_host, &done);
	} while (!done);
	amo_add((volatile int32_t *)&deposited, 1);
	if (bytes % 4)
		printf(report, (unsigned)block[0], (unsigned)bytes);
}

void init_handlers(handler_fn *hh, handler_fn *ph, handler_fn *th, void **handler_mem)
{
	*ph = deposit_ph;
}
