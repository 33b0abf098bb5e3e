/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test input for `spinctl check --target nfp`, which predicts whether the driver of NFP cards takes an XDP program. Here: fields of xdp_md.
 * Only data and data_end may be read, and only rx_queue_index (offset 16) written; a constant queue above 255 is a warning.
 *
 * The file is one program for each line `expect: VERDICT [RULE] [on KERNEL] : MACROS` below, compiled with those macros (corpus.h); the
 * checker must give that verdict. Used by tests/offload/checker_knows_each_rule.sh.
 */
/* expect: accept : DO=ctx->data==ctx->data_end */
/* expect: reject ctx-field : DO=ctx->data_meta==ctx->data */
/* expect: reject ctx-field : DO=ctx->ingress_ifindex==3 */
/* expect: reject ctx-field : DO=ctx->rx_queue_index==3 */
/* expect: reject ctx-field : DO=((volatile_u8*)ctx)[1]==3 */
/* expect: accept : QUEUE=0 */
/* expect: accept : QUEUE=255 */
/* expect: warn queue-range : QUEUE=256 */
/* expect: accept : QUEUE=data[0] */
/* expect: accept : QUEUE=*(unsigned*)data */
/* expect: reject ctx-store : STORE=0 */
/* expect: reject ctx-store : STORE=12 */
/* expect: accept : STORE=16 */
/* expect: reject ctx-store : STORE=20 */
#include "corpus.h"

typedef volatile unsigned char volatile_u8;

SEC("xdp") int prog(struct xdp_md *ctx)
{
#ifdef DO
	return DO ? XDP_DROP : XDP_PASS;
#else
	PACKET(ctx);
#ifdef QUEUE
	unsigned queue = QUEUE;

	barrier(queue);
	ctx->rx_queue_index = queue;
#else
	unsigned value = data[0];

	asm volatile("*(u32 *)(%0 + %1) = %2" : : "r"(ctx), "i"(STORE), "r"(value) : "memory");
#endif
	return XDP_PASS;
#endif
}
