/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_LOAD_PROGRESS_H
#define USER_LIBSPIN_LOAD_PROGRESS_H

/*
 * bpf_object__load() that reports which program the verifier is working on (spin_set_load_progress()), since that can take minutes. Called
 * by class.c for handlers and by card.c.
 */
#include "user/libspin/internal.h"

/* Calls bpf_object__load() and reports its progress. `name`: the context to which the programs belong. */
int load_progress__load(struct bpf_object *bpf, const char *name);

#endif
