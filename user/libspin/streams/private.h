/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_STREAMS_PRIVATE_H
#define USER_LIBSPIN_STREAMS_PRIVATE_H

/*
 * Shared by the files of streams/. context.c has what a context adds for streams, sockets.c its sockets and connections; both use the
 * programs and maps that all contexts of a process have in common (shared.c), and the thread that ends their streams (complete.c).
 */
#include <pthread.h>
#include <stdint.h>

#include "bpf/abi/stream.h"

struct bpf_link;
struct bpf_object;
struct ring_buffer;
struct spin_guards;

/* Descriptors of a context's object: its programs, and its maps for streams. */
struct streams_fds {
	int end, prog, taken, units_taken, seen, events;
};

/* What a context has for streams. */
struct streams {
	struct streams *next; /* list of all that have a slot */
	uint32_t id, slot;    /* 0: none */
	struct streams_fds fd;
	int is_listening, attached;
	uint64_t cookie; /* of a connected socket */
	struct spin_stream *stream;
	struct spin_streams_seen *seen;

	/* of complete.c */
	pthread_mutex_t run; /* held while the thread runs a completion handler; protects the descriptors and `ending` */
	int wanted;          /* others wait for `run` */
	int ending;          /* 1: streams_complete__all() completes its streams */
	pthread_t thread;
	int has_thread, stop;
	pthread_mutex_t queue_lock; /* of the fields below; taken last */
	pthread_cond_t queued_some;
	struct streams_end *queued; /* connections that have ended, of which the thread does not know */
	unsigned queued_count;
	int sweep;               /* 1: news was lost */
	uint64_t completions_ns; /* CPU time of completion handlers; atomic */
	uint64_t unpaid_us;      /* for which the thread still has to sleep, because of hpu-time */
};

/* Programs and maps of bpf/streams.bpf.c, by their names in abi/stream.h. */
struct streams_shared {
	pthread_mutex_t lock; /* held while the list is used; no handler runs under it */
	struct bpf_object *bpf;
	struct bpf_link *begins, *admit; /* admit: NULL without limits */
	struct ring_buffer *news;        /* NULL: nothing is loaded */
	int verdict_link;                /* -1: none */
	int owner_fd, limited_fd, socks_fd, kept_fd, known_fd, programs_fd, attached_fd, counts_fd, states_fd, used_fd, events_fd;
	int lost_fd, windows_fd;
	int has_event_limit;
	unsigned percent; /* hpu-time; 0: no limit */
	struct streams *list;
};
extern struct streams_shared streams_shared;

/* Loads and attaches the programs, unless they are. The caller holds the lock. The limits are those of the first call. */
int streams_shared__init(const struct spin_guards *guards);

/* Starts the thread that reads which connections have ended; sets streams_shared.news. The thread never ends. */
int streams_complete__start(int news_fd);
/* Starts and ends the thread that runs a context's completion handlers. _end() is called when the context is in no list any more. */
int streams_complete__begin(struct streams *s);
void streams_complete__end(struct streams *s);
/* Between them no completion handler of the thread runs. A call waits for one that is running, a few of them at most. */
void streams_complete__lock(struct streams *s);
void streams_complete__unlock(struct streams *s);
/* Runs the completion handlers of all streams of a context that is detached. Takes no lock, because a hostile program may take long. */
void streams_complete__all(const struct streams *s);

#endif
