/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_RV32_H
#define HWMODEL_RV32_H

/*
 * Simulates one RI5CY core, PsPIN's RISC-V core, with its timing: rv32imac, the subset of the extension Xpulp that core/isa.def names,
 * machine and user mode. Counts cycles as PsPIN's core RTL does with memories that answer in one cycle; the bus reports longer waits. A
 * core knows memory windows and a bus, and nothing of NICs. Not thread-safe; several cores may run in several threads if their windows and
 * buses are disjoint. Called by the SoC model (soc/), hpu-run and tests.
 */
#include <stddef.h>
#include <stdint.h>

struct rv32_core;

/* Causes of cycles. X(NAME, "text"): every cycle is charged to exactly one. */
/* clang-format off */
#define RV32_CAUSES(X) \
	X(ISSUE,      "one cycle per instruction") \
	X(LOAD_USE,   "result of a load used at once") \
	X(JUMP,       "jal, jalr and their hazards") \
	X(BRANCH,     "branches taken") \
	X(FETCH,      "32-bit target at the end of a fetch line") \
	X(MULDIV,     "mulh, div, rem beyond one cycle") \
	X(MISALIGNED, "accesses that cross a word") \
	X(MEMORY,     "waiting for memory beyond one cycle") \
	X(L1,         "waiting for a bank of the own L1") \
	X(L2,         "waiting for L2") \
	X(REMOTE,     "waiting for another cluster's L1") \
	X(ICACHE,     "instructions fetched from program memory") \
	X(FLUSH,      "fence, and CSRs that flush the pipeline") \
	X(DMA,        "waiting for a transfer to be done") \
	X(COMMAND,    "waiting for a free command slot") \
	X(BLOCKED,    "waiting for a device register") \
	X(THREAD,     "ready, while another thread has the HPU")
/* clang-format on */

/* RV32_CYC_NAME for each row of RV32_CAUSES. */
enum rv32_cause {
#define RV32_CAUSE_ENUM_(name, text) RV32_CYC_##name,
	RV32_CAUSES(RV32_CAUSE_ENUM_)
#undef RV32_CAUSE_ENUM_
		RV32_CAUSE_COUNT
};

/* RV32_FETCH: a line from the instruction cache; the bus only says whether the core may proceed. */
enum rv32_access { RV32_LOAD, RV32_STORE, RV32_AMO, RV32_LR, RV32_SC, RV32_FETCH };

/* A bus's answer. */
enum rv32_bus_status {
	RV32_BUS_OK,
	RV32_BUS_FAULT, /* access fault: trap with mcause 5 (load) or 7 (store, AMO) */
	RV32_BUS_STOP,  /* no effect: rv32_core__run() returns RV32_STOP_BUS before this access, and repeats it when called again */
};

/*
 * One access outside all windows, or one to a shared window (rv32_core__share()); for the latter the bus says when it is granted, and
 * the core moves the data. A word-crossing access arrives as two requests, one per word, the second a cycle after the first is done.
 * After a stop only the part that is not done is requested again.
 */
struct rv32_bus_request {
	uint64_t cycle; /* at which the access is issued */
	uint32_t addr;
	uint32_t pc; /* of the instruction */
	enum rv32_access kind;
	uint8_t size_bytes; /* 1, 2 or 4 (in a shared window also 3): inside one word */
	uint8_t user_mode;  /* 1 in U mode */
	uint8_t in_window;  /* 1: access to a shared window; value, amo and use_cycles are not used */
	uint8_t amo;        /* funct5 of the AMO instruction */
	uint32_t value;     /* in: value to store, or AMO operand; out: value loaded, or old value; SC: 0 if it stored */
	/* out: cycles that the core waits beyond the cycle of issue, and the cause they are charged to */
	uint32_t wait_cycles;
	enum rv32_cause wait_cause; /* RV32_CYC_MEMORY unless set */
	/* out: further cycles if the next instruction reads the result (an AMO's, beyond load-use) */
	uint32_t use_cycles;
};

/* The bus that a core calls for accesses outside its windows. */
struct rv32_bus {
	void *arg;
	enum rv32_bus_status (*access)(void *arg, struct rv32_bus_request *req);
};

/* Host memory that the core accesses in one cycle, AMOs with the L1 timing. Windows may alias. */
struct rv32_window {
	uint32_t addr;  /* multiple of 4 */
	uint32_t bytes; /* multiple of 4 */
	uint8_t *mem;   /* owned by the caller; host words are little-endian words */
	uint8_t flags;  /* RV32_WINDOW_* */
};
enum {
	RV32_WINDOW_DATA = 1,
	RV32_WINDOW_CODE = 2,
	RV32_WINDOW_READONLY = 4,
	RV32_WINDOW_NO_LRSC = 8,
	RV32_WINDOW_TIMED = 16, /* the bus grants each access while the window is shared; see rv32_core__share() */
};
#define RV32_WINDOWS_MAX 16

/* What rv32_core__new() needs to know of a core; copied. */
struct rv32_config {
	uint32_t hart_id; /* CSR mhartid */
	struct rv32_bus bus;
	struct rv32_window windows[RV32_WINDOWS_MAX];
	unsigned window_count;
	uint32_t l1_banks;         /* of the data windows, word-interleaved; 0: 64 */
	uint32_t l1_amo_cycles;    /* cycles that an AMO occupies its bank; only the access directly after it waits; 0: 2 */
	uint8_t stop_at_self_jump; /* a jump to itself stops the run: RV32_STOP_HALT */
	/*
	 * 1: a halfword at 3 mod 4 is stored as a word, as PsPIN's core does: it enables the bytes of a word in the second part
	 * (riscv_load_store_unit.sv, where a comment says so). 0: as the ISA says.
	 */
	uint8_t half_across_is_word;
};

/* Why rv32_core__run() has returned. */
enum rv32_stop {
	RV32_STOP_CYCLES, /* the limit of rv32_core__run() is reached */
	RV32_STOP_BUS,    /* the bus stopped the core; pc is at the access */
	RV32_STOP_ECALL,  /* ecall, and mtvec is 0: a bare program calls its environment */
	RV32_STOP_EBREAK, /* ebreak, same */
	RV32_STOP_TRAP,   /* any other trap, and mtvec is 0; pc is at the instruction; see rv32_core__trap() */
	RV32_STOP_PC,     /* pc is at a breakpoint */
	RV32_STOP_WFI,    /* pc is after the wfi */
	RV32_STOP_HALT,   /* pc is at a jump to itself (with config.stop_at_self_jump), which takes no cycle */
};

/* The CSRs of a trap: mcause, mepc, mtval. */
struct rv32_trap {
	uint32_t cause, pc, tval;
};

/* Running totals since reset; cycles[] adds up to `cycle`. */
struct rv32_stats {
	uint64_t cycle;
	uint64_t instructions;
	uint64_t cycles[RV32_CAUSE_COUNT];
};

/* Returns NULL with errno ENOMEM or EINVAL (bad windows). Registers and pc are zero. */
struct rv32_core *rv32_core__new(const struct rv32_config *config);
void rv32_core__free(struct rv32_core *core);

void rv32_core__set_pc(struct rv32_core *core, uint32_t pc);
uint32_t rv32_core__pc(const struct rv32_core *core);
void rv32_core__set_reg(struct rv32_core *core, unsigned x, uint32_t value); /* x 0 is ignored */
uint32_t rv32_core__reg(const struct rv32_core *core, unsigned x);

/* rv32_core__run() stops before the instruction at pc (RV32_STOP_PC), except at the one it starts with. Odd pc 1: no breakpoint. */
void rv32_core__set_breakpoint(struct rv32_core *core, uint32_t pc);
/* Adds a breakpoint, 16 at most; one more drops all others first. Must not be called while the core runs. */
void rv32_core__add_breakpoint(struct rv32_core *core, uint32_t pc);
int rv32_core__has_breakpoint(const struct rv32_core *core, uint32_t pc);
/*
 * Cycles that the instruction of the last RV32_STOP_PC waited for its line. Valid after the core has run on; until then the value of
 * the stop before.
 */
uint64_t rv32_core__fetch_stall(const struct rv32_core *core);
/* Moves that many cycles of a cause in the profile, if there is one, to another instruction. No time passes. */
void rv32_core__move_cycles(struct rv32_core *core, enum rv32_cause cause, uint32_t from_pc, uint32_t to_pc, uint64_t cycles);

/*
 * Runs until one of enum rv32_stop occurs. The cycle limit is absolute and may be exceeded by one block. Bus requests come at their
 * exact cycle, so a bus that answers RV32_BUS_STOP stops the core precisely.
 */
enum rv32_stop rv32_core__run(struct rv32_core *core, uint64_t until_cycle);

/*
 * From this cycle on others may also use the RV32_WINDOW_TIMED windows, so the bus is asked for each access to them, at its exact
 * cycle. Before that cycle it is not asked, which is faster. Requests may begin up to RV32_SHARE_EARLY cycles early, but never late.
 * UINT64_MAX: not shared (default); 0: at once. May be called between runs and by the bus.
 */
void rv32_core__share(struct rv32_core *core, uint64_t from_cycle);
#define RV32_SHARE_EARLY 256

/*
 * The instruction cache that the core fetches through (core/icache.h); NULL (default): fetches cost nothing. It may be shared with
 * cores that are run interleaved. The bus is asked (RV32_FETCH) before each line that may be missing.
 */
struct icache;
void rv32_core__set_icache(struct rv32_core *core, struct icache *icache, unsigned port);

/*
 * For cores that share a cache and run different programs linked to the same addresses: the program's lines are this many bytes, whole
 * lines, after their addresses. Default 0. Must be set before the core runs through a cache.
 */
void rv32_core__set_code_offset(struct rv32_core *core, uint32_t offset);

/* Advances the core's cycle while it waits for a device; charged to RV32_CYC_BLOCKED. */
void rv32_core__advance(struct rv32_core *core, uint64_t to_cycle);

/* The same for a program that waits at an instruction: charged to that cause, and in the profile to its instruction. */
void rv32_core__wait(struct rv32_core *core, uint64_t to_cycle, enum rv32_cause cause);

/* Returns the cycle. Cheaper than rv32_core__stats(), which adds up all that has run since its last call. */
uint64_t rv32_core__cycle(const struct rv32_core *core);

void rv32_core__stats(const struct rv32_core *core, struct rv32_stats *out);
struct rv32_trap rv32_core__trap(const struct rv32_core *core);
/*
 * Returns 1 if a trap handler was entered at that cycle or later and has not left by mret; *out is the trap that first entered it. For
 * programs whose trap handler does not end.
 */
int rv32_core__in_trap(const struct rv32_core *core, uint64_t since_cycle, struct rv32_trap *out);

/* Drops decoded code. Must be called after the caller writes to a code window; fence.i does it by itself. */
void rv32_core__flush_code(struct rv32_core *core);

/*
 * A profile counts per instruction address within [addr, addr + bytes). With a profile set the core runs several times slower, with the
 * same cycles.
 */
struct rv32_profile {
	uint32_t addr, bytes;
	uint64_t *instructions; /* [bytes / 2], by (pc - addr) / 2 */
	uint64_t *cycles;       /* [bytes / 2 * RV32_CAUSE_COUNT], cause is the minor index */
};
void rv32_core__set_profile(struct rv32_core *core, struct rv32_profile *profile /* or NULL */);

const char *rv32_cause_name(enum rv32_cause cause); /* "load_use" */
const char *rv32_cause_text(enum rv32_cause cause);

/* The instruction set implemented, for reports. */
const char *rv32_isa_string(void);

#endif
