/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Sends GETs to memcached over UDP in a closed loop, compares every answer with the key's value, and measures rate and latency (load.h).
 * Used by tests/bench/memcached.c and the demo.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <memcached.h>

#include "tests/common/measure/measure.h"
#include "tests/common/memcached/client.h"
#include "tests/common/memcached/load.h"
#include "tests/common/proc.h"

#define BATCH       64u
#define WINDOW_MAX  1024u
#define THREADS_MAX 8u
#define LOST_MS     50 /* if nothing arrives for this time, all GETs in flight are lost */
#define LATENCY_MS  1000

struct datagram {
	struct mc_frame frame;
	char text[MC_LOAD_ANSWER_BYTES + 2];
} __attribute__((packed));

struct load_thread {
	struct mc_load *load;
	pthread_t thread;
	int fd;
	size_t next;                /* index in load->key */
	uint16_t id;                /* of the next GET */
	uint32_t key[1 << 16];      /* by request id */
	uint8_t in_flight[1 << 16]; /* by request id */
	struct datagram out[BATCH], in[BATCH];
	struct iovec out_at[BATCH], in_at[BATCH];
	struct mmsghdr out_message[BATCH], in_message[BATCH];
	unsigned outgoing;
	uint64_t answers, lost, wrong;
};

void mc_load__store(const char *addr, uint16_t port, uint32_t first, uint32_t count)
{
	struct mc_answer on = { .fd = mc_client__tcp(addr, port) };
	char text[128];

	for (uint32_t i = first; i < first + count; i++) {
		int n = snprintf(text, sizeof(text), "set " MC_LOAD_KEY " 0 0 32 noreply\r\n" MC_LOAD_VALUE "\r\n", i, i);

		mc_client__send(on.fd, text, (size_t)n, 1, NULL);
	}
	mc_client__expect(&on, "mn\r\n", "MN");
	close(on.fd);
}

/* Writes the six digits of a key. */
static void put_digits(char *to, uint32_t key)
{
	for (int i = 6; i-- > 0; key /= 10)
		to[i] = (char)('0' + key % 10);
}

static int is_right(const struct datagram *d, size_t bytes, uint32_t key)
{
	static const char answer[] = "VALUE key-000000 0 32\r\nkey-000000abcdefghijklmnopqrstuv\r\nEND\r\n";
	char digits[6];

	put_digits(digits, key);
	return bytes == sizeof(d->frame) + MC_LOAD_ANSWER_BYTES && d->frame.datagrams == htons(1) && !d->frame.number &&
	       !memcmp(d->text, answer, 10) && !memcmp(d->text + 10, digits, 6) && !memcmp(d->text + 16, answer + 16, 11) &&
	       !memcmp(d->text + 27, digits, 6) && !memcmp(d->text + 33, answer + 33, MC_LOAD_ANSWER_BYTES - 33);
}

static void flush(struct load_thread *a)
{
	unsigned done = 0;

	while (done < a->outgoing) {
		int n = sendmmsg(a->fd, a->out_message + done, a->outgoing - done, 0);

		if (n <= 0 && errno != EAGAIN && errno != ENOBUFS)
			die("GET: %s", strerror(errno));
		done += n > 0 ? (unsigned)n : 1; /* a lost datagram is noticed later */
	}
	a->outgoing = 0;
}

static void send_get(struct load_thread *a)
{
	struct datagram *d = &a->out[a->outgoing++];
	uint32_t key = a->load->key[a->next++ & (a->load->keys - 1)];

	d->frame.request = htons(a->id);
	put_digits(d->text + 8, key);
	a->key[a->id] = key;
	a->in_flight[a->id++] = 1;
	if (a->outgoing == BATCH)
		flush(a);
}

static void send_window(struct load_thread *a)
{
	for (unsigned i = 0; i < a->load->window; i++)
		send_get(a);
	flush(a);
}

static void receive_answers(struct load_thread *a)
{
	int got = recvmmsg(a->fd, a->in_message, BATCH, MSG_WAITFORONE, NULL);

	if (got < 0 && errno != EAGAIN && errno != EINTR)
		die("answer: %s", strerror(errno));
	if (got <= 0) {
		memset(a->in_flight, 0, sizeof(a->in_flight));
		a->lost += a->load->window;
		send_window(a);
		return;
	}
	for (int i = 0; i < got; i++) {
		uint16_t id = ntohs(a->in[i].frame.request);

		if (!a->in_flight[id])
			continue; /* it was counted as lost and arrived late */
		a->in_flight[id] = 0;
		a->answers++;
		if (!is_right(&a->in[i], a->in_message[i].msg_len, a->key[id]))
			a->wrong++;
		send_get(a);
	}
	flush(a);
}

static void open_load_thread(struct load_thread *a, const struct mc_load *load)
{
	const struct timeval wait = { .tv_usec = LOST_MS * 1000 };

	a->fd = mc_client__udp(load->addr, load->port);
	(void)setsockopt(a->fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	for (unsigned i = 0; i < BATCH; i++) {
		a->out[i].frame = (struct mc_frame){ .datagrams = htons(1) };
		memcpy(a->out[i].text, "get key-000000\r\n", MC_LOAD_GET_BYTES);
		a->out_at[i] = (struct iovec){ &a->out[i], sizeof(struct mc_frame) + MC_LOAD_GET_BYTES };
		a->in_at[i] = (struct iovec){ &a->in[i], sizeof(a->in[i]) };
		a->out_message[i].msg_hdr = (struct msghdr){ .msg_iov = &a->out_at[i], .msg_iovlen = 1 };
		a->in_message[i].msg_hdr = (struct msghdr){ .msg_iov = &a->in_at[i], .msg_iovlen = 1 };
	}
}

static void *run(void *arg)
{
	struct load_thread *a = arg;
	const struct mc_load *load = a->load;
	uint64_t begin = now_ns() + (uint64_t)(load->warm_up_s * 1e9), end = begin + (uint64_t)(load->seconds * 1e9), before;

	send_window(a);
	while (now_ns() < begin)
		receive_answers(a);
	before = a->answers;
	while (now_ns() < end)
		receive_answers(a);
	a->answers -= before;
	close(a->fd);
	return NULL;
}

void mc_load__run(struct mc_load *load)
{
	struct load_thread *load_thread = calloc(load->threads, sizeof(*load_thread));

	if (!load_thread || load->threads > THREADS_MAX || load->window > WINDOW_MAX)
		die("a load of more than it can have");
	load->answers = load->lost = load->wrong = 0;
	for (unsigned i = 0; i < load->threads; i++) {
		load_thread[i].load = load;
		load_thread[i].next = i * (load->keys / load->threads);
		open_load_thread(&load_thread[i], load);
		if (pthread_create(&load_thread[i].thread, NULL, run, &load_thread[i]))
			die("no thread");
	}
	for (unsigned i = 0; i < load->threads; i++) {
		pthread_join(load_thread[i].thread, NULL);
		load->answers += load_thread[i].answers;
		load->lost += load_thread[i].lost;
		load->wrong += load_thread[i].wrong;
	}
	load->rate = (double)load->answers / load->seconds;
	free(load_thread);
}

/* Polls, because waking an idle CPU takes longer than an answer. */
double mc_load__latency_ns(const char *addr, uint16_t port, uint32_t first, uint32_t count)
{
	double *ns = malloc(count * sizeof(*ns)), median;
	int fd = mc_client__udp(addr, port);

	if (!ns)
		die("no memory");
	for (uint32_t i = 0; i < count; i++) {
		uint64_t begin;
		struct datagram d;
		char text[32];
		ssize_t n;

		snprintf(text, sizeof(text), MC_LOAD_GET, first + i);
		begin = now_ns();
		mc_client__send_udp(fd, (uint16_t)i, text, MC_LOAD_GET_BYTES);
		do {
			n = recv(fd, &d, sizeof(d), MSG_DONTWAIT);
			if (n < 0)
				sched_yield();
			if (now_ns() - begin > LATENCY_MS * 1000000ull)
				die("no answer to a GET");
		} while (n < 0 || d.frame.request != htons((uint16_t)i));
		ns[i] = (double)(now_ns() - begin);
		if (!is_right(&d, (size_t)n, first + i))
			die("a wrong answer to GET " MC_LOAD_KEY, first + i);
	}
	median = measure_median(ns, count);
	free(ns);
	close(fd);
	return median;
}
