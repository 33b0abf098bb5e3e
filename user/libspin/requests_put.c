/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Puts from host memory, and others that are to be acknowledged: messages by the library's sender, one after the other.
 * Their source is the context's address, but not its port, where acknowledgements end that handlers' packets get.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include <spin/slmp.h>

#include "libspin_send.h"
#include "messages.h"
#include "requests_private.h"

/* The event goes the way of the handlers' own, so that there is one order and one descriptor. */
static void tell(struct spin_ctx *ctx, const struct put *p, enum spin_event_type type)
{
	const struct spin_process *to = &p->put.target;
	const struct spin_event event = {
		.type = type,
		.ip_version = to->ip_version,
		.src_addr = { to->addr[0], to->addr[1], to->addr[2], to->addr[3] },
		.src_port = ntohs(to->port),
		.dst_port = ntohs(p->source.port),
		.length = p->bytes,
		.me = p->acked ? p->me : SPIN_MES_MAX,
		.offset = p->start,
		.match_bits = p->put.match_bits,
		.hdr_data = p->put.hdr_data,
		.user_ptr = p->user_ptr,
	};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = &event, .data_size_in = sizeof(event), .repeat = 1);

	if (ctx->requests->tell_fd >= 0)
		bpf_prog_test_run_opts(ctx->requests->tell_fd, &opts);
}

/* In the counter of its entry, if that is still what its index stands for. */
static void count(struct spin_ctx *ctx, const struct put *p, int success)
{
	struct spin_ct *ct;

	if (!(p->options & SPIN_PUT_CT) || !ctx->messages || p->me >= SPIN_MES_MAX ||
	    __atomic_load_n(&ctx->messages->me[p->me].serial, __ATOMIC_ACQUIRE) != p->me_serial)
		return;
	ct = &ctx->host.entry[p->me].ct;
	__atomic_fetch_add(success ? &ct->success : &ct->failure, 1, __ATOMIC_RELAXED);
}

static void tell_failed(struct spin_ctx *ctx, const struct put *p)
{
	__atomic_fetch_add(&ctx->requests->unput, 1, __ATOMIC_RELAXED);
	count(ctx, p, 0);
	tell(ctx, p, SPIN_EVENT_PUT_FAILED);
}

static void tell_acked(struct spin_ctx *ctx, const struct put *p)
{
	__atomic_fetch_add(&ctx->requests->put, 1, __ATOMIC_RELAXED);
	count(ctx, p, 1);
	if (p->options & SPIN_PUT_ACK_REQ)
		tell(ctx, p, SPIN_EVENT_PUT_ACKED);
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

	const void *data = p->data;

	if (!p->has_data) {
		if (p->start > memory->bytes || p->bytes > memory->bytes - p->start)
			return -EFAULT;
		data = memory->addr + p->start;
	}
	err = open_sender(p, &sender);
	if (err)
		return err;
	spin_sender__on_progress(sender, is_stopping, ctx->requests);
	err = spin_sender__send(sender, data, p->bytes, &put, NULL);
	spin_sender__close(sender);
	return err;
}

/* Where the bytes of a packet that was made begin in its frame. */
static uint32_t payload_at(const struct spin_request *q)
{
	return q->ip_at + (q->put.target.ip_version == 4 ? 20 : 40) + 8 + (uint32_t)sizeof(struct spin_slmp) +
	       (uint32_t)sizeof(struct spin_slmp_put);
}

/* NULL: no memory, or it cannot be. */
static struct put *copy_of(const struct spin_request *q)
{
	const int has_data = q->type == SPIN_REQUEST_PUT_BYTES;
	const uint32_t at = has_data ? payload_at(q) : 0, bytes = has_data ? q->bytes - at : 0;
	struct put *p = has_data && (q->ip_at > q->bytes || at > q->bytes) ? NULL : calloc(1, sizeof(*p) + bytes);

	if (!p)
		return NULL;
	*p = (struct put){ NULL, q->start, q->bytes, q->source, q->put, has_data };
	if (has_data) {
		p->start = 0;
		p->bytes = bytes;
		memcpy(p->data, q->frame + at, bytes);
	}
	p->acked = q->acked;
	if (q->acked) {
		p->options = q->options;
		p->me = q->me;
		p->me_serial = q->me_serial;
		p->user_ptr = q->user_ptr;
	}
	return p;
}

void requests_put__add(struct spin_ctx *ctx, const struct spin_request *q)
{
	const struct put lost = { NULL, q->start, q->bytes, q->source, q->put };
	struct requests *r = ctx->requests;
	struct put *p = copy_of(q);
	int taken = 0;

	pthread_mutex_lock(&r->lock);
	if (p && r->waiting < REQUESTS_PUTS_MAX) {
		*r->last = p;
		r->last = &p->next;
		r->waiting++;
		taken = 1;
		pthread_cond_signal(&r->wake);
	}
	pthread_mutex_unlock(&r->lock);
	if (taken)
		return;
	tell_failed(ctx, p ? p : &lost);
	free(p);
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
			tell_acked(ctx, p);
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
