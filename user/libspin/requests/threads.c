/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The three threads that send what a context's handlers ask for (requests.h): packets, puts and answers to gets. Also sets up the BPF ring
 * buffer by which the requests arrive. Called by ctx.c, which loads and closes contexts, and attach.c. The threads run only while the
 * context is attached.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "bpf/abi/mpq.h"
#include "user/libspin/requests/private.h"

#define RING_BYTES (1u << 20) /* about 400 of the longest packets */

static const char *const maps[] = { "spin_requests", "spin_egress", "spin_tx_descs", "spin_tx_rings", "spin_neighs" };

int spin_requests__new(const struct spin_object *obj, struct requests **out)
{
	struct requests *r;

	*out = NULL;
	if (!obj->meta.registration.puts)
		return 0;
	r = calloc(1, sizeof(*r));
	if (!r)
		return spin_fail(-ENOMEM, "no memory for a context");
	r->stop_fd = r->raw4 = r->raw6 = r->event_fd = r->hops_fd = -1;
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
	struct bpf_program *event_program = bpf_object__find_program_by_name(ctx->bpf, "spin_emit_event");
	struct bpf_map *map, *hops;

	if (send)
		bpf_program__set_autoload(send, ctx->requests != NULL);
	if (event_program)
		bpf_program__set_autoload(event_program, ctx->requests && ctx->messages);
	if (!ctx->requests) {
		for (unsigned i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
			map = bpf_object__find_map_by_name(ctx->bpf, maps[i]);
			if (map)
				bpf_map__set_autocreate(map, false);
		}
		return 0;
	}
	map = bpf_object__find_map_by_name(ctx->bpf, maps[0]);
	hops = bpf_object__find_map_by_name(ctx->bpf, "spin_neighs");
	if (!send || !event_program || !map || bpf_map__set_max_entries(map, RING_BYTES) || !hops ||
	    bpf_map__set_max_entries(hops, SPIN_HOPS))
		return -ENOENT;
	return egress__prepare(ctx);
}

static int on_sample(void *arg, void *data, size_t bytes)
{
	struct requests *r = arg;
	const struct spin_request *request = data;

	if (bytes < offsetof(struct spin_request, frame) ||
	    (request->type != SPIN_REQUEST_PUT && request->bytes > bytes - offsetof(struct spin_request, frame)))
		return 0; /* malformed: dropped */
	r->answer = r->fn(r->arg, request);
	return r->answer ? -ECANCELED : 0;
}

/* Adds the program that sends handlers' packets to its array. */
static int add_program(const struct bpf_object *bpf, const char *map, const char *program)
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
	if (!r->stats || add_program(ctx->bpf, "spin_progs", "spin_send") ||
	    (ctx->messages && add_program(ctx->bpf, "spin_swept_progs", ctx->hpus == SPIN_HPUS_SPREAD ? "spin_send_swept" : "spin_send")))
		return spin_fail(-EINVAL, "%s has no way to send of this version; compile it again with spincc", ctx->name);
	if (ctx->messages)
		r->event_fd = bpf_program__fd(bpf_object__find_program_by_name(ctx->bpf, "spin_emit_event"));
	r->hops_map = bpf_object__find_map_fd_by_name(ctx->bpf, "spin_neighs");
	r->ring = ring_buffer__new(bpf_object__find_map_fd_by_name(ctx->bpf, maps[0]), on_sample, r, NULL);
	if (!r->ring)
		return spin_fail(-errno, "cannot map the requests of %s: %s", ctx->name, strerror(errno));
	return egress__open(ctx);
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

/* --- the thread that reads requests and sends packets --- */

void requests__fail(struct requests *r, int err)
{
	pthread_mutex_lock(&r->lock);
	if (!r->failure) {
		r->failure = err;
		memccpy(r->reason, spin_strerror_last(), 0, sizeof(r->reason) - 1);
	}
	pthread_mutex_unlock(&r->lock);
}

static int handle_request(void *arg, const struct spin_request *request)
{
	struct spin_ctx *ctx = arg;

	if (request->type == SPIN_REQUEST_PACKET)
		requests_packet__send(ctx, request);
	else if (request->type == SPIN_REQUEST_PUT || request->type == SPIN_REQUEST_PUT_BYTES)
		requests_put__add(ctx, request);
	return 0;
}

/* The thread that carries out requests until it is stopped. After that it carries out those that are left. */
static void *thread_main(void *arg)
{
	struct spin_ctx *ctx = arg;
	struct requests *r = ctx->requests;
	struct pollfd fds[] = { { ring_buffer__epoll_fd(r->ring), POLLIN, 0 }, { r->stop_fd, POLLIN, 0 } };
	int err = spin_ctx__requests(ctx, handle_request, ctx);
	uint64_t leaving, count;

	while (!err) {
		if (poll(fds, 2, requests_neigh__wait_ms(r)) < 0 && errno != EINTR)
			err = spin_fail(-errno, "cannot wait for requests: %s", strerror(errno));
		if (fds[1].revents && read(r->stop_fd, &count, sizeof(count)) == sizeof(count) &&
		    __atomic_load_n(&r->stop, __ATOMIC_RELAXED))
			break;
		requests_neigh__refresh(r);
		leaving = requests_answer__leaving(r);
		if (!err)
			err = spin_ctx__requests(ctx, handle_request, ctx);
		requests_answer__leave(ctx, leaving);
	}
	if (!err) /* no handler runs any more: process the remaining requests */
		err = spin_ctx__requests(ctx, handle_request, ctx);
	if (err)
		requests__fail(r, err);
	return NULL;
}

int requests_thread__create(pthread_t *thread, void *(*fn)(void *ctx), struct spin_ctx *ctx)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(thread, NULL, fn, ctx);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err ? spin_fail(-err, "cannot start a thread that sends for %s: %s", ctx->name, strerror(err)) : 0;
}

static void request_stop(struct requests *r)
{
	const uint64_t one = 1;

	pthread_mutex_lock(&r->lock);
	r->stop = 1;
	pthread_cond_signal(&r->puts.wake);
	pthread_cond_signal(&r->answers.wake);
	pthread_mutex_unlock(&r->lock);
	if (write(r->stop_fd, &one, sizeof(one)) < 0)
		return; /* unreachable: the eventfd is nonblocking and far from full */
}

static void close_all(struct spin_ctx *ctx)
{
	struct requests *r = ctx->requests;

	pthread_cond_destroy(&r->puts.wake);
	pthread_cond_destroy(&r->answers.wake);
	requests_packet__close(r);
	requests_neigh__close(r);
	requests_put__forget(ctx);
	requests_answer__forget(ctx);
	if (r->stop_fd >= 0)
		close(r->stop_fd);
	r->stop_fd = -1;
}

static int start_threads(struct spin_ctx *ctx)
{
	struct requests *r = ctx->requests;
	int err = requests_thread__create(&r->puts.worker, requests_put__run, ctx);

	if (err)
		return err;
	err = requests_thread__create(&r->answers.worker, requests_answer__run, ctx);
	if (!err) {
		err = requests_thread__create(&r->thread, thread_main, ctx);
		if (!err)
			return 0;
		request_stop(r);
		pthread_join(r->answers.worker, NULL);
	}
	request_stop(r);
	pthread_join(r->puts.worker, NULL);
	return err;
}

int spin_requests__start(struct spin_ctx *ctx)
{
	struct requests *r = ctx->requests;
	int err;

	if (!r || r->has_threads)
		return 0;
	pthread_cond_init(&r->puts.wake, NULL);
	pthread_cond_init(&r->answers.wake, NULL);
	r->stop = r->failure = 0;
	r->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	err = r->stop_fd < 0 ? spin_fail(-errno, "cannot make an eventfd: %s", strerror(errno)) : requests_packet__open(r);
	if (!err)
		err = requests_neigh__open(r);
	if (!err)
		err = start_threads(ctx);
	if (err)
		close_all(ctx);
	else
		r->has_threads = 1;
	return err;
}

void spin_requests__stop(struct spin_ctx *ctx)
{
	struct requests *r = ctx->requests;

	if (!r || !r->has_threads)
		return;
	request_stop(r);
	pthread_join(r->thread, NULL);
	pthread_join(r->puts.worker, NULL);
	pthread_join(r->answers.worker, NULL);
	pthread_mutex_lock(&r->lock);
	r->has_threads = 0;
	pthread_mutex_unlock(&r->lock);
	close_all(ctx);
}

int spin_requests__failure(const struct spin_ctx *ctx)
{
	struct requests *r = ctx->requests;
	int err = 0;

	if (!r || !r->has_threads)
		return 0;
	pthread_mutex_lock(&r->lock);
	if (r->failure)
		err = spin_fail(-EIO, "packets of %s's handlers are sent no more: %s", ctx->name, r->reason);
	pthread_mutex_unlock(&r->lock);
	return err;
}

static uint64_t load(const uint64_t *at)
{
	return __atomic_load_n(at, __ATOMIC_RELAXED);
}

int spin_ctx__put_stats(struct spin_ctx *ctx, struct spin_put_stats *out)
{
	const struct requests *r = ctx->requests;
	uint64_t copies = 0;

	memset(out, 0, sizeof(*out));
	if (!r)
		return 0;
	out->copied = egress__made(ctx); /* read before `copies`, which counts attempts and is not smaller */
	for (unsigned i = 0; i < SPIN_HPUS_MAX; i++) {
		out->returned += load(&r->stats[i].returned);
		out->lost_queue += load(&r->stats[i].no_room);
		copies += load(&r->stats[i].copies);
	}
	out->lost_copy = copies > out->copied ? copies - out->copied : 0;
	out->sent = load(&r->sent);
	out->lost_way = load(&r->unsent);
	out->puts = load(&r->put);
	out->puts_failed = load(&r->unput);
	out->answers = load(&r->answered);
	out->answers_failed = load(&r->unanswered);
	out->events_lost = load(&r->untold);
	return 0;
}
