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

/* What a context has for streams. The descriptors are its object's. */
struct streams {
	struct streams *next; /* list of all that have a slot */
	uint32_t id, slot;    /* 0: none */
	int end_fd, prog_fd, taken_fd, units_taken_fd, seen_fd, events_fd;
	int is_listening, attached;
	int ending;      /* 1: streams_complete__all() completes its streams; written under the lock */
	uint64_t cookie; /* of a connected socket */
	struct spin_stream *stream;
	struct spin_streams_seen *seen;
};

/* Programs and maps of bpf/streams.bpf.c, by their names in abi/stream.h. */
struct streams_shared {
	pthread_mutex_t lock; /* held while the list is used */
	struct bpf_object *bpf;
	struct bpf_link *begins, *admit; /* admit: NULL without limits */
	struct ring_buffer *news;        /* NULL: nothing is loaded */
	int verdict_link;                /* -1: none */
	int owner_fd, limited_fd, socks_fd, kept_fd, known_fd, programs_fd, attached_fd, counts_fd, states_fd, used_fd, events_fd;
	int has_event_limit;
	struct streams *list;
};
extern struct streams_shared streams_shared;

/* Loads and attaches the programs, unless they are. The caller holds the lock. The limits are those of the first call. */
int streams_shared__init(const struct spin_guards *guards);

/* Starts the thread that runs completion handlers when connections end; sets streams_shared.news. The thread never ends. */
int streams_complete__start(int news_fd);
/* Runs the completion handlers of all streams of a context that is detached. Takes no lock, because a hostile program may take long. */
void streams_complete__all(const struct streams *s);

#endif
