/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Ends TCP streams: a thread runs the completion handler of each connection that has ended, after its last byte (private.h). Called by
 * shared.c, which starts it, and by sockets.c for contexts that are detached.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <linux/bpf.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <spin/wire.h>

#include "user/libspin/error.h"
#include "user/libspin/streams/private.h"

#define TCP_STATE_CLOSE     7    /* TCP_CLOSE */
#define POLL_MS             20   /* interval at which waiting connections (struct waiting) are checked */
#define NEWS_AT_A_TIME      32   /* read from the ring while the lock is held: each may run a completion handler, for milliseconds */
#define WAITING_MAX         8192 /* as many connections as may end within COMPLETE_TIMEOUT_MS */
#define COMPLETE_TIMEOUT_MS 1000 /* a connection waits at most this long for its last bytes to be handled */
#define COMPLETE_TRIES      100 /* of streams_complete__all(), each after 1 ms in which all units (one for each running program) were in use */

/* A connection whose peer has stopped sending and whose last bytes handlers have not seen yet. */
static struct waiting {
	struct spin_stream_news news;
	uint64_t since_ms;
} waiting[WAITING_MAX];
static unsigned waiting_count;

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static struct spin_stream *find_stream(const struct streams *s, uint64_t cookie)
{
	for (unsigned i = 0; i < SPIN_STREAM_WAYS; i++) {
		struct spin_stream *stream = &s->stream[((uint32_t)cookie * SPIN_STREAM_WAYS + i) & (SPIN_STREAMS_MAX - 1)];

		if (__atomic_load_n(&stream->cookie, __ATOMIC_ACQUIRE) == cookie)
			return stream;
	}
	return NULL;
}

/* Frees the unit and slot of a stream whose completion handler was ended by the work limit, as the program does after others. */
static void free_slot(const struct streams *s, uint64_t cookie)
{
	struct spin_stream *stream = find_stream(s, cookie);
	const uint32_t number = stream ? (uint32_t)(stream - s->stream) : 0, none = 0;
	uint32_t unit;

	if (!stream)
		return;
	unit = __atomic_exchange_n(&stream->unit, 0, __ATOMIC_ACQ_REL) - 1;
	bpf_map_update_elem(s->units_taken_fd, &unit, &none, BPF_ANY); /* fails if it had none */
	__atomic_store_n(&stream->cookie, 0, __ATOMIC_RELEASE);
	bpf_map_update_elem(s->taken_fd, &number, &none, BPF_ANY);
}

/* Runs the completion handler with headers like those of the stream, and frees the stream's slot. Returns 0 if all units are in use. */
static int complete(const struct streams *s, const struct spin_stream_news *news)
{
	uint8_t frame[SPIN_STREAM_DATA + sizeof(news->cookie)] = { 0 };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = sizeof(frame), .repeat = 1);
	struct spin_udp udp = { .src_port = htons(news->remote_port), .dst_port = htons(news->local_port), .length = htons(sizeof(udp)) };
	struct spin_eth *eth = (struct spin_eth *)frame;

	if (news->family == AF_INET6) {
		struct spin_ip6 ip = { .next_header = SPIN_IP_TCP };

		eth->type = htons(SPIN_ETH_IP6);
		memcpy(ip.src, news->remote, sizeof(ip.src));
		memcpy(ip.dst, news->local, sizeof(ip.dst));
		memcpy(frame + SPIN_STREAM_IP6_AT, &ip, sizeof(ip));
	} else {
		struct spin_ip4 ip = { .version_ihl = 0x45, .protocol = SPIN_IP_TCP, .src = news->remote[0], .dst = news->local[0] };

		eth->type = htons(SPIN_ETH_IP4);
		memcpy(frame + SPIN_STREAM_IP4_AT, &ip, sizeof(ip));
	}
	memcpy(frame + SPIN_STREAM_UDP_AT, &udp, sizeof(udp));
	memcpy(frame + SPIN_STREAM_DATA, &news->cookie, sizeof(news->cookie));
	if (bpf_prog_test_run_opts(s->end_fd, &opts))
		return 1;
	if (opts.retval == XDP_ABORTED)
		free_slot(s, news->cookie);
	return opts.retval != XDP_TX;
}

/* TCP counts FIN as a byte. For a closed connection it is unknown whether one arrived. */
static int has_all_bytes(const struct spin_stream *stream, const struct spin_stream_news *news)
{
	return __atomic_load_n(&stream->bytes, __ATOMIC_ACQUIRE) + 1 >= news->bytes;
}

/* Returns 1 if done, or if there is nothing to do. The caller holds the lock. */
static int try_complete(const struct waiting *w)
{
	const int is_closed = w->news.state == TCP_STATE_CLOSE, is_late = now_ms() - w->since_ms >= COMPLETE_TIMEOUT_MS;
	const struct spin_stream *stream;
	const struct streams *s = streams_shared.list;

	while (s && s->id != w->news.context)
		s = s->next;
	stream = s ? find_stream(s, w->news.cookie) : NULL;
	/* no stream: its context has ended, no byte has arrived, or none has been handled yet */
	if (!is_late && ((stream && !has_all_bytes(stream, &w->news)) || (s && !stream && !is_closed && w->news.bytes > 1)))
		return 0;
	if (!stream || s->ending || !(is_closed || has_all_bytes(stream, &w->news)) || complete(s, &w->news))
		return 1;
	if (is_late && is_closed) /* no unit in all this time, and no other news will come */
		free_slot(s, w->news.cookie);
	return is_late;
}

static unsigned news_count; /* handled since the thread took the lock */

/* Called by the thread, which holds the lock. Ends the reading of the ring if others may be waiting for the lock. */
static int on_news(void *arg, void *data, size_t bytes)
{
	struct waiting w = { .since_ms = now_ms() };

	(void)arg;
	if (bytes != sizeof(w.news))
		return 0;
	memcpy(&w.news, data, sizeof(w.news));
	if (!try_complete(&w)) {
		if (waiting_count < WAITING_MAX) {
			waiting[waiting_count++] = w;
		} else { /* as if it had waited: a slot that is not freed now is never freed */
			w.since_ms = 0;
			try_complete(&w);
		}
	}
	return ++news_count < NEWS_AT_A_TIME ? 0 : -EAGAIN;
}

/* The thread that runs completion handlers of connections that have ended, when their last bytes have been handled. */
static void *run_completions(void *arg)
{
	struct pollfd wait = { .fd = ring_buffer__epoll_fd(streams_shared.news), .events = POLLIN };
	int has_more = 0;

	for (;;) {
		poll(&wait, 1, has_more ? 0 : waiting_count ? POLL_MS : 1000);
		pthread_mutex_lock(&streams_shared.lock);
		news_count = 0;
		has_more = ring_buffer__consume(streams_shared.news) == -EAGAIN;
		for (unsigned i = waiting_count; i-- > 0;)
			if (try_complete(&waiting[i]))
				waiting[i] = waiting[--waiting_count];
		pthread_mutex_unlock(&streams_shared.lock);
		if (has_more)
			usleep(100); /* a mutex is not fair: who waits for it gets it now */
	}
	return arg;
}

int streams_complete__start(int news_fd)
{
	pthread_t thread;

	streams_shared.news = ring_buffer__new(news_fd, on_news, NULL, NULL);
	if (streams_shared.news && !pthread_create(&thread, NULL, run_completions, NULL)) {
		pthread_detach(thread);
		return 0;
	}
	ring_buffer__free(streams_shared.news);
	streams_shared.news = NULL;
	return spin_fail(-EAGAIN, "no thread for the ends of TCP connections");
}

void streams_complete__all(const struct streams *s)
{
	int tries = COMPLETE_TRIES;

	for (unsigned i = 0; i < SPIN_STREAMS_MAX; i++) {
		const struct spin_stream_news news = { .cookie = __atomic_load_n(&s->stream[i].cookie, __ATOMIC_ACQUIRE),
						       .family = AF_INET };

		while (news.cookie && !complete(s, &news) && tries-- > 0)
			usleep(1000);
	}
}
