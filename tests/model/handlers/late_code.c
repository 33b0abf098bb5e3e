/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test handler; tests/model/bursts_are_the_rtls.sh compares its cycles on the NIC model with those on PsPIN's RTL. 32-bit instructions at
 * 14 modulo 16, one of them a jump, reach the decode stage late while the preceding load from L2 waits. In the first packet the line is not
 * in the cache either.
 */
#include <spin/spin.h>

struct late_code {
	uint32_t word;
};

SPIN_STATE(struct late_code, .word = 1);

/* A load at 10 modulo 16, reached by a jump, and the instructions after it. */
#define AT_10(next) \
	"j 1f; .option rvc; .balign 16; c.nop; .option norvc; nop; nop; 1: lw t0, 0(%0); " next "; addi t1, t1, 1; addi t1, t1, 1; 2:;"
#define LOADS_AND_JUMPS AT_10("nop") AT_10("j 2f") AT_10("j 2f") AT_10("nop")

/* Runs twice over the same lines. The second time they are in the cache, but the jump's target is not. */
#define TO_COLD_TARGET                                                                                                            \
	"la t2, 3f; li t1, 2; 4: j 1f; .option rvc; .balign 16; c.nop; .option norvc; nop; nop; 1: lw t0, 0(%0); jalr x0, 0(t2);" \
	"3: la t2, 5f; addi t1, t1, -1; bnez t1, 4b; nop; .option rvc; .balign 64; .option norvc; 5:;"

static enum spin_payload_rc late_code_payload(struct spin_payload *p, struct late_code *state)
{
	(void)p;
#ifdef __riscv
	__asm__ volatile(".option push; .option norvc;" LOADS_AND_JUMPS LOADS_AND_JUMPS TO_COLD_TARGET ".option pop"
			 :
			 : "r"(state)
			 : "t0", "t1", "t2", "memory");
#else
	(void)state;
#endif
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(late_code, .payload = late_code_payload, .bytes_in_l1 = SPIN_HEADERS_ONLY, .checksum = SPIN_CHECKSUM_HOST);
