/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Ends TCP streams: runs the completion handler of each connection that has ended, after its last byte (private.h). One thread of the
 * process reads the kernel's news of ended connections, and runs no handler. Each context has a thread for its completion handlers, so that
 * those of one user, which may take long, hold up nobody else's. Called by sockets.c and context.c.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
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

#define TCP_STATE_CLOSE     7     /* TCP_CLOSE */
#define POLL_MS             20    /* interval at which waiting connections (struct streams_end) are checked */
#define NEWS_AT_A_TIME      512   /* read from the ring while the lock of the list is held */
#define ENDS_MAX            4096  /* connections of a context that have ended, and wait: more than may have handlers, which is 1024 */
#define COMPLETE_TIMEOUT_MS 1000  /* a connection waits at most this long for its last bytes to be handled */
#define PAY_STEP_US         10000 /* the thread looks that often whether it must end */
#define COMPLETE_TRIES      100 /* of streams_complete__all(), each after 1 ms in which all units (one for each running program) were in use */

/* A connection whose peer has stopped sending and whose last bytes handlers may not have seen yet. */
struct streams_end {
	struct spin_stream_news news;
	uint64_t since_ms;
};

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
	bpf_map_update_elem(s->fd.units_taken, &unit, &none, BPF_ANY); /* fails if it had none */
	__atomic_store_n(&stream->cookie, 0, __ATOMIC_RELEASE);
	bpf_map_update_elem(s->fd.taken, &number, &none, BPF_ANY);
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
	if (bpf_prog_test_run_opts(s->fd.end, &opts))
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

/*
 * Runs the completion handler if the connection is ready for it. Returns 1 if done, or if there is nothing to do. Called with s->run held.
 */
static int try_complete(const struct streams *s, const struct streams_end *end)
{
	const int is_closed = end->news.state == TCP_STATE_CLOSE, is_late = now_ms() - end->since_ms >= COMPLETE_TIMEOUT_MS;
	const struct spin_stream *stream = find_stream(s, end->news.cookie);

	/* no stream: no byte has arrived, or none has been handled yet */
	if (!is_late && (stream ? !has_all_bytes(stream, &end->news) : !is_closed && end->news.bytes > 1))
		return 0;
	if (!stream || s->ending || !(is_closed || has_all_bytes(stream, &end->news)) || complete(s, &end->news))
		return 1;
	if (is_late && is_closed) /* no unit in all this time, and no other news will come */
		free_slot(s, end->news.cookie);
	return is_late;
}

/* --- a context's thread --- */

static uint64_t cpu_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

static int is_stopped(const struct streams *s)
{
	return __atomic_load_n(&s->stop, __ATOMIC_ACQUIRE);
}

/*
 * Counts the time of a completion handler, and sleeps so long that the thread takes no more of a CPU than all handlers may (hpu-time).
 * Short times are added up first.
 */
static void pay(struct streams *s, uint64_t ns)
{
	const unsigned percent = streams_shared.percent;

	__atomic_fetch_add(&s->completions_ns, ns, __ATOMIC_RELAXED);
	if (percent && percent < 100)
		s->unpaid_us += ns * (100 - percent) / percent / 1000;
	for (; s->unpaid_us >= PAY_STEP_US && !is_stopped(s); s->unpaid_us -= PAY_STEP_US)
		usleep(PAY_STEP_US);
	while (__atomic_load_n(&s->wanted, __ATOMIC_ACQUIRE) && !is_stopped(s))
		usleep(100); /* a mutex is not fair: who waits for it gets it now */
}

static int run_one(struct streams *s, const struct streams_end *end)
{
	const uint64_t start_ns = cpu_ns();
	int is_done;

	pthread_mutex_lock(&s->run);
	is_done = try_complete(s, end);
	pthread_mutex_unlock(&s->run);
	pay(s, cpu_ns() - start_ns);
	return is_done;
}

/*
 * After news was lost: appends the streams whose connection the kernel's program has forgotten, as it does at the end of each. Their
 * completion handlers do not learn the addresses. Returns the new number of entries.
 */
static unsigned find_ended(const struct streams *s, struct streams_end *end, unsigned count)
{
	struct spin_stream_known known;

	for (unsigned i = 0; i < SPIN_STREAMS_MAX; i++) {
		const uint64_t cookie = __atomic_load_n(&s->stream[i].cookie, __ATOMIC_ACQUIRE);

		if (cookie && bpf_map_lookup_elem(streams_shared.known_fd, &cookie, &known))
			end[count++] =
				(struct streams_end){ { .cookie = cookie, .context = s->id, .state = TCP_STATE_CLOSE, .family = AF_INET },
						      now_ms() };
	}
	return count;
}

/* Waits for news, or until those that wait must be checked again. Moves what fits to `end`, and returns the new number of entries. */
static unsigned take_news(struct streams *s, struct streams_end *end, unsigned count, int *must_sweep)
{
	struct timespec until;
	unsigned taken;

	pthread_mutex_lock(&s->queue_lock);
	if (!s->queued_count && !s->sweep && !*must_sweep && !s->stop) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += POLL_MS * 1000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		if (count)
			pthread_cond_timedwait(&s->queued_some, &s->queue_lock, &until);
		else
			pthread_cond_wait(&s->queued_some, &s->queue_lock);
	}
	taken = s->queued_count < ENDS_MAX - count ? s->queued_count : ENDS_MAX - count;
	memcpy(end + count, s->queued, taken * sizeof(*end));
	s->queued_count -= taken;
	memmove(s->queued, s->queued + taken, s->queued_count * sizeof(*end));
	*must_sweep |= s->sweep;
	s->sweep = 0;
	pthread_mutex_unlock(&s->queue_lock);
	return count + taken;
}

static void *run_completions(void *arg)
{
	struct streams *s = arg;
	struct streams_end *end = s->queued + ENDS_MAX; /* the thread's own half */
	unsigned count = 0;
	int must_sweep = 0;

	while (!is_stopped(s)) {
		count = take_news(s, end, count, &must_sweep);
		if (must_sweep && count <= ENDS_MAX - SPIN_STREAMS_MAX) { /* else later: none waits for longer than a second */
			count = find_ended(s, end, count);
			must_sweep = 0;
		}
		for (unsigned i = count; i-- > 0 && !is_stopped(s);)
			if (run_one(s, &end[i]))
				end[i] = end[--count];
	}
	return NULL;
}

int streams_complete__begin(struct streams *s)
{
	s->queued = calloc(2 * ENDS_MAX, sizeof(*s->queued));
	if (!s->queued)
		return spin_fail(-ENOMEM, "no memory for the ends of TCP connections");
	if (pthread_create(&s->thread, NULL, run_completions, s))
		return spin_fail(-EAGAIN, "no thread for the ends of TCP connections");
	s->has_thread = 1;
	return 0;
}

void streams_complete__end(struct streams *s)
{
	if (s->has_thread) {
		pthread_mutex_lock(&s->queue_lock);
		__atomic_store_n(&s->stop, 1, __ATOMIC_RELEASE);
		pthread_cond_signal(&s->queued_some);
		pthread_mutex_unlock(&s->queue_lock);
		pthread_join(s->thread, NULL);
	}
	free(s->queued);
}

void streams_complete__lock(struct streams *s)
{
	__atomic_fetch_add(&s->wanted, 1, __ATOMIC_ACQ_REL);
	pthread_mutex_lock(&s->run);
	__atomic_fetch_sub(&s->wanted, 1, __ATOMIC_ACQ_REL);
}

void streams_complete__unlock(struct streams *s)
{
	pthread_mutex_unlock(&s->run);
}

/* --- the process's thread --- */

/* end NULL: news was lost. */
static void queue(struct streams *s, const struct streams_end *end)
{
	pthread_mutex_lock(&s->queue_lock);
	if (end && s->queued_count < ENDS_MAX)
		s->queued[s->queued_count++] = *end;
	else
		s->sweep = 1;
	pthread_cond_signal(&s->queued_some);
	pthread_mutex_unlock(&s->queue_lock);
}

static unsigned news_count; /* handled since the thread took the lock */

/* Called by the thread, which holds the list's lock. Ends the reading of the ring if others may be waiting for the lock. */
static int on_news(void *arg, void *data, size_t bytes)
{
	struct streams_end end = { .since_ms = now_ms() };
	struct streams *s = streams_shared.list;

	(void)arg;
	if (bytes != sizeof(end.news))
		return 0;
	memcpy(&end.news, data, sizeof(end.news));
	while (s && s->id != end.news.context)
		s = s->next;
	if (s && s->has_thread)
		queue(s, &end);
	return ++news_count < NEWS_AT_A_TIME ? 0 : -EAGAIN;
}

/* Called likewise. If the ring was full, contexts must look which of their connections have ended. */
static void check_lost(uint32_t *known_lost)
{
	uint32_t zero = 0, lost;

	if (bpf_map_lookup_elem(streams_shared.lost_fd, &zero, &lost) || lost == *known_lost)
		return;
	*known_lost = lost;
	for (struct streams *s = streams_shared.list; s; s = s->next)
		if (s->has_thread)
			queue(s, NULL);
}

static void *read_news(void *arg)
{
	struct pollfd wait = { .fd = ring_buffer__epoll_fd(streams_shared.news), .events = POLLIN };
	uint32_t lost = 0;
	int has_more = 0;

	for (;;) {
		poll(&wait, 1, has_more ? 0 : 1000);
		pthread_mutex_lock(&streams_shared.lock);
		news_count = 0;
		has_more = ring_buffer__consume(streams_shared.news) == -EAGAIN;
		if (!has_more)
			check_lost(&lost);
		pthread_mutex_unlock(&streams_shared.lock);
		if (has_more)
			usleep(100); /* see pay() */
	}
	return arg;
}

int streams_complete__start(int news_fd)
{
	pthread_t thread;

	streams_shared.news = ring_buffer__new(news_fd, on_news, NULL, NULL);
	if (streams_shared.news && !pthread_create(&thread, NULL, read_news, NULL)) {
		pthread_detach(thread);
		return 0;
	}
	ring_buffer__free(streams_shared.news);
	streams_shared.news = NULL;
	return spin_fail(-EAGAIN, "no thread for the news of TCP connections");
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
