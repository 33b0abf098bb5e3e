/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Sends what handlers ask the host to send. Puts (messages that write to the target's memory) from host memory, or that must be
 * acknowledged, go out as messages, one after the other (send/send.c). Single packets that could not leave at XDP go out by raw sockets.
 * Called by the threads of threads.c; answer.c uses the queue of puts and the sender as well. A put has the context's source address but a
 * port of its own: acknowledgements of packets that handlers send arrive at the context's port.
 */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <netinet/in.h>
#include <spin/slmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "user/libspin/messages/messages.h"
#include "user/libspin/requests/private.h"
#include "user/libspin/send/send.h"

#define ADDRESS_BYTES (INET6_ADDRSTRLEN + 12) /* including "%INDEX" of a link-local address */
#define EVENT_TRIES   5000u                   /* tries, a millisecond apart, to wait for a slow reader */

/* The event goes into the ring of the handlers' events, so that there is one order and one descriptor. */
static int try_emit_event(struct spin_ctx *ctx, const struct put *p, enum spin_event_type type)
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

	return !bpf_prog_test_run_opts(ctx->requests->event_fd, &opts) && opts.retval == XDP_PASS;
}

/* may_wait: 1 in the worker, which waits if there is no room. If the wait was in vain, it does not wait again until an event fits. */
static void emit_event(struct spin_ctx *ctx, const struct put *p, enum spin_event_type type, int may_wait)
{
	struct requests *r = ctx->requests;
	unsigned tries = may_wait && !r->is_behind ? EVENT_TRIES : 1;
	int done;

	if (r->event_fd < 0)
		return; /* contexts of datagrams have no such events */
	while (!(done = try_emit_event(ctx, p, type)) && --tries && !__atomic_load_n(&r->stop, __ATOMIC_RELAXED))
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	if (may_wait)
		r->is_behind = !done;
	if (!done)
		__atomic_fetch_add(&r->untold, 1, __ATOMIC_RELAXED);
}

/* Counts in the entry's counter, if the index still stands for that entry: no entry is posted during the comparison. */
static void count_in_entry(struct spin_ctx *ctx, const struct put *p, int success)
{
	struct messages *m = ctx->messages;
	struct spin_ct *ct;

	if (!(p->options & SPIN_PUT_CT) || !m || p->me >= SPIN_MES_MAX)
		return;
	pthread_mutex_lock(&m->posting);
	if (__atomic_load_n(&m->me[p->me].serial, __ATOMIC_RELAXED) == p->me_serial) {
		ct = &ctx->host.entry[p->me].ct;
		__atomic_fetch_add(success ? &ct->success : &ct->failure, 1, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&m->posting);
}

static void report_failed(struct spin_ctx *ctx, const struct put *p, int may_wait)
{
	__atomic_fetch_add(&ctx->requests->unput, 1, __ATOMIC_RELAXED);
	count_in_entry(ctx, p, 0);
	emit_event(ctx, p, SPIN_EVENT_PUT_FAILED, may_wait);
}

static void report_acked(struct spin_ctx *ctx, const struct put *p)
{
	__atomic_fetch_add(&ctx->requests->put, 1, __ATOMIC_RELAXED);
	count_in_entry(ctx, p, 1);
	if (p->options & SPIN_PUT_ACK_REQ)
		emit_event(ctx, p, SPIN_EVENT_PUT_ACKED, 1);
}

/* Writes the address as text, a link-local one with the context's interface as its scope. */
static void format_address(const struct spin_ctx *ctx, const struct spin_process *of, char text[ADDRESS_BYTES])
{
	inet_ntop(of->ip_version == 4 ? AF_INET : AF_INET6, of->addr, text, INET6_ADDRSTRLEN);
	if (of->ip_version != 4 && IN6_IS_ADDR_LINKLOCAL((const struct in6_addr *)of->addr) && ctx->nic)
		snprintf(text + strlen(text), ADDRESS_BYTES - strlen(text), "%%%d", ctx->nic->ifindex);
}

/* Sends from the address that the handler's packet was sent to, if it is of this machine. An answer must come from there. */
static int open_sender(const struct spin_ctx *ctx, const struct put *p, struct spin_sender **out)
{
	char host[ADDRESS_BYTES], port[8], source[ADDRESS_BYTES];
	struct spin_send_opts opts = { .bytes = sizeof(opts), .put = 1, .source = source };
	int err;

	format_address(ctx, &p->put.target, host);
	format_address(ctx, &p->source, source);
	snprintf(port, sizeof(port), "%u", ntohs(p->put.target.port));
	err = spin_sender__open(host, port, &opts, out);
	if (!err || p->is_answer)
		return err;
	opts.source = NULL; /* not an address of this machine: let the kernel choose */
	return spin_sender__open(host, port, &opts, out);
}

static int is_stopping(void *arg, const struct spin_send_report *so_far)
{
	struct requests *r = arg;

	(void)so_far;
	return __atomic_load_n(&r->stop, __ATOMIC_RELAXED);
}

int requests_put__send(struct spin_ctx *ctx, const struct put *p, int (*is_over)(void *arg, const struct spin_send_report *so_far),
		       void *arg)
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
	err = open_sender(ctx, p, &sender);
	if (err)
		return err;
	if (p->is_answer)
		send__begin_cautiously(sender);
	spin_sender__on_progress(sender, is_over, arg);
	err = spin_sender__send(sender, data, p->bytes, &put, NULL);
	spin_sender__close(sender);
	return err;
}

static int is_answer(const struct spin_request *q)
{
	return q->type == SPIN_REQUEST_PUT && !q->acked && q->options == SPIN_REQUEST_ANSWER;
}

/* Returns the offset of the payload in the frame of a packet that a handler made. */
static uint32_t payload_at(const struct spin_request *q)
{
	return q->ip_at + (q->put.target.ip_version == 4 ? 20 : 40) + 8 + (uint32_t)sizeof(struct spin_slmp) +
	       (uint32_t)sizeof(struct spin_slmp_put);
}

/* Fills in all fields but the data. */
static void init_put(struct put *p, const struct spin_request *q)
{
	*p = (struct put){
		.start = q->start, .bytes = q->bytes, .source = q->source, .put = q->put, .acked = q->acked, .is_answer = is_answer(q)
	};
	if (!q->acked && !p->is_answer)
		return;
	p->options = q->options;
	p->me = q->me;
	p->me_serial = q->me_serial;
	p->user_ptr = q->acked ? q->user_ptr : 0;
}

/* Returns NULL if memory is short or the request is malformed. */
static struct put *copy_request(const struct spin_request *q)
{
	const int has_data = q->type == SPIN_REQUEST_PUT_BYTES;
	const uint32_t at = has_data ? payload_at(q) : 0, bytes = has_data ? q->bytes - at : 0;
	struct put *p = has_data && (q->ip_at > q->bytes || at > q->bytes) ? NULL : calloc(1, sizeof(*p) + bytes);

	if (!p)
		return NULL;
	init_put(p, q);
	p->has_data = has_data;
	if (has_data) {
		p->start = 0;
		p->bytes = bytes;
		memcpy(p->data, q->frame + at, bytes);
	}
	return p;
}

int put_queue__add(struct requests *r, struct put_queue *q, struct put *p)
{
	int has_room;

	pthread_mutex_lock(&r->lock);
	has_room = q->waiting < q->most;
	if (has_room) {
		*q->last = p;
		q->last = &p->next;
		q->waiting++;
		pthread_cond_signal(&q->wake);
	}
	pthread_mutex_unlock(&r->lock);
	return has_room;
}

struct put *put_queue__next(struct requests *r, struct put_queue *q)
{
	struct put *p;

	pthread_mutex_lock(&r->lock);
	q->sending = NULL;
	while (!q->first && !r->stop)
		pthread_cond_wait(&q->wake, &r->lock);
	p = r->stop ? NULL : q->first;
	if (p) {
		q->first = p->next;
		if (!q->first)
			q->last = &q->first;
		q->waiting--;
		q->sending = p;
	}
	pthread_mutex_unlock(&r->lock);
	return p;
}

void requests_put__add(struct spin_ctx *ctx, const struct spin_request *q)
{
	struct put *p = copy_request(q), lost;

	if (is_answer(q)) {
		requests_answer__add(ctx, p);
		return;
	}
	if (p && put_queue__add(ctx->requests, &ctx->requests->puts, p))
		return;
	init_put(&lost, q);
	report_failed(ctx, p ? p : &lost, 0);
	free(p);
}

void *requests_put__run(void *arg)
{
	struct spin_ctx *ctx = arg;
	struct requests *r = ctx->requests;
	struct put *p;

	while ((p = put_queue__next(r, &r->puts))) {
		if (requests_put__send(ctx, p, is_stopping, r))
			report_failed(ctx, p, 1);
		else
			report_acked(ctx, p);
		free(p);
	}
	return NULL;
}

void requests_put__forget(struct spin_ctx *ctx)
{
	struct put_queue *q = &ctx->requests->puts;
	struct put *p;

	while ((p = q->first)) {
		q->first = p->next;
		report_failed(ctx, p, 0);
		free(p);
	}
	q->last = &q->first;
	q->waiting = 0;
}

int spin_requests__is_pending(struct spin_ctx *ctx)
{
	struct requests *r = ctx->requests;
	int wait;

	if (!r || !r->has_threads)
		return 0;
	pthread_mutex_lock(&r->lock);
	wait = r->puts.waiting || r->puts.sending || r->answers.waiting || r->answers.sending;
	pthread_mutex_unlock(&r->lock);
	return wait;
}

/* Sends handlers' packets by raw sockets: the kernel resolves route and neighbour. */

#define BUFFER_BYTES (1 << 20)

/* Opens a raw socket for packets with IP headers; it receives nothing. */
static int open_raw(int family)
{
	const struct timeval wait = { .tv_usec = 100000 }; /* do not block long when one interface's queue is full */
	int fd = socket(family, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW), bytes = BUFFER_BYTES;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
	return fd;
}

int requests_packet__open(struct requests *r)
{
	r->raw4 = open_raw(AF_INET);
	if (r->raw4 < 0)
		return spin_fail(r->raw4, "cannot open a raw socket for packets of handlers: %s; it needs CAP_NET_RAW", strerror(-r->raw4));
	r->raw6 = open_raw(AF_INET6); /* fails on a kernel without IPv6, which has no such packets */
	return 0;
}

void requests_packet__close(struct requests *r)
{
	if (r->raw4 >= 0)
		close(r->raw4);
	if (r->raw6 >= 0)
		close(r->raw6);
	r->raw4 = r->raw6 = -1;
}

/* A link-local address is resolved on the context's interface. */
static uint32_t scope_of(const struct spin_ctx *ctx, const struct in6_addr *to)
{
	return IN6_IS_ADDR_LINKLOCAL(to) && ctx->nic ? (uint32_t)ctx->nic->ifindex : 0;
}

void requests_packet__send(struct spin_ctx *ctx, const struct spin_request *q)
{
	const struct spin_process *target = &q->put.target;
	struct sockaddr_in to4 = { .sin_family = AF_INET, .sin_addr.s_addr = target->addr[0] };
	struct sockaddr_in6 to6 = { .sin6_family = AF_INET6 };
	struct requests *r = ctx->requests;
	const void *packet = q->frame + q->ip_at;
	ssize_t sent = -1;

	if (q->ip_at < q->bytes && target->ip_version == 4) {
		sent = sendto(r->raw4, packet, q->bytes - q->ip_at, MSG_NOSIGNAL, (struct sockaddr *)&to4, sizeof(to4));
	} else if (q->ip_at < q->bytes && r->raw6 >= 0) {
		memcpy(&to6.sin6_addr, target->addr, sizeof(to6.sin6_addr));
		to6.sin6_scope_id = scope_of(ctx, &to6.sin6_addr);
		sent = sendto(r->raw6, packet, q->bytes - q->ip_at, MSG_NOSIGNAL, (struct sockaddr *)&to6, sizeof(to6));
	}
	__atomic_fetch_add(sent < 0 ? &r->unsent : &r->sent, 1, __ATOMIC_RELAXED);
	if (sent >= 0)
		requests_neigh__learn(ctx, target);
}
