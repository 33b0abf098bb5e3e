/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPIND_HELD_H
#define USER_SPIND_HELD_H

/*
 * The list of the contexts (loaded packet handlers) in a holder, spind's process for one network namespace. The threads of its clients
 * share it.
 */
#include <pthread.h>
#include <stdint.h>

#include <spin/libspin.h>

/* Counts of a context's packets, as in struct broker_answer. */
struct held_counts {
	uint64_t handled, left, refused, over, busy_ns;
};

/* A context on the list. Its own thread writes it; other threads read or stop it under the list's lock. */
struct held {
	struct held *next;
	uint32_t uid, pid, id;
	unsigned others; /* threads in held__using() */
	int connection;  /* the client's; shut down to end the context */
	int object_fd;   /* a sealed file */
	struct spin_ctx *ctx;
	pthread_mutex_t use; /* held while handlers are attached, detached or replaced */
	uint32_t class;
	int attached;
	unsigned changes; /* host__changes() at the last look for interfaces */
	uint64_t map_bytes, swaps, netns;
	struct held_counts counts; /* as last listed; only the main thread uses them */
	char handler[32], interfaces[128], rule[512];
};

/* Adds to and removes from the list. After held__remove() no other thread uses the context. */
void held__add(struct held *held);
void held__remove(struct held *held);

/*
 * Calls fn with context `id` under the list's lock, so fn must be short. Returns fn's result, or -ENOENT with a reason if there is no
 * such context.
 */
int held__with(uint32_t id, int (*fn)(void *arg, struct held *held), void *arg);
/* The same without the lock: the context is kept until fn has returned. */
int held__using(uint32_t id, int (*fn)(void *arg, struct held *held), void *arg);

/* Sets the interfaces that lists show; NULL: detached. */
void held__set_attached(struct held *held, const char *interfaces);

/* Records that the handlers were replaced by those of this object. Closes the old descriptor. */
void held__set_object(struct held *held, int object_fd, const char *handler, uint64_t map_bytes);

/* Records the new rule. */
void held__set_rule(struct held *held, const char *rule);

int held__exists(uint32_t id);

/* Calls fn for each context, under the lock, until it returns non-zero. */
void held__each(int (*fn)(void *arg, struct held *held), void *arg);

#endif
