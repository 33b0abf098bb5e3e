/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_COST_COMPARE_VLIW_H
#define USER_COST_COMPARE_VLIW_H

/*
 * The compiler of hXDP, an FPGA NIC, as published (Brunella et al., OSDI 2020, section 3). Called by hxdp.c (spinctl cost --compare) and
 * tests. It turns an eBPF program into VLIW rows: instructions that run in the same cycle.
 *
 * Implemented: removal of boundary checks and zeroing (3.1); three operands, 6-byte loads and stores, exits with an action
 * (3.2); scheduling within a block by Bernstein's conditions, one helper call per row (3.3, 3.4). An instruction that depends on the
 * previous row must use the same lane, and consecutive branches share a row (4.2). As in the programs published with the paper, a helper
 * reads its arguments after the row that calls it, and accesses relative to different registers are assumed not to overlap. Not
 * implemented: code motion between control-equivalent blocks, except for branches.
 */
#include <stdint.h>

#include <linux/bpf.h>

#define VLIW_LANES_MAX     8
#define VLIW_OWN_REGISTERS 16
/* Larger programs are refused and larger blocks are split, so that an untrusted object compiles within seconds. */
#define VLIW_INSTRUCTIONS_MAX 32768
#define VLIW_BLOCK_MAX        256

/* How an instruction accesses memory. */
enum vliw_memory { VLIW_NO_MEMORY, VLIW_LOAD, VLIW_STORE, VLIW_ALL_MEMORY }; /* VLIW_ALL_MEMORY: a call or an atomic operation */

/* One instruction of the program; the array has the program's indices. */
struct vliw_op {
	uint32_t reads, writes; /* one bit per register; bits from VLIW_OWN_REGISTERS up: temporaries of 6-byte copies */
	enum vliw_memory memory;
	int root;       /* base of the address, see find_roots(); valid with offset and bytes */
	int64_t offset; /* relative to root; holds the sum of any 256 immediates */
	int bytes;
	int is_branch;                    /* ends its block: jump, conditional jump or exit */
	int is_call, is_exit, has_action; /* has_action: the exit contains its action and reads no register */
	int removed;                      /* by an optimisation, or because it is the second half of a 64-bit load */
	int can_rename;                   /* its result stays in the block and no helper or exit reads it */
	unsigned row, lane;               /* in its block; for a branch that was moved to the previous block, in that block */
};

/* A basic block. */
struct vliw_block {
	unsigned first, count;
	int next[2];     /* first instruction of each successor: [0] fall-through, [1] jump target; -1: none */
	unsigned before; /* number of predecessors */
	unsigned rows;   /* 0: all instructions were removed or moved to the previous block */
	uint32_t live_in, live_out;
};

/* A program that was scheduled. */
struct vliw {
	const struct bpf_insn *insns;
	unsigned count, lanes;
	struct vliw_op *ops;
	struct vliw_block *blocks;
	unsigned block_count;
	unsigned *block_of; /* block index of each instruction */
	unsigned rows;      /* sum over all blocks */
	unsigned six_bytes; /* number of copies that became a 6-byte load and store */
};

/* Flags that disable optimisations, for tests and for comparison with figures published without them. */
enum { VLIW_KEEP_BOUNDS_CHECKS = 1, VLIW_KEEP_ZEROING = 2, VLIW_TWO_OPERANDS = 4, VLIW_NO_SIX_BYTES = 8, VLIW_NO_ACTIONS = 16 };

/*
 * Compiles a program. insns must outlive *v. Returns 0; -EINVAL if the program jumps out of itself or ends with a conditional jump;
 * -E2BIG or -ENOMEM.
 */
int vliw__compile(struct vliw *v, const struct bpf_insn *insns, unsigned count, unsigned lanes, unsigned without);
void vliw__free(struct vliw *v);
/*
 * Returns the number of rows that ran. runs: how often each instruction ran. *undrained: how many exits ran that contain no action and so
 * wait for the pipeline to drain.
 */
uint64_t vliw__rows_run(const struct vliw *v, const uint64_t *runs, uint64_t *undrained);

/* Returns successor n of a block, 0: fall-through, 1: jump target; NULL if there is none. */
struct vliw_block *vliw__next(const struct vliw *v, const struct vliw_block *block, unsigned n);

/* A step of vliw__compile() (vliw_reduce.c): removes and replaces instructions in place. */
void vliw__reduce(struct vliw *v, unsigned without);
/* Merges consecutive blocks that always run together, as after the removal of a boundary check. */
void vliw__merge_blocks(struct vliw *v);

#endif
