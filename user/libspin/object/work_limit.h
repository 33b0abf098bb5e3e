/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_OBJECT_WORK_LIMIT_H
#define USER_LIBSPIN_OBJECT_WORK_LIMIT_H

/*
 * Limits how long one packet may hold a CPU in the isolated class: handlers of programs that are not trusted, loaded without CAP_PERFMON.
 * Called by class.c before a program is loaded. The limit is enforced on the instructions that are loaded, whoever compiled them. Each
 * backward jump of a loop is redirected through a few instructions after the program's end. They subtract the maximum cost of one
 * iteration of that loop from a counter on the stack, and end the program with XDP_ABORTED when it is used up. Every loop has a backward
 * jump, so a run costs at most the limit plus each instruction once. Other backward jumps are left alone: a reference may be held there
 * (ringbuf), with which a program may not end.
 *
 * The program cannot reach the counter: it lies below the stack that the program uses. That depth is known
 * because in the isolated class nothing may add an unknown number to a stack pointer, as checked here and by the kernel.
 * Calls of functions in the object, which have frames of their own, are refused.
 *
 * A unit is one instruction that accesses no memory but the stack.
 */
#include <stddef.h>
#include <stdint.h>

struct bpf_insn;
struct bpf_program;

/* Per packet; some 40 ms, or a few times that if each access misses the caches. */
#define WORK_UNITS_MAX (1u << 27)
/* For each program that a packet may be tail-called into: the kernel follows at most 33 tail calls. */
#define WORK_UNITS_MAX_BEHIND (1u << 22)
/* For the runtime itself, in addition to the steps of a registered budget. */
#define WORK_UNITS_RUNTIME (1u << 22)

/* What the limit of a program depends on. */
struct work_options {
	uint32_t budget; /* as registered; 0: none */
	int behind;      /* 1: it is tail-called by another program */
	int follows;     /* 1: the kernel has no may_goto, so its verifier follows every iteration to the end */
};

/*
 * Called before loading. Returns 0, or with a message -EPERM (refused), -EACCES (refused for a computed stack offset,
 * for which the kernel may have a better message) or -ENOMEM.
 */
int work_limit__enforce(struct bpf_program *prog, const struct work_options *options);

/* --- its parts, which read instructions and change none -------------------------------------------  */

/* A program's instructions, with the results of the analyses. */
struct work_code {
	const char *name; /* of the program */
	const struct bpf_insn *insns;
	size_t count;
	int32_t stack_bytes;   /* work_stack__check(): bytes of stack used */
	uint32_t *component;   /* work_cost__find(): instructions of one loop have the same number; 0: not reached */
	uint32_t *round_units; /* work_cost__find(): cost of an iteration of the loop that begins at each instruction; 0: no loop does */
	uint32_t round_units_max;
	uint16_t *live; /* work_stack__live(): bit mask of the registers live at each instruction */
};

/*
 * The analyses of programs repeat passes over the instructions until nothing changes. Programs of compilers take as many as their loops are
 * nested and a few more; one that was made to take longer would hold up others who load.
 */
#define WORK_PASSES_MAX 256
#define WORK_TOO_LONG   "its jumps take too long to follow"

/* Returns the number of successors of instruction i, 0 to 2, all inside the program; -1: one is outside, or the second half of a load. */
int work_code__next(const struct work_code *code, size_t i, size_t next[2]);
/* Returns the instruction after i in the file. */
size_t work_code__following(const struct work_code *code, size_t i);

int work_stack__check(struct work_code *code);
int work_stack__live(struct work_code *code);
int work_cost__find(struct work_code *code);

int work_limit__refuse(const struct work_code *code, const char *what);

#endif
