/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Answers gets (messages that ask for a part of host memory), in a thread of its own. Called by threads.c, which starts that thread, by
 * put.c, which passes on the requests for answers, and by me.c, which frees an entry only when no answer from it is pending. Anyone who
 * reaches the context can request answers, with any source address. Therefore few may be pending, each has a time limit, none is sent to
 * this machine itself (except by a context on loopback), and the application gets no events for them. An answer is read from its entry's
 * memory only while that is still the entry that the get found.
 */
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "user/libspin/messages/messages.h"
#include "user/libspin/requests/private.h"
#include "user/libspin/send/send.h"

#define ANSWER_NS      2000000000u
#define ANSWER_BYTE_NS 1000u /* i.e. one megabyte per second */

struct answer {
	struct spin_ctx *ctx;
	const struct put *put;
	uint64_t until_ns;
};

/* Returns 1 for addresses that cannot be a requester's: wildcard, multicast, reserved, broadcast. */
static int is_not_a_host4(const uint8_t *addr)
{
	return !addr[0] || addr[0] >= 224;
}

static int is_not_a_host6(const struct in6_addr *addr)
{
	return IN6_IS_ADDR_UNSPECIFIED(addr) || IN6_IS_ADDR_MULTICAST(addr);
}

/* Returns 1 if the address is this machine's: a socket can be bound to it. That includes broadcast addresses of its networks. */
static int is_local_address(const struct sockaddr *addr, socklen_t bytes)
{
	int fd = socket(addr->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int is_local = fd < 0 || !bind(fd, addr, bytes) || errno != EADDRNOTAVAIL;

	if (fd >= 0)
		close(fd);
	return is_local;
}

/* Returns 1 if all interfaces are loopback, so that requesters are on this machine. */
static int is_on_loopback(const struct spin_ctx *ctx)
{
	struct ifreq request = { 0 };
	int fd, is;

	if (!ctx->nic || __atomic_load_n(&ctx->places, __ATOMIC_RELAXED) > 1)
		return 0;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return 0;
	memccpy(request.ifr_name, ctx->nic->name, 0, sizeof(request.ifr_name) - 1);
	is = !ioctl(fd, SIOCGIFFLAGS, &request) && request.ifr_flags & IFF_LOOPBACK;
	close(fd);
	return is;
}

/* Returns 0 if the answer would go to this machine itself, as if one of its own programs had sent it, or to no host. */
static int may_answer(const struct spin_ctx *ctx, const struct spin_process *to)
{
	const struct in6_addr *addr6 = (const struct in6_addr *)to->addr;
	struct sockaddr_in in = { .sin_family = AF_INET };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_addr = *addr6 };
	const int is4 = to->ip_version == 4, is_mapped = !is4 && IN6_IS_ADDR_V4MAPPED(addr6);

	memcpy(&in.sin_addr, &to->addr[is_mapped ? 3 : 0], sizeof(in.sin_addr));
	if (is4 || is_mapped ? is_not_a_host4((const uint8_t *)&in.sin_addr) : is_not_a_host6(addr6))
		return 0;
	if (is_on_loopback(ctx))
		return 1;
	if (is4 || is_mapped)
		return *(const uint8_t *)&in.sin_addr != 127 && !is_local_address((const struct sockaddr *)&in, sizeof(in));
	if (IN6_IS_ADDR_LINKLOCAL(addr6) && ctx->nic)
		in6.sin6_scope_id = (uint32_t)ctx->nic->ifindex;
	return !IN6_IS_ADDR_LOOPBACK(addr6) && !is_local_address((const struct sockaddr *)&in6, sizeof(in6));
}

/* Returns 1 if the entry is still the one that the get found. */
static int may_read(const struct spin_ctx *ctx, const struct put *p)
{
	const struct spin_me *me;

	if (!ctx->messages || p->me >= SPIN_MES_MAX)
		return 0;
	me = &ctx->messages->me[p->me];
	return __atomic_load_n(&me->state, __ATOMIC_ACQUIRE) != SPIN_ME_FREE &&
	       __atomic_load_n(&me->serial, __ATOMIC_RELAXED) == p->me_serial &&
	       __atomic_load_n(&me->options, __ATOMIC_RELAXED) & SPIN_ME_OP_GET;
}

static int is_over(void *arg, const struct spin_send_report *so_far)
{
	const struct answer *a = arg;

	(void)so_far;
	return __atomic_load_n(&a->ctx->requests->stop, __ATOMIC_RELAXED) || !may_read(a->ctx, a->put) || send_now_ns() >= a->until_ns;
}

static void set_answering(struct requests *r, unsigned me)
{
	pthread_mutex_lock(&r->lock);
	r->answering = me;
	pthread_cond_broadcast(&r->answered_one);
	pthread_mutex_unlock(&r->lock);
}

/* Unlinking changes the entry's state before it reads `answering`, so one of the two sees the other. */
static int send_answer_to(struct spin_ctx *ctx, const struct put *p)
{
	struct answer a = { ctx, p, send_now_ns() + ANSWER_NS + (uint64_t)p->bytes * ANSWER_BYTE_NS };
	int err = -EPERM;

	set_answering(ctx->requests, p->me);
	if (may_read(ctx, p) && may_answer(ctx, &p->put.target))
		err = requests_put__send(ctx, p, is_over, &a);
	set_answering(ctx->requests, SPIN_MES_MAX);
	return err;
}

/* The request follows the event of its message immediately: if the ring is read after the event, the request is in the queue. */
int spin_requests__defer_free(struct spin_ctx *ctx, unsigned me)
{
	const uint64_t one = 1;
	struct requests *r = ctx->requests;
	int keep;

	if (!r)
		return 0;
	pthread_mutex_lock(&r->lock);
	keep = r->has_threads && write(r->stop_fd, &one, sizeof(one)) == sizeof(one);
	if (keep)
		r->leaving |= 1ull << me;
	pthread_mutex_unlock(&r->lock);
	return keep;
}

void spin_requests__unlinked(struct spin_ctx *ctx, unsigned me)
{
	struct requests *r = ctx->requests;

	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	while (r->answering == me)
		pthread_cond_wait(&r->answered_one, &r->lock);
	pthread_mutex_unlock(&r->lock);
}

uint64_t requests_answer__leaving(struct requests *r)
{
	uint64_t leaving;

	pthread_mutex_lock(&r->lock);
	leaving = r->leaving;
	r->leaving = 0;
	pthread_mutex_unlock(&r->lock);
	return leaving;
}

/* Returns the pending answer from this entry; NULL: it was sent, or there is none. */
static struct put *find_answer(struct put_queue *q, unsigned me)
{
	struct put *p = q->sending;

	if (p && p->me == me)
		return p;
	for (p = q->first; p && p->me != me;)
		p = p->next;
	return p;
}

void requests_answer__leave(struct spin_ctx *ctx, uint64_t entries)
{
	struct requests *r = ctx->requests;

	for (unsigned me = 0; entries; me++, entries >>= 1) {
		struct put *p;

		if (!(entries & 1))
			continue;
		pthread_mutex_lock(&r->lock);
		p = find_answer(&r->answers, me);
		if (p)
			p->leaves = 1;
		pthread_mutex_unlock(&r->lock);
		if (!p)
			spin_messages__free_entry(ctx, me);
	}
}

/* Frees an answer that was sent. If its entry should have been freed while it was in use, that is done now. */
static void finish_answer(struct spin_ctx *ctx, struct put *p)
{
	struct requests *r = ctx->requests;
	int leaves;

	pthread_mutex_lock(&r->lock);
	r->answers.sending = NULL;
	leaves = p->leaves;
	pthread_mutex_unlock(&r->lock);
	if (leaves)
		spin_messages__free_entry(ctx, p->me);
	free(p);
}

static void count_unanswered(struct requests *r)
{
	__atomic_fetch_add(&r->unanswered, 1, __ATOMIC_RELAXED);
}

void requests_answer__add(struct spin_ctx *ctx, struct put *p)
{
	struct requests *r = ctx->requests;

	if (p && put_queue__add(r, &r->answers, p))
		return;
	count_unanswered(r);
	free(p);
}

void *requests_answer__run(void *arg)
{
	struct spin_ctx *ctx = arg;
	struct requests *r = ctx->requests;
	struct put *p;

	while ((p = put_queue__next(r, &r->answers))) {
		if (send_answer_to(ctx, p))
			count_unanswered(r);
		else
			__atomic_fetch_add(&r->answered, 1, __ATOMIC_RELAXED);
		finish_answer(ctx, p);
	}
	return NULL;
}

void requests_answer__forget(struct spin_ctx *ctx)
{
	struct put_queue *q = &ctx->requests->answers;
	struct put *p;

	while ((p = q->first)) {
		q->first = p->next;
		count_unanswered(ctx->requests);
		finish_answer(ctx, p);
	}
	q->last = &q->first;
	q->waiting = 0;
	requests_answer__leave(ctx, requests_answer__leaving(ctx->requests));
}
