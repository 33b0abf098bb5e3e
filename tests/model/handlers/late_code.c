/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test handler, run by tests/model/bursts_are_the_rtls.sh: the first packet after boot, whose code is not in the cache, must take the 491
 * cycles on the NIC model that it takes on PsPIN's RTL. A 32-bit instruction at 14 modulo 16 lies in two 16-byte lines of code, so the core
 * must fetch the second one too: the instructions here, some of them jumps, reach the decode stage late while the load before them, from
 * L2, waits.
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
