/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_DMA_BOUNDED_H
#define BPF_DMA_BOUNDED_H

/*
 * Transfers between a payload and host memory for kernels without may_goto (<spin/meta.h>), where the verifier follows each iteration of a
 * loop. They are global functions, which the verifier checks once and not once per state of the caller. A global function takes no packet
 * pointers, so it finds the frame and the memory again from offsets. Called by dma_payload.h for messages. Two programs transfer payloads:
 * one in the frame in place, and the replay of a parked packet, whose buffer is in its CPU's spin_cpu.
 */

/* Sets *view to the parked packet's frame. Returns 0 if there is none. */
SPIN_INLINE _Bool spin_parked_view_(struct spin_view *view)
{
	uint32_t zero = 0;
	const struct spin_cpu *cpu = bpf_map_lookup_elem(&spin_cpu_state, &zero);
	struct spin_copy *copy;

	if (!cpu)
		return 0; /* unreachable */
	copy = &spin_park_buffers[spin_barrier_var_(cpu->buffer) & (SPIN_PARKING_MAX - 1)];
	*view = (struct spin_view){ SPIN_COPIED, .data = copy->frame, .bytes = SPIN_COPY_BYTES, .scratch = copy->scratch };
	return 1;
}

/* Copies from offset `off` of the frame to offset `start` of host memory. The tests are for the verifier: the caller has checked both. */
SPIN_INLINE int spin_bounded_out_(const struct spin_view *view, uint32_t off, uint32_t start, uint32_t bytes)
{
	uint8_t *to = spin_host_at(start, 0);

	if (!to || bytes > SPIN_IP_BYTES_MAX || off > SPIN_COPY_BYTES)
		return SPIN_SEGV; /* unreachable */
	spin_payload_out(view, view->data, off, to, bytes, SPIN_IP_BYTES_MAX);
	return 0;
}

/* The other direction. Returns by how much the payload's checksum changes, folded to 16 bits. */
SPIN_INLINE int spin_bounded_in_(const struct spin_view *view, uint32_t off, uint32_t start, uint32_t bytes)
{
	struct spin_packet packet = { .view = *view, .payload = view->data };
	const uint8_t *from = spin_host_at(start, 0);

	if (!from || bytes > SPIN_IP_BYTES_MAX || off > SPIN_COPY_BYTES)
		return 0; /* unreachable */
	spin_payload_in_(&packet, off, from, bytes);
	return spin_fold(packet.sum_change);
}

/* Copies `bytes` bytes at offset `off` of the received frame to offset `start` of the host memory. The caller has checked both ranges. */
SPIN_GLOBAL_FN int spin_frame_to_host(struct xdp_md *ctx, uint32_t off, uint32_t start, uint32_t bytes)
{
	const struct spin_frame frame = { ctx };
	const struct spin_view view = spin_frame_view(&frame);

	return spin_bounded_out_(&view, off, start, bytes);
}

SPIN_GLOBAL_FN int spin_frame_from_host(struct xdp_md *ctx, uint32_t off, uint32_t start, uint32_t bytes)
{
	const struct spin_frame frame = { ctx };
	const struct spin_view view = spin_frame_view(&frame);

	return spin_bounded_in_(&view, off, start, bytes);
}

SPIN_GLOBAL_FN int spin_parked_to_host(uint32_t off, uint32_t start, uint32_t bytes)
{
	struct spin_view view;

	return spin_parked_view_(&view) ? spin_bounded_out_(&view, off, start, bytes) : SPIN_SEGV;
}

SPIN_GLOBAL_FN int spin_parked_from_host(uint32_t off, uint32_t start, uint32_t bytes)
{
	struct spin_view view;

	return spin_parked_view_(&view) ? spin_bounded_in_(&view, off, start, bytes) : 0;
}

/* Copies between offset `start` of host memory and offset `off` of the payload. */
SPIN_INLINE void spin_payload_transfer_(struct spin_packet *packet, uint32_t off, uint32_t start, uint32_t bytes, _Bool to_host)
{
	uint32_t at = (uint32_t)(packet->payload - packet->view.data) + off;
	const _Bool parked = packet->view.access == SPIN_COPIED;

	if (to_host) {
		if (parked)
			spin_parked_to_host(at, start, bytes);
		else
			spin_frame_to_host(packet->ctx, at, start, bytes);
		return;
	}
	packet->sum_change += parked ? spin_parked_from_host(at, start, bytes) : spin_frame_from_host(packet->ctx, at, start, bytes);
	packet->stored = 1;
}

#endif
