/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_COST_COMPARE_CODE_H
#define USER_COST_COMPARE_CODE_H

/*
 * The eBPF program of a handler as libspin would load it: configured for the match rule, with state and tables filled in from the command
 * line. Used by hxdp.c and tests to run it outside the kernel.
 */
#include "user/cost/compare/program.h"
#include "user/cost/run.h"

/* Reads and configures the program. Returns 0, or -errno with a reason. On success the caller must call bpf_code__free(). */
int compare_code__open(struct bpf_code *code, const struct cost_program *program, char *reason, size_t reason_bytes);
/* Fills state and tables from the command line's options. Returns DONE, or FAILED after a message. */
int compare_code__fill(struct bpf_code *code, const struct cost_program *program);

#endif
