/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_DEMO_KV_SERVER_H
#define TESTS_DEMO_KV_SERVER_H

/*
 * A key-value server on UDP: one thread, one datagram per system call. If an object is given, it owns a context of the kvstore handlers on
 * its interface. Started by demo_kvstore.c.
 */
#include <spin/reason.h>
#include <stdint.h>

#define KV_PORT 7070

/* In memory shared with the demo. */
struct kv_server_report {
	volatile uint32_t ready;             /* 1: requests are served */
	volatile uint64_t requests;          /* requests that reached the server */
	uint64_t packets[SPIN_REASON_COUNT]; /* of the context, set when the server ends */
};

struct kv_server {
	const char *addr;
	uint32_t keys_max;
	const char *ifname;
	const char *object; /* NULL: no handlers */
	struct kv_server_report *report;
};

struct kv_store;
struct kv_cache;
struct kv_message;

/* Turns a request into its reply and updates the store and the cache (NULL: none). Returns 0 if it is not a request. */
int kv_server__serve(struct kv_store *store, struct kv_cache *cache, struct kv_message *m);

/* Serves until SIGTERM. arg: struct kv_server. Returns 0; dies with a message on errors. */
int kv_server__run(void *arg);

#endif
