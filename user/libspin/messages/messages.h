/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_MESSAGES_MESSAGES_H
#define USER_LIBSPIN_MESSAGES_MESSAGES_H

/*
 * The part of a context that takes messages: what it was created with, its memory, and
 * the thread that sees to what is due. A context of datagrams has none of it.
 *
 * Functions return 0 or a negative errno with a reason.
 */
#include <pthread.h>

#include "bpf/abi/mpq.h"
#include "user/libspin/internal.h"

#pragma GCC visibility push(default)
#include <spin/libspin_message.h>
#pragma GCC visibility pop

struct messages_used;

struct messages {
	struct spin_message_opts opts; /* checked, and the defaults put in */
	int window_is_default;         /* 1: a smaller one will do */
	int in_pieces;                 /* 1: payload handlers are promised whole ones (.fragmentation_bytes) */
	uint32_t ticks_s;              /* of the clock in a second */
	struct spin_memory me_memory;
	struct spin_me *me;
	uint32_t *me_end; /* no entry was ever posted from there on */
	struct spin_mpq *mpq;
	const struct spin_flow *flow;
	const struct spin_park *park;
	const struct spin_message_stats *stats;
	uint64_t *clock;
	uint64_t *wide; /* the words of wide windows, wide_lanes for each MPQ; NULL: they are in the MPQs */
	uint32_t wide_lanes;
	uint32_t serial;                    /* of the next entry */
	pthread_mutex_t posting;            /* held while an entry gets its serial and its counter, and while one is compared */
	struct spin_unexpected *unexpected; /* NULL: none are kept */
	uint64_t *unexpected_used;          /* a bit for each; atomic */
	uint32_t *appends;                  /* odd: an entry is being posted, and no message lands in the overflow list; atomic */
	uint64_t unlinked;                  /* entries by the host, one bit each: a handler may have just found one */
	int progress_fd;
	pthread_mutex_t running; /* held while the progress program runs */
	int64_t offset;          /* atomic: the clock less our own count of its ticks */

	struct messages_used *used; /* NULL: nobody resets this context */
	void *rest[10];             /* what a reset clears beside, once it was found */

	pthread_t thread;
	int has_thread;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t wake;
	int stop;
	int failure; /* what ended the thread by itself, and its reason */
	char why[SPIN_ERROR_BYTES];
};

/* Takes the options; *out stays NULL for handlers of datagrams. */
int spin_messages__new(const struct spin_object *obj, const struct spin_message_opts *opts, struct messages **out);
void spin_messages__free(struct messages *m);

/* What the program's constants say of them. */
void spin_messages__configure(const struct messages *m, struct spin_config *config);
/* Before loading: which programs, and maps of what size. m NULL: none of those that messages need. */
int spin_messages__prepare(const struct messages *m, struct bpf_object *bpf);
/* After it: maps the memory, and posts the first entry. */
int spin_messages__open(struct spin_ctx *ctx);

/* --- unexpected messages, of contexts that keep them (unexpected.c) --- */

int spin_messages__map_unexpected(struct messages *m, const struct bpf_object *bpf, const struct spin_memory *mem);
/* What an entry would be compared by. *of: the caller's options, checked. */
int spin_messages__wanted(struct spin_ctx *ctx, const struct spin_me_opts *opts, struct spin_me_opts *of, struct spin_me *wanted);
/* From the one to the other call no message lands in the overflow list. m->posting is held. */
void spin_messages__hold_overflow(struct messages *m);
void spin_messages__open_overflow(struct messages *m);
/*
 * In between: takes out those that the entry is for, if it is to be used once the first one; how many, and their events in
 * *events, which is the caller's to free. -EAGAIN: one of them is still on its way; all are as they were.
 */
int spin_messages__take_unexpected(struct spin_ctx *ctx, const struct spin_me *wanted, struct spin_event **events);

/* The application has had this event: the entry that its message unlinked is free for another one. */
void spin_messages__had(struct spin_ctx *ctx, const struct spin_event *event);

/* Such an entry; also where an answer from it had to be sent before. */
void spin_messages__leave(struct spin_ctx *ctx, unsigned me);

/* The entries as at the start; no message is in flight. */
int spin_messages__first_entry(struct spin_ctx *ctx);

/*
 * All as at the start, but for the counts: in the time that what happened since the last reset
 * takes, as tests do it often. For contexts that run given packets, one at a time.
 */
int spin_messages__reset(struct spin_ctx *ctx);
/* To be called after each packet for that: notes what it may have used. */
void spin_messages__note_used(struct spin_ctx *ctx);

/* Of the context's clock, modulo 2^32. */
uint32_t spin_messages__now(const struct messages *m);
uint32_t spin_messages__ticks(const struct messages *m, unsigned ms);

/* The context's part; NULL after a reason: it takes datagrams. */
struct messages *spin_messages__of(const struct spin_ctx *ctx);

/* Runs the progress program until nothing is due. */
int spin_messages__sweep(struct messages *m, const char *name);
/* 1 if a message is in flight; *due: the progress program has something to do. */
int spin_messages__look(const struct messages *m, int *due);

/* The thread; stopping one that never ran is nothing. */
int spin_messages__start(struct spin_ctx *ctx);
void spin_messages__stop(struct spin_ctx *ctx);
/* 0, or what ended the thread. */
int spin_messages__failure(const struct spin_ctx *ctx);

#endif
