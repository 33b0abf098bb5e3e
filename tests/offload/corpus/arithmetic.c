/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test input for `spinctl check --target nfp`, which predicts whether the driver of NFP cards takes an XDP program. Here: additions, bit
 * operations, shifts, byte swaps and comparisons, 32 and 64 bits wide, with registers and with constants of each length. All are accepted.
 *
 * The file is one program for each line `expect: VERDICT [RULE] [on KERNEL] : MACROS` below, compiled with those macros (corpus.h); the
 * checker must give that verdict. Used by tests/offload/checker_knows_each_rule.sh.
 */
/* expect: accept : EXPR=a+b */
/* expect: accept : EXPR=a+5 */
/* expect: accept : EXPR=a+300 */
/* expect: accept : EXPR=a+0x12345678 */
/* expect: accept : EXPR=a-7 */
/* expect: accept : EXPR=q+r */
/* expect: accept : EXPR=q-r */
/* expect: accept : EXPR=q+0x12345678 */
/* expect: accept : EXPR=q-0x12345678 */
/* expect: accept : EXPR=q+0x123456789abcll */
/* expect: accept : EXPR=q+0xffffffffll */
/* expect: accept : EXPR=q&r */
/* expect: accept : EXPR=q|r */
/* expect: accept : EXPR=q^r */
/* expect: accept : EXPR=q&0xff00 */
/* expect: accept : EXPR=q|0xff00ff */
/* expect: accept : EXPR=q^-1 */
/* expect: accept : EXPR=a^0xff */
/* expect: accept : EXPR=a|0x10000 */
/* expect: accept : EXPR=a&0x7ffff */
/* expect: accept : EXPR=q<<3 */
/* expect: accept : EXPR=q<<32 */
/* expect: accept : EXPR=q<<40 */
/* expect: accept : EXPR=q>>3 */
/* expect: accept : EXPR=q>>32 */
/* expect: accept : EXPR=q>>50 */
/* expect: accept : EXPR=(long_long)q>>3 */
/* expect: accept : EXPR=(long_long)q>>32 */
/* expect: accept : EXPR=(long_long)q>>50 */
/* expect: accept : EXPR=q<<(a&63) */
/* expect: accept : EXPR=q>>(a&63) */
/* expect: accept : EXPR=(long_long)q>>(a&63) */
/* expect: accept : EXPR=q<<(a&31) */
/* expect: accept : EXPR=q>>(a&31) */
/* expect: accept : EXPR=q>>(32+(a&31)) */
/* expect: accept : EXPR=a<<(b&31) */
/* expect: accept : EXPR=a>>(b&31) */
/* expect: accept : EXPR=(int)a>>(b&31) */
/* expect: accept : EXPR=(int)a>>5 */
/* expect: accept : EXPR=-q */
/* expect: accept : EXPR=(unsigned)-a */
/* expect: accept : EXPR=__builtin_bswap16(a) */
/* expect: accept : EXPR=__builtin_bswap32(a) */
/* expect: accept : EXPR=__builtin_bswap64(q) */
/* expect: accept : EXPR=a<b */
/* expect: accept : EXPR=q<r */
#include "corpus.h"

typedef long long long_long;

SEC("xdp") int prog(struct xdp_md *ctx)
{
	unsigned a, b;
	unsigned long long q, r;

	PACKET(ctx);
	a = *(unsigned *)(data + 0);
	b = *(unsigned *)(data + 4);
	q = *(unsigned long long *)(data + 16);
	r = *(unsigned long long *)(data + 24);
	*(unsigned long long *)(data + 32) = EXPR;
	return XDP_TX;
}
