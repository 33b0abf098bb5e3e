/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_COST_COMPARE_CODE_H
#define USER_COST_COMPARE_CODE_H

/* The XDP program of a handler's object, as libspin would load it: configured for the report's rule, state and tables filled. */
#include "user/cost/compare/program.h"
#include "user/cost/run.h"

/* Reads and configures it. 0, or -errno with a reason; else the caller frees it. */
int compare_code__open(struct bpf_code *code, const struct cost_program *program, char *reason, size_t reason_bytes);
/* Fills state and tables with what the command line has. DONE, or FAILED after a message. */
int compare_code__fill(struct bpf_code *code, const struct cost_program *program);

#endif
