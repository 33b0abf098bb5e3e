/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The threads of a context that sends: this one waits for requests and sends packets. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "user/libspin/requests_private.h"

void requests__fail(struct requests *r, int err)
{
	pthread_mutex_lock(&r->lock);
	if (!r->failure) {
		r->failure = err;
		memccpy(r->why, spin_strerror_last(), 0, sizeof(r->why) - 1);
	}
	pthread_mutex_unlock(&r->lock);
}

static int take(void *arg, const struct spin_request *request)
{
	struct spin_ctx *ctx = arg;

	if (request->type == SPIN_REQUEST_PACKET)
		requests_packet__send(ctx, request);
	else if (request->type == SPIN_REQUEST_PUT || request->type == SPIN_REQUEST_PUT_BYTES)
		requests_put__add(ctx, request);
	return 0;
}

static void *run(void *arg)
{
	struct spin_ctx *ctx = arg;
	struct requests *r = ctx->requests;
	struct pollfd fds[] = { { ring_buffer__epoll_fd(r->ring), POLLIN, 0 }, { r->stop_fd, POLLIN, 0 } };
	int err = spin_ctx__requests(ctx, take, ctx);
	uint64_t leaving, count;

	while (!err) {
		if (poll(fds, 2, requests_hop__wait_ms(r)) < 0 && errno != EINTR)
			err = spin_fail(-errno, "cannot wait for requests: %s", strerror(errno));
		if (fds[1].revents && read(r->stop_fd, &count, sizeof(count)) == sizeof(count) &&
		    __atomic_load_n(&r->stop, __ATOMIC_RELAXED))
			break;
		requests_hop__refresh(r);
		leaving = requests_answer__leaving(r);
		if (!err)
			err = spin_ctx__requests(ctx, take, ctx);
		requests_answer__leave(ctx, leaving);
	}
	if (!err) /* no handler runs any more: what is left */
		err = spin_ctx__requests(ctx, take, ctx);
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

static void set_stop(struct requests *r)
{
	const uint64_t one = 1;

	pthread_mutex_lock(&r->lock);
	r->stop = 1;
	pthread_cond_signal(&r->puts.wake);
	pthread_cond_signal(&r->answers.wake);
	pthread_mutex_unlock(&r->lock);
	if (write(r->stop_fd, &one, sizeof(one)) < 0)
		return; /* cannot be: it is empty */
}

static void close_all(struct spin_ctx *ctx)
{
	struct requests *r = ctx->requests;

	pthread_cond_destroy(&r->puts.wake);
	pthread_cond_destroy(&r->answers.wake);
	requests_packet__close(r);
	requests_hop__close(r);
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
		err = requests_thread__create(&r->thread, run, ctx);
		if (!err)
			return 0;
		set_stop(r);
		pthread_join(r->answers.worker, NULL);
	}
	set_stop(r);
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
		err = requests_hop__open(r);
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
	set_stop(r);
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
		err = spin_fail(-EIO, "packets of %s's handlers are sent no more: %s", ctx->name, r->why);
	pthread_mutex_unlock(&r->lock);
	return err;
}
