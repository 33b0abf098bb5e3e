/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The list of the contexts (loaded packet handlers) in a holder, spind's process for one network namespace (held.h). Called by the threads
 * of its clients. Each context on it belongs to a thread, which removes it before it destroys it. Lock order: a context's `use` (held while
 * its handlers are attached, detached or replaced), then the list's lock.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "user/libspin/error.h"
#include "user/spind/held.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t use_ended = PTHREAD_COND_INITIALIZER;
static struct held *list;

void held__add(struct held *held)
{
	pthread_mutex_lock(&lock);
	held->next = list;
	list = held;
	pthread_mutex_unlock(&lock);
}

void held__remove(struct held *held)
{
	pthread_mutex_lock(&lock);
	for (struct held **at = &list; *at; at = &(*at)->next)
		if (*at == held) {
			*at = held->next;
			break;
		}
	while (held->others)
		pthread_cond_wait(&use_ended, &lock);
	pthread_mutex_unlock(&lock);
}

static struct held *find(uint32_t id)
{
	struct held *held = list;

	while (held && held->id != id)
		held = held->next;
	return held;
}

static int fail_not_found(uint32_t id)
{
	return spin_fail(-ENOENT, "there is no context %u any more", id);
}

int held__exists(uint32_t id)
{
	int exists;

	pthread_mutex_lock(&lock);
	exists = find(id) != NULL;
	pthread_mutex_unlock(&lock);
	return exists;
}

int held__with(uint32_t id, int (*fn)(void *arg, struct held *held), void *arg)
{
	struct held *held;
	int result;

	pthread_mutex_lock(&lock);
	held = find(id);
	result = held ? fn(arg, held) : fail_not_found(id);
	pthread_mutex_unlock(&lock);
	return result;
}

int held__using(uint32_t id, int (*fn)(void *arg, struct held *held), void *arg)
{
	struct held *held;
	int result;

	pthread_mutex_lock(&lock);
	held = find(id);
	if (held)
		held->others++;
	pthread_mutex_unlock(&lock);
	if (!held)
		return fail_not_found(id);
	result = fn(arg, held);
	pthread_mutex_lock(&lock);
	if (!--held->others)
		pthread_cond_broadcast(&use_ended);
	pthread_mutex_unlock(&lock);
	return result;
}

void held__set_attached(struct held *held, const char *interfaces)
{
	pthread_mutex_lock(&lock);
	held->attached = interfaces != NULL;
	snprintf(held->interfaces, sizeof(held->interfaces), "%s", interfaces ? interfaces : "");
	pthread_mutex_unlock(&lock);
}

void held__set_object(struct held *held, int object_fd, const char *handler, uint64_t map_bytes)
{
	int old;

	pthread_mutex_lock(&lock);
	old = held->object_fd;
	held->object_fd = object_fd;
	held->swaps++;
	held->map_bytes = map_bytes;
	snprintf(held->handler, sizeof(held->handler), "%s", handler);
	pthread_mutex_unlock(&lock);
	close(old);
}

void held__set_rule(struct held *held, const char *rule)
{
	pthread_mutex_lock(&lock);
	snprintf(held->rule, sizeof(held->rule), "%s", rule);
	pthread_mutex_unlock(&lock);
}

void held__each(int (*fn)(void *arg, struct held *held), void *arg)
{
	pthread_mutex_lock(&lock);
	for (struct held *held = list; held; held = held->next)
		if (fn(arg, held))
			break;
	pthread_mutex_unlock(&lock);
}
