/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_ROOM_H
#define BPF_ROOM_H

/*
 * Makes room after a short frame for a longer reply (<spin/reply.h>). Drivers keep XDP_PACKET_HEADROOM in front of a frame, and most of
 * them leave the rest of a buffer after it; but veth and generic XDP copy the sender's skb to a buffer of its length. There the frame is
 * moved to the front. Only the dispatcher does this, not programs of objects: the headroom contains bytes of other packets, while the
 * kernel clears what a program adds at the end. Then the kernel knows a local sender's partial checksum by its old place: a host that
 * does not read the datagram but forwards it would compute it there. Contexts whose replies may be longer are for a host's own addresses.
 */
#define SPIN_ROOM_BYTES   192u  /* of XDP_PACKET_HEADROOM (256), of which the kernel uses the first 40 */
#define SPIN_ROOM_REQUEST 2048u /* longer frames are not moved: jumbo frames */

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
