/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_NFP_WALK_H
#define KERNEL_NFP_WALK_H

/*
 * Walks all paths of a linked BPF program, as the verifier of one kernel version does with the NFP driver's hooks at each instruction. What
 * the hooks refuse becomes findings; what they note for each instruction is left for the JIT (jit.h).
 */
#include "kernel/nfp/object.h"
#include "kernel/nfp/profile.h"
#include "kernel/nfp/rules.h"
#include "kernel/nfp/state.h"

#define NFP_STEPS_MAX        1000000u  /* of a program: BPF_COMPLEXITY_LIMIT_INSNS */
#define NFP_OBJECT_STEPS_MAX 16000000u /* of all programs of an object, for all kernels: each may be made to take minutes */
#define NFP_VALUE_WORDS_MAX  1024u     /* the driver takes no longer values */

/* How programs use a word of a map's values: the driver allows only one of the two uses. */
enum nfp_use {
	NFP_UNUSED,
	NFP_READ,
	NFP_COUNTED,
};

/* What the hooks note for an instruction, over all paths. */
struct nfp_meta {
	uint32_t visits;
	uint8_t is_jump_target;
	uint8_t is_second_half; /* of a 64-bit load: not an instruction */
	uint8_t zext;           /* the upper half is read after the instruction wrote the lower */
	/* accesses */
	enum nfp_type pointer;
	int64_t pointer_offset; /* constant part, without the instruction's own offset */
	uint32_t pointer_id;
	uint8_t offset_varies, is_callers_frame;
	uint8_t adds_over_16_bits, adds_at_most_16_bits;
	/* arithmetic */
	uint64_t umin_src, umax_src, umin_dst, umax_dst;
	/* calls */
	uint32_t helper;
	enum nfp_type data; /* of perf_event_output */
	int64_t key_offset;
	uint8_t key_varies;
};

/* A function of the program. */
struct nfp_function {
	uint32_t start;
	uint32_t depth_bytes; /* deepest stack access */
	int writes_saved;     /* some instruction writes R6 to R9 */
};

/* A state that a path had at an instruction, for comparison with later ones. */
struct nfp_visit {
	struct nfp_state state;
	struct nfp_visit *next;
	unsigned branches; /* paths from here that have not ended yet */
};

/* A walk in progress, and its results. */
struct nfp_walk {
	const struct nfp_object *object;
	const struct nfp_code *code;
	const struct nfp_profile *profile;
	enum nfp_kernel kernel;
	struct nfp_findings *findings;
	unsigned steps_max; /* NFP_STEPS_MAX, or fewer if that is what is left of NFP_OBJECT_STEPS_MAX */

	struct nfp_meta *meta; /* by instruction */
	struct nfp_function *functions;
	unsigned function_count;
	uint8_t *use; /* enum nfp_use, by map and word */
	uint32_t packet_bytes;
	int adjust_head_at; /* instruction of the only call, by one constant; -1: none yet; -2: several calls, or a variable */
	int64_t adjust_head_by;

	/* private */
	uint16_t *live; /* live registers, by instruction */
	struct nfp_visit **visits;
	unsigned stored;
	struct nfp_state *pending;
	unsigned pending_count, pending_room;
	uint32_t next_id;
	unsigned steps; /* at most steps_max + 1 */
};

/* Runs the walk. The caller has set the fields from object to steps_max. Returns 0 or -ENOMEM. */
int nfp_walk__run(struct nfp_walk *w);
void nfp_walk__free(struct nfp_walk *w);

/* --- shared by walk.c, memory.c and call.c: return 0 to continue, 1 to end the path, or -ENOMEM --- */

/* Adds a finding for the current instruction, with the rule's own verdict, or with `verdict`. */
#define nfp_walk__find(W, S, RULE, ...)             nfp_findings__add((W)->findings, RULE, nfp_rule__verdict(RULE), (S)->insn, __VA_ARGS__)
#define nfp_walk__find_as(W, S, RULE, VERDICT, ...) nfp_findings__add((W)->findings, RULE, VERDICT, (S)->insn, __VA_ARGS__)

/* Reads a register, all 64 bits of it if `all`. */
int nfp_walk__read(struct nfp_walk *w, struct nfp_state *s, unsigned reg, int all);
/* Sets the register to an unknown number of `bytes`. */
void nfp_walk__mark_unknown(struct nfp_walk *w, struct nfp_state *s, unsigned reg, unsigned bytes);

/* Reports opcodes that the driver's table lacks, and those that its JIT translates wrongly. */
int nfp_walk__check_opcode(struct nfp_walk *w, struct nfp_state *s, const struct bpf_insn *insn);
int nfp_walk__alu(struct nfp_walk *w, struct nfp_state *s, const struct bpf_insn *insn);
int nfp_walk__load(struct nfp_walk *w, struct nfp_state *s, const struct bpf_insn *insn);
int nfp_walk__store(struct nfp_walk *w, struct nfp_state *s, const struct bpf_insn *insn);
int nfp_walk__store_constant(struct nfp_walk *w, struct nfp_state *s, const struct bpf_insn *insn);
int nfp_walk__atomic(struct nfp_walk *w, struct nfp_state *s, const struct bpf_insn *insn);
/* Checks that a helper may read `bytes` from where the register points. */
int nfp_walk__helper_reads(struct nfp_walk *w, struct nfp_state *s, unsigned reg, uint32_t bytes);
int nfp_walk__helper(struct nfp_walk *w, struct nfp_state *s, const struct bpf_insn *insn);

/* "bpf_redirect", or "helper 200" in `buf`. */
const char *nfp_helper__name(int32_t number, char *buf, size_t bytes);

static inline unsigned nfp_insn__bytes(const struct bpf_insn *insn)
{
	switch (BPF_SIZE(insn->code)) {
	case BPF_B:
		return 1;
	case BPF_H:
		return 2;
	case BPF_W:
		return 4;
	}
	return 8;
}

#endif
