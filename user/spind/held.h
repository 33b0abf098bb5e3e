/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPIND_HELD_H
#define USER_SPIND_HELD_H

/* The list of a holder's contexts, which the threads of its clients share. */
#include <pthread.h>
#include <stdint.h>

#include <spin/libspin.h>

/* A context that is held. Its thread writes it; others read it, or stop it, under the list's lock. */
struct held {
	struct held *next;
	uint32_t uid, pid, id;
	int connection; /* of its client; shut down to end the context */
	int object_fd;  /* a sealed file */
	struct spin_ctx *ctx;
	pthread_mutex_t use; /* held while handlers are attached, detached or replaced */
	uint32_t class;
	int attached;
	unsigned changes; /* of this host's addresses, that it has seen */
	uint64_t map_bytes, swaps, netns;
	char handler[32], interfaces[128], rule[512];
};

/* Puts it on the list, takes it off; afterwards no other thread has it. */
void held__add(struct held *held);
void held__remove(struct held *held);

/*
 * Calls fn with the context of this number under the list's lock: it must be short. Returns what that returns. -ENOENT, with
 * a reason: there is none.
 */
int held__with(uint32_t id, int (*fn)(void *arg, struct held *held), void *arg);
/* The same without the lock; the context stays until fn has returned. -EBUSY: too many are in use so. */
int held__using(uint32_t id, int (*fn)(void *arg, struct held *held), void *arg);

/* What others see of an attached context; interfaces NULL: it is detached. */
void held__set_attached(struct held *held, const char *interfaces);

/* Its handlers were replaced by those of this object; the old descriptor is closed. */
void held__set_object(struct held *held, int object_fd, const char *handler, uint64_t map_bytes);

/* It has another rule. */
void held__set_rule(struct held *held, const char *rule);

int held__exists(uint32_t id);

/* Calls it for each, under the lock, until it returns non-zero. */
void held__each(int (*fn)(void *arg, struct held *held), void *arg);

#endif
