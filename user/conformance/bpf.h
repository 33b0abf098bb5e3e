/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_BPF_H
#define USER_CONFORMANCE_BPF_H

/*
 * State and message functions of the engine that runs handlers in the kernel (BPF_PROG_TEST_RUN). Implemented by bpf.c, called through
 * struct engine_ops of engine.h.
 */
#include "user/conformance/engine.h"

/* The engine's state. */
struct bpf {
	struct spin_object *object;
	struct spin_ctx *ctx;
	struct spin_nic *nic; /* NULL: the context runs without a dispatcher */
	uint64_t seen[SPIN_REASON_COUNT];
	int messages; /* 1: the context takes messages */
	int segments; /* 1: it takes TCP segments */
};

/* Reads all pending events, and sets their hpu to 0. */
int bpf_events(const struct bpf *b, struct engine_events *out);

/* Reads what handlers sent since the last call. out NULL: discards it. */
int bpf_sends(const struct bpf *b, struct engine_sends *out);

int bpf_message__clock(struct engine *e, uint32_t now_ms, struct engine_events *out);
int bpf_message__reset(struct engine *e);
int bpf_message__host_read(struct engine *e, size_t offset, void *to, size_t bytes);
int bpf_message__host_write(struct engine *e, size_t offset, const void *from, size_t bytes);
int bpf_message__me_append(struct engine *e, const struct spin_me_opts *opts, unsigned *me);
int bpf_message__me_unlink(struct engine *e, unsigned me);
int bpf_message__me_get(struct engine *e, unsigned me, struct spin_me *out);
int bpf_message__stats(struct engine *e, struct spin_message_stats *out);
int bpf_message__sends(struct engine *e, struct engine_sends *out);
int bpf_message__ct(struct engine *e, unsigned me, struct spin_ct *out);
int bpf_message__set_ct(struct engine *e, unsigned me, const struct spin_ct *ct);

#endif
