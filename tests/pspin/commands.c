/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests every command of PsPIN's runtime (DMA to and from the host, direct host writes, sends): more at once than an HPU (core of the NIC)
 * has slots; waited for, tested, or left to the feedback (end of the task). For each packet it writes 256 bytes of host memory (the
 * payload's first 32 bytes from L1, words written one by one, and the complement of the 64 bytes read at 0x100000) and answers it. Run by
 * tests/model/pspin_files_compute.c, which sends 48 packets and compares every word.
 */
#include <handler.h>
#include <packets.h>
#include <string.h>

#define SLOT  256
#define BLOCK 0x100000

__handler__ void commands_ph(handler_args_t *args)
{
	task_t *task = args->task;
	uint32_t *mine = (uint32_t *)((uint8_t *)task->scratchpad[args->cluster_id] + 1024 * args->hpu_id);
	uint64_t host = (uint64_t)task->host_mem_high << 32 | task->host_mem_low, at;
	spin_cmd_t command, reads[2], sent;
	uint32_t bytes, number;
	bool is_done = false;
	uint8_t *payload;

	GET_IP_UDP_PLD(task->pkt_mem, payload, bytes);
	memcpy(&number, payload, sizeof(number));
	ASSERT(bytes >= 32 && (host + SLOT * number) % 64 == 0);
	at = host + SLOT * number;

	/* command 0 is a task's first one */
	ASSERT(spin_dma_to_host(at, (uint32_t)payload, 32, false, &command) == SPIN_OK);
	while (!is_done)
		ASSERT(spin_cmd_test(command, &is_done) == SPIN_OK);
	memset(payload + 4, 0xee, 28); /* the command has read them */

	for (uint32_t i = 0; i < 8; i++)
		ASSERT(spin_write_to_host(at + 64 + 8 * i, (uint64_t)i << 32 | (number + i), NULL) == SPIN_OK);
	ASSERT(spin_host_write(at + 128, 0x1122334455667788, &command) == SPIN_OK);
	ASSERT(spin_cmd_wait(command) == SPIN_OK);

	ASSERT(spin_dma_from_host(host + BLOCK, (uint32_t)mine, 24, false, &reads[0]) == SPIN_OK);
	ASSERT(spin_dma_from_host(host + BLOCK + 24, (uint32_t)mine + 24, 40, true, &reads[1]) == SPIN_OK);
	spin_cmd_wait(reads[0]);
	spin_cmd_wait(reads[1]);
	for (uint32_t i = 0; i < 16; i++)
		mine[i] = ~mine[i];
	ASSERT(spin_dma_to_host(at + 192, (uint32_t)mine, 64, true, &command) == SPIN_OK);

	/* two answers, of which the first, from L1, is the one that the test compares */
	((pkt_hdr_t *)task->pkt_mem)->ip_hdr.identification = (uint16_t)number;
	if (number & 1) {
		ASSERT(spin_send_packet(task->pkt_mem, ((ip_hdr_t *)task->pkt_mem)->length, &sent) == SPIN_OK)
	} else {
		ASSERT(spin_rdma_put(3, task->pkt_mem, ((ip_hdr_t *)task->pkt_mem)->length, &sent) == SPIN_OK)
	}
	spin_send_packet(task->l2_pkt_mem, 28, NULL);
}

void init_handlers(handler_fn *hh, handler_fn *ph, handler_fn *th, void **handler_mem)
{
	*hh = NULL;
	*ph = commands_ph;
	*th = NULL;
	*handler_mem = NULL;
}
