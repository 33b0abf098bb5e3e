/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_REQUESTS_REQUESTS_H
#define USER_LIBSPIN_REQUESTS_REQUESTS_H

/*
 * What handlers ask of the host (SPIN_PUTS; struct spin_request): packets that could not leave from where the
 * handler ran, and puts from host memory. A context whose handlers send nothing has none of it.
 *
 * While the context is attached to an interface three threads see to them: one sends packets, in their order, another
 * puts, so that a target that does not answer holds up no packet, and the third one answers to gets, so that a stranger who
 * asks for much or acknowledges nothing holds up no put. Functions return 0 or a negative
 * errno with a reason.
 */
#include "user/libspin/internal.h"

struct requests;

/* *out stays NULL for handlers that send nothing. */
int spin_requests__new(const struct spin_object *obj, struct requests **out);
void spin_requests__free(struct requests *r);
/* Before loading: selects programs and sizes of maps. */
int spin_requests__prepare(struct spin_ctx *ctx);
/* After loading: opens rings and sockets. */
int spin_requests__open(struct spin_ctx *ctx);

/* Starts and stops the threads, in the caller's network namespace. Stopping threads that never ran does nothing. */
int spin_requests__start(struct spin_ctx *ctx);
void spin_requests__stop(struct spin_ctx *ctx);
/* 0, or the error that ended one of them. */
int spin_requests__failure(const struct spin_ctx *ctx);

/*
 * The host has unlinked this entry: returns when no answer to a get is read from its memory any more, a fifth of a second later
 * at most.
 */
void spin_requests__unlinked(struct spin_ctx *ctx, unsigned me);
/* A get has used this entry once. 1: it is free when the answer has gone, which may take seconds; 0: there is none. */
int spin_requests__keep(struct spin_ctx *ctx, unsigned me);
/* 1: puts or answers are pending that refer to entries by their serials. */
int spin_requests__wait(struct spin_ctx *ctx);

/*
 * Hands what is there to fn, in order, until that returns non-zero, which is returned; else 0. Of a context that is
 * attached its thread does it.
 */
int spin_ctx__requests(struct spin_ctx *ctx, int (*fn)(void *arg, const struct spin_request *request), void *arg);

#endif
