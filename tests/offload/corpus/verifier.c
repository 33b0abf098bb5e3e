/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Programs that the checker of the NFP driver's rules must judge as `expect` says (corpus.h): what no kernel accepts, for any card. */
/* expect: reject packet-bounds : KIND=0 */
/* expect: reject packet-bounds : KIND=1 */
/* expect: accept : KIND=2 */
/* expect: accept : KIND=3 */
/* expect: accept : KIND=4 */
/* expect: reject uninitialized : KIND=5 */
/* expect: reject packet-bounds : KIND=6 */
/* expect: accept : KIND=7 */
#include "corpus.h"

SEC("xdp") int prog(struct xdp_md *ctx)
{
	unsigned char *data = (unsigned char *)(long)ctx->data, *end = (unsigned char *)(long)ctx->data_end;

#if KIND == 0
	return data[0] ? XDP_PASS : XDP_DROP;
#elif KIND == 1
	if (data + 4 > end)
		return data[0] ? XDP_PASS : XDP_DROP;
	return XDP_PASS;
#elif KIND == 2
	if (data + 4 <= end)
		return data[3] ? XDP_PASS : XDP_DROP;
	return XDP_PASS;
#elif KIND == 3
	if (end >= data + 4)
		return data[3] ? XDP_PASS : XDP_DROP;
	return XDP_PASS;
#elif KIND == 4
	if (data + 4 < end)
		return data[4] ? XDP_PASS : XDP_DROP;
	return XDP_PASS;
#elif KIND == 5
	unsigned x;

	asm volatile("%0 = r8" : "=r"(x));
	return x ? XDP_PASS : XDP_DROP;
#elif KIND == 6
	if (data + 14 > end || bpf_xdp_adjust_head(ctx, 4))
		return XDP_DROP;
	data = (unsigned char *)(long)ctx->data;
	return data[0];
#else
	if (data + 14 > end)
		return XDP_DROP;
	if (data + 10 > end)
		return XDP_TX;
	return XDP_PASS;
#endif
}
