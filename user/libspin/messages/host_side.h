/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_MESSAGES_HOST_SIDE_H
#define USER_LIBSPIN_MESSAGES_HOST_SIDE_H

/*
 * The host's side of a context, of datagrams or of messages: its host memory, and what handlers reach through
 * an entry beside that entry's own memory (struct spin_me_memory). Of datagrams entry 0 stands for all.
 *
 * Functions return 0 or a negative errno with a reason.
 */
#include "user/libspin/internal.h"

struct bpf_object;
struct btf;
struct spin_ctx;
struct spin_message_opts;

/* Takes the options. */
int host_side__take(struct host_side *host, const struct spin_message_opts *opts);
/* Before loading: the map's size, or no map. `messages`: the engine writes to it in any case. */
int host_side__prepare(struct host_side *host, struct bpf_object *bpf, int messages);
/* After it. */
int host_side__open(struct spin_ctx *ctx);
void host_side__close(struct host_side *host);

/* Host memory and counters zero, and the segments of a context of datagrams as at the start. */
void host_side__reset(struct spin_ctx *ctx);

/* Could an entry have these segments? */
int host_side__check(const struct host_side *host, const struct spin_segment *segment, unsigned segments);
/* An entry that no handler has: counter zero, and these segments, which were checked. */
void host_side__post(struct host_side *host, unsigned me, const struct spin_segment *segment, unsigned segments);

#endif
