/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Time, and what is due in it: idle messages are evicted, parked packets left over are handled. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include <linux/bpf.h>
#include <linux/if_ether.h>

#include <bpf/bpf.h>

#include "user/libspin/messages.h"

/* More than all there can be: each run handles some of what is due. */
#define RUNS_MAX 65536

/* Our count of the ticks of the kernel's clock: it has another start. */
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

/* The program has left the kernel's time, which nothing else tells. */
static void compare_clocks(struct messages *m)
{
	int64_t theirs = (int64_t)__atomic_load_n(m->clock, __ATOMIC_RELAXED);

	if (!m->opts.virtual_clock)
		__atomic_store_n(&m->offset, theirs - own_ticks(m), __ATOMIC_RELAXED);
}

static int sweep(struct messages *m, const char *name)
{
	const uint8_t frame[ETH_ZLEN] = { 0 };

	for (unsigned i = 0; i < RUNS_MAX; i++) {
		LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = sizeof(frame), .repeat = 1);
		int err = bpf_prog_test_run_opts(m->progress_fd, &opts);

		if (err)
			return spin_fail(err, "the kernel does not run the progress program of %s: %s", name, strerror(-err));
		compare_clocks(m);
		if (opts.retval == XDP_PASS)
			return 0;
		if (opts.retval != XDP_TX)
			return spin_fail(-EPROTO,
					 "the progress program of %s ended with action %u, which is none of ours: "
					 "compile the handlers again with spincc",
					 name, opts.retval);
	}
	return 0; /* packets come as fast as they are handled: there is a next time */
}

int spin_messages__sweep(struct messages *m, const char *name)
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

	return m ? spin_messages__sweep(m, ctx->name) : -EOPNOTSUPP;
}

int spin_ctx__set_clock(struct spin_ctx *ctx, uint32_t now_ms)
{
	const struct messages *m = spin_messages__of(ctx);

	if (!m)
		return -EOPNOTSUPP;
	if (!m->opts.virtual_clock)
		return spin_fail(-EINVAL, "%s goes by the kernel's clock: create it with message.virtual_clock to set one", ctx->name);
	if (now_ms < *m->clock)
		return spin_fail(-EINVAL, "%u ms is before the time of %s, %llu ms: clocks do not go backwards", now_ms, ctx->name,
				 (unsigned long long)*m->clock);
	__atomic_store_n(m->clock, now_ms, __ATOMIC_RELEASE);
	return 0;
}

int spin_messages__look(const struct messages *m, int *due)
{
	const uint32_t now = spin_messages__now(m), idle = spin_messages__ticks(m, m->opts.idle_ms);
	int flying = 0;

	*due = 0;
	for (unsigned i = 0; i < m->opts.messages; i++) {
		const struct spin_mpq *mpq = &m->mpq[i];
		uint32_t phase = __atomic_load_n(&mpq->phase, __ATOMIC_ACQUIRE), waited;

		if (phase == SPIN_MPQ_FREE)
			continue;
		flying = 1;
		waited = now - __atomic_load_n(&mpq->time, __ATOMIC_RELAXED);
		*due |= (waited > idle && waited <= UINT32_MAX / 2) ||
			(phase == SPIN_MPQ_OPEN &&
			 (__atomic_load_n(&mpq->parked, __ATOMIC_RELAXED) || __atomic_load_n(&mpq->replay, __ATOMIC_RELAXED)));
	}
	return flying;
}
