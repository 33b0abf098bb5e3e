/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Hand-written XDP program that does the same as handlers/aggregate.c (sums the words of each message): the baseline with which
 * tests/bench/receive.c compares the handler's cost. handle() and complete() are called by receiver.h.
 */
#include "tests/bench/baselines/receiver.h"

__u32 result; /* read by the host */

static __always_inline int handle(struct message *m, const __u8 *payload, const __u8 *end, __u32 bytes, __u32 offset)
{
	const __u8 *at = behind(payload, 0);
	__u32 sum = 0;

	if (bytes % 4)
		return 1;
	for (__u32 i = 0; i < 15 && i < (bytes & 63) / 4; i++, at += 4) {
		if (!has(at, 4, end))
			return 1;
		sum += *(const __u32 *)at;
	}
	at = behind(payload, bytes & 60);
	for (__u32 i = 0; i < BYTES_MAX / 64 && i < bytes / 64; i++, at += 64) {
		if (!has(at, 64, end))
			return 1;
		for (int k = 0; k < 16; k++)
			sum += ((const __u32 *)at)[k];
	}
	__sync_fetch_and_add(&m->sum, sum);
	return 0;
}

static __always_inline void complete(struct message *m)
{
	*(volatile __u32 *)&result = m->sum;
	emit_event(m);
}
