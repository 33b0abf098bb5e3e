/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Loads and closes the BPF programs of a ring (bpf/ring.bpf.c). They run a context's handlers and deliver the packets that these accept to
 * the context's AF_XDP sockets instead of the host's stack. Called by ring.c, which opens the sockets, and by the files that replace
 * handlers (ring.h). A handler's object needs no support for rings: the ring's program runs the context's program and acts on its result.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "kernel/probe.h"
#include "user/libspin/load/failure.h"
#include "user/libspin/ring/private.h"
#include "user/libspin/ring/ring.h"

extern const char ring_image[], ring_image_end[];

/* Before loading: lets the programs write the context's packet counters (its .bss map), and sets their constants. */
static int prepare(struct bpf_object *bpf, const struct spin_ctx *ctx, uint32_t longest_bytes)
{
	struct bpf_map *constants = section__map(bpf, ".rodata"), *own = bpf_object__find_map_by_name(bpf, "spin_ring_context");
	const struct bpf_map *bss = section__map(ctx->bpf, ".bss");
	struct spin_memory mem = { 0 };
	struct spin_ring_config *config;

	mem.addr = constants ? (char *)bpf_map__initial_value(constants, &mem.bytes) : NULL;
	config = section__variable(bpf, ".rodata", &mem, "spin_ring_config", sizeof(*config));
	if (!config || !own || !bss)
		return -EINVAL;
	config->counters_at = (uint32_t)((const char *)ctx->counters - ctx->bss.addr);
	config->hpu_is_queue = ctx->hpus == SPIN_HPUS_QUEUE;
	config->frame_bytes = longest_bytes;
	return bpf_map__reuse_fd(own, bpf_map__fd(bss));
}

static int load(struct ring_deliver *d, const struct spin_ctx *ctx, uint32_t longest_bytes)
{
	char *log = calloc(1, VERIFIER_LOG_BYTES);
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "spin_ring", .kernel_log_buf = log, .kernel_log_size = VERIFIER_LOG_BYTES);
	int err;

	if (!log)
		return spin_fail(-ENOMEM, "no memory for a ring's program");
	d->bpf = bpf_object__open_mem(ring_image, (size_t)(ring_image_end - ring_image), &opts);
	err = d->bpf ? prepare(d->bpf, ctx, longest_bytes) : -EINVAL;
	if (err) {
		err = spin_fail(err, "cannot prepare the program of a ring: %s", strerror(-err));
	} else {
		class__take_fragments(d->bpf);
		err = load_failure__load_own(d->bpf, log, kernel_probe__privileged() ? SPIN_CLASS_TRUSTED : SPIN_CLASS_ISOLATED,
					     "the program of a ring");
	}
	free(log);
	return err ? err : section__open(d->bpf, ".bss", "the program of a ring", &d->bss);
}

int ring_deliver__open(struct ring_deliver *d, const struct spin_ctx *ctx, uint32_t longest_bytes)
{
	static const char *const names[] = { "spin_ring_0", "spin_ring_1" };
	int err;

	*d = (struct ring_deliver){ 0 };
	err = load(d, ctx, longest_bytes);
	if (err)
		return err;
	for (unsigned i = 0; i < 2; i++) {
		const struct bpf_program *prog = bpf_object__find_program_by_name(d->bpf, names[i]);

		d->prog_fd[i] = prog ? bpf_program__fd(prog) : -1;
	}
	d->counts = section__variable(d->bpf, ".bss", &d->bss, "spin_ring_counts", sizeof(*d->counts) * SPIN_HPUS_MAX);
	d->ringed_fd = bpf_object__find_map_fd_by_name(d->bpf, "spin_ring_progs");
	d->sockets_fd = bpf_object__find_map_fd_by_name(d->bpf, "spin_ring_sockets");
	if (!d->counts || d->prog_fd[0] < 0 || d->prog_fd[1] < 0 || d->ringed_fd < 0 || d->sockets_fd < 0)
		return spin_fail(-EINVAL, "the program of a ring is of another version: build libspin again");
	return ring_deliver__set(d, d->entry, ctx->prog_fd);
}

void ring_deliver__close(struct ring_deliver *d)
{
	section__close(&d->bss);
	bpf_object__close(d->bpf);
	*d = (struct ring_deliver){ 0 };
}

int ring_deliver__set(const struct ring_deliver *d, unsigned entry, int prog_fd)
{
	if (bpf_map_update_elem(d->ringed_fd, &entry, &prog_fd, BPF_ANY))
		return spin_fail(-errno, "the program of a ring cannot take the context's: %s", strerror(errno));
	return 0;
}

int ring_deliver__bind(const struct ring_deliver *d, uint32_t queue, int socket_fd)
{
	if (bpf_map_update_elem(d->sockets_fd, &queue, &socket_fd, BPF_ANY))
		return spin_fail(-errno, "the program of a ring cannot take the socket of queue %u: %s", queue, strerror(errno));
	return 0;
}

/* --- ring.h: how swap.c, set_rule.c and attach.c change the program that the ring runs --- */

int ring__program_fd(const struct spin_ring *ring)
{
	return ring->deliver.prog_fd[ring->deliver.entry];
}

int ring__replace(struct spin_ring *ring, int prog_fd)
{
	return ring_deliver__set(&ring->deliver, ring->deliver.entry, prog_fd);
}

int ring__add(struct spin_ring *ring, int prog_fd, int *added_fd)
{
	const unsigned other = !ring->deliver.entry;

	*added_fd = ring->deliver.prog_fd[other];
	return ring_deliver__set(&ring->deliver, other, prog_fd);
}

void ring__drop_added(struct spin_ring *ring)
{
	const unsigned other = !ring->deliver.entry;

	bpf_map_delete_elem(ring->deliver.ringed_fd, &other);
}

void ring__take_added(struct spin_ring *ring)
{
	ring->deliver.entry = !ring->deliver.entry;
	ring__drop_added(ring);
}
