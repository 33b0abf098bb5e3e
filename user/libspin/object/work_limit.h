/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_OBJECT_WORK_LIMIT_H
#define USER_LIBSPIN_OBJECT_WORK_LIMIT_H

/*
 * How long one packet may hold a CPU in the isolated class, enforced on the instructions that are loaded, whoever
 * compiled them. Each backward jump is led through a few instructions behind the program's end, which take what one
 * round of that loop costs at most from a counter in the frame, and end the program with XDP_ABORTED when it is used
 * up. Every loop has a backward jump, so a run costs at most the limit and each instruction once more.
 *
 * The counter is out of the program's reach: it lies below all of the stack that the program uses, which is known
 * because in the isolated class nothing adds an unknown number to a pointer to the stack, here and in the kernel.
 * Calls of functions in the object, which have frames of their own, are refused.
 *
 * A unit is one instruction that touches no memory but the stack.
 */
#include <stddef.h>
#include <stdint.h>

struct bpf_insn;
struct bpf_program;

/* Of one packet; some 40 ms, or a few times that where each access misses the caches. */
#define WORK_UNITS_MAX (1u << 27)
/* Of each program that a packet may be handed on to: the kernel follows at most 33 tail calls. */
#define WORK_UNITS_MAX_BEHIND (1u << 22)
/* What the runtime itself may need, beyond the steps of a registered budget. */
#define WORK_UNITS_RUNTIME (1u << 22)

struct work_options {
	uint32_t budget; /* as registered; 0: none */
	int behind;      /* 1: it is run behind another one, by tail call */
	int follows;     /* 1: the kernel has no may_goto, so its verifier follows each round to the end */
};

/*
 * Before loading. 0, or with a message -EPERM (refused), -EACCES (refused for a place of the stack that is computed,
 * which the kernel may refuse with a better one) or -ENOMEM.
 */
int work_limit__enforce(struct bpf_program *prog, const struct work_options *options);

/* --- its parts, which look at instructions and change none ------------------------------------------- */

struct work_code {
	const char *name; /* of the program */
	const struct bpf_insn *insns;
	size_t count;
	int32_t stack_bytes;   /* work_stack__check(): how much of the stack it uses */
	uint32_t *round_units; /* work_cost__find(): of a round of the loop that begins at each instruction; 0: none does */
	uint32_t round_units_max;
	uint16_t *live; /* work_stack__live(): registers that are read after each instruction's start, as bits */
};

/* Where a program may go on behind instruction i: 0 to 2 places, all inside the program; -1: outside, or during a load. */
int work_code__next(const struct work_code *code, size_t i, size_t next[2]);
/* The instruction behind i in the file. */
size_t work_code__following(const struct work_code *code, size_t i);

int work_stack__check(struct work_code *code);
int work_stack__live(struct work_code *code);
int work_cost__find(struct work_code *code);

int work_limit__refuse(const struct work_code *code, const char *what);

#endif
