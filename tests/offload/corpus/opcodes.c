/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test input for `spinctl check --target nfp`, which predicts whether the driver of NFP cards takes an XDP program. Here: instructions that
 * the driver lacks, or that its JIT would take for others (those of -mcpu=v4): they are rejected. Conversions to big-endian and a plain
 * jump are accepted.
 *
 * The file is one program for each line `expect: VERDICT [RULE] [on KERNEL] : MACROS` below, compiled with those macros (corpus.h); the
 * checker must give that verdict. Used by tests/offload/checker_knows_each_rule.sh.
 */
/* expect: reject htole : SWAP=le16 */
/* expect: reject htole : SWAP=le32 */
/* expect: reject htole : SWAP=le64 */
/* expect: accept : SWAP=be16 */
/* expect: accept : SWAP=be64 */
/* expect: reject st-immediate : RAW=0x62,0x0a,0xf8,0xff,1,0,0,0 */
/* expect: reject st-immediate : RAW=0x7a,0x0a,0xf8,0xff,1,0,0,0 */
/* expect: reject st-immediate : RAW=0x72,0x0a,0xff,0xff,1,0,0,0 */
/* expect: reject mcpu-v4 : RAW=0xbf,0x00,0x08,0,0,0,0,0 */
/* expect: reject mcpu-v4 : RAW=0xbc,0x00,0x10,0,0,0,0,0 */
/* expect: reject mcpu-v4 : RAW=0xd7,0x00,0,0,0x10,0,0,0 */
/* expect: reject mcpu-v4 : RAW=0x37,0x00,0x01,0,0x3,0,0,0 */
/* expect: reject mcpu-v4 : RAW=0x06,0x00,0,0,0,0,0,0 */
/* expect: reject modulo : RAW=0x97,0x00,0,0,0x3,0,0,0 */
/* expect: reject modulo : RAW=0x94,0x00,0,0,0x3,0,0,0 */
/* expect: reject packet-load : RAW=0x30,0x00,0,0,0,0,0,0 */
/* expect: reject link : RAW=0x18,0x11,0,0,0x00,0x09,0x3d,0x00,0,0,0,0,0,0,0,0 */
/* expect: reject opcode : RAW=0xe5,0x00,0,0,0,0,0,0 */
/* expect: accept : RAW=0x05,0x00,0,0,0,0,0,0 */
#include "corpus.h"

#define STR2(...) #__VA_ARGS__
#define STR(...)  STR2(__VA_ARGS__)

SEC("xdp") int prog(struct xdp_md *ctx)
{
#ifdef RAW
	asm volatile("r0 = 7\n.byte " STR(RAW) : : : "r0", "memory");
#else
	asm volatile("r0 = 7\nr0 = " STR(SWAP) " r0" : : : "r0", "memory");
#endif
	return XDP_PASS;
}
