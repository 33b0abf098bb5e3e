/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_MESSAGES_HOST_SIDE_H
#define USER_LIBSPIN_MESSAGES_HOST_SIDE_H

/*
 * The host memory of a context (memory that handlers share with the application), and what handlers reach through a matching entry (a part
 * of it posted for messages) in addition to the entry's own memory (struct spin_me_memory). Called by ctx.c and me.c. For datagrams entry 0
 * stands for all.
 *
 * Functions return 0 or a negative errno with a reason.
 */
#include "user/libspin/internal.h"

struct bpf_object;
struct btf;
struct spin_ctx;
struct spin_message_opts;

/* Copies the options. */
int host_side__take(struct host_side *host, const struct spin_message_opts *opts);
/* Before loading: sets the size of the host memory's map, or disables it. messages: 1 if the engine writes to it as well. */
int host_side__prepare(struct host_side *host, struct bpf_object *bpf, int messages);
/* After loading: maps it. */
int host_side__open(struct spin_ctx *ctx);
/* The same for a context that spind holds: maps the memory that spind created. */
int host_side__open_shared(struct spin_ctx *ctx, int map_fd);
void host_side__close(struct host_side *host);

/* Clears host memory and counters, and restores the segments of a context of datagrams. */
void host_side__reset(struct spin_ctx *ctx);

/* Returns 0 if an entry may have these segments, else -EINVAL. */
int host_side__check(const struct host_side *host, const struct spin_segment *segment, unsigned segments);
/* Initializes an entry that no handler uses: clears its counter and sets its segments, which must have been checked. */
void host_side__post(struct host_side *host, unsigned me, const struct spin_segment *segment, unsigned segments);

#endif
