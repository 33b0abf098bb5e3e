/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_LOAD_PROGRESS_H
#define USER_LIBSPIN_LOAD_PROGRESS_H

/*
 * bpf_object__load() with reports of its progress (spin_set_load_progress()). Called by class.c for contexts and by
 * card.c.
 */
#include "user/libspin/internal.h"

/* bpf_object__load(), and what it is busy with for spin_set_load_progress(). `name`: what the programs belong to. */
int load_progress__load(struct bpf_object *bpf, const char *name);

#endif
