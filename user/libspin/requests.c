/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "bpf/mpq.h"
#include "user/libspin/requests_private.h"

#define RING_BYTES (1u << 20) /* some 400 packets of the longest kind */

static const char *const maps[] = { "spin_requests", "spin_ways", "spin_outs", "spin_outboxes", "spin_hops" };

int spin_requests__new(const struct spin_object *obj, struct requests **out)
{
	struct requests *r;

	*out = NULL;
	if (!obj->meta.registration.puts)
		return 0;
	r = calloc(1, sizeof(*r));
	if (!r)
		return spin_fail(-ENOMEM, "no memory for a context");
	r->stop_fd = r->raw4 = r->raw6 = r->tell_fd = r->hops_fd = -1;
	r->puts.last = &r->puts.first;
	r->puts.most = REQUESTS_PUTS_MAX;
	r->answers.last = &r->answers.first;
	r->answers.most = REQUESTS_ANSWERS_MAX;
	r->answering = SPIN_MES_MAX;
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->answered_one, NULL);
	*out = r;
	return 0;
}

void spin_requests__free(struct requests *r)
{
	if (!r)
		return;
	ring_buffer__free(r->ring);
	pthread_cond_destroy(&r->answered_one);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

int spin_requests__prepare(struct spin_ctx *ctx)
{
	struct bpf_program *send = bpf_object__find_program_by_name(ctx->bpf, "spin_send");
	struct bpf_program *tell = bpf_object__find_program_by_name(ctx->bpf, "spin_tell");
	struct bpf_map *map, *hops;

	if (send)
		bpf_program__set_autoload(send, ctx->requests != NULL);
	if (tell)
		bpf_program__set_autoload(tell, ctx->requests && ctx->messages);
	if (!ctx->requests) {
		for (unsigned i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
			map = bpf_object__find_map_by_name(ctx->bpf, maps[i]);
			if (map)
				bpf_map__set_autocreate(map, false);
		}
		return 0;
	}
	map = bpf_object__find_map_by_name(ctx->bpf, maps[0]);
	hops = bpf_object__find_map_by_name(ctx->bpf, "spin_hops");
	if (!send || !tell || !map || bpf_map__set_max_entries(map, RING_BYTES) || !hops || bpf_map__set_max_entries(hops, SPIN_HOPS))
		return -ENOENT;
	return out__prepare(ctx);
}

static int on_sample(void *arg, void *data, size_t bytes)
{
	struct requests *r = arg;
	const struct spin_request *request = data;

	if (bytes < offsetof(struct spin_request, frame) ||
	    (request->type != SPIN_REQUEST_PUT && request->bytes > bytes - offsetof(struct spin_request, frame)))
		return 0; /* of no use to anyone */
	r->answer = r->fn(r->arg, request);
	return r->answer ? -ECANCELED : 0;
}

/* What handlers sent goes through a program of its own. */
static int join_program(const struct bpf_object *bpf, const char *map, const char *program)
{
	int array = bpf_object__find_map_fd_by_name(bpf, map), fd;
	const struct bpf_program *send = bpf_object__find_program_by_name(bpf, program);
	uint32_t slot = SPIN_SEND_SLOT;

	if (array < 0 || !send)
		return -ENOENT;
	fd = bpf_program__fd(send);
	return bpf_map_update_elem(array, &slot, &fd, BPF_ANY) ? -errno : 0;
}

int spin_requests__open(struct spin_ctx *ctx)
{
	struct requests *r = ctx->requests;

	if (!r)
		return 0;
	r->stats = section__variable(ctx->bpf, ".bss", &ctx->bss, "spin_out_stats", SPIN_HPUS_MAX * sizeof(*r->stats));
	if (!r->stats || join_program(ctx->bpf, "spin_parked", "spin_send") ||
	    (ctx->messages && join_program(ctx->bpf, "spin_swept", ctx->hpus == SPIN_HPUS_SPREAD ? "spin_send_swept" : "spin_send")))
		return spin_fail(-EINVAL, "%s has no way to send of this version; compile it again with spincc", ctx->name);
	if (ctx->messages)
		r->tell_fd = bpf_program__fd(bpf_object__find_program_by_name(ctx->bpf, "spin_tell"));
	r->hops_map = bpf_object__find_map_fd_by_name(ctx->bpf, "spin_hops");
	r->ring = ring_buffer__new(bpf_object__find_map_fd_by_name(ctx->bpf, maps[0]), on_sample, r, NULL);
	if (!r->ring)
		return spin_fail(-errno, "cannot map the requests of %s: %s", ctx->name, strerror(errno));
	return out__open(ctx);
}

int spin_ctx__requests(struct spin_ctx *ctx, int (*fn)(void *arg, const struct spin_request *request), void *arg)
{
	struct requests *r = ctx->requests;
	int err;

	if (!r)
		return 0;
	r->fn = fn;
	r->arg = arg;
	r->answer = 0;
	err = ring_buffer__consume(r->ring);
	if (r->answer)
		return r->answer;
	return err < 0 ? spin_fail(err, "cannot read the requests of %s: %s", ctx->name, strerror(-err)) : 0;
}
