/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The thread that does what is due, of a context that is attached to an interface. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "user/libspin/messages.h"

#define BUSY_MS  4  /* how often it looks while a message is in flight */
#define QUIET_MS 32 /* and at most, if none is */
#define CLOCK_S  1  /* how often the clock is compared, as ours goes by another rate */

/* Until the time is over; 1: the thread is to stop. */
static int rest(struct messages *m, unsigned ms)
{
	struct timespec until;
	int stop;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long)ms * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&m->lock);
	while (!m->stop && pthread_cond_timedwait(&m->wake, &m->lock, &until) != ETIMEDOUT)
		;
	stop = m->stop;
	pthread_mutex_unlock(&m->lock);
	return stop;
}

/* The time, for whoever looks from outside. */
static void show_clock(struct messages *m)
{
	if (!m->opts.virtual_clock && !pthread_mutex_trylock(&m->running)) {
		__atomic_store_n(m->clock, spin_messages__now(m), __ATOMIC_RELAXED);
		pthread_mutex_unlock(&m->running);
	}
}

static void *run(void *arg)
{
	const struct spin_ctx *ctx = arg;
	struct messages *m = ctx->messages;
	unsigned wait_ms = BUSY_MS;
	time_t compared = 0;
	int err = 0, due;

	while (!err && !rest(m, wait_ms)) {
		struct timespec now;

		if (spin_messages__look(m, &due))
			wait_ms = BUSY_MS;
		else if (wait_ms < QUIET_MS)
			wait_ms *= 2;
		clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
		if (!due && now.tv_sec < compared + CLOCK_S) {
			show_clock(m);
			continue;
		}
		compared = now.tv_sec;
		err = spin_messages__sweep(m, ctx->name);
	}
	if (err) {
		pthread_mutex_lock(&m->lock);
		m->failure = err;
		memccpy(m->why, spin_strerror_last(), 0, sizeof(m->why));
		pthread_mutex_unlock(&m->lock);
	}
	return NULL;
}

/* Signals are for the application's threads. */
static int create(struct messages *m, struct spin_ctx *ctx)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&m->thread, NULL, run, ctx);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -err;
}

int spin_messages__start(struct spin_ctx *ctx)
{
	struct messages *m = ctx->messages;
	pthread_condattr_t attr;
	int err;

	if (!m || m->has_thread)
		return 0;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&m->wake, &attr);
	pthread_condattr_destroy(&attr);
	m->stop = m->failure = 0;
	err = create(m, ctx);
	if (err) {
		pthread_cond_destroy(&m->wake);
		return spin_fail(err, "cannot start the thread that times messages of %s out: %s", ctx->name, strerror(-err));
	}
	m->has_thread = 1;
	return 0;
}

void spin_messages__stop(struct spin_ctx *ctx)
{
	struct messages *m = ctx->messages;

	if (!m || !m->has_thread)
		return;
	pthread_mutex_lock(&m->lock);
	m->stop = 1;
	pthread_cond_signal(&m->wake);
	pthread_mutex_unlock(&m->lock);
	pthread_join(m->thread, NULL);
	pthread_cond_destroy(&m->wake);
	m->has_thread = 0;
}

int spin_messages__failure(const struct spin_ctx *ctx)
{
	struct messages *m = ctx->messages;
	int err = 0;

	if (!m || !m->has_thread)
		return 0;
	pthread_mutex_lock(&m->lock);
	if (m->failure)
		err = spin_fail(-EIO, "messages of %s are timed out no more: %s", ctx->name, m->why);
	pthread_mutex_unlock(&m->lock);
	return err;
}
