/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A context's ways out: devmaps of its interfaces, which the interface keeps for all of its contexts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/bpf.h>

#include <bpf/bpf.h>

#include "user/libspin/out_private.h"

static const unsigned sizes[] = {
#define SIZE(n) n,
	SPIN_WAY_SIZES(SIZE)
#undef SIZE
};

_Static_assert(sizeof(sizes) / sizeof(sizes[0]) == SPIN_WAYS, "a way for each size");
_Static_assert(SPIN_NICS_MAX == SPIN_WAY_PLACES, "a place for each interface");

int out__prepare(struct spin_ctx *ctx)
{
	struct bpf_map *ways = bpf_object__find_map_by_name(ctx->bpf, "spin_ways");
	struct out *out = calloc(1, sizeof(*out));
	int err;

	if (!out)
		return -ENOMEM;
	err = out__hold(&out->owner);
	if (err) {
		ctx->failure_told = 1;
		free(out);
		return err;
	}
	ctx->out = out;
	out->made_before = out__count(out->owner);
	if (!ways || bpf_map__set_max_entries(ways, SPIN_WAYS * SPIN_WAY_PLACES))
		return -ENOENT;
	return out__share(ctx->bpf);
}

int out__open(struct spin_ctx *ctx)
{
	struct out *out = ctx->out;
	uint32_t *owner = section__variable(ctx->bpf, ".bss", &ctx->bss, "spin_out_owner", sizeof(*owner));

	out->way = section__variable(ctx->bpf, ".bss", &ctx->bss, "spin_way", SPIN_WAY_PLACES * sizeof(*out->way));
	out->ways_fd = bpf_object__find_map_fd_by_name(ctx->bpf, "spin_ways");
	if (!out->way || !owner || out->ways_fd < 0)
		return spin_fail(-EINVAL, "%s has no way out of this version; compile it again with spincc", ctx->name);
	*owner = out->owner;
	return 0;
}

void out__close(struct spin_ctx *ctx)
{
	if (!ctx->out)
		return;
	out__release(ctx->out->owner);
	free(ctx->out);
	ctx->out = NULL;
}

/* So many times the same interface. */
static int make_way(const struct spin_nic *nic, unsigned entries, int program_fd)
{
	const struct bpf_devmap_val value = { .ifindex = (uint32_t)nic->ifindex, .bpf_prog.fd = program_fd };
	int fd = bpf_map_create(BPF_MAP_TYPE_DEVMAP, "spin_way", sizeof(uint32_t), sizeof(value), entries, NULL), err = fd;

	for (uint32_t i = 0; err >= 0 && i < entries; i++)
		err = bpf_map_update_elem(fd, &i, &value, BPF_ANY) ? -errno : 0;
	if (err >= 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return err;
}

static int make_ways(struct spin_nic *nic)
{
	unsigned generation;
	int err = 0, program_fd = out__program_fd(&generation);

	if (nic->ways && nic->ways_generation == generation)
		return 0;
	out__forget(nic);
	nic->ways_generation = generation;
	nic->ways = calloc(SPIN_WAYS, sizeof(*nic->ways));
	if (!nic->ways)
		return -ENOMEM;
	memset(nic->ways, -1, SPIN_WAYS * sizeof(*nic->ways));
	for (unsigned i = 0; !err && i < SPIN_WAYS; i++) {
		nic->ways[i] = make_way(nic, sizes[i], program_fd);
		err = nic->ways[i] < 0 ? nic->ways[i] : 0;
	}
	if (err)
		out__forget(nic);
	return err;
}

int out__join(struct spin_ctx *ctx, const struct spin_place *place)
{
	const unsigned number = (unsigned)(place - ctx->place);
	struct spin_nic *nic = place->nic;
	int err;

	if (!ctx->out || !nic->ifindex)
		return 0;
	for (unsigned i = 0; i < SPIN_WAY_PLACES; i++)
		if (ctx->out->way[i].ifindex == (uint32_t)nic->ifindex)
			return spin_fail(-EINVAL,
					 "%s and another interface of %s have the same number in two network namespaces, so "
					 "that packets could not be sent by the right one: give each a context of its own",
					 nic->name, ctx->name);
	err = make_ways(nic);
	for (uint32_t i = 0; !err && i < SPIN_WAYS; i++) {
		uint32_t at = number * SPIN_WAYS + i;

		err = bpf_map_update_elem(ctx->out->ways_fd, &at, &nic->ways[i], BPF_ANY) ? -errno : 0;
	}
	if (err)
		return spin_fail(err, "cannot make the way out by %s: %s", nic->name, strerror(-err));
	ctx->out->way[number].no_room = nic->used == SPIN_MODE_GENERIC;
	__atomic_store_n(&ctx->out->way[number].ifindex, (uint32_t)nic->ifindex, __ATOMIC_RELEASE);
	return 0;
}

void out__leave(struct spin_ctx *ctx, const struct spin_place *place)
{
	if (ctx->out)
		__atomic_store_n(&ctx->out->way[place - ctx->place].ifindex, 0, __ATOMIC_RELEASE);
}

void out__forget(struct spin_nic *nic)
{
	for (unsigned i = 0; nic->ways && i < SPIN_WAYS; i++)
		if (nic->ways[i] >= 0)
			close(nic->ways[i]);
	free(nic->ways);
	nic->ways = NULL;
}

uint64_t out__made(const struct spin_ctx *ctx)
{
	return ctx->out ? out__count(ctx->out->owner) - ctx->out->made_before : 0;
}
