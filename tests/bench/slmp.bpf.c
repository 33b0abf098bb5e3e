/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * XDP programs of the benchmark slmp.c, which loads them: the sender. `generate` turns every frame of PROG_TEST_RUN's live frames mode into
 * the next packet of a message, which asks for an acknowledgement. `check` inspects and counts every acknowledgement. Both run on one CPU
 * in softirq context, so neither sees partial updates of the other. The payload is that of the frames.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include <spin/slmp.h>

#include "tests/bench/slmp.h"

#define STALL_FRAMES 65536 /* a few milliseconds: packets in flight then count as lost, and so does the message */
#define TYPE_AT      12
#define PROTOCOL_AT  23
#define SPORT_AT     34
#define CHECKSUM_AT  40
#define FLAGS_AT     42
#define ID_AT        44
#define OFFSET_AT    48

char slmp_license[] SEC("license") = "Dual BSD/GPL";

struct sending sending;

SEC("xdp")
int generate(struct xdp_md *ctx)
{
	__u32 id, offset, sum;
	__u8 *data;
	__u16 flags = SPIN_SLMP_SYN;

	if (sending.sent - sending.ended >= sending.window) {
		if (++sending.stalled < STALL_FRAMES)
			return XDP_DROP;
		sending.given_up += sending.sent - sending.ended;
		sending.ended = sending.sent;
		sending.id++;
		sending.packet = 0;
	}
	sending.stalled = 0;
	if (bpf_xdp_adjust_tail(ctx, (int)(SLMP_BYTES - SLMP_FRAME)))
		return XDP_ABORTED;
	data = (void *)(long)ctx->data;
	if (data + SLMP_BYTES > (__u8 *)(long)ctx->data_end)
		return XDP_ABORTED;
	id = bpf_htonl(sending.id);
	offset = bpf_htonl(sending.packet * SLMP_PAYLOAD);
	if (++sending.packet == SLMP_PACKETS) {
		flags |= SPIN_SLMP_EOM;
		sending.packet = 0;
		sending.id++;
	}
	flags = bpf_htons(flags);
	sending.sent++;
	for (int i = 0; i < SLMP_HEADERS / 8; i++)
		((__u64 *)data)[i] = sending.frame[i];
	*(__u16 *)(data + FLAGS_AT) = flags;
	*(__u32 *)(data + ID_AT) = id;
	*(__u32 *)(data + OFFSET_AT) = offset;
	sum = (__u16)~sending.checksum + flags + (id & 0xffff) + (id >> 16) + (offset & 0xffff) + (offset >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (__u16) ~((sum & 0xffff) + (sum >> 16));
	*(__u16 *)(data + CHECKSUM_AT) = sum ? sum : 0xffff;
	return XDP_TX;
}

SEC("xdp")
int check(struct xdp_md *ctx)
{
	__u8 *data = (void *)(long)ctx->data;

	if (data + SLMP_HEADERS > (__u8 *)(long)ctx->data_end || *(__u16 *)(data + TYPE_AT) != bpf_htons(ETH_P_IP) ||
	    data[PROTOCOL_AT] != IPPROTO_UDP || *(__u16 *)(data + SPORT_AT) != bpf_htons(SPIN_SLMP_PORT))
		return XDP_PASS;
	/* of this message, an earlier one, or one that was given up */
	if (*(__u16 *)(data + FLAGS_AT) == bpf_htons(SPIN_SLMP_ACK) && (__s32)(sending.id - bpf_ntohl(*(__u32 *)(data + ID_AT))) >= 0 &&
	    bpf_ntohl(*(__u32 *)(data + OFFSET_AT)) < SLMP_MESSAGE)
		sending.acknowledged++;
	else
		sending.bad++;
	if (sending.ended != sending.sent)
		sending.ended++;
	sending.stalled = 0;
	return XDP_DROP;
}
