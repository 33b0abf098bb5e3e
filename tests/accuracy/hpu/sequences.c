/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One handler for each row of sequences.def: sequence_NAME, and the empty sequence_base, whose cycles are subtracted. Compiled for the HPU;
 * run by tests/accuracy/sequences.c. `make accuracy` compares the difference with PsPIN's RTL.
 */
#include "hwmodel/include/hwmodel/registers.h"

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

/* Sets the registers that sequences.def names. 16 instructions, so that the following code begins a cache line. */
#define BEGIN                                         \
	".balign 16\n"                                \
	"lw a3, 0(a0)\n"                              \
	"li a1, 0x1b090000\n"                         \
	"lw a3, 0x3c(a3)\n"                           \
	"li a4, 0x1c310000\n"                         \
	"li a5, 0x10490000\n"                         \
	"li a6, " TEXT(HPU_DRIVER) "\n"               \
				   "addi a2, a1, 4\n" \
				   "li a7, 5\n"       \
				   "li t1, 1\n"       \
				   "sw a1, 0(a1)\n"   \
				   "sw a3, 0(a3)\n"   \
				   "sw a4, 0(a4)\n"   \
				   "sw a5, 0(a5)\n"   \
				   "sw a7, 0(a2)\n"   \
				   "nop; nop\n"
#define END "nop\nret\n"

#define HANDLER(name, times, text)                                                             \
	__asm__(".section .text.hpu, \"ax\"\n.option push\n.option norvc\n.option norelax\n"   \
		".option arch, +zicsr, +zifencei\n"                                            \
		".balign 16\n.globl sequence_" #name "\n.type sequence_" #name ", @function\n" \
		"sequence_" #name ":\n" BEGIN ".rept " #times "\n" text "\n.endr\n" END ".option pop\n");

HANDLER(base, 1, "")
#define SEQUENCE(group, name, measured, times, less, text) HANDLER(name, times, text)
#define SUM(group, name, measured, words, less, text)      HANDLER(name, 1, text)
#include "tests/accuracy/sequences.def"
