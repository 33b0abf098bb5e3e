/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * XDP programs of the benchmark memcached.c, which loads them. `generate` is the client: it turns every frame of PROG_TEST_RUN's live
 * frames mode into a new GET. `check` compares and counts every answer. Both run on one CPU in softirq context, so neither sees partial
 * updates of the other. `answer` is the minimum that a server at XDP can do: it assumes that every frame is such a GET, and looks nothing
 * up.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/udp.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "tests/bench/gets.h"

#define STALL_FRAMES 65536 /* a few milliseconds: GETs in flight are then taken as lost */
#define IP_AT        sizeof(struct ethhdr)
#define UDP_AT       (IP_AT + sizeof(struct iphdr))
#define CHECKSUM_AT  (UDP_AT + offsetof(struct udphdr, check))
#define PORT         11211

#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif

char gets_license[] SEC("license") = "Dual BSD/GPL";

struct gets gets;

#define U16(at) (*(__u16 *)(at))
#define U32(at) (*(__u32 *)(at))
#define U64(at) (*(__u64 *)(at))

SEC("xdp")
int generate(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data;
	__u32 sum, n = gets.sent;
	__u64 digits;
	__u16 id = bpf_htons((__u16)n);

	if (data + GETS_REQUEST_BYTES > (void *)(long)ctx->data_end)
		return XDP_ABORTED;
	if (gets.window && n - gets.ended >= gets.window) {
		if (++gets.stalled < STALL_FRAMES)
			return XDP_DROP;
		gets.ended = n;
	}
	gets.stalled = 0;
	for (int i = 0; i < GETS_REQUEST_BYTES / 8; i++)
		U64(data + 8 * i) = gets.request[i];
	U16(data + GETS_REQUEST_BYTES - 2) = gets.request_end;
	digits = gets.digits[gets.drawn[n % GETS_DRAWN] % GETS_KEYS];
	U16(data + GETS_ID_AT) = id;
	U32(data + GETS_DIGITS_AT) = (__u32)digits;
	U16(data + GETS_DIGITS_AT + 4) = (__u16)(digits >> 32);
	sum = gets.sum + id + (digits & 0xffff) + (digits >> 16 & 0xffff) + (digits >> 32 & 0xffff);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (__u16) ~((sum & 0xffff) + (sum >> 16));
	U16(data + CHECKSUM_AT) = sum ? sum : 0xffff;
	gets.sent = n + 1;
	return XDP_TX;
}

/* Returns 1 for the first answer to a GET that was sent, if it has that key's value. */
static __always_inline int is_correct(void *data)
{
	void *request = gets.request, *text = data + GETS_TEXT_AT, *want = gets.answer;
	__u16 id = bpf_ntohs(U16(data + GETS_ID_AT));
	__u32 age = (gets.sent - id) % GETS_DRAWN, n = gets.sent - (age ? age : GETS_DRAWN);
	__u64 digits = gets.digits[gets.drawn[id] % GETS_KEYS];

	if (U32(data + IP_AT + 12) != U32(request + IP_AT + 16) || U32(data + IP_AT + 16) != U32(request + IP_AT + 12) ||
	    U16(data + UDP_AT + 2) != U16(request + UDP_AT) || U16(data + UDP_AT + 4) != bpf_htons(GETS_ANSWER_BYTES - UDP_AT) ||
	    U16(data + GETS_ID_AT + 2) || U16(data + GETS_ID_AT + 4) != bpf_htons(1) || gets.seen[id] == n + 1)
		return 0;
	if (U64(text) != U64(want) || U64(text + 8) != (U64(want + 8) | digits << 16) || U64(text + 16) != U64(want + 16) ||
	    U32(text + 23) != U32(want + 23) || U64(text + 27) != (U64(want + 27) | digits) || U64(text + 35) != U64(want + 35) ||
	    U64(text + 43) != U64(want + 43) || U64(text + 51) != U64(want + 51) || U32(text + 58) != U32(want + 58))
		return 0;
	gets.seen[id] = n + 1;
	return 1;
}

SEC("xdp")
int check(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;

	if (data + GETS_TEXT_AT > end || U16(data + 12) != bpf_htons(ETH_P_IP) || *(__u8 *)(data + IP_AT + 9) != IPPROTO_UDP ||
	    U16(data + UDP_AT) != bpf_htons(PORT) || U16(data + UDP_AT + 2) != U16((void *)gets.request + UDP_AT))
		return XDP_PASS;
	if (data + GETS_ANSWER_BYTES <= end && is_correct(data))
		gets.good++;
	else
		gets.bad++;
	if (gets.ended != gets.sent)
		gets.ended++;
	gets.stalled = 0;
	return XDP_DROP;
}

SEC("xdp")
int answer(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end, *text = (void *)gets.answer;
	__u64 digits;

	if (data + GETS_REQUEST_BYTES > end || U16(data + 12) != bpf_htons(ETH_P_IP) || U16(data + UDP_AT + 2) != bpf_htons(PORT))
		return XDP_PASS;
	digits = U32(data + GETS_DIGITS_AT) | (__u64)U16(data + GETS_DIGITS_AT + 4) << 32;
	if (bpf_xdp_adjust_tail(ctx, GETS_ANSWER_BYTES - GETS_REQUEST_BYTES))
		return XDP_ABORTED;
	data = (void *)(long)ctx->data;
	end = (void *)(long)ctx->data_end;
	if (data + GETS_ANSWER_BYTES > end)
		return XDP_ABORTED;
	for (int i = 0; i < ETH_ALEN; i += 2) {
		__u16 dst = U16(data + i);

		U16(data + i) = U16(data + ETH_ALEN + i);
		U16(data + ETH_ALEN + i) = dst;
	}
	U32(data + IP_AT + 12) ^= U32(data + IP_AT + 16);
	U32(data + IP_AT + 16) ^= U32(data + IP_AT + 12);
	U32(data + IP_AT + 12) ^= U32(data + IP_AT + 16);
	U16(data + IP_AT + 2) = bpf_htons(GETS_ANSWER_BYTES - IP_AT);
	U16(data + IP_AT + 10) = gets.answer_check;
	U16(data + UDP_AT + 2) = U16(data + UDP_AT);
	U16(data + UDP_AT) = bpf_htons(PORT);
	U16(data + UDP_AT + 4) = bpf_htons(GETS_ANSWER_BYTES - UDP_AT);
	U16(data + CHECKSUM_AT) = 0; /* no checksum */
	for (int i = 0; i < (GETS_ANSWER_BYTES - GETS_TEXT_AT) / 2; i++)
		U16(data + GETS_TEXT_AT + 2 * i) = U16(text + 2 * i);
	for (int i = 0; i < 2; i++) {
		void *at = data + GETS_TEXT_AT + (i ? GETS_VALUE_DIGITS_AT : GETS_KEY_DIGITS_AT);

		__builtin_memcpy(at, &digits, 6);
	}
	return XDP_TX;
}
