/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_LOAD_PROGRESS_H
#define USER_LIBSPIN_LOAD_PROGRESS_H

/*
 * bpf_object__load() with progress reports (spin_set_load_progress()). Called by class.c for contexts and by
 * card.c.
 */
#include "user/libspin/internal.h"

/* Calls bpf_object__load() and reports its progress. `name`: the context to which the programs belong. */
int load_progress__load(struct bpf_object *bpf, const char *name);

#endif
