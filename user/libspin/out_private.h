/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef LIBSPIN_OUT_PRIVATE_H
#define LIBSPIN_OUT_PRIVATE_H

#include "user/libspin/out.h"

/* What the process has one of; `owner`: the context's number in its counts. */
int out__hold(unsigned *owner);
void out__release(unsigned owner);
/* For those who hold it. `generation`: another one if it was loaded again meanwhile. */
int out__program_fd(unsigned *generation);
int out__share(struct bpf_object *bpf);
uint64_t out__count(unsigned owner);

/* A context's part. */
struct out {
	unsigned owner;
	int ways_fd;
	struct spin_way *way; /* the program's, mapped */
	uint64_t made_before; /* by earlier contexts of this number */
};

#endif
