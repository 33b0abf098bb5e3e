/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_COST_COMPARE_MACHINE_H
#define USER_COST_COMPARE_MACHINE_H

/*
 * Interprets an XDP program on packets in this process, with the kernel's semantics, and counts how often each instruction runs. Called by
 * hxdp.c (spinctl cost --compare) and tests. The program is not trusted: each access is checked, and a run ends after MACHINE_STEPS_MAX
 * instructions. Maps that are not arrays are empty.
 */
#include "user/cost/compare/program.h"

#define MACHINE_STEPS_MAX    (1u << 20)
#define MACHINE_PACKET_BYTES 16384 /* with headroom and tailroom */

/* The interpreter's state. */
struct machine {
	const struct bpf_code *code;
	struct bpf_code_memory *memory; /* the code's memory; programs may write to it */
	uint64_t *runs;                 /* how often each instruction ran, over all packets */
	uint8_t packet[MACHINE_PACKET_BYTES];
	unsigned begin, end;                               /* offsets of the packet in packet[] */
	uint64_t tail_calls, helper_calls, packets, steps; /* over all packets */
	uint64_t now_ns;
	uint32_t action; /* return value of the last run; may be any number */
	uint32_t random;
	char reason[200]; /* why a run failed; "": none failed */
};

/* Returns 0 or -ENOMEM. The code must outlive the machine. */
int machine__open(struct machine *m, struct bpf_code *code);
void machine__close(struct machine *m);
/* Runs the program on a frame. Returns 0, or -errno with a reason in m->reason. The resulting packet is packet[begin..end). */
int machine__run(struct machine *m, const uint8_t *frame, unsigned bytes);

#endif
