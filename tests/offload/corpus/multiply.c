/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test input for `spinctl check --target nfp`, which predicts whether the driver of NFP cards takes an XDP program. Here: multiplications
 * and divisions. Factors and dividends must be known to have 32 bits, and divisors must be constants; otherwise the program is rejected.
 * What the verifier knows differs between the kernels.
 *
 * The file is one program for each line `expect: VERDICT [RULE] [on KERNEL] : MACROS` below, compiled with those macros (corpus.h); the
 * checker must give that verdict. Used by tests/offload/checker_knows_each_rule.sh.
 */
/* expect: accept : EXPR=a*b */
/* expect: accept : EXPR=a*1000 */
/* expect: accept : EXPR=h*g */
/* expect: reject multiply on 6.1 : EXPR=(unsigned)(h*g)*7 */
/* expect: reject multiply : EXPR=q*3 */
/* expect: reject multiply : EXPR=q*q */
/* expect: accept : EXPR=(q&0xffffffff)*3 */
/* expect: accept : EXPR=(q>>32)*5 */
/* expect: reject multiply : EXPR=(q>>31)*5 */
/* expect: accept : EXPR=(long_long)a*b */
/* expect: reject multiply : EXPR=(long_long)a*-3 */
/* expect: accept : EXPR=a*-3 */
/* expect: reject multiply on 6.1 : EXPR=a*b*b */
/* expect: accept : EXPR=a/10 */
/* expect: accept : EXPR=a/7 */
/* expect: accept : EXPR=a/16 */
/* expect: accept : EXPR=a/641 */
/* expect: accept : EXPR=a/0x90000000 */
/* expect: accept : EXPR=a/28 */
/* expect: accept : EXPR=h/3 */
/* expect: reject dividend : EXPR=q/10 */
/* expect: accept : EXPR=(q&0xffff)/10 */
/* expect: reject divisor : EXPR=a/b */
/* expect: reject divisor : EXPR=a/(b|1) */
/* expect: reject multiply on 6.12 : EXPR=a%10 */
/* expect: reject divisor : EXPR=a%b */
/* expect: accept : EXPR=a%16 */
/* expect: reject dividend : EXPR=q%10 */
/* expect: accept : EXPR=a^b */
/* expect: accept : EXPR=(a|b)+7 */
/* expect: reject multiply on 6.1 : EXPR=(a|b)*7 */
/* expect: reject multiply on 6.1 : EXPR=(a^b)*7 */
/* expect: accept : EXPR=(a&b)*7 */
/* expect: accept : EXPR=(a+b)*7 */
/* expect: accept : EXPR=(a-b)*7 */
/* expect: accept : EXPR=(a<<3)*7 */
/* expect: accept : EXPR=(a>>3)*7 */
/* expect: accept : EXPR=(h<<8)*7 */
/* expect: reject multiply : EXPR=(a<<(b&15))*7 */
/* expect: reject multiply : EXPR=(a>>(b&15))*7 */
/* expect: reject multiply : EXPR=__builtin_bswap32(a)*7 */
/* expect: reject multiply : EXPR=(__builtin_bswap32(a)&0xffff)*7 */
/* expect: accept : EXPR=(-a)*7 */
#include "corpus.h"

typedef long long long_long;

SEC("xdp") int prog(struct xdp_md *ctx)
{
	unsigned a, b;
	unsigned short h, g;
	unsigned long long q, result;

	PACKET(ctx);
	a = *(unsigned *)(data + 0);
	b = *(unsigned *)(data + 4);
	h = *(unsigned short *)(data + 8);
	g = *(unsigned short *)(data + 10);
	q = *(unsigned long long *)(data + 16);
	result = EXPR;
	*(unsigned long long *)(data + 24) = result;
	return XDP_TX;
}
