/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Hand-written XDP program that does the same as handlers/reduce.c (adds up messages of integers, item by item): the baseline with which
 * tests/bench/receive.c compares the handler's cost. handle() and complete() are called by receiver.h.
 */
#include "tests/bench/baselines/receiver.h"

#define ITEMS 2048

/* Same layout as the handler's state. */
struct reduce {
	__u32 sum[ITEMS];
	__u32 complete, sets, messages, items;
};

struct reduce reduce;
__u32 result[ITEMS + 1]; /* read by the host */

static __always_inline int handle(struct message *m, const __u8 *payload, const __u8 *end, __u32 bytes, __u32 offset)
{
	__u32 item = offset / 4, items = reduce.items, words = (bytes & 63) / 4;
	const __u8 *at = behind(payload, 0);

	if (bytes % 4 || items > ITEMS || item > items || bytes / 4 > items - item)
		return 1;
	for (__u32 i = 0; i < 15 && i < words; i++, at += 4) {
		__u32 here = blur(item + i);

		if (!has(at, 4, end) || here >= ITEMS)
			return 1;
		__sync_fetch_and_add(&reduce.sum[here], *(const __u32 *)at);
	}
	at = behind(payload, bytes & 60);
	item += words;
	for (__u32 i = 0; i < BYTES_MAX / 64 && i < bytes / 64; i++, at += 64) {
		__u32 here = blur(item + i * 16), *sum;

		if (!has(at, 64, end) || here > ITEMS - 16)
			return 1;
		sum = &reduce.sum[here];
		OPAQUE(sum);
		for (int k = 0; k < 16; k++)
			__sync_fetch_and_add(&sum[k], ((const __u32 *)at)[k]);
	}
	return 0;
}

static __always_inline void complete(struct message *m)
{
	if (__sync_fetch_and_add(&reduce.complete, 1) + 1 != reduce.messages)
		return;
	reduce.sets++;
	for (int i = 0; i < ITEMS; i++)
		result[i] = reduce.sum[i];
	asm volatile("" ::: "memory");
	result[ITEMS] = reduce.messages;
	emit_event(m);
}
