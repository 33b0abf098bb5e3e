/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_ROOM_H
#define BPF_ROOM_H

/*
 * Makes room after a short frame for a reply that is longer than its request (<spin/reply.h>). Called for contexts whose handlers send such
 * replies, by the dispatcher or, on sockets, by the guard, when it has found that the packet is the socket's. Drivers have
 * XDP_PACKET_HEADROOM in front of a frame, and most have free bytes after it. But veth and generic XDP copy the packet to a buffer of its
 * own length: there the frame is moved to the front of the headroom.
 *
 * Only these two may do this, not programs of users' objects, because the headroom contains bytes of other packets. Moving a frame breaks
 * the partial checksum of a local sender if the host forwards the packet: the kernel remembers where in the buffer to compute it, warns
 * (skb_checksum_help()), and sends it with a wrong one. So a rule of such a context must be for addresses of this host.
 */
#define SPIN_ROOM_BYTES   192u  /* of XDP_PACKET_HEADROOM (256), of which the kernel uses the first 40 */
#define SPIN_ROOM_REQUEST 2048u /* longer frames are not moved: jumbo frames */

/* Where a frame is copied while it is moved: one for each CPU. */
struct spin_room {
	uint8_t frame[SPIN_ROOM_REQUEST];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct spin_room);
} spin_room SEC(".maps");

/* Invalidates pointers to the frame. */
SPIN_INLINE void spin_make_room(struct xdp_md *ctx)
{
	uint32_t zero = 0, bytes = bpf_xdp_get_buff_len(ctx);
	struct spin_room *room = bpf_map_lookup_elem(&spin_room, &zero);

	if (!room || !bytes || bytes > SPIN_ROOM_REQUEST)
		return;
	if (!bpf_xdp_adjust_tail(ctx, SPIN_ROOM_BYTES)) { /* there is room already */
		bpf_xdp_adjust_tail(ctx, -(int)SPIN_ROOM_BYTES);
		return;
	}
	bytes = spin_masked_length(bytes, SPIN_ROOM_REQUEST);
	if (bpf_xdp_load_bytes(ctx, 0, room->frame, bytes) || bpf_xdp_adjust_head(ctx, -(int)SPIN_ROOM_BYTES))
		return;
	bpf_xdp_store_bytes(ctx, 0, room->frame, bytes);
	bpf_xdp_adjust_tail(ctx, -(int)SPIN_ROOM_BYTES);
}

#endif
