/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_REQUESTS_REQUESTS_H
#define USER_LIBSPIN_REQUESTS_REQUESTS_H

/*
 * What handlers ask the host to send (SPIN_PUTS; struct spin_request): packets that could not be sent where the handler ran, and puts
 * (messages that write to the target's memory) from host memory. Called by ctx.c and attach.c. A context whose handlers send nothing has
 * none of it.
 *
 * While the context is attached to an interface, three threads process them. One sends packets, in order. Another sends puts, so that a
 * target that does not answer cannot delay packets. The third sends answers to gets, so that one that gets much, or acknowledges nothing,
 * cannot delay puts. Functions return 0 or a negative errno with a reason.
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
/* Returns 0, or the error that ended one of them. */
int spin_requests__failure(const struct spin_ctx *ctx);

/*
 * Called when the host has unlinked this entry. Returns when no answer to a get is read from its memory any more, after a fifth of a second
 * at most.
 */
void spin_requests__unlinked(struct spin_ctx *ctx, unsigned me);
/*
 * Called when a get has used up this entry. Returns 1 if the entry becomes free when the answer has been sent, which may take seconds; 0:
 * no answer.
 */
int spin_requests__defer_free(struct spin_ctx *ctx, unsigned me);
/* Returns 1 if puts or answers are pending that refer to entries by their serials. */
int spin_requests__is_pending(struct spin_ctx *ctx);

/*
 * Passes pending requests to fn, in order, until fn returns non-zero, which is returned; else returns 0. If the context is
 * attached, its thread does this.
 */
int spin_ctx__requests(struct spin_ctx *ctx, int (*fn)(void *arg, const struct spin_request *request), void *arg);

#endif
