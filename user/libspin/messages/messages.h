/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_MESSAGES_MESSAGES_H
#define USER_LIBSPIN_MESSAGES_MESSAGES_H

/*
 * The part of a context that takes messages of many packets: its options, its memory, and the thread that evicts messages whose packets no
 * longer arrive. Called by ctx.c, attach.c and the files of messages/. A context of datagrams has none of it.
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

/* What a context that takes messages has in addition. The pointers are to mapped variables of its programs. */
struct messages {
	struct spin_message_opts opts; /* checked, with defaults filled in */
	int window_is_default;         /* 1: the caller gave no window */
	int in_pieces;                 /* 1: payload handlers get whole fragments (.fragmentation_bytes) */
	uint32_t ticks_s;              /* ticks per second of the clock */
	struct spin_memory me_memory;
	struct spin_me *me;
	uint32_t *me_end; /* entries from this index on were never posted */
	struct spin_mpq *mpq;
	const struct spin_flow *flow;
	const struct spin_park *park;
	const struct spin_message_stats *stats;
	uint64_t *clock;
	uint64_t *wide; /* words of wide windows, wide_words for each MPQ; NULL: they are in the MPQs */
	uint32_t wide_words;
	uint32_t serial;                    /* serial of the next entry */
	pthread_mutex_t posting;            /* held while an entry gets its serial and counter, and while these are compared */
	struct spin_unexpected *unexpected; /* NULL: unexpected messages are not kept */
	uint64_t *unexpected_used;          /* a bit per message; atomic */
	uint32_t *appends;                  /* odd: an entry is being posted, and no message may enter the overflow list; atomic */
	uint64_t unlinked;                  /* a bit per entry that the host has unlinked and that a handler may still use */
	int progress_fd;
	pthread_mutex_t running; /* held while the progress program runs */
	int64_t offset;          /* atomic: the kernel's clock minus own_ticks() */

	struct messages_used *used; /* NULL: this context is never reset */
	void *rest[10];             /* further memory that a reset clears, found at the first reset */

	pthread_t thread;
	int has_thread;
	pthread_mutex_t lock; /* protects the fields below */
	pthread_cond_t wake;
	int stop;
	int failure; /* the error that ended the thread, and its reason */
	char reason[SPIN_ERROR_BYTES];
};

/* Checks and copies the options; *out stays NULL for handlers of datagrams. */
int spin_messages__new(const struct spin_object *obj, const struct spin_message_opts *opts, struct messages **out);
void spin_messages__free(struct messages *m);

/* Sets the constants of the program that describe messages. */
void spin_messages__configure(const struct messages *m, struct spin_config *config);
/* Before loading: selects programs and sizes of maps. m NULL: disables everything that only messages need. */
int spin_messages__prepare(const struct messages *m, struct bpf_object *bpf);
/* After loading: maps the memory and posts the first entry. */
int spin_messages__open(struct spin_ctx *ctx);

/* --- unexpected messages, of contexts that keep them (unexpected.c) --- */

int spin_messages__map_unexpected(struct messages *m, const struct bpf_object *bpf, const struct spin_memory *mem);
/* Checks and copies the caller's options, and fills in the fields that decide which messages an entry takes. */
int spin_messages__wanted(struct spin_ctx *ctx, const struct spin_me_opts *opts, struct spin_me_opts *of, struct spin_me *wanted);
/* Between these two calls no message enters the overflow list. The caller holds m->posting. */
void spin_messages__hold_overflow(struct messages *m);
void spin_messages__open_overflow(struct messages *m);
/*
 * Between those calls: removes the unexpected messages that match the entry, for a use-once entry only the first. Returns their number, and
 * their events in *events, which the caller frees. -EAGAIN: one of them is still arriving; nothing has changed.
 */
int spin_messages__take_unexpected(struct spin_ctx *ctx, const struct spin_me *wanted, struct spin_event **events);

/* Called when the application has read the event: the entry that its message unlinked may be posted again. */
void spin_messages__event_read(struct spin_ctx *ctx, const struct spin_event *event);

/* Frees such an entry; called also after an answer from it was sent. */
void spin_messages__free_entry(struct spin_ctx *ctx, unsigned me);

/* Restores the entries of a new context. No message may be in flight. */
int spin_messages__first_entry(struct spin_ctx *ctx);

/*
 * Resets all but the counts to the initial state. Takes time in proportion to what was used since the last reset,
 * because tests do it often. Only for contexts that run given packets, one at a time.
 */
int spin_messages__reset(struct spin_ctx *ctx);
/* Must be called after each packet if spin_messages__reset() is used: records what the packet may have used. */
void spin_messages__note_used(struct spin_ctx *ctx);

/* The context's clock in ticks, modulo 2^32. */
uint32_t spin_messages__now(const struct messages *m);
uint32_t spin_messages__ticks(const struct messages *m, unsigned ms);

/* The messages of a context; NULL with a reason if it takes datagrams. */
struct messages *spin_messages__of(const struct spin_ctx *ctx);

/* Runs the progress program until nothing is due. */
int spin_messages__run_progress(struct messages *m, const char *name);
/* Returns 1 if a message is in flight; *due: the progress program has work to do. */
int spin_messages__has_in_flight(const struct messages *m, int *due);

/* Starts and stops the thread. Stopping a thread that never ran does nothing. */
int spin_messages__start(struct spin_ctx *ctx);
void spin_messages__stop(struct spin_ctx *ctx);
/* Returns 0, or the error that ended the thread. */
int spin_messages__failure(const struct spin_ctx *ctx);

#endif
