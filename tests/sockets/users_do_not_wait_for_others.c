/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests the parts of spind's holder (the process that has the contexts) that decide whose request waits, without a kernel. A user must not
 * wait while others load objects or migrate, whatever their uids, and an operation must not be refused because others have many. Of one
 * user one object is loaded at a time, and a migration that stalled packets long is followed by a rest. Run by tests/run.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/common/proc.h"
#include "user/spind/context.h"

#define HOSTILE 1000u
#define VICTIM  60000u
#define LONG_NS 1000000000ull /* stall that a hostile migration reports */

static sem_t locked, done;

/* Waits for two seconds at most. Returns 1 if it was posted. */
static int wait_for(sem_t *semaphore)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 2;
	return !sem_timedwait(semaphore, &until);
}

static void start(void *(*fn)(void *arg), void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, fn, arg))
		die("no thread");
	pthread_detach(thread);
}

static void *load(void *arg)
{
	const uint32_t *uid = arg;

	context__lock_loads(*uid);
	sem_post(&locked);
	context__unlock_loads(*uid);
	sem_post(&done);
	return NULL;
}

/* As many users as a holder has at a time load; one of them is the victim, and another the user of whom a second load waits. */
static void check_loads(void)
{
	static uint32_t victim = VICTIM, hostile = HOSTILE, neighbour = HOSTILE + 64; /* whose lowest bits are the same */

	context__lock_loads(HOSTILE);
	start(load, &neighbour);
	if (!wait_for(&done))
		die("user %u waits for a load of user %u", neighbour, HOSTILE);
	sem_wait(&locked);
	for (uint32_t i = 1; i + 1 < HANDOFF_USERS_MAX; i++)
		context__lock_loads(HOSTILE + i);
	start(load, &victim);
	if (!wait_for(&done))
		die("a user's load waits for those of others");
	sem_wait(&locked);
	start(load, &hostile);
	if (wait_for(&locked))
		die("two objects of one user are loaded at a time");
	context__unlock_loads(HOSTILE);
	if (!wait_for(&done))
		die("a load waits although its user's other one has ended");
	for (uint32_t i = 1; i + 1 < HANDOFF_USERS_MAX; i++)
		context__unlock_loads(HOSTILE + i);
	printf("ok: loads wait for those of their user alone\n");
}

/* After a long stall its user must wait; nobody else, however many such users there were before. */
static void check_migrations(void)
{
	for (uint32_t i = 0; i < 64; i++) {
		if (context__lock_migration(HOSTILE + i))
			die("user %u may not migrate for the first time", HOSTILE + i);
		context__unlock_migration(HOSTILE + i, LONG_NS);
	}
	if (!context__lock_migration(HOSTILE))
		die("no rest between a user's migrations");
	if (context__lock_migration(VICTIM))
		die("a user may not migrate because others have migrated");
	context__unlock_migration(VICTIM, 0);
	for (uint32_t i = 0; i < HANDOFF_USERS_MAX / 2; i++) {
		context__lock_loads(2 * VICTIM + i);
		context__unlock_loads(2 * VICTIM + i);
	}
	if (!context__lock_migration(HOSTILE))
		die("a user's rest ends when others load");
	printf("ok: only the user who has migrated must wait\n");
}

static sem_t in_use, may_end;

static int use_long(void *arg, struct held *held)
{
	sem_post(&in_use);
	sem_wait(&may_end);
	return arg == held ? 0 : -1;
}

static void *operate(void *arg)
{
	const struct held *held = arg;

	if (held__using(held->id, use_long, arg))
		die("an operation of context %u fails", held->id);
	sem_post(&done);
	return NULL;
}

static int use_briefly(void *arg, struct held *held)
{
	return arg == held ? 0 : -1;
}

static void *remove_held(void *arg)
{
	held__remove(arg);
	sem_post(&done);
	return NULL;
}

/* Twelve users with 8 operations each, as many as a user may have. */
static void check_operations(void)
{
	enum { OPERATIONS = 96 };
	struct held hostile = { .uid = HOSTILE, .id = 1 }, victim = { .uid = VICTIM, .id = 2 };

	held__add(&hostile);
	held__add(&victim);
	for (int i = 0; i < OPERATIONS; i++) {
		start(operate, &hostile);
		if (!wait_for(&in_use))
			die("operation %d of a context is refused", i + 1);
	}
	if (held__using(victim.id, use_briefly, &victim))
		die("a user's operation is refused because others have many");
	start(remove_held, &hostile);
	if (wait_for(&done))
		die("a context was removed while it was in use");
	for (int i = 0; i < OPERATIONS; i++)
		sem_post(&may_end);
	for (int i = 0; i < OPERATIONS + 1; i++)
		if (!wait_for(&done))
			die("an operation, or the removal after all of them, does not end");
	held__remove(&victim);
	printf("ok: operations of others refuse none, and keep their context\n");
}

int main(void)
{
	if (sem_init(&locked, 0, 0) || sem_init(&done, 0, 0) || sem_init(&in_use, 0, 0) || sem_init(&may_end, 0, 0))
		die("no semaphores");
	check_loads();
	check_migrations();
	check_operations();
	return 0;
}
