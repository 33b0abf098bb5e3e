/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test input for `spinctl check --target nfp`, which predicts whether the driver of NFP cards takes an XDP program. Here: accesses to the
 * packet: widths, offsets, copies, depth. Within the bytes tested against data_end they are accepted. Offsets above 2016 are a warning,
 * because attaching fails at larger MTUs. A byte beyond those tested is rejected.
 *
 * The file is one program for each line `expect: VERDICT [RULE] [on KERNEL] : MACROS` below, compiled with those macros (corpus.h); the
 * checker must give that verdict. Used by tests/offload/checker_knows_each_rule.sh.
 */
/* expect: accept : DO=data[0]==1 */
/* expect: accept : DO=(data[0]+data[13]+*(unsigned*)(data+26)+*(unsigned_long*)(data+30))==1 */
/* expect: accept : DO=(*(unsigned_short*)(data+13)+*(unsigned*)(data+15)+*(unsigned_long*)(data+21))==1 */
/* expect: accept : LENGTH=12 */
/* expect: accept : LENGTH=16 */
/* expect: accept : LENGTH=31 */
/* expect: accept : LENGTH=6 */
/* expect: accept : LENGTH=2 */
/* expect: accept : NEED=128 DO=data[127]==1 */
/* expect: accept : NEED=1500 DO=data[1499]==1 */
/* expect: accept : NEED=2000 DO=data[1999]==1 */
/* expect: accept : NEED=2017 DO=data[2016]==1 */
/* expect: warn packet-depth : NEED=2018 DO=data[2017]==1 */
/* expect: warn packet-depth : NEED=4000 DO=data[3999]==1 */
/* expect: reject packet-bounds : NEED=64 DO=data[64]==1 */
/* expect: accept : NEED=65 DO=data[64]==1 */
/* expect: accept : VARIABLE=15 */
/* expect: accept : VARIABLE=255 */
#include "corpus.h"

typedef unsigned short unsigned_short;
typedef unsigned long long unsigned_long;
#ifndef NEED
#define NEED 64
#endif

SEC("xdp") int prog(struct xdp_md *ctx)
{
	unsigned char *data = (unsigned char *)(long)ctx->data, *end = (unsigned char *)(long)ctx->data_end;

	if (data + NEED > end)
		return XDP_DROP;
#if defined(LENGTH)
	__builtin_memcpy(data + 32, data, LENGTH);
	return XDP_TX;
#elif defined(VARIABLE)
	unsigned char *at = data + 14 + (data[14] & VARIABLE);

	if (at + 4 > end)
		return XDP_DROP;
	return at[3] ? XDP_PASS : XDP_DROP;
#else
	return DO ? XDP_DROP : XDP_PASS;
#endif
}
