/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test input for `spinctl check --target nfp`, which predicts whether the driver of NFP cards takes an XDP program. Here: conditional jumps
 * by each comparison, 32 and 64 bits wide, signed and unsigned, with a register and with constants of each length. All are accepted.
 *
 * The file is one program for each line `expect: VERDICT [RULE] [on KERNEL] : MACROS` below, compiled with those macros (corpus.h); the
 * checker must give that verdict. Used by tests/offload/checker_knows_each_rule.sh.
 */
/* expect: accept : TYPE=int COND===5 */
/* expect: accept : TYPE=int COND=!=5 */
/* expect: accept : TYPE=int COND=>5 */
/* expect: accept : TYPE=int COND=<5 */
/* expect: accept : TYPE=int COND=>=300 */
/* expect: accept : TYPE=int COND=<=70000 */
/* expect: accept : TYPE=int COND===-9 */
/* expect: accept : TYPE=int COND=<-5 */
/* expect: accept : TYPE=int COND===0 */
/* expect: accept : TYPE=int COND=!=0 */
/* expect: accept : TYPE=int COND=&64 */
/* expect: accept : TYPE=int COND===y */
/* expect: accept : TYPE=int COND=!=y */
/* expect: accept : TYPE=int COND=>y */
/* expect: accept : TYPE=int COND=<=y */
/* expect: accept : TYPE=int COND=&y */
/* expect: accept : TYPE=unsigned COND===5 */
/* expect: accept : TYPE=unsigned COND=!=5 */
/* expect: accept : TYPE=unsigned COND=>5 */
/* expect: accept : TYPE=unsigned COND=<5 */
/* expect: accept : TYPE=unsigned COND=>=300 */
/* expect: accept : TYPE=unsigned COND=<=70000 */
/* expect: accept : TYPE=unsigned COND===-9 */
/* expect: accept : TYPE=unsigned COND=<-5 */
/* expect: accept : TYPE=unsigned COND===0 */
/* expect: accept : TYPE=unsigned COND=!=0 */
/* expect: accept : TYPE=unsigned COND=&64 */
/* expect: accept : TYPE=unsigned COND===y */
/* expect: accept : TYPE=unsigned COND=!=y */
/* expect: accept : TYPE=unsigned COND=>y */
/* expect: accept : TYPE=unsigned COND=<=y */
/* expect: accept : TYPE=unsigned COND=&y */
/* expect: accept : TYPE=long_long COND===5 */
/* expect: accept : TYPE=long_long COND=!=5 */
/* expect: accept : TYPE=long_long COND=>5 */
/* expect: accept : TYPE=long_long COND=<5 */
/* expect: accept : TYPE=long_long COND=>=300 */
/* expect: accept : TYPE=long_long COND=<=70000 */
/* expect: accept : TYPE=long_long COND===-9 */
/* expect: accept : TYPE=long_long COND=<-5 */
/* expect: accept : TYPE=long_long COND===0 */
/* expect: accept : TYPE=long_long COND=!=0 */
/* expect: accept : TYPE=long_long COND=&64 */
/* expect: accept : TYPE=long_long COND===y */
/* expect: accept : TYPE=long_long COND=!=y */
/* expect: accept : TYPE=long_long COND=>y */
/* expect: accept : TYPE=long_long COND=<=y */
/* expect: accept : TYPE=long_long COND=&y */
/* expect: accept : TYPE=u64 COND===5 */
/* expect: accept : TYPE=u64 COND=!=5 */
/* expect: accept : TYPE=u64 COND=>5 */
/* expect: accept : TYPE=u64 COND=<5 */
/* expect: accept : TYPE=u64 COND=>=300 */
/* expect: accept : TYPE=u64 COND=<=70000 */
/* expect: accept : TYPE=u64 COND===-9 */
/* expect: accept : TYPE=u64 COND=<-5 */
/* expect: accept : TYPE=u64 COND===0 */
/* expect: accept : TYPE=u64 COND=!=0 */
/* expect: accept : TYPE=u64 COND=&64 */
/* expect: accept : TYPE=u64 COND===y */
/* expect: accept : TYPE=u64 COND=!=y */
/* expect: accept : TYPE=u64 COND=>y */
/* expect: accept : TYPE=u64 COND=<=y */
/* expect: accept : TYPE=u64 COND=&y */
#include "corpus.h"

typedef long long long_long;
typedef unsigned long long u64;

SEC("xdp") int prog(struct xdp_md *ctx)
{
	TYPE x, y;

	PACKET(ctx);
	x = *(TYPE *)(data + 0);
	y = *(TYPE *)(data + 8);
	barrier(y);
	if (x COND) {
		data[20] = 1;
		return XDP_TX;
	}
	return XDP_PASS;
}
