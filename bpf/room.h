/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_ROOM_H
#define BPF_ROOM_H

/*
 * Room behind a short frame for a reply that is longer (<spin/reply.h>). Drivers keep XDP_PACKET_HEADROOM in front of a frame, and most of them the rest
 * of a buffer behind it; but veth and generic XDP copy the sender's skb to a buffer of its length. There the frame moves to
 * the front. The dispatcher does it, as programs of objects may not: what is in front is other packets' bytes, and behind the frame
 * the kernel clears what a program asks for.
 */
#define SPIN_ROOM_BYTES   192u /* of XDP_PACKET_HEADROOM, 256, which begins with 40 of the kernel's own */
#define SPIN_ROOM_REQUEST 256u /* longer frames stay where they are */

struct spin_room {
	uint8_t frame[SPIN_ROOM_REQUEST];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct spin_room);
} spin_room SEC(".maps");

/* Pointers to the frame are invalid then. */
SPIN_INLINE void spin_make_room(struct xdp_md *ctx)
{
	uint32_t zero = 0, bytes = bpf_xdp_get_buff_len(ctx);
	struct spin_room *room = bpf_map_lookup_elem(&spin_room, &zero);

	if (!room || !bytes || bytes > SPIN_ROOM_REQUEST)
		return;
	if (!bpf_xdp_adjust_tail(ctx, SPIN_ROOM_BYTES)) { /* there is */
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
