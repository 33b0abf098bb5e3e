/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_CORE_STATE_H
#define HWMODEL_CORE_STATE_H

/*
 * State of one simulated RISC-V core, and the functions that its files offer to each other; <hwmodel/rv32.h> is the public interface. Calls
 * go one way: core.c, exec.c, lines.c, block.c, hazard.c and memory.c, stats.c and csr.c.
 *
 * Code is decoded once, into blocks of ops that exec.c runs by threaded dispatch. A block's static cycles are charged by the edge when
 * the block is left. Cycles that depend on data (memory, divisions, the instruction cache) are charged as they occur.
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

/* Trap causes, as in mcause. */
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
	RV32_BLOCK_INSNS = 48,      /* maximum of instructions in one block, */
	RV32_BLOCK_CYCLES = 128,    /* which also ends after this many static cycles */
	RV32_BLOCK_EDGES = 12,      /* maximum of edges of one block */
	RV32_HASH = 4096,           /* buckets of the block table */
	RV32_JUMP_CACHE = 1024,     /* entries, direct-mapped by target */
	RV32_ARENA_BYTES = 4 << 20, /* decoded code; when full, all blocks are flushed */
	RV32_LOOP_ENDS = 64,        /* recorded ends of hardware loops */
	RV32_LINE_BYTES = 16,       /* bytes that the front end fetches at once */
	RV32_NO_LINE = 1,           /* not the address of a line */
	RV32_BREAKPOINTS = 16,      /* maximum at a time */
	RV32_SINK = 32,             /* x[] slot that takes writes to x0 */
};

/* A unit of dispatch in exec.c: an instruction, or a helper (RV32_OP_end and later). */
struct op {
	const void *label;
	int32_t imm; /* or, for an op with an edge, the edge's offset from this op in bytes */
	uint8_t rd, rs1, rs2;
	uint8_t index; /* of the op in its block */
};

/* Details of an op, set at decode time. Kept apart from struct op, since only slow paths read them. */
struct op_info {
	uint32_t pc, word;
	uint16_t issue; /* cycle of its issue from the block's start, own stalls included */
	uint8_t stall;  /* stall before it, charged to stall_cause ... */
	uint8_t stall_cause;
	uint8_t stall_fetch; /* ... and stall for the fetch line */
	uint8_t cost;        /* its own cycles; all but the first to cost_cause */
	uint8_t cost_cause;
	uint8_t hidden;        /* cycles of the next instruction, a jump or fence, that pass while this one waits or is misaligned, */
	uint8_t hidden_second; /* and further ones that pass while its second word waits */
	uint8_t is_insn;
	uint8_t next_reads; /* the next instruction reads rd, */
	uint8_t next_late;  /* and waits for its fetch line */
	uint8_t opcode, len_bytes;
};

/*
 * Effects of earlier instructions on the next one: results that are pending, and whether a jump leads to it. A block is decoded for one
 * address and one hazard: the same address after other instructions is another block.
 */
struct hazard {
	uint8_t load1; /* rd of the load just before */
	uint8_t load2; /* rd of the load before that, with a single-cycle instruction in between */
	uint8_t alu1;  /* ALU result just before */
	uint8_t flags;
};
enum {
	HAZARD_AMO = 1,       /* an AMO just before */
	HAZARD_JUMPED = 2,    /* a jump's target, at 10 or 14 modulo 16 */
	HAZARD_SECOND = 4,    /* follows a 32-bit target at 10 modulo 16 */
	HAZARD_LONG = 8,      /* mulh, div or rem just before */
	HAZARD_COLD = 16,     /* not a hazard: the block requests its lines, */
	HAZARD_X0 = 64,       /* a load or AMO to x0 just before */
	HAZARD_SHORT = 32,    /* not a hazard: the block ends at its first branch */
	HAZARD_FETCHED = 128, /* a jump just before, whose target was fetched while it waited */
};

/* An exit of a block: fall-through, taken branch or jump. Linked to its target when it is first taken. */
struct edge {
	const struct op *next; /* first op of the target, or the link op */
	uint64_t count;        /* times taken, minus 1; on reaching 0 the edge joins the touched list */
	uint32_t cycles;       /* static cycles of the block up to here */
	uint32_t pc;           /* target; of an indirect jump the last target, 1 if none */
	uint32_t link;         /* address after the jump; end of the hardware loop */
	int32_t offset;        /* of jalr */
	struct hazard hazard;
	uint8_t op_index;  /* last instruction before this edge */
	uint8_t falls;     /* not a jump: continues at the next address */
	uint8_t is_linked; /* in core->linked */
	uint8_t extra;     /* dynamic part of a taken branch, inside cycles */
	uint8_t fetched;   /* of a jump: its target needs no wait */
	uint8_t divides;   /* of a taken branch: a division follows it, 1 unsigned, 2 signed, */
	uint8_t divisor;   /* with this register as divisor */
	struct block *block;
	struct edge *touched, *linked;
};

/* A run of decoded instructions, up to the next jump. */
struct block {
	uint32_t pc, end_line; /* end_line: address of the last line it needs, or of the next line if that is fetched ahead */
	uint64_t lines_known;  /* generation of the cache in which all its lines were present */
	struct hazard hazard;
	struct block *hash_next;
	struct op_info *info;
	uint16_t ops;
	struct op op[];
};

/* An entry of the cache that finds the ops of a jalr's target. */
struct jump_entry {
	uint32_t pc;
	const struct op *op;
};

/* Per page: host address minus guest address; 0 if the page is not wholly in one window. */
struct pages {
	uintptr_t *read, *write;
};

/* One simulated core. */
struct rv32_core {
	uint32_t x[RV32_SINK + 1];
	uint32_t pc;    /* valid when paused is NULL */
	uint64_t cycle; /* start of the running block, plus its dynamic cycles so far */
	uint64_t until; /* where blocks must stop: limit, or a little before share_from */
	uint64_t limit; /* of run() */
	uint64_t share_from;
	bool shared;                 /* accesses to timed windows ask the bus: `pages` is page[1] */
	struct pages pages, page[2]; /* page[1]: without the timed windows */
	const void *const *labels;
	struct op link_op;

	const struct op *paused; /* the bus stopped the core at this op */
	struct {                 /* cycles charged last beyond the block's own: to pc, up to core->cycle == until */
		uint32_t pc;
		uint64_t until;
		int64_t cycles, lines; /* `lines`: the part for lines of instructions */
	} waited;
	struct { /* a division: all its cycles, up to core->cycle == until */
		uint64_t until, cycles;
	} divided;
	bool stopped; /* at a breakpoint, with the instruction there not issued yet */
	struct hazard hazard;
	struct edge *touched;
	uint64_t instructions; /* counted by stats__fold() so far */
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
	uint32_t code_at;            /* added to a line's address: offset in the memory behind the cache */
	const uint64_t *lines_known; /* the cache's generation; always 0 without a cache */
	uint64_t linked_generation;  /* at which the edges in `linked` were linked */
	struct edge *linked;
	struct {                        /* of the front end; known while code runs that is not in the cache: */
		uint32_t line;          /* the line being executed, */
		uint32_t ahead;         /* the next line requested, */
		uint64_t ready;         /* and when its first instruction can issue */
		uint32_t late;          /* instruction whose line arrived while the one before it waited for memory; RV32_NO_LINE: none */
		uint64_t early;         /* cycles since a jump was taken when its target could issue, beyond those of any jump */
		uint64_t stopped_early; /* the same, for a jump at whose target run() stopped */
		bool goes_on;           /* run() starts at the next address in memory: no jump */
		uint64_t stall;         /* cycles that the instruction at which run() stopped last waited before its issue */
	} fetch;
	struct rv32_window windows[RV32_WINDOWS_MAX];
	unsigned window_count;
	uint8_t stop_at_self_jump, half_across_is_word;

	uint8_t user_mode, mpp_user, mie, mpie;
	uint8_t reserved; /* by lr.w */
	uint32_t reserved_addr;
	uint32_t l1_banks, l1_amo_cycles;
	int amo_bank;       /* bank of the AMO just done in a window, else -1, */
	uint64_t amo_until; /* when that bank serves again, */
	bool amo_by_bus;    /* and whether the bus knows about it */
	struct {            /* word-crossing access that the bus stopped half-way */
		uint32_t done_bytes, value;
		uint64_t before, second; /* core->cycle at its first word, and at its second */
	} split;
	uint32_t hart_id, mtvec, mepc, mcause, mtval, mscratch;
	struct rv32_trap trap;
	struct rv32_trap open_trap; /* the first trap since an mret; its handler still runs if in_trap */
	uint64_t open_trap_cycle;
	bool in_trap;
	uint32_t breakpoint[RV32_BREAKPOINTS];
	unsigned breakpoints;

	uint8_t *arena;
	size_t arena_used;
	unsigned generation; /* counts flushes: edges do not survive a flush */
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

/* Returns the address of the next instruction, also while the bus stops the core inside a block. */
static inline uint32_t core_pc(const struct rv32_core *core)
{
	return core->paused ? op_info(core->paused)->pc : core->pc;
}

/* Returns the cycle that the core has reached. */
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

/* block.c: returns the block that starts at pc, and decodes it if necessary. Drops all other blocks if the arena is full. */
struct block *block__find(struct rv32_core *core, uint32_t pc, struct hazard hazard);
void block__flush(struct rv32_core *core); /* invalidates all ops of this core */
struct hazard hazard__jumped(uint32_t pc);

/* lines.c: between the core and its instruction cache. */
struct block *lines__enter(struct rv32_core *core, uint32_t pc, struct hazard hazard); /* the block to run; may request lines */
bool lines__may_proceed(struct rv32_core *core);                                       /* false: lines change, and other cores run first */
bool lines__known(const struct rv32_core *core, const struct block *block);
void lines__link(struct rv32_core *core, struct edge *edge, const struct op *next);
void lines__recheck(struct rv32_core *core); /* after any call that may have replaced lines */
/*
 * Jumps to pc, not by falling through: a line fetched ahead is discarded, but must arrive first. Advances the core's cycle. `edge`: the
 * jump's; NULL if there is none, or if its time is in fetch.stopped_early. The core's cycle is already after the edge.
 */
void lines__jump(struct rv32_core *core, uint32_t pc, const struct edge *edge);
uint64_t lines__early(const struct rv32_core *core, const struct edge *edge);
void lines__fall_through(struct rv32_core *core, const struct edge *edge); /* falls through: keeps or sets the fetched lines */
/* In a block that requests its lines: is the 32-bit instruction at pc fetched, ready to be decoded, at this cycle? */
bool lines__fetched(const struct rv32_core *core, uint32_t pc, uint64_t cycle);
bool lines__ahead(struct rv32_core *core, const struct op *op); /* lines__ahead(), lines__need(): false if the bus stops the core */
bool lines__need(struct rv32_core *core, const struct op *op);

/* hazard.c: static timing, one instruction after another. */
struct schedule {
	struct hazard hazard;
	uint32_t cycle;            /* next free cycle, from the block's start */
	struct op_info *last_info; /* of the instruction added last; NULL if none */
};
void schedule__add(struct schedule *schedule, const struct rv32_insn *insn, struct op_info *info);
bool is_high_product(const struct op_info *info); /* mulh, mulhsu, mulhu */

/* stats.c */
void stats__dynamic(struct rv32_core *core, const struct op *op, enum rv32_cause cause, int64_t cycles);
void stats__dynamic_at(struct rv32_core *core, uint32_t pc, enum rv32_cause cause, int64_t cycles);
void stats__fold(struct rv32_core *core);
/* Charges the block from its start to op: including op (done), or only up to its issue. Advances the core's cycle. */
void stats__charge_partial(struct rv32_core *core, const struct op *op, bool done);
uint64_t stats__instructions_at(struct rv32_core *core, const struct op *op);

/* memory.c: accesses off the fast path. The core's cycle advances by the cycles that the access waits. */
enum rv32_bus_status memory__load(struct rv32_core *core, const struct op *op, uint32_t addr, unsigned size, uint32_t *value);
enum rv32_bus_status memory__store(struct rv32_core *core, const struct op *op, uint32_t addr, unsigned size, uint32_t value);
/* Returns 0, 1 if the bus stops the core (RV32_BUS_STOP), or -1 - trap cause. */
int memory__atomic(struct rv32_core *core, const struct op *op, enum rv32_access kind, unsigned funct5, uint32_t addr, uint32_t value,
		   uint32_t *old);
void memory__amo_check(struct rv32_core *core, const struct op *op, uint32_t addr);
bool memory__fetch(const struct rv32_core *core, uint32_t pc, uint16_t *half);
/* Selects the page tables by whether timed windows are shared at this cycle, and sets when blocks must stop to select again. */
void memory__select_pages(struct rv32_core *core);
int memory__map(struct rv32_core *core); /* 0 or -ENOMEM */
void memory__unmap(struct rv32_core *core);

/* csr.c: csrrw, csrrs, csrrc. Returns false for an illegal instruction. now: cycle of issue. */
bool csr__access(struct rv32_core *core, const struct op *op, uint32_t operand, uint64_t now, uint32_t *old);
bool csr__flushes(unsigned csr);

/* exec.c. With core NULL it only stores the table of labels, indexed by opcode. */
enum rv32_stop exec__run(struct rv32_core *core, const void *const **labels);

/* Returns the cycles of div and rem beyond the first. */
unsigned rv32_divider_extra(bool is_signed, uint32_t divisor);

#endif
