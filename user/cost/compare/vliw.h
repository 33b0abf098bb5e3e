/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_COST_COMPARE_VLIW_H
#define USER_COST_COMPARE_VLIW_H

/*
 * hXDP's compiler as published (Brunella et al., OSDI 2020, section 3): an eBPF program becomes rows of a few instructions that run at the
 * same time. Done here: removal of boundary checks and zeroing (3.1); three operands, 6-byte loads and stores, exits with their action
 * (3.2); scheduling in a block by Bernstein's conditions, one helper call a row (3.3, 3.4); an instruction right behind one that it
 * depends on is on the same lane, and branches in sequence share a row (4.2). As in the programs that were published with the paper, a
 * helper reads its arguments after the row that calls it, and addresses that are relative to different registers are different. Not done:
 * moving instructions from control-equivalent blocks, but for branches.
 */
#include <stdint.h>

#include <linux/bpf.h>

#define VLIW_LANES_MAX     8
#define VLIW_OWN_REGISTERS 16
/* Larger programs are refused, and larger blocks cut: anybody's object is compiled in seconds. */
#define VLIW_INSTRUCTIONS_MAX 32768
#define VLIW_BLOCK_MAX        256

enum vliw_memory { VLIW_NO_MEMORY, VLIW_LOAD, VLIW_STORE, VLIW_ALL_MEMORY }; /* the last: a call, or an atomic operation */

/* One instruction of the program, by its place there. */
struct vliw_op {
	uint32_t reads, writes; /* registers, a bit each; from VLIW_OWN_REGISTERS on, what 6 bytes are in between a load and its store */
	enum vliw_memory memory;
	int root;       /* what its address is relative to, a number of the block's; with offset and bytes */
	int64_t offset; /* sums of any 256 immediates fit */
	int bytes;
	int is_branch;                    /* ends its block: jump, conditional jump or exit */
	int is_call, is_exit, has_action; /* has_action: of an exit, which then reads no register */
	int removed;                      /* by an optimisation, or the second half of a 64-bit load */
	int can_rename;                   /* its value does not leave the block, nor goes to a helper */
	unsigned row, lane;               /* in its block; of a branch that was moved into the block before it, in that */
};

struct vliw_block {
	unsigned first, count;
	int next[2];     /* first instructions of the blocks that can follow, of the one that is not jumped to first; -1: none */
	unsigned before; /* how many blocks can be before it */
	unsigned rows;   /* 0: all of it was removed, or moved into the block before it */
	uint32_t live_in, live_out;
};

struct vliw {
	const struct bpf_insn *insns;
	unsigned count, lanes;
	struct vliw_op *ops;
	struct vliw_block *blocks;
	unsigned block_count;
	unsigned *block_of; /* of each instruction */
	unsigned rows;      /* of all blocks */
	unsigned six_bytes; /* copies that became one load and one store */
};

/* Which optimisations are left out, for tests and for comparing with what was published without them. */
enum { VLIW_KEEP_BOUNDS_CHECKS = 1, VLIW_KEEP_ZEROING = 2, VLIW_TWO_OPERANDS = 4, VLIW_NO_SIX_BYTES = 8, VLIW_NO_ACTIONS = 16 };

/*
 * Compiles a program, whose instructions must outlive it. 0, -EINVAL for one that jumps out of itself or ends with a conditional jump,
 * -E2BIG, or -ENOMEM.
 */
int vliw__compile(struct vliw *v, const struct bpf_insn *insns, unsigned count, unsigned lanes, unsigned without);
void vliw__free(struct vliw *v);
/*
 * Rows that ran, if each instruction ran so many times. *undrained: how many of the exits had no action in them, and so waited for the
 * pipeline to drain.
 */
uint64_t vliw__rows_run(const struct vliw *v, const uint64_t *runs, uint64_t *undrained);

/* The block that follows, 0: without a jump, 1: by one; NULL: none. */
struct vliw_block *vliw__next(const struct vliw *v, const struct vliw_block *block, unsigned n);

/* Steps of vliw__compile(), in vliw_reduce.c: removes and replaces instructions, in place. */
void vliw__reduce(struct vliw *v, unsigned without);
/* Makes one of blocks that are behind each other and always run both, as where a boundary check was removed. */
void vliw__merge_blocks(struct vliw *v);

#endif
