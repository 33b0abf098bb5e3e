/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Programs about as long as the card takes. */
/* expect: accept : ROUNDS=20 */
/* expect: accept : ROUNDS=200 */
/* expect: reject program-size : ROUNDS=800 */
#include "corpus.h"

SEC("xdp") int prog(struct xdp_md *ctx)
{
	unsigned long long sum;

	PACKET(ctx);
	sum = data[0];
#pragma unroll
	for (int i = 0; i < ROUNDS; i++) {
		sum ^= sum >> 7;
		barrier(sum);
	}
	*(unsigned long long *)data = sum;
	return XDP_TX;
}
