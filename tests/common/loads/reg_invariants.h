/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_LOADS_REG_INVARIANTS_H
#define TESTS_COMMON_LOADS_REG_INVARIANTS_H

/*
 * The verifier's own bounds of a register never contradict each other in a program of ours: where they do the kernel
 * warns (REG INVARIANTS VIOLATION), and forgets what it knew. A test program linked with --wrap=bpf_object__load (Makefile)
 * loads all its objects with BPF_F_TEST_REG_INVARIANTS, where the kernel knows it: that makes a refusal of the warning.
 */
struct bpf_object;

/* The linker substitutes it. */
int __wrap_bpf_object__load(struct bpf_object *object);

/* 0: this kernel does not know the flag, or this process is not root; *reason says which. */
int reg_invariants__are_tested(const char **reason);

/*
 * Loads what this process has not loaded yet of every built object: each program of every handler, in both classes, and the
 * BPF programs that are not a handler's. Returns 0, or 1 after a line for each program whose registers' bounds contradict each
 * other. What does not load for another reason has tests of its own. Every handler's programs are those that
 * kernel_probe__may_goto() asks for.
 */
int reg_invariants__try_every_program(void);

#endif
