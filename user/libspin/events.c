/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads what handlers report to their application: events, from the context's ring buffer, and packet counters by reason (what became of a
 * packet and why), summed over all CPUs. Called by applications.
 */
#include <errno.h>
#include <string.h>

#include "kernel/cpus.h"
#include "user/libspin/internal.h" /* first: it makes the functions of libspin.h visible */
#include "user/libspin/card/card.h"
#include "user/libspin/messages/messages.h"
#include "user/libspin/object/layout.h"
#include "user/libspin/object/section.h"
#include "user/libspin/root.h"

/* Maximum number of events per call. Without a limit, a call with a slow reader and many events would not end. */
#define EVENTS_PER_CALL_MAX 4096

static int on_sample(void *arg, void *data, size_t bytes)
{
	struct spin_ctx *ctx = arg;

	if (bytes >= sizeof(struct spin_event)) {
		const struct spin_event *event = data;

		if (ctx->on_event)
			ctx->on_event(ctx->on_event_arg, event);
		spin_messages__event_read(ctx, event);
		if (event->type == SPIN_EVENT_WORK && ctx->work) /* the item has been read: handlers may post another one */
			__atomic_fetch_add(&ctx->work->taken, 1, __ATOMIC_RELEASE);
	}
	return --ctx->events_left ? 0 : -E2BIG;
}

static int open_ring(struct spin_ctx *ctx)
{
	if (ctx->ring)
		return 0;
	if (ctx->events_fd < 0)
		return spin_fail(-EINVAL, "%s has no events; compile it again with spincc", ctx->name);
	ctx->ring = ring_buffer__new(ctx->events_fd, on_sample, ctx, NULL);
	if (!ctx->ring)
		return spin_fail(-errno, "cannot map the events of %s: %s", ctx->name, strerror(errno));
	return 0;
}

int spin_ctx__events(struct spin_ctx *ctx, void (*fn)(void *arg, const struct spin_event *event), void *arg)
{
	int err = ctx->card ? 0 : open_ring(ctx);

	if (err || ctx->card)
		return err;
	ctx->on_event = fn;
	ctx->on_event_arg = arg;
	ctx->events_left = EVENTS_PER_CALL_MAX;
	err = ring_buffer__consume(ctx->ring);
	if (!ctx->events_left)
		return EVENTS_PER_CALL_MAX;
	return err < 0 ? spin_fail(err, "cannot read events: %s", strerror(-err)) : err;
}

int work__open(struct spin_ctx *ctx)
{
	struct layout_variable var;

	if (layout__find(bpf_object__btf(ctx->bpf), "spin_work_counts", &var))
		return 0;
	ctx->work = section__variable(ctx->bpf, ".bss", &ctx->bss, "spin_work_counts", sizeof(*ctx->work));
	return ctx->work ? 0 : spin_fail(-EINVAL, "%s counts no work items of this version; compile it again with spincc", ctx->name);
}

int spin_ctx__work_lost(struct spin_ctx *ctx, uint64_t *lost)
{
	*lost = ctx->work ? __atomic_load_n(&ctx->work->lost, __ATOMIC_RELAXED) : 0;
	return 0;
}

int spin_ctx__event_fd(const struct spin_ctx *ctx)
{
	return ctx->events_fd;
}

void counters__add(const struct spin_counters *counters, uint32_t hpus, uint64_t *packets)
{
	uint32_t cpus = (uint32_t)kernel_cpus__possible(); /* at most SPIN_HPUS_MAX, as spin_ctx__create() checks */

	/* a context may have fewer HPUs than there are CPUs */
	for (uint32_t hpu = 0; hpu < (hpus > cpus ? hpus : cpus); hpu++)
		for (unsigned r = 0; r < SPIN_REASON_COUNT; r++)
			packets[r] += __atomic_load_n(&counters[hpu].packets[r], __ATOMIC_RELAXED);
}

void spin_ctx__counters(const struct spin_ctx *ctx, uint64_t *packets)
{
	memset(packets, 0, SPIN_REASON_COUNT * sizeof(*packets));
	if (ctx->card)
		card__counters(ctx->card, packets);
	else
		counters__add(ctx->counters, ctx->num_hpus, packets);
}

void spin_nic__counters(const struct spin_nic *nic, uint64_t *packets)
{
	struct root *root = __atomic_load_n(&nic->root, __ATOMIC_ACQUIRE);

	memset(packets, 0, SPIN_REASON_COUNT * sizeof(*packets));
	if (root)
		counters__add(root__counters(root), 0, packets);
}
