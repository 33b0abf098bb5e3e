/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_HPU_MEMORY_H
#define USER_LIBSPIN_HPU_MEMORY_H

/*
 * HPU memory (handlers' state) that an application allocates itself, and the initial state of a context. Called by ctx.c. Functions return
 * 0 or a negative errno with a reason.
 */
#include "user/libspin/internal.h"

#pragma GCC visibility push(default)
#include <spin/libspin_hpu.h>
#pragma GCC visibility pop

/* Before loading: places the state in opts->hpu_mem, or initializes it from opts->initial_state. */
int hpu_mem__prepare(const struct spin_ctx_opts *opts, struct bpf_object *bpf, const char *who);
/* After loading: writes the initial content of a new HPU memory. */
void hpu_mem__init_state(const struct spin_ctx_opts *opts);

#endif
