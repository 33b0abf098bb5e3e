/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test handler; tests/model/bursts_are_the_rtls.sh compares its cycles on the NIC model with those on PsPIN's RTL: eight increments of a
 * word by LR and SC (RISC-V's load-reserved and store-conditional), on HPUs (cores of the NIC) that do not run in lockstep. On the RTL a
 * reservation belongs to an ID of the L2 port and not to the HPU, so an SC can succeed on another HPU's reservation, and that HPU's
 * increment is lost. The model does the same; its cycles must be within 2 % of the RTL's.
 */
#include <spin/spin.h>

struct lost_updates {
	uint32_t words[16];
};

SPIN_STATE(struct lost_updates, .words = { 1, 2, 3 });

#define INCREMENT " .option rvc; .balign 16; c.nop; .option norvc; 1: lr.w t0, (%0); addi t0, t0, 1; sc.w t1, t0, (%0); bnez t1, 1b;"

static enum spin_payload_rc lost_updates_payload(struct spin_payload *p, struct lost_updates *state)
{
	(void)p;
#ifdef __riscv
	__asm__ volatile(".option push; .option norvc;" INCREMENT INCREMENT INCREMENT INCREMENT INCREMENT INCREMENT INCREMENT INCREMENT
			 ".option pop"
			 :
			 : "r"(state)
			 : "t0", "t1", "memory");
#else
	(void)state;
#endif
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(lost_updates, .payload = lost_updates_payload, .bytes_in_l1 = SPIN_HEADERS_ONLY, .checksum = SPIN_CHECKSUM_HOST);
