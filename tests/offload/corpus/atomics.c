/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test input for `spinctl check --target nfp`, which predicts whether the driver of NFP cards takes an XDP program. Here: atomic operations
 * by opcode. Only an addition without fetch (0x00) to a map's value is accepted; other opcodes, and additions on the stack, are rejected.
 *
 * The file is one program for each line `expect: VERDICT [RULE] [on KERNEL] : MACROS` below, compiled with those macros (corpus.h); the
 * checker must give that verdict. Used by tests/offload/checker_knows_each_rule.sh.
 */
/* expect: accept : BYTES=32 OP=0x00 */
/* expect: accept : BYTES=64 OP=0x00 */
/* expect: reject atomic-op : BYTES=32 OP=0x01 */
/* expect: reject atomic-op : BYTES=64 OP=0x01 */
/* expect: reject atomic-op : BYTES=64 OP=0x40 */
/* expect: reject atomic-op : BYTES=64 OP=0x41 */
/* expect: reject atomic-op : BYTES=64 OP=0x50 */
/* expect: reject atomic-op : BYTES=64 OP=0x51 */
/* expect: reject atomic-op : BYTES=64 OP=0xa0 */
/* expect: reject atomic-op : BYTES=64 OP=0xa1 */
/* expect: reject atomic-op : BYTES=64 OP=0xe1 */
/* expect: reject atomic-op : BYTES=64 OP=0xf1 */
/* expect: reject atomic-op : BYTES=32 OP=0xe1 */
/* expect: reject atomic-target : BYTES=64 OP=0x00 ON_STACK=1 */
/* expect: reject atomic-target : BYTES=32 OP=0x00 ON_STACK=1 */
/* expect: accept : BYTES=64 OP=0x00 ADD=70000 */
/* expect: accept : BYTES=64 OP=0x00 FROM_PACKET=1 */
/* expect: accept : BYTES=32 OP=0x00 FROM_PACKET=1 */
/* expect: accept : BYTES=64 OP=0x00 AT=8 */
/* expect: accept : BYTES=64 OP=0x00 AT=8 FROM_PACKET=1 */
#include "corpus.h"

#ifndef ADD
#define ADD 1
#endif
#ifndef AT
#define AT 0
#endif
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, unsigned);
	__uint(value_size, 16);
} map SEC(".maps");

#define STR2(x) #x
#define STR(x)  STR2(x)
/* class STX | ATOMIC | size, registers 3 (source) and 2 (destination) */
#define CODE_32      "0xc3"
#define CODE_64      "0xdb"
#define CODE2(bytes) CODE_##bytes
#define CODE(bytes)  CODE2(bytes)

SEC("xdp") int prog(struct xdp_md *ctx)
{
	unsigned key = 0;
	unsigned long long local[2] = { 0, 0 }, by = ADD;
	void *at;

	PACKET(ctx);
#ifdef FROM_PACKET
	by = *(unsigned *)(data + 8);
#endif
	barrier(key);
	at = bpf_map_lookup_elem(&map, &key);
	if (!at)
		return XDP_DROP;
#ifdef ON_STACK
	at = local;
#endif
	asm volatile("r2 = %0\n"
		     "r3 = %1\n"
		     "r0 = 0\n"
		     ".byte " CODE(BYTES) ", 0x32, " STR(AT) ", 0\n"
							     ".long " STR(OP) "\n"
		     :
		     : "r"(at), "r"(by)
		     : "r0", "r2", "r3", "memory");
	return XDP_PASS;
}
