/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A client of the demo's key-value server with YCSB's mix of reads and updates and Zipf keys (ycsb.h). Started by demo_kvstore.c. Every
 * value that it reads is checked.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/udp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <kvstore.h>

#include "tests/common/memcached/zipf.h"
#include "tests/common/proc.h"
#include "tests/common/random.h"
#include "tests/demo/ycsb.h"

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#ifndef UDP_GRO
#define UDP_GRO 104
#endif

#define BATCH_MAX     64         /* datagrams per system call: the kernel's limit for UDP_SEGMENT */
#define OPERATIONS    (1u << 20) /* generated before the run, then repeated */
#define TIMEOUT_NS    200000000u
#define EXPIRE_NS     10000000u
#define SOCKET_BUFFER (4 << 20) /* bytes */

struct slot {
	uint32_t id; /* sequence * YCSB_WINDOW_MAX + slot index */
	uint32_t key;
	uint32_t version; /* SET: version written; GET: oldest version that may be read */
	uint32_t is_set;
	uint64_t sent_ns;
};

struct run {
	const struct ycsb *options;
	struct ycsb_result result; /* counts since the start */
	int fd;
	uint32_t *operation; /* key * 2 + is_set */
	uint32_t next;
	uint32_t *issued, *acknowledged; /* versions by key */
	struct slot slot[YCSB_WINDOW_MAX];
	struct kv_message batch[BATCH_MAX];
	unsigned batched;
	uint64_t now_ns;
};

static uint32_t filler(uint32_t key, uint32_t version, uint32_t word)
{
	return (key * 0x9e3779b1u ^ version * 0x85ebca6bu) + word * 0xc2b2ae35u;
}

static void make_value(uint32_t *value, uint32_t key, uint32_t version)
{
	value[0] = key;
	value[1] = version;
	for (uint32_t i = 2; i < KV_WORDS; i++)
		value[i] = filler(key, version, i);
}

static void flush(struct run *run)
{
	char control[CMSG_SPACE(sizeof(uint16_t))] __attribute__((aligned(8))) = { 0 };
	struct iovec io = { run->batch, run->batched * sizeof(run->batch[0]) };
	struct msghdr message = { .msg_iov = &io, .msg_iovlen = 1 };

	if (!run->batched)
		return;
	if (run->batched > 1) {
		struct cmsghdr *c;

		message.msg_control = control;
		message.msg_controllen = sizeof(control);
		c = CMSG_FIRSTHDR(&message);
		c->cmsg_level = SOL_UDP;
		c->cmsg_type = UDP_SEGMENT;
		c->cmsg_len = CMSG_LEN(sizeof(uint16_t));
		*(uint16_t *)CMSG_DATA(c) = sizeof(run->batch[0]);
	}
	/* a datagram that a full queue drops is retried by the timeout */
	if (sendmsg(run->fd, &message, 0) < 0 && errno != ENOBUFS && errno != EAGAIN)
		die("YCSB client: sendmsg: %s", strerror(errno));
	run->result.sent += run->batched;
	run->batched = 0;
}

/* Puts an operation into a slot and adds its request to the batch. */
static void issue(struct run *run, struct slot *slot, uint32_t key, uint32_t is_set)
{
	struct kv_message *m = &run->batch[run->batched++];

	slot->id += YCSB_WINDOW_MAX;
	slot->key = key;
	slot->is_set = is_set;
	slot->sent_ns = run->now_ns;
	m->op = spin_hton16(is_set ? KV_SET : KV_GET);
	m->found = 0;
	m->id = slot->id;
	m->key = spin_hton32(key);
	m->lease = 0;
	if (is_set) {
		slot->version = ++run->issued[key];
		make_value(m->value, key, slot->version);
	} else {
		slot->version = run->acknowledged[key];
	}
	if (run->batched == BATCH_MAX)
		flush(run);
}

static void issue_next(struct run *run, struct slot *slot)
{
	uint32_t operation = run->operation[run->next++ & (OPERATIONS - 1)];

	issue(run, slot, operation >> 1, operation & 1);
}

static void check(struct run *run, const struct slot *slot, const struct kv_message *m)
{
	uint32_t version = m->value[1];
	int wrong = m->found != spin_hton16(1) || m->value[0] != slot->key || version < slot->version || version > run->issued[slot->key];

	for (uint32_t i = 2; i < KV_WORDS; i++)
		wrong |= m->value[i] != filler(slot->key, version, i);
	run->result.checked++;
	if (wrong && !run->result.wrong++)
		snprintf(run->result.first_wrong, sizeof(run->result.first_wrong),
			 "key %u: read key %u version %u, %u was acknowledged, %u the last written", slot->key, m->value[0], version,
			 slot->version, run->issued[slot->key]);
}

/* Takes a reply. Returns its slot, or NULL if it matches no request in flight. */
static struct slot *take_reply(struct run *run, const struct kv_message *m)
{
	struct slot *slot = &run->slot[m->id % YCSB_WINDOW_MAX];

	if (m->op != spin_hton16(KV_REPLY) || m->id != slot->id || !slot->sent_ns)
		return NULL;
	slot->sent_ns = 0;
	if (slot->is_set) {
		if (run->acknowledged[slot->key] < slot->version)
			run->acknowledged[slot->key] = slot->version;
	} else {
		check(run, slot, m);
		run->result.gets++;
	}
	run->result.requests++;
	return slot;
}

static void expire(struct run *run)
{
	for (uint32_t i = 0; i < run->options->window; i++) {
		struct slot *slot = &run->slot[i];

		if (slot->sent_ns && run->now_ns - slot->sent_ns > TIMEOUT_NS) {
			run->result.timeouts++;
			issue(run, slot, slot->key, slot->is_set);
		}
	}
}

/*
 * Runs until the deadline. Each answer frees a slot for the next operation. Polls, because waking an idle CPU would cost the server CPU
 * time, which is measured.
 */
static void run_until(struct run *run, uint64_t deadline_ns)
{
	static struct kv_message in[8][BATCH_MAX];
	struct iovec io[8];
	struct mmsghdr messages[8];
	uint64_t expired_ns = run->now_ns;

	for (int i = 0; i < 8; i++)
		io[i] = (struct iovec){ in[i], sizeof(in[i]) };
	while (run->now_ns < deadline_ns) {
		int got;

		for (int i = 0; i < 8; i++)
			messages[i].msg_hdr = (struct msghdr){ .msg_iov = &io[i], .msg_iovlen = 1 };
		got = recvmmsg(run->fd, messages, 8, MSG_DONTWAIT, NULL);
		if (got < 0 && errno != EAGAIN && errno != EINTR && errno != ECONNREFUSED)
			die("YCSB client: recvmmsg: %s", strerror(errno));
		if (got <= 0)
			sched_yield(); /* lets the NAPI thread of this side run */
		run->now_ns = now_ns();
		for (int i = 0; i < got; i++) {
			for (unsigned m = 0; m < messages[i].msg_len / sizeof(in[0][0]); m++) {
				struct slot *slot = take_reply(run, &in[i][m]);

				if (slot)
					issue_next(run, slot);
			}
		}
		if (run->now_ns - expired_ns > EXPIRE_NS) {
			expire(run);
			expired_ns = run->now_ns;
		}
		flush(run);
	}
}

/* Sends one SET per key, so that every GET finds a value. */
static void load_keys(struct run *run)
{
	for (uint32_t key = 0; key < run->options->keys; key++) {
		struct slot *slot = &run->slot[0];
		struct kv_message m;

		do {
			run->now_ns = now_ns();
			issue(run, slot, key, 1);
			flush(run);
			while (recv(run->fd, &m, sizeof(m), 0) == sizeof(m) && !take_reply(run, &m))
				;
		} while (slot->sent_ns);
	}
}

static void open_socket(struct run *run)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(run->options->port) };
	struct timeval tick = { .tv_usec = EXPIRE_NS / 1000 };
	int on = 1, bytes = SOCKET_BUFFER;

	run->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	inet_pton(AF_INET, run->options->addr, &to.sin_addr);
	if (run->fd < 0 || connect(run->fd, (struct sockaddr *)&to, sizeof(to)) ||
	    setsockopt(run->fd, SOL_SOCKET, SO_RCVTIMEO, &tick, sizeof(tick)) || setsockopt(run->fd, SOL_UDP, UDP_GRO, &on, sizeof(on)))
		die("YCSB client: %s", strerror(errno));
	(void)setsockopt(run->fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
	(void)setsockopt(run->fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes));
}

static void draw_operations(struct run *run)
{
	uint64_t seed = run->options->seed ^ 0x5851f42d4c957f2du;

	run->operation = malloc(OPERATIONS * sizeof(*run->operation));
	if (!run->operation || zipf_fill(run->operation, OPERATIONS, run->options->keys, run->options->theta, run->options->seed))
		die("YCSB client: no memory");
	for (uint32_t i = 0; i < OPERATIONS; i++)
		run->operation[i] = run->operation[i] * 2 + (random_next(&seed) >> 63);
}

/* Stores the totals at the start or the end of the measured time, including the receiver's and the clocks. */
static void take_snapshot(const struct run *run, struct ycsb_result *at)
{
	const struct ycsb *options = run->options;

	*at = run->result;
	at->seconds = (double)now_ns() / 1e9;
	at->reached_server = *options->server_requests;
	at->server_ns = proc_cpu_ns(options->server);
	at->server_napi_ns = options->server_napi ? proc_cpu_ns(options->server_napi) : 0;
}

int ycsb__run(void *arg)
{
	struct run *run = calloc(1, sizeof(*run));
	struct ycsb_result begin, end;

	if (!run)
		die("YCSB client: no memory");
	run->options = arg;
	run->issued = calloc(run->options->keys, sizeof(*run->issued));
	run->acknowledged = calloc(run->options->keys, sizeof(*run->acknowledged));
	if (!run->issued || !run->acknowledged)
		die("YCSB client: no memory");
	draw_operations(run);
	open_socket(run);
	for (uint32_t i = 0; i < YCSB_WINDOW_MAX; i++)
		run->slot[i].id = i;
	load_keys(run);

	run->now_ns = now_ns();
	for (uint32_t i = 0; i < run->options->window; i++)
		issue_next(run, &run->slot[i]);
	flush(run);
	run_until(run, run->now_ns + (uint64_t)(run->options->warm_up_s * 1e9));
	take_snapshot(run, &begin);
	run_until(run, run->now_ns + (uint64_t)(run->options->measure_s * 1e9));
	take_snapshot(run, &end);

	end.seconds -= begin.seconds;
	end.requests -= begin.requests;
	end.gets -= begin.gets;
	end.reached_server -= begin.reached_server;
	end.server_ns -= begin.server_ns;
	end.server_napi_ns -= begin.server_napi_ns;
	*run->options->result = end;
	return 0;
}
