/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Returns each packet to its sender, with the number of earlier packets in the payload's first word. The counter is in handler memory,
 * under a lock, so each number is given once. Run by tests/model/pspin_files_compute.c: 256 packets must get the numbers 0 to 255, each
 * once, in answers of unchanged length.
 */
#include <handler.h>
#include <packets.h>

struct counter {
	spin_lock_t lock;
	volatile uint32_t count;
};

volatile __attribute__((section(".l2_handler_data"))) struct counter counter;

static void swap(volatile void *a, volatile void *b, unsigned bytes)
{
	volatile uint16_t *x = a, *y = b;

	for (unsigned i = 0; i < bytes / 2; i++) {
		uint16_t tmp = x[i];

		x[i] = y[i];
		y[i] = tmp;
	}
}

__handler__ void answer_ph(handler_args_t *args)
{
	task_t *task = args->task;
	pkt_hdr_t *packet = (pkt_hdr_t *)task->pkt_mem;
	uint32_t length = packet->ip_hdr.length;
	spin_cmd_t sent;

	swap(&packet->ip_hdr.source_id, &packet->ip_hdr.dest_id, 4);
	swap(&packet->udp_hdr.src_port, &packet->udp_hdr.dst_port, 2);
	spin_lock_lock((spin_lock_t *)&counter.lock);
	*(volatile uint32_t *)(packet + 1) = counter.count++;
	spin_lock_unlock((spin_lock_t *)&counter.lock);
	spin_send_packet(packet, length, &sent);
	spin_cmd_wait(sent);
}

void init_handlers(handler_fn *hh, handler_fn *ph, handler_fn *th, void **handler_mem)
{
	spin_lock_init((spin_lock_t *)&counter.lock);
	*hh = NULL;
	*ph = answer_ph;
	*th = NULL;
	*handler_mem = (void *)&counter;
}
