/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_CORE_STATE_H
#define HWMODEL_CORE_STATE_H

/*
 * State of one core, and what its files offer to each other; <hwmodel/rv32.h> is the interface to everybody else. Calls go one way:
 * core.c, exec.c, lines.c, block.c, hazard.c and memory.c, stats.c and csr.c.
 *
 * Code is decoded once, into blocks of ops that exec.c runs by threaded dispatch. A block's static cycles are charged when it is
 * left, by the edge; only what depends on data (memory, divisions, the instruction cache) is charged as it happens.
 */
#include <stdbool.h>

#include <hwmodel/rv32.h>
#include "hwmodel/core/insn.h"
#include "hwmodel/core/timing.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "guest words are host words: a little-endian host is needed"
#endif

#define likely(c)   __builtin_expect(!!(c), 1)
#define unlikely(c) __builtin_expect(!!(c), 0)

/* Trap causes as mcause has them. */
enum {
	RV32_TRAP_FETCH_ODD = 0,
	RV32_TRAP_FETCH_FAULT = 1,
	RV32_TRAP_ILLEGAL = 2,
	RV32_TRAP_EBREAK = 3,
	RV32_TRAP_LOAD_FAULT = 5,
	RV32_TRAP_STORE_ODD = 6,
	RV32_TRAP_STORE_FAULT = 7,
	RV32_TRAP_LOAD_ODD = 4,
	RV32_TRAP_ECALL_U = 8,
	RV32_TRAP_ECALL_M = 11,
};

enum {
	RV32_PAGE_SHIFT = 12, /* log2 bytes per entry of the page tables */
	RV32_PAGES = 1 << (32 - RV32_PAGE_SHIFT),
	RV32_BLOCK_INSNS = 48,      /* instructions decoded into one block at most, */
	RV32_BLOCK_CYCLES = 128,    /* and it ends after so many static cycles */
	RV32_BLOCK_EDGES = 12,      /* ways out of one block at most */
	RV32_HASH = 4096,           /* buckets of the block table */
	RV32_JUMP_CACHE = 1024,     /* entries, direct-mapped by target */
	RV32_ARENA_BYTES = 4 << 20, /* decoded code; when full, all of it is forgotten */
	RV32_LOOP_ENDS = 64,        /* known ends of hardware loops */
	RV32_LINE_BYTES = 16,       /* the front end fetches so much at once */
	RV32_NO_LINE = 1,           /* an address that is not a line's */
	RV32_BREAKPOINTS = 16,      /* known at once */
	RV32_SINK = 32,             /* x[] slot that stands for a written x0 */
};

/* What exec.c dispatches: an instruction, or a helper (RV32_OP_end and later). */
struct op {
	const void *label;
	int32_t imm; /* or, where there is an edge, its offset from this op in bytes */
	uint8_t rd, rs1, rs2;
	uint8_t index; /* in its block */
};

/* Of an op, known when it is decoded; kept apart from struct op since only slow paths read it. */
struct op_info {
	uint32_t pc, word;
	uint16_t issue; /* cycle of its issue, from the block's start, own stalls included */
	uint8_t stall;  /* hazard before it, to stall_cause ... */
	uint8_t stall_cause;
	uint8_t stall_fetch; /* ... and waiting for the fetch line */
	uint8_t cost;        /* its own cycles; all but the first to cost_cause */
	uint8_t cost_cause;
	uint8_t hidden;        /* of the next one, a jump or fence, what passes while this one waits or is misaligned, */
	uint8_t hidden_second; /* and what more of it while its second word waits */
	uint8_t is_insn;
	uint8_t next_reads; /* the next one reads rd, */
	uint8_t next_late;  /* and waits for its fetch line */
	uint8_t opcode, len_bytes;
};

/*
 * What of earlier instructions delays the next one, and whether a jump leads to it. A block is decoded for one address and one
 * hazard: the same address after other instructions is another block.
 */
struct hazard {
	uint8_t load1; /* rd of the load just before */
	uint8_t load2; /* rd of a load one single-cycle instruction further back */
	uint8_t alu1;  /* ALU result just before */
	uint8_t flags;
};
enum {
	HAZARD_AMO = 1,       /* an AMO just before */
	HAZARD_JUMPED = 2,    /* it is a jump's target, at 10 or 14 modulo 16 */
	HAZARD_SECOND = 4,    /* it follows a 32-bit target at 10 modulo 16 */
	HAZARD_LONG = 8,      /* mulh, div or rem just before */
	HAZARD_COLD = 16,     /* no hazard: this block asks for its lines, */
	HAZARD_X0 = 64,       /* a load or AMO to x0 just before */
	HAZARD_SHORT = 32,    /* and this one ends at its first branch */
	HAZARD_FETCHED = 128, /* a jump just before, whose target was fetched while it waited */
};

/* A way out of a block: fall-through, taken branch or jump. Linked to its target when it is first taken. */
struct edge {
	const struct op *next; /* first op of the target, or the link op */
	uint64_t count;        /* times taken, minus 1; 0 makes it join the touched list */
	uint32_t cycles;       /* static cycles of the block up to here */
	uint32_t pc;           /* target; of an indirect one the last target, 1 for none */
	uint32_t link;         /* address after the jump; end of the hardware loop */
	int32_t offset;        /* of jalr */
	struct hazard hazard;
	uint8_t op_index;  /* last instruction of this way */
	uint8_t falls;     /* to what follows in memory: no jump */
	uint8_t is_linked; /* in the core's list */
	uint8_t extra;     /* dynamic part of a taken branch, inside cycles */
	uint8_t fetched;   /* of a jump: nothing of its target is waited for */
	uint8_t divides;   /* of a taken branch: a division stands behind it, signed if 2, */
	uint8_t divisor;   /* by this register */
	struct block *block;
	struct edge *touched, *linked;
};

struct block {
	uint32_t pc, end_line; /* address of the last line that it needs: one behind it, if it is fetched ahead */
	uint64_t lines_known;  /* generation of the cache in which all its lines were there */
	struct hazard hazard;
	struct block *hash_next;
	struct op_info *info;
	uint16_t ops;
	struct op op[];
};

struct jump_entry {
	uint32_t pc;
	const struct op *op;
};

/* Per page: host address minus guest address, 0 if the page is not one window. */
struct pages {
	uintptr_t *read, *write;
};

struct rv32_core {
	uint32_t x[RV32_SINK + 1];
	uint32_t pc;    /* valid when paused is NULL */
	uint64_t cycle; /* start of the block that runs, plus its dynamic terms so far */
	uint64_t until; /* where blocks end: limit, or a bit before share_from */
	uint64_t limit; /* of run() */
	uint64_t share_from;
	bool shared;                 /* timed windows are asked of the bus: `pages` is page[1] */
	struct pages pages, page[2]; /* page[1]: without the timed windows */
	const void *const *labels;
	struct op link_op;

	const struct op *paused; /* the bus stopped the core at this op */
	struct {                 /* what was charged last beyond the block's own cycles: to pc, up to core->cycle */
		uint32_t pc;
		uint64_t until;
		int64_t cycles, lines; /* and of that, for lines of instructions */
	} waited;
	struct { /* a division: what it took in all, up to core->cycle */
		uint64_t until, cycles;
	} divided;
	bool stopped; /* at a breakpoint, and the instruction there is not issued yet */
	struct hazard hazard;
	struct edge *touched;
	uint64_t instructions; /* folded so far */
	uint64_t cycles[RV32_CAUSE_COUNT];
	struct rv32_profile *profile;

	struct {
		uint32_t start, end, count;
	} loop[2];
	uint32_t loop_end[RV32_LOOP_ENDS];
	unsigned loop_ends;

	struct rv32_bus bus;
	struct icache *icache;
	unsigned icache_port;
	uint32_t code_at;            /* added to a line's address: its place in the memory behind the cache */
	const uint64_t *lines_known; /* the cache's generation; 0 for ever if there is none */
	uint64_t linked_generation;  /* at which the edges in `linked` were linked */
	struct edge *linked;
	struct {                        /* of the front end; known while code runs that is not in the cache: */
		uint32_t line;          /* the line that is executed, */
		uint32_t ahead;         /* the one asked for behind it, */
		uint64_t ready;         /* and when its first instruction can issue */
		uint32_t late;          /* an instruction whose line came while the one before it waited for memory; RV32_NO_LINE: none */
		uint64_t early;         /* how long a jump has been taken when its target could issue, beyond what jumps take */
		uint64_t stopped_early; /* the same, of one at whose target run() stopped */
		bool goes_on;           /* run() starts with what follows in memory */
		uint64_t stall;         /* what the instruction at which run() stopped last was waited for, before it was issued */
	} fetch;
	struct rv32_window windows[RV32_WINDOWS_MAX];
	unsigned window_count;
	uint8_t stop_at_self_jump, half_across_is_word;

	uint8_t user_mode, mpp_user, mie, mpie;
	uint8_t reserved; /* by lr.w */
	uint32_t reserved_addr;
	uint32_t l1_banks, l1_amo_cycles;
	int amo_bank;       /* of the AMO just done on a window, else -1, */
	uint64_t amo_until; /* when that serves again, */
	bool amo_by_bus;    /* and whether the bus knows of it */
	struct {            /* word-crossing access that the bus stopped in its midst */
		uint32_t done_bytes, value;
		uint64_t before, second; /* core->cycle at its first word, and at its second */
	} split;
	uint32_t hart_id, mtvec, mepc, mcause, mtval, mscratch;
	struct rv32_trap trap;
	struct rv32_trap open_trap; /* the first one since an mret: its handler still runs, if in_trap */
	uint64_t open_trap_cycle;
	bool in_trap;
	uint32_t breakpoint[RV32_BREAKPOINTS];
	unsigned breakpoints;

	uint8_t *arena;
	size_t arena_used;
	unsigned generation; /* counts flushes: edges do not survive one */
	struct block *hash[RV32_HASH];
	struct jump_entry jump_cache[RV32_JUMP_CACHE];
};

static inline struct block *op_block(const struct op *op)
{
	return (struct block *)((char *)(uintptr_t)(op - op->index) - offsetof(struct block, op));
}

static inline const struct op_info *op_info(const struct op *op)
{
	return &op_block(op)->info[op->index];
}

/* Address of the instruction that comes next; also while the bus stops the core inside a block. */
static inline uint32_t core_pc(const struct rv32_core *core)
{
	return core->paused ? op_info(core->paused)->pc : core->pc;
}

/* The cycle that the core has reached. */
static inline uint64_t core_cycle(const struct rv32_core *core)
{
	return core->cycle + (core->paused ? op_info(core->paused)->issue : 0);
}

static inline bool is_breakpoint(const struct rv32_core *core, uint32_t pc)
{
	for (unsigned i = 0; i < core->breakpoints; i++)
		if (core->breakpoint[i] == pc)
			return true;
	return false;
}

/* block.c: the block that starts at pc, decoded if need be. May drop all other blocks when the arena is full. */
struct block *block__find(struct rv32_core *core, uint32_t pc, struct hazard hazard);
void block__flush(struct rv32_core *core); /* no op of this core is valid afterwards */
struct hazard hazard__jumped(uint32_t pc);

/* lines.c: between the core and its instruction cache. */
struct block *lines__enter(struct rv32_core *core, uint32_t pc, struct hazard hazard); /* the block to run: one that asks, if need be */
bool lines__turn(struct rv32_core *core);                                              /* false: lines change, and others come first */
bool lines__known(const struct rv32_core *core, const struct block *block);
void lines__link(struct rv32_core *core, struct edge *edge, const struct op *next);
void lines__recheck(struct rv32_core *core); /* after anything that may have replaced lines */
/*
 * To pc, and not by falling through: what was fetched ahead is not wanted, but waited for. The core's cycle moves on. `edge`: the
 * jump's, NULL for none or that of fetch.stopped_early; the core's cycle is behind it.
 */
void lines__jump(struct rv32_core *core, uint32_t pc, const struct edge *edge);
uint64_t lines__early(const struct rv32_core *core, const struct edge *edge);
void lines__fall(struct rv32_core *core, const struct edge *edge); /* it is, if the edge's block had all its lines */
/* A block that asks for its lines: is the 32-bit instruction there at this cycle, to be decoded? */
bool lines__fetched(const struct rv32_core *core, uint32_t pc, uint64_t cycle);
bool lines__ahead(struct rv32_core *core, const struct op *op); /* false: the bus stops it, both */
bool lines__need(struct rv32_core *core, const struct op *op);

/* hazard.c: static timing of one instruction after another. */
struct schedule {
	struct hazard hazard;
	uint32_t cycle;            /* next free, from the block's start */
	struct op_info *last_info; /* of the instruction just added, NULL for none */
};
void schedule__add(struct schedule *schedule, const struct rv32_insn *insn, struct op_info *info);
bool is_high_product(const struct op_info *info); /* mulh, mulhsu, mulhu */

/* stats.c */
void stats__dynamic(struct rv32_core *core, const struct op *op, enum rv32_cause cause, int64_t cycles);
void stats__dynamic_at(struct rv32_core *core, uint32_t pc, enum rv32_cause cause, int64_t cycles);
void stats__fold(struct rv32_core *core);
/* Charges the block of op up to op: with it (done), or only to its issue. The core's cycle moves on. */
void stats__leave(struct rv32_core *core, const struct op *op, bool done);
uint64_t stats__instructions_at(struct rv32_core *core, const struct op *op);

/* memory.c: off the fast path. The cycle of the core moves on by what the access waits. */
enum rv32_bus_status memory__load(struct rv32_core *core, const struct op *op, uint32_t addr, unsigned size, uint32_t *value);
enum rv32_bus_status memory__store(struct rv32_core *core, const struct op *op, uint32_t addr, unsigned size, uint32_t value);
/* Returns 0 or -1 - trap cause; RV32_BUS_STOP is 1. */
int memory__atomic(struct rv32_core *core, const struct op *op, enum rv32_access kind, unsigned funct5, uint32_t addr, uint32_t value,
		   uint32_t *old);
void memory__amo_check(struct rv32_core *core, const struct op *op, uint32_t addr);
bool memory__fetch(const struct rv32_core *core, uint32_t pc, uint16_t *half);
/* Chooses the page tables by whether timed windows are shared at this cycle, and sets when blocks must end to choose again. */
void memory__select_pages(struct rv32_core *core);
int memory__map(struct rv32_core *core); /* 0 or -ENOMEM */
void memory__unmap(struct rv32_core *core);

/* csr.c: what csrrw, csrrs, csrrc do; false means an illegal instruction. now: the cycle of issue. */
bool csr__access(struct rv32_core *core, const struct op *op, uint32_t operand, uint64_t now, uint32_t *old);
bool csr__flushes(unsigned csr);

/* exec.c; with core NULL it only hands out the labels, by opcode. */
enum rv32_stop exec__run(struct rv32_core *core, const void *const **labels);

/* Cycles of div and rem beyond their first. */
unsigned rv32_divider_extra(bool is_signed, uint32_t divisor);

#endif
