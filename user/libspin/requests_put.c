/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Puts from host memory: messages by the library's sender, one after the other. Their source is the context's address,
 * but not its port, where acknowledgements end that handlers' packets get.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "libspin_send.h"
#include "messages.h"
#include "requests_private.h"

/* The event goes the way of the handlers' own, so that there is one order and one descriptor. */
static void tell_failed(struct spin_ctx *ctx, const struct put *p)
{
	const struct spin_process *to = &p->put.target;
	const struct spin_event event = {
		.type = SPIN_EVENT_PUT_FAILED,
		.ip_version = to->ip_version,
		.src_addr = { to->addr[0], to->addr[1], to->addr[2], to->addr[3] },
		.src_port = ntohs(to->port),
		.dst_port = ntohs(p->source.port),
		.length = p->bytes,
		.me = SPIN_MES_MAX,
		.offset = p->start,
		.match_bits = p->put.match_bits,
		.hdr_data = p->put.hdr_data,
	};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = &event, .data_size_in = sizeof(event), .repeat = 1);

	__atomic_fetch_add(&ctx->requests->unput, 1, __ATOMIC_RELAXED);
	if (ctx->requests->tell_fd >= 0)
		bpf_prog_test_run_opts(ctx->requests->tell_fd, &opts);
}

static void name_address(const struct spin_process *of, char *text, socklen_t bytes)
{
	inet_ntop(of->ip_version == 4 ? AF_INET : AF_INET6, of->addr, text, bytes);
}

static int open_sender(const struct put *p, struct spin_sender **out)
{
	char host[INET6_ADDRSTRLEN], port[8], source[INET6_ADDRSTRLEN];
	struct spin_send_opts opts = { .bytes = sizeof(opts), .put = 1, .source = source };
	int err;

	name_address(&p->put.target, host, sizeof(host));
	name_address(&p->source, source, sizeof(source));
	snprintf(port, sizeof(port), "%u", ntohs(p->put.target.port));
	err = spin_sender__open(host, port, &opts, out);
	if (!err)
		return 0;
	opts.source = NULL; /* none of this machine's addresses: that of the host then */
	return spin_sender__open(host, port, &opts, out);
}

static int is_stopping(void *arg, const struct spin_send_report *so_far)
{
	struct requests *r = arg;

	(void)so_far;
	return __atomic_load_n(&r->stop, __ATOMIC_RELAXED);
}

static int send_put(struct spin_ctx *ctx, const struct put *p)
{
	const struct spin_memory *memory = &ctx->host.memory;
	const struct spin_send_put put = { p->put.match_bits, p->put.hdr_data, p->put.remote_offset };
	struct spin_sender *sender;
	int err;

	if (p->start > memory->bytes || p->bytes > memory->bytes - p->start)
		return -EFAULT;
	err = open_sender(p, &sender);
	if (err)
		return err;
	spin_sender__on_progress(sender, is_stopping, ctx->requests);
	err = spin_sender__send(sender, memory->addr + p->start, p->bytes, &put, NULL);
	spin_sender__close(sender);
	return err;
}

void requests_put__add(struct spin_ctx *ctx, const struct spin_request *q)
{
	struct requests *r = ctx->requests;
	struct put p = { NULL, q->start, q->bytes, q->source, q->put }, *copy = NULL;

	pthread_mutex_lock(&r->lock);
	if (r->waiting < REQUESTS_PUTS_MAX && (copy = malloc(sizeof(*copy)))) {
		*copy = p;
		*r->last = copy;
		r->last = &copy->next;
		r->waiting++;
		pthread_cond_signal(&r->wake);
	}
	pthread_mutex_unlock(&r->lock);
	if (!copy)
		tell_failed(ctx, &p);
}

/* NULL: it is to stop. */
static struct put *next(struct requests *r)
{
	struct put *p;

	pthread_mutex_lock(&r->lock);
	while (!r->first && !r->stop)
		pthread_cond_wait(&r->wake, &r->lock);
	p = r->stop ? NULL : r->first;
	if (p) {
		r->first = p->next;
		if (!r->first)
			r->last = &r->first;
		r->waiting--;
	}
	pthread_mutex_unlock(&r->lock);
	return p;
}

void *requests_put__run(void *arg)
{
	struct spin_ctx *ctx = arg;
	struct requests *r = ctx->requests;
	struct put *p;

	while ((p = next(r))) {
		if (send_put(ctx, p))
			tell_failed(ctx, p);
		else
			__atomic_fetch_add(&r->put, 1, __ATOMIC_RELAXED);
		free(p);
	}
	return NULL;
}

void requests_put__forget(struct spin_ctx *ctx)
{
	struct requests *r = ctx->requests;
	struct put *p;

	while ((p = r->first)) {
		r->first = p->next;
		tell_failed(ctx, p);
		free(p);
	}
	r->last = &r->first;
	r->waiting = 0;
}
