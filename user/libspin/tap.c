/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Taps: copies of a context's packets, before its handlers, in a ring buffer, for spinctl record and `spinctl run --cost`. At most one tap
 * per context. Called by applications; the dispatcher, the interface's XDP program, fills the ring (bpf/tap.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "user/libspin/card/card.h"
#include "user/libspin/internal.h"
#include "user/libspin/root.h"

/* Maximum number of packets per call. Without a limit, a call with a slow reader and many packets would not end. */
#define PACKETS_PER_CALL_MAX 16384
#define RING_BYTES_MAX       (1u << 30)

struct tap {
	int fd;
	struct ring_buffer *ring;
	uint64_t lost_before[SPIN_NICS_MAX]; /* by place: the interface's counter when the tap started */
	uint64_t lost_next[SPIN_NICS_MAX];   /* the same for the slot that the place gets with another rule */
	uint64_t lost_elsewhere;             /* lost at places that the context has left */
	uint32_t every;                      /* one in this many packets is copied */
	int left;                            /* packets left in this call */
	void (*fn)(void *arg, const struct spin_tapped *packet);
	void *arg;
};

static int on_record(void *arg, void *data, size_t bytes)
{
	const struct spin_tap_record *record = data;
	struct tap *tap = arg;
	struct spin_tapped packet = {
		.time_ns = record->time_ns, .hpu = record->hpu, .frame_bytes = record->frame_bytes, .frame = record->frame
	};

	if (bytes >= sizeof(*record) && record->frame_bytes <= bytes - sizeof(*record))
		tap->fn(tap->arg, &packet);
	return --tap->left ? 0 : -E2BIG;
}

static uint32_t ring_size(size_t wanted)
{
	uint32_t bytes = (uint32_t)sysconf(_SC_PAGESIZE);

	while (bytes < wanted)
		bytes *= 2;
	return bytes;
}

int tap__join(struct spin_ctx *ctx, const struct spin_place *place, unsigned slot)
{
	struct root *root = place->nic->root;

	if (!ctx->tap)
		return 0;
	if (slot != place->slot) /* both slots are tapped from here on; what the old slot lost is added when it is left */
		ctx->tap->lost_next[place - ctx->place] = root__tap_lost(root, slot);
	else
		ctx->tap->lost_before[place - ctx->place] = root__tap_lost(root, slot);
	return root__tap(root, slot, ctx->tap->fd, ctx->tap->every);
}

int spin_ctx__tap_some(struct spin_ctx *ctx, size_t ring_bytes, uint32_t every)
{
	struct tap *tap;
	int err = 0;

	if (ctx->remote)
		return spin_fail(-EOPNOTSUPP, "%s is spind's: its packets cannot be tapped", ctx->name);
	if (ctx->card)
		return card__cannot(ctx, "tap: its packets do not come by the host");
	if (ctx->tap)
		return spin_fail(-EALREADY, "%s is tapped already", ctx->name);
	if (ring_bytes > RING_BYTES_MAX)
		return spin_fail(-EINVAL, "a tap's ring has at most %u bytes", RING_BYTES_MAX);
	tap = calloc(1, sizeof(*tap));
	if (!tap)
		return spin_fail(-ENOMEM, "no memory for a tap");
	ctx->tap = tap;
	tap->every = every;
	tap->fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "spin_tap", 0, 0, ring_size(ring_bytes), NULL);
	if (tap->fd < 0)
		err = spin_fail(-errno, "cannot make a ring of %u bytes: %s", ring_size(ring_bytes), strerror(errno));
	if (!err) {
		tap->ring = ring_buffer__new(tap->fd, on_record, tap, NULL);
		if (!tap->ring)
			err = spin_fail(-errno, "cannot map the ring of a tap: %s", strerror(errno));
	}
	for (unsigned i = 0; i < ctx->places && !err; i++) {
		pthread_mutex_lock(&ctx->place[i].nic->lock);
		err = tap__join(ctx, &ctx->place[i], ctx->place[i].slot);
		pthread_mutex_unlock(&ctx->place[i].nic->lock);
	}
	if (err)
		spin_ctx__untap(ctx);
	return err;
}

int spin_ctx__tap(struct spin_ctx *ctx, size_t ring_bytes)
{
	return spin_ctx__tap_some(ctx, ring_bytes, 1);
}

void spin_ctx__untap(struct spin_ctx *ctx)
{
	struct tap *tap = ctx->tap;

	if (!tap)
		return;
	for (unsigned i = 0; i < ctx->places; i++) {
		struct spin_nic *nic = ctx->place[i].nic;

		pthread_mutex_lock(&nic->lock);
		root__tap(nic->root, ctx->place[i].slot, -1, 0);
		pthread_mutex_unlock(&nic->lock);
	}
	ring_buffer__free(tap->ring);
	if (tap->fd >= 0)
		close(tap->fd);
	free(tap);
	ctx->tap = NULL;
}

static uint64_t lost_at(const struct spin_ctx *ctx, unsigned i)
{
	return root__tap_lost(ctx->place[i].nic->root, ctx->place[i].slot) - ctx->tap->lost_before[i];
}

void tap__leave(struct spin_ctx *ctx, const struct spin_place *place, unsigned slot)
{
	const unsigned i = (unsigned)(place - ctx->place);

	if (!ctx->tap)
		return;
	root__tap(place->nic->root, slot, -1, 0);
	if (slot != place->slot)
		return;
	ctx->tap->lost_elsewhere += lost_at(ctx, i);
	ctx->tap->lost_before[i] = ctx->tap->lost_next[i];
}

int spin_ctx__tapped(struct spin_ctx *ctx, void (*fn)(void *arg, const struct spin_tapped *packet), void *arg)
{
	int count;

	if (!ctx->tap)
		return spin_fail(-EINVAL, "%s is not tapped", ctx->name);
	ctx->tap->fn = fn;
	ctx->tap->arg = arg;
	ctx->tap->left = PACKETS_PER_CALL_MAX;
	count = ring_buffer__consume(ctx->tap->ring);
	if (!ctx->tap->left)
		return PACKETS_PER_CALL_MAX;
	return count < 0 ? spin_fail(count, "cannot read the ring of a tap: %s", strerror(-count)) : count;
}

uint64_t spin_ctx__tap_lost(const struct spin_ctx *ctx)
{
	uint64_t lost = ctx->tap ? ctx->tap->lost_elsewhere : 0;

	for (unsigned i = 0; ctx->tap && i < ctx->places; i++)
		lost += lost_at(ctx, i);
	return lost;
}

int spin_ctx__tap_fd(const struct spin_ctx *ctx)
{
	return ctx->tap ? ctx->tap->fd : -1;
}
