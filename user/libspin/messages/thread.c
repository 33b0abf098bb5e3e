/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The thread of a context whose handlers take messages of many packets, while it is attached to an interface. Started by attach.c. It
 * evicts messages whose packets no longer arrive, and publishes the time for readers in other processes.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "user/libspin/messages/messages.h"
#include "user/libspin/object/section.h"

#define BUSY_MS      4  /* interval while a message is in flight */
#define IDLE_MS      32 /* longest interval while none is */
#define NS_PER_MS    1000000ull
#define CLOCK_SYNC_S 1 /* interval at which own_ticks() is synchronized with the kernel's clock, whose rate differs */

/* Sleeps for that time. Returns 1 if the thread must stop. */
static int wait_or_stop(struct messages *m, unsigned ms)
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

/* Publishes the time for readers in other processes. */
static void publish_clock(struct messages *m)
{
	if (!m->opts.virtual_clock && !pthread_mutex_trylock(&m->running)) {
		__atomic_store_n(m->clock, spin_messages__now(m), __ATOMIC_RELAXED);
		pthread_mutex_unlock(&m->running);
	}
}

/*
 * The thread that calls the sweep: often while messages are in flight, rarely otherwise. An error ends it and is kept for the application.
 */
static void *thread_main(void *arg)
{
	const struct spin_ctx *ctx = arg;
	struct messages *m = ctx->messages;
	unsigned wait_ms = BUSY_MS;
	time_t last_sweep_s = 0;
	int err = 0, due;

	while (!err && !wait_or_stop(m, wait_ms)) {
		struct timespec now;

		if (spin_messages__has_in_flight(m, &due))
			wait_ms = BUSY_MS;
		else if (wait_ms < IDLE_MS)
			wait_ms *= 2;
		clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
		if (!due && now.tv_sec < last_sweep_s + CLOCK_SYNC_S) {
			publish_clock(m);
			continue;
		}
		last_sweep_s = now.tv_sec;
		err = spin_messages__run_progress(m, ctx->name);
	}
	if (err) {
		pthread_mutex_lock(&m->lock);
		m->failure = err;
		memccpy(m->reason, spin_strerror_last(), 0, sizeof(m->reason));
		pthread_mutex_unlock(&m->lock);
	}
	return NULL;
}

/* Blocks all signals in the thread: they are for the application's threads. */
static int create_thread(struct messages *m, struct spin_ctx *ctx)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&m->thread, NULL, thread_main, ctx);
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
	err = create_thread(m, ctx);
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
		err = spin_fail(-EIO, "messages of %s are timed out no more: %s", ctx->name, m->reason);
	pthread_mutex_unlock(&m->lock);
	return err;
}

#define RUNS_MAX 65536 /* of the progress program, in one sweep */

/* Ticks of this process, at the rate of the kernel's coarse clock but with another origin. */
static int64_t own_ticks(const struct messages *m)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (int64_t)t.tv_sec * m->ticks_s + (int64_t)t.tv_nsec * m->ticks_s / 1000000000;
}

uint32_t spin_messages__now(const struct messages *m)
{
	if (m->opts.virtual_clock)
		return (uint32_t)__atomic_load_n(m->clock, __ATOMIC_RELAXED);
	return (uint32_t)(own_ticks(m) + __atomic_load_n(&m->offset, __ATOMIC_RELAXED));
}

/* Reads the kernel's coarse time, which the program has stored: user space cannot read it otherwise. */
static void sync_clock(struct messages *m)
{
	int64_t theirs = (int64_t)__atomic_load_n(m->clock, __ATOMIC_RELAXED);

	if (!m->opts.virtual_clock)
		__atomic_store_n(&m->offset, theirs - own_ticks(m), __ATOMIC_RELAXED);
}

/* Runs the progress program, which evicts one idle message or handles parked packets, until it finds none. */
static int sweep(struct messages *m, const char *name)
{
	const uint8_t frame[ETH_ZLEN] = { 0 };

	for (unsigned i = 0; i < RUNS_MAX; i++) {
		LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = sizeof(frame), .repeat = 1);
		int err = bpf_prog_test_run_opts(m->progress_fd, &opts);

		if (err)
			return spin_fail(err, "the kernel does not run the progress program of %s: %s", name, strerror(-err));
		sync_clock(m);
		if (opts.retval == XDP_PASS)
			return 0;
		if (opts.retval != XDP_TX)
			return spin_fail(-EPROTO,
					 "the progress program of %s ended with action %u, which is none of ours: "
					 "compile the handlers again with spincc",
					 name, opts.retval);
	}
	return 0; /* packets arrive as fast as they are handled: continue at the next call */
}

int spin_messages__run_progress(struct messages *m, const char *name)
{
	int err;

	pthread_mutex_lock(&m->running);
	err = sweep(m, name);
	pthread_mutex_unlock(&m->running);
	return err;
}

int spin_ctx__progress(struct spin_ctx *ctx)
{
	struct messages *m = spin_messages__of(ctx);

	return m ? spin_messages__run_progress(m, ctx->name) : -EOPNOTSUPP;
}

int spin_ctx__set_clock(struct spin_ctx *ctx, uint32_t now_ms)
{
	const struct messages *m = ctx->messages;
	struct spin_virtual *handlers;
	uint64_t before_ms;

	if (!m && !ctx->is_virtual)
		return -EOPNOTSUPP;
	if (!ctx->is_virtual)
		return spin_fail(-EINVAL, "%s goes by the kernel's clock: create it with message.virtual_clock to set one", ctx->name);
	handlers = section__variable(ctx->bpf, ".bss", &ctx->bss, "spin_virtual", sizeof(*handlers));
	before_ms = m ? *m->clock : handlers ? handlers->now_ns / NS_PER_MS : 0;
	if (now_ms < before_ms)
		return spin_fail(-EINVAL, "%u ms is before the time of %s, %llu ms: clocks do not go backwards", now_ms, ctx->name,
				 (unsigned long long)before_ms);
	if (handlers && now_ms != handlers->now_ns / NS_PER_MS) /* otherwise user/conformance has set it, with its nanoseconds */
		__atomic_store_n(&handlers->now_ns, now_ms * NS_PER_MS, __ATOMIC_RELEASE);
	if (m)
		__atomic_store_n(m->clock, now_ms, __ATOMIC_RELEASE);
	return 0;
}

int spin_messages__has_in_flight(const struct messages *m, int *due)
{
	const uint32_t now = spin_messages__now(m), idle = spin_messages__ticks(m, m->opts.idle_ms);
	int in_flight = 0;

	*due = 0;
	for (unsigned i = 0; i < m->opts.messages; i++) {
		const struct spin_mpq *mpq = &m->mpq[i];
		uint32_t phase = __atomic_load_n(&mpq->phase, __ATOMIC_ACQUIRE), waited;

		if (phase == SPIN_MPQ_FREE)
			continue;
		in_flight = 1;
		waited = now - __atomic_load_n(&mpq->time, __ATOMIC_RELAXED);
		*due |= (waited > idle && waited <= UINT32_MAX / 2) ||
			(phase == SPIN_MPQ_OPEN &&
			 (__atomic_load_n(&mpq->parked, __ATOMIC_RELAXED) || __atomic_load_n(&mpq->replay, __ATOMIC_RELAXED)));
	}
	return in_flight;
}
