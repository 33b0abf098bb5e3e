/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The key-value server of the demo, with or without the kvstore handlers as its cache (kv_server.h). Started by demo_kvstore.c; kv_replay.c
 * calls only kv_server__serve(). It never acknowledges a SET before the cache has it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <spin/libspin.h>
#include "tests/common/kv_commit.h"
#include "tests/common/counts.h"
#include "tests/common/proc.h"
#include "tests/demo/kv_server.h"
#include "tests/demo/kv_store.h"

#define RECEIVE_BUFFER_BYTES (4 << 20)

static volatile sig_atomic_t stop;

static void on_term(int signal)
{
	(void)signal;
	stop = 1;
}

static int open_socket(const char *addr)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(KV_PORT) };
	struct timeval tick = { .tv_usec = 100000 }; /* wakes up regularly, to see a SIGTERM that arrived just before recvfrom() */
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), bytes = RECEIVE_BUFFER_BYTES;

	inet_pton(AF_INET, addr, &at.sin_addr);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tick, sizeof(tick)) || bind(fd, (struct sockaddr *)&at, sizeof(at)))
		die("key-value server: %s:%d: %s", addr, KV_PORT, strerror(errno));
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
	return fd;
}

/* Attaches the handlers to the server's port. Their cache is then shared. */
static struct spin_ctx *open_context(const struct kv_server *server, struct kv_cache **cache)
{
	struct spin_object *object;
	struct spin_rule rule;
	struct spin_ctx *ctx;
	struct spin_nic *nic;
	char text[64];
	size_t bytes;
	void *state;

	snprintf(text, sizeof(text), "udp ip4 dst %s dport %d", server->addr, KV_PORT);
	if (spin_object__open(server->object, &object) || spin_nic__open(server->ifname, &nic) || spin_rule__parse(text, &rule) ||
	    spin_ctx__create(nic, object, &rule, &ctx) || spin_ctx__symbol(ctx, "spin_state", &state, &bytes) || spin_ctx__attach(ctx))
		die("key-value server: %s", spin_strerror_last());
	if (bytes != sizeof(**cache))
		die("%s: its cache is not this server's", server->object);
	spin_nic__close(nic);
	spin_object__close(object);
	*cache = state;
	return ctx;
}

int kv_server__serve(struct kv_store *store, struct kv_cache *cache, struct kv_message *m)
{
	uint32_t key = spin_ntoh32(m->key), *value;

	if (m->op == spin_hton16(KV_GET)) {
		value = kv_store__get(store, key);
		if (value) {
			memcpy(m->value, value, sizeof(m->value));
			if (cache)
				kv_cache_fill(cache, key, value, m->lease);
		}
	} else if (m->op == spin_hton16(KV_SET)) {
		value = kv_store__put(store, key);
		if (value) {
			memcpy(value, m->value, sizeof(m->value));
			if (cache)
				kv_cache_commit(cache, key, value, m->lease);
		}
	} else {
		return 0;
	}
	m->op = spin_hton16(KV_REPLY);
	m->found = spin_hton16(value != NULL);
	m->lease = 0;
	return 1;
}

int kv_server__run(void *arg)
{
	const struct kv_server *server = arg;
	struct sigaction on_signal = { .sa_handler = on_term };
	struct kv_store *store = kv_store__new(server->keys_max);
	struct kv_cache *cache = NULL;
	struct spin_ctx *ctx = NULL;
	int fd = open_socket(server->addr);
	struct kv_message m;
	struct sockaddr_in from;

	if (!store)
		die("key-value server: no memory");
	sigaction(SIGTERM, &on_signal, NULL);
	if (server->object)
		ctx = open_context(server, &cache);
	server->report->ready = 1;

	while (!stop) {
		socklen_t from_bytes = sizeof(from);
		ssize_t n = recvfrom(fd, &m, sizeof(m), 0, (struct sockaddr *)&from, &from_bytes);

		if (n != sizeof(m) || !kv_server__serve(store, cache, &m))
			continue;
		server->report->requests++;
		sendto(fd, &m, sizeof(m), 0, (struct sockaddr *)&from, from_bytes);
	}
	if (ctx)
		counts_all(ctx, server->report->packets);
	spin_ctx__destroy(ctx);
	kv_store__free(store);
	close(fd);
	return 0;
}
