/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Sends packets that handlers build while they run. Loads what all sending contexts of a process share: a ring of packets (tx ring), the
 * BPF program that turns clones of frames into them, and the devmaps (BPF maps of interfaces) by which they leave (out.h). Called by ctx.c
 * and attach.c.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/cpus.h"
#include "kernel/probe.h"
#include "user/libspin/load/failure.h"
#include "user/libspin/requests/egress.h"

extern const char out_image[], out_image_end[];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	unsigned holders;
	unsigned generation; /* generation of the loaded program */
	uint64_t owners;     /* a bit per owner */
	struct bpf_object *bpf;
	int program_fd, outs_fd, boxes_fd, made_fd;
} out;

static const char *const shared[] = { "spin_tx_descs", "spin_tx_rings" };

static int load_logged(const char *log)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "spin_out", .kernel_log_buf = (char *)log,
		    .kernel_log_size = VERIFIER_LOG_BYTES);
	struct bpf_program *prog;
	struct bpf_map *map;
	int err;

	out.bpf = bpf_object__open_mem(out_image, (size_t)(out_image_end - out_image), &opts);
	prog = out.bpf ? bpf_object__find_program_by_name(out.bpf, "spin_out") : NULL;
	map = out.bpf ? bpf_object__find_map_by_name(out.bpf, shared[0]) : NULL;
	if (!prog || !map || bpf_program__set_autoload(prog, true) || bpf_map__set_max_entries(map, SPIN_TX_DESCS))
		return spin_fail(-EINVAL, "the program that sends packets of handlers is of another version: build libspin again");
	class__take_fragments(out.bpf);
	err = load_failure__load_own(out.bpf, log, kernel_probe__privileged() ? SPIN_CLASS_TRUSTED : SPIN_CLASS_ISOLATED,
				     "the program that sends handlers' packets");
	if (err)
		return err;
	out.program_fd = bpf_program__fd(prog);
	out.outs_fd = bpf_map__fd(map);
	out.generation++;
	out.boxes_fd = bpf_object__find_map_fd_by_name(out.bpf, shared[1]);
	out.made_fd = bpf_object__find_map_fd_by_name(out.bpf, "spin_outs_made");
	return out.boxes_fd < 0 || out.made_fd < 0 ? spin_fail(-EINVAL, "libspin is put together wrongly: build it again") : 0;
}

static int load(void)
{
	char *log = calloc(1, VERIFIER_LOG_BYTES);
	int err = log ? load_logged(log) : spin_fail(-ENOMEM, "no memory for the program that sends handlers' packets");

	free(log);
	return err;
}

static void put_egress_locked(void)
{
	if (--out.holders)
		return;
	bpf_object__close(out.bpf);
	out.bpf = NULL;
}

/* Takes a reference to what is shared, which the first caller loads, and a free owner number. */
static int get_egress(unsigned *owner)
{
	int err = 0;

	pthread_mutex_lock(&lock);
	if (!out.holders++)
		err = load();
	if (!err && out.owners == UINT64_MAX)
		err = spin_fail(-ENOSPC, "this process has %u contexts that send packets, the most there can be", SPIN_OUT_OWNERS);
	if (err) {
		put_egress_locked();
	} else {
		*owner = (unsigned)__builtin_ctzll(~out.owners);
		out.owners |= 1ull << *owner;
	}
	pthread_mutex_unlock(&lock);
	return err;
}

static void put_egress(unsigned owner)
{
	pthread_mutex_lock(&lock);
	out.owners &= ~(1ull << owner);
	put_egress_locked();
	pthread_mutex_unlock(&lock);
}

static int egress_program_fd(unsigned *generation)
{
	*generation = out.generation;
	return out.program_fd;
}

static int reuse_tx_maps(struct bpf_object *bpf)
{
	const int fds[] = { out.outs_fd, out.boxes_fd };
	const uint32_t bytes[] = { sizeof(struct spin_tx_desc), sizeof(struct spin_tx_ring) };

	for (unsigned i = 0; i < 2; i++) {
		struct bpf_map *map = bpf_object__find_map_by_name(bpf, shared[i]);
		int err = map && bpf_map__value_size(map) == bytes[i] ? bpf_map__reuse_fd(map, fds[i]) : -ENOENT;

		if (err)
			return err;
	}
	return 0;
}

/* Returns how many copies of templates have become packets of this owner (bpf/out.bpf.c). */
static uint64_t count_rewritten(unsigned owner)
{
	const int cpus = kernel_cpus__possible();
	struct spin_outs_made *made = cpus > 0 ? calloc((size_t)cpus, sizeof(*made)) : NULL;
	uint32_t zero = 0;
	uint64_t sum = 0;

	if (made && !bpf_map_lookup_elem(out.made_fd, &zero, made))
		for (int i = 0; i < cpus; i++)
			sum += made[i].copies[owner];
	free(made);
	return sum;
}

/* A context's egress devmaps. An interface keeps them for all of its contexts. */

static const unsigned devmap_sizes[] = {
#define SIZE(n) n,
	SPIN_EGRESS_SIZES(SIZE)
#undef SIZE
};

_Static_assert(sizeof(devmap_sizes) / sizeof(devmap_sizes[0]) == SPIN_EGRESS_DEVMAPS, "a devmap for each size");
_Static_assert(SPIN_NICS_MAX == SPIN_EGRESS_DEVS, "a place for each interface");

int egress__prepare(struct spin_ctx *ctx)
{
	struct bpf_map *devmaps = bpf_object__find_map_by_name(ctx->bpf, "spin_egress");
	struct egress *out = calloc(1, sizeof(*out));
	int err;

	if (!out)
		return -ENOMEM;
	err = get_egress(&out->owner);
	if (err) {
		ctx->failure_reported = 1;
		free(out);
		return err;
	}
	ctx->out = out;
	out->made_before = count_rewritten(out->owner);
	if (!devmaps || bpf_map__set_max_entries(devmaps, SPIN_EGRESS_DEVMAPS * SPIN_EGRESS_DEVS))
		return -ENOENT;
	return reuse_tx_maps(ctx->bpf);
}

int egress__open(struct spin_ctx *ctx)
{
	struct egress *out = ctx->out;
	uint32_t *owner = section__variable(ctx->bpf, ".bss", &ctx->bss, "spin_out_owner", sizeof(*owner));

	out->dev = section__variable(ctx->bpf, ".bss", &ctx->bss, "spin_egress_dev", SPIN_EGRESS_DEVS * sizeof(*out->dev));
	out->devmaps_fd = bpf_object__find_map_fd_by_name(ctx->bpf, "spin_egress");
	if (!out->dev || !owner || out->devmaps_fd < 0)
		return spin_fail(-EINVAL, "%s has no egress devices of this version; compile it again with spincc", ctx->name);
	*owner = out->owner;
	return 0;
}

void egress__close(struct spin_ctx *ctx)
{
	if (!ctx->out)
		return;
	put_egress(ctx->out->owner);
	free(ctx->out);
	ctx->out = NULL;
}

/* Creates a devmap with the interface in each of its entries. */
static int create_devmap(const struct spin_nic *nic, unsigned entries, int program_fd)
{
	const struct bpf_devmap_val value = { .ifindex = (uint32_t)nic->ifindex, .bpf_prog.fd = program_fd };
	int fd = bpf_map_create(BPF_MAP_TYPE_DEVMAP, "spin_egress_dev", sizeof(uint32_t), sizeof(value), entries, NULL), err = fd;

	for (uint32_t i = 0; err >= 0 && i < entries; i++)
		err = bpf_map_update_elem(fd, &i, &value, BPF_ANY) ? -errno : 0;
	if (err >= 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return err;
}

/* Creates the maps through which packets leave this interface, unless they exist already for the loaded program. */
static int create_devmaps(struct spin_nic *nic)
{
	unsigned generation;
	int err = 0, program_fd = egress_program_fd(&generation);

	if (nic->devmaps && nic->devmaps_generation == generation)
		return 0;
	egress__forget(nic);
	nic->devmaps_generation = generation;
	nic->devmaps = calloc(SPIN_EGRESS_DEVMAPS, sizeof(*nic->devmaps));
	if (!nic->devmaps)
		return -ENOMEM;
	memset(nic->devmaps, -1, SPIN_EGRESS_DEVMAPS * sizeof(*nic->devmaps));
	for (unsigned i = 0; !err && i < SPIN_EGRESS_DEVMAPS; i++) {
		nic->devmaps[i] = create_devmap(nic, devmap_sizes[i], program_fd);
		err = nic->devmaps[i] < 0 ? nic->devmaps[i] : 0;
	}
	if (err)
		egress__forget(nic);
	return err;
}

int egress__join(struct spin_ctx *ctx, const struct spin_place *place)
{
	const unsigned number = (unsigned)(place - ctx->place);
	struct spin_nic *nic = place->nic;
	int err;

	if (!ctx->out || !nic->ifindex)
		return 0;
	for (unsigned i = 0; i < SPIN_EGRESS_DEVS; i++)
		if (ctx->out->dev[i].ifindex == (uint32_t)nic->ifindex)
			return spin_fail(-EINVAL,
					 "%s and another interface of %s have the same number in two network namespaces, so "
					 "that packets could not be sent by the right one: give each a context of its own",
					 nic->name, ctx->name);
	err = create_devmaps(nic);
	for (uint32_t i = 0; !err && i < SPIN_EGRESS_DEVMAPS; i++) {
		uint32_t at = number * SPIN_EGRESS_DEVMAPS + i;

		err = bpf_map_update_elem(ctx->out->devmaps_fd, &at, &nic->devmaps[i], BPF_ANY) ? -errno : 0;
	}
	if (err)
		return spin_fail(err, "cannot fill the egress devmaps of %s: %s", nic->name, strerror(-err));
	ctx->out->dev[number].no_room = nic->used == SPIN_MODE_GENERIC;
	__atomic_store_n(&ctx->out->dev[number].ifindex, (uint32_t)nic->ifindex, __ATOMIC_RELEASE);
	return 0;
}

void egress__leave(struct spin_ctx *ctx, const struct spin_place *place)
{
	if (ctx->out)
		__atomic_store_n(&ctx->out->dev[place - ctx->place].ifindex, 0, __ATOMIC_RELEASE);
}

void egress__forget(struct spin_nic *nic)
{
	for (unsigned i = 0; nic->devmaps && i < SPIN_EGRESS_DEVMAPS; i++)
		if (nic->devmaps[i] >= 0)
			close(nic->devmaps[i]);
	free(nic->devmaps);
	nic->devmaps = NULL;
}

uint64_t egress__made(const struct spin_ctx *ctx)
{
	return ctx->out ? count_rewritten(ctx->out->owner) - ctx->out->made_before : 0;
}
