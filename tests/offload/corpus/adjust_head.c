/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* bpf_xdp_adjust_head: the short form, the long one, several calls. */
/* expect: accept : BY=4 */
/* expect: accept : BY=46 */
/* expect: accept : BY=47 */
/* expect: accept : BY=-84 */
/* expect: accept : BY=-85 */
/* expect: accept : BY=(int)data[0] */
/* expect: accept : BY=14 TWICE=1 */
/* expect: accept : BY=8 AGAIN=1 */
#include "corpus.h"

SEC("xdp") int prog(struct xdp_md *ctx)
{
	unsigned char *at, *last;

	PACKET(ctx);
	if (bpf_xdp_adjust_head(ctx, BY))
		return XDP_DROP;
#ifdef TWICE
	if (bpf_xdp_adjust_head(ctx, BY))
		return XDP_DROP;
#endif
#ifdef AGAIN
	at = (unsigned char *)(long)ctx->data;
	last = (unsigned char *)(long)ctx->data_end;
	if (at + 14 > last)
		return XDP_DROP;
	at[3] = 7;
#endif
	return XDP_TX;
}
