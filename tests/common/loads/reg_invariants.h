/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_LOADS_REG_INVARIANTS_H
#define TESTS_COMMON_LOADS_REG_INVARIANTS_H

/*
 * The verifier's bounds of a register must never contradict each other in our programs: if they do, the kernel warns (REG INVARIANTS
 * VIOLATION) and forgets what it knew. A test program linked with --wrap=bpf_object__load (Makefile) loads all its objects with
 * BPF_F_TEST_REG_INVARIANTS, if the kernel supports it: the warning then becomes a refusal. Used by tests/vectors/run.c.
 */
struct bpf_object;

/* The linker substitutes this for bpf_object__load(). */
int __wrap_bpf_object__load(struct bpf_object *object);

/* Returns 0 if this kernel does not know the flag or this process is not root; *reason says which. */
int reg_invariants__are_tested(const char **reason);

/*
 * Loads what this process has not loaded yet of every built object: each program of every handler, in both classes, and the BPF programs
 * that do not belong to a handler. Returns 0, or 1 after a line for each program whose register bounds contradict each other. Programs that
 * do not load for another reason are covered by other tests. Of each handler, the variants that kernel_probe__may_goto() selects are
 * loaded.
 */
int reg_invariants__try_every_program(void);

#endif
