/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test input for `spinctl check --target nfp`, which predicts whether the driver of NFP cards takes an XDP program. Here: calls of static
 * functions, with frames, pointers and saved registers: accepted if the frames fit in 512 bytes. Functions that are not static, and 24^7
 * calls, are unknown; a jump into another function is rejected.
 *
 * The file is one program for each line `expect: VERDICT [RULE] [on KERNEL] : MACROS` below, compiled with those macros (corpus.h); the
 * checker must give that verdict. Used by tests/offload/checker_knows_each_rule.sh.
 */
/* expect: accept : KIND=0 */
/* expect: accept : KIND=1 */
/* expect: accept : KIND=2 */
/* expect: accept : KIND=3 */
/* expect: accept : KIND=4 FRAME=100 */
/* expect: reject stack-size : KIND=4 FRAME=232 */
/* expect: unknown global-function : KIND=5 */
/* expect: accept : KIND=6 */
/* expect: accept : KIND=7 */
/* expect: accept : KIND=8 FRAME=56 */
/* expect: reject stack-size on 6.12 : KIND=8 FRAME=60 */
/* expect: reject stack-size : KIND=8 FRAME=64 */
/* expect: unknown too-complex : KIND=9 */
/* expect: reject kernel-verifier : KIND=10 FRAME=256 */
#include "corpus.h"

#ifndef FRAME
#define FRAME 16
#endif
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, unsigned);
	__type(value, unsigned long long);
} map SEC(".maps");

static __attribute__((noinline)) unsigned add(unsigned a, unsigned b)
{
	barrier(a);
	return a + b;
}

static __attribute__((noinline)) unsigned deep(unsigned char *at, unsigned n)
{
	volatile unsigned char local[FRAME];
	unsigned sum = 0;

	for (int i = 0; i < FRAME; i += 8)
		*(volatile unsigned long long *)(local + i / 8 * 8) = n + i;
	sum = add(local[0], n) + add(local[8], n + at[2]);
	return sum;
}

static __attribute__((noinline)) unsigned through(unsigned *p)
{
	*p += 3;
	return *p * 2;
}

static __attribute__((noinline)) unsigned look(unsigned key)
{
	unsigned long long *v;

	barrier(key);
	v = bpf_map_lookup_elem(&map, &key);
	if (!v)
		return 0;
	__sync_fetch_and_add(v, 1);
	return 1;
}

/*
 * The first frame has 448 bytes, this one FRAME (on 6.12 rounded up to 8) and 4 for the return address. Each is rounded up to 64, and the
 * sum may be 512.
 */
static __attribute__((noinline)) unsigned fill(unsigned seed)
{
	asm volatile("*(u32 *)(r10 - %1) = %0" ::"r"(seed), "i"(FRAME) : "memory");
	return seed + 1;
}

/* Seven functions, each of which calls the next one 24 times. */
#define CALLS4(f)  a += f(a), a += f(a), a += f(a), a += f(a)
#define CALLS24(f) CALLS4(f), CALLS4(f), CALLS4(f), CALLS4(f), CALLS4(f), CALLS4(f)
#define CHAIN(name, next)                                          \
	static __attribute__((noinline)) unsigned name(unsigned a) \
	{                                                          \
		barrier(a);                                        \
		CALLS24(next);                                     \
		return a;                                          \
	}
CHAIN(chain1, fill)
CHAIN(chain2, chain1)
CHAIN(chain3, chain2)
CHAIN(chain4, chain3)
CHAIN(chain5, chain4)
CHAIN(chain6, chain5)

__attribute__((noinline)) int global(unsigned a)
{
	barrier(a);
	return a + 3;
}

SEC("xdp") int prog(struct xdp_md *ctx)
{
	unsigned sum = 0;

	PACKET(ctx);
#if KIND == 0
	sum = add(data[0], data[1]);
#elif KIND == 1
	sum = add(data[0], data[1]) + add(data[2], data[3]) + add(sum, data[5]);
#elif KIND == 2
	sum = deep(data, data[1]);
#elif KIND == 3
	unsigned local = data[0];

	sum = through(&local) + local;
#elif KIND == 4
	volatile unsigned char local[FRAME];

	for (int i = 0; i < FRAME; i += 8)
		*(volatile unsigned long long *)(local + i / 8 * 8) = data[1];
	sum = deep(data, data[1]) + local[3];
#elif KIND == 5
	sum = (unsigned)global(data[0]);
#elif KIND == 6
	sum = look(data[0]) + look(data[1]);
#elif KIND == 7
	unsigned local[4] = { data[0], data[1], data[2], data[3] };

	sum = data[4] ? through(&local[1]) : through(&local[3]);
#elif KIND == 8
	asm volatile("*(u64 *)(r10 - 448) = %0" ::"r"(1ull) : "memory");
	sum = fill(data[0]);
#elif KIND == 9
	sum = chain6(data[0]);
#elif KIND == 10
	sum = deep(data, data[1]);
	asm volatile("r0 = 0\n.byte 0x15, 0, 40, 0, 7, 0, 0, 0" : : : "r0"); /* if r0 == 7 goto +40: into deep() */
#endif
	return sum == 77 ? XDP_DROP : XDP_PASS;
}
