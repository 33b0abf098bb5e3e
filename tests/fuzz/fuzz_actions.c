/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs random DMA transfers, atomic operations, counter operations, sends, loops and locks of handlers on every engine: host build, kernel,
 * model of the card. The payload of each packet tells act_dma, act_atomic, act_lock (tests/handlers/memory) or act_put
 * (tests/handlers/sending), for messages or datagrams, what to do. After each packet all engines must have the same verdict, reason, frame,
 * events, packets sent, state, host memory and counters. Run by tests/run and, longer, by `make fuzz`.
 *
 *	fuzz_actions [--packets N] [--seed N] [--handler NAME]
 *
 * --packets: for each handler
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/common/built.h"
#include "tests/common/random.h"
#include "tests/common/net/slow.h"
#include "user/conformance/event.h"
#include "user/conformance/engine_cache.h"
#include "user/conformance/template/template.h"

#define PAYLOAD_MAX 128

/* Numbers at which behaviour changes: ends of the space (48 bytes), of segments and of payloads, and limits of the calls' arguments. */
static const uint32_t edges[] = {
	0,  1,  2,  3,  4,  7,  8,  12,  15,   16,   17,   23,   24,   25,         31,         32,         33,
	36, 40, 41, 47, 48, 49, 64, 256, 1000, 1023, 1024, 2048, 2052, 0x80000000, 0xfffffff8, 0xfffffffe, 0xffffffff,
};
static const struct spin_segment segments[] = { { 64, 16 }, { 512, 8 }, { 16, 24 } };

static const struct actions {
	const char *handler;
	uint32_t ops, request_bytes;
	int messages;
} handlers[] = {
	{ "act_dma", 14, 16, 1 }, { "act_dma_d", 14, 16, 0 }, { "act_atomic", 13, 24, 1 }, { "act_atomic_d", 13, 24, 0 },
	{ "act_put", 1, 36, 1 },  { "act_put_d", 1, 36, 0 },  { "act_lock", 13, 4, 1 },    { "act_lock_d", 13, 4, 0 },
};

struct run {
	const struct actions *actions;
	struct engine_cache cache;
	struct engine_cache_entry *entry[ENGINE_OF_ALL]; /* NULL: it cannot run here, or does not support messages */
	struct image image[ENGINE_OF_ALL];
	struct host_image host[ENGINE_OF_ALL];
	struct engine_out out[ENGINE_OF_ALL];
	struct engine_sends sends[ENGINE_OF_ALL];
	uint64_t reasons[SPIN_REASON_COUNT], sent;
	uint64_t random;
	int without_kernel;
};

static uint32_t rand_below(struct run *r, uint32_t below)
{
	return (uint32_t)(random_next(&r->random) % below);
}

static uint32_t random_edge(struct run *r)
{
	return rand_below(r, 8) ? edges[rand_below(r, sizeof(edges) / sizeof(edges[0]))] : rand_below(r, 64);
}

static void put32(uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* Fills a struct act_*_ask; the layouts differ by handler. The handlers refuse no values, so some requests have no effect. */
static void make_request(struct run *r, uint8_t *request)
{
	const char *name = r->actions->handler + 4;
	const uint32_t bytes = r->actions->request_bytes, op = rand_below(r, r->actions->ops);

	for (uint32_t i = 4; i + 4 <= bytes; i += 4)
		put32(request + i, random_edge(r));
	request[0] = rand_below(r, 4) ? 0 : (uint8_t)rand_below(r, 3);
	request[1] = (uint8_t)op;
	if (*name == 'd') { /* bytes: when op space rc */
		request[2] = (uint8_t)rand_below(r, 3);
		request[3] = rand_below(r, 4) ? 0 : 2;
		if (request[0] == 1)
			request[3] = 4;
	} else if (*name == 'a') { /* bytes: op space when */
		request[2] = request[0];
		request[0] = (uint8_t)op;
		request[1] = (uint8_t)rand_below(r, 3);
		request[3] = 0;
	} else if (*name == 'l') { /* bytes: when op n */
		request[2] = (uint8_t)(rand_below(r, 2) ? 60 + rand_below(r, 10) : rand_below(r, 256));
		request[3] = 0;
	} else { /* bytes: when op count rc; off bytes match addr port version */
		request[2] = (uint8_t)(rand_below(r, 4) ? 1 + rand_below(r, 2) : rand_below(r, 19));
		request[3] = request[0] == 1 ? 4 : rand_below(r, 4) ? 0 : 2;
		if (rand_below(r, 2))
			put32(request + 8, 16);
		put32(request + 16, 0x0900000a);
		memset(request + 20, 0, 12);
		request[32] = 0x12;
		request[33] = 0x34;
		request[34] = (uint8_t)(rand_below(r, 3) ? 4 : rand_below(r, 2) * 6);
		request[35] = 0;
	}
}

static int make_frame(struct run *r, uint64_t number, struct template *t)
{
	uint8_t payload[PAYLOAD_MAX];
	uint32_t bytes = r->actions->request_bytes + rand_below(r, PAYLOAD_MAX - r->actions->request_bytes);
	char line[96];

	for (uint32_t i = 0; i < bytes; i++)
		payload[i] = (uint8_t)random_next(&r->random);
	make_request(r, payload);
	template_start(t);
	if (template_line(t, "eth 02:00:00:00:00:01 > 02:00:00:00:00:02") < 0)
		return -1;
	if (!rand_below(r, 4) && template_line(t, "vlan 5") < 0)
		return -1;
	if (template_line(t, rand_below(r, 4) ? "ip4 10.0.0.1 > 10.0.0.2" : "ip4 10.0.0.1 > 10.0.0.2 ttl 9 options 01010101") < 0)
		return -1;
	snprintf(line, sizeof(line), "udp 4000 > 9330%s", rand_below(r, 8) ? "" : " sum none");
	if (template_line(t, line) < 0)
		return -1;
	snprintf(line, sizeof(line), "slmp SYN EOM id %u", (uint32_t)number + 1);
	if (r->actions->messages && template_line(t, line) < 0)
		return -1;
	return template_append(t, payload, bytes) || template_finish(t) ? -1 : 0;
}

static int open_engines(struct run *r, const struct built *built)
{
	struct engine_context context = { .rule = { .protocol = 17 } };

	context.message.host_bytes = 1024;
	context.message.handler_mem = segments;
	context.message.handler_segments = sizeof(segments) / sizeof(segments[0]);
	for (int kind = 0; kind < ENGINE_OF_ALL; kind++) {
		int err = engine_cache_get(&r->cache, (enum engine_kind)kind, &built->handler, &context, &r->entry[kind]);

		if (engine_cannot(err)) {
			r->without_kernel |= err == -1;
			r->entry[kind] = NULL;
			continue;
		}
		if (err || image_alloc(&r->entry[kind]->types, &r->image[kind]) ||
		    host_image_alloc(&r->entry[kind]->types, &r->host[kind], context.message.host_bytes))
			return -1;
	}
	return r->entry[ENGINE_HOST] && r->entry[ENGINE_MODEL] ? 0 : -1;
}

static int run_packet(struct run *r, int kind, const struct template *t)
{
	struct engine_cache_entry *entry = r->entry[kind];
	struct engine *e = entry->engine;
	int err = e->ops->packet(e, t->frame, t->bytes, &r->out[kind]);

	if (!err)
		err = e->ops->sends(e, &r->sends[kind]);
	if (!err)
		err = image_read(&entry->types, &r->image[kind], e);
	if (!err && entry->types.host_memory)
		err = host_image_read(&r->host[kind], e);
	return err;
}

static int same_events(const struct engine_events *a, const struct engine_events *b)
{
	char x[EVENT_LINE_MAX], y[EVENT_LINE_MAX];

	for (unsigned i = 0; i < a->count && i < b->count && i < ENGINE_EVENTS_MAX; i++) {
		event_line(&a->event[i], x);
		event_line(&b->event[i], y);
		if (strcmp(x, y))
			return 0;
	}
	return a->count == b->count;
}

static int same_sends(const struct engine_sends *a, const struct engine_sends *b)
{
	for (unsigned i = 0; i < a->count && i < b->count && i < ENGINE_SENDS_MAX; i++) {
		const struct spin_request *x = &a->send[i], *y = &b->send[i];
		int packet = x->type != SPIN_REQUEST_PUT;

		if (x->type != y->type || x->bytes != y->bytes || memcmp(&x->put.target, &y->put.target, sizeof(x->put.target)) ||
		    (packet && memcmp(x->frame, y->frame, x->bytes)) ||
		    (!packet && (x->start != y->start || memcmp(&x->put, &y->put, sizeof(x->put)))))
			return 0;
	}
	return a->count == b->count;
}

/* Returns what differs from the host build, or NULL. */
static const char *find_difference(const struct run *r, int kind)
{
	const struct engine_out *a = &r->out[ENGINE_HOST], *b = &r->out[kind];
	const struct types *t = &r->entry[kind]->types;
	unsigned symbol;
	size_t offset;

	if (a->verdict != b->verdict || a->reason != b->reason)
		return "verdict";
	if (a->frame_bytes != b->frame_bytes || memcmp(a->frame, b->frame, a->frame_bytes))
		return "frame";
	if (r->actions->messages ? !same_events(&a->events, &b->events)
				 : a->event != b->event || (a->event && a->event_handler != b->event_handler))
		return "events";
	if (!same_sends(&r->sends[ENGINE_HOST], &r->sends[kind]))
		return "packets sent";
	if (image_differ(t, &r->image[ENGINE_HOST], &r->image[kind], &symbol, &offset))
		return "state";
	if (t->host_memory && memcmp(r->host[ENGINE_HOST].memory, r->host[kind].memory, r->host[kind].bytes))
		return "host memory";
	if (t->me_memory && memcmp(r->host[ENGINE_HOST].ct, r->host[kind].ct, sizeof(r->host[kind].ct)))
		return "counters";
	return NULL;
}

static int fuzz(struct run *r, uint64_t packets, uint64_t seed)
{
	static struct template t;

	for (uint64_t n = 0; n < packets; n++) {
		if (make_frame(r, n, &t))
			return -1;
		for (int kind = 0; kind < ENGINE_OF_ALL; kind++)
			if (r->entry[kind] && run_packet(r, kind, &t))
				return -1;
		for (int kind = 0; kind < ENGINE_OF_ALL; kind++) {
			const char *what = r->entry[kind] && kind != ENGINE_HOST ? find_difference(r, kind) : NULL;

			if (!what)
				continue;
			printf("FAIL  %s, seed %llu, packet %llu: %s differs from the host build: %s; host says %s, %u sent; "
			       "it %s, %u sent\n  raw ",
			       r->actions->handler, (unsigned long long)seed, (unsigned long long)n, engine_name((enum engine_kind)kind),
			       what, spin_reason_name(r->out[ENGINE_HOST].reason), r->sends[ENGINE_HOST].count,
			       spin_reason_name(r->out[kind].reason), r->sends[kind].count);
			for (uint32_t i = 0; i < t.bytes; i++)
				printf("%02x", t.frame[i]);
			putchar('\n');
			return 1;
		}
		r->reasons[r->out[ENGINE_HOST].reason]++;
		r->sent += r->sends[ENGINE_HOST].count;
	}
	return 0;
}

/* Returns 0, 1 for failure, 77 if the kernel's engine cannot run. */
static int one_handler(const struct actions *actions, uint64_t packets, uint64_t seed)
{
	struct run *r = calloc(1, sizeof(*r));
	struct built built;
	int rc;

	if (!r)
		return 1;
	r->actions = actions;
	r->random = seed * 7919 + (uint64_t)(actions - handlers);
	rc = built_handler(actions->handler, &built) || open_engines(r, &built) ? -1 : fuzz(r, packets, seed);
	if (rc < 0)
		printf("FAIL  %s: %s\n", actions->handler, engine_error());
	printf("%s: success %llu, segv %llu, overrun %llu, sent %llu\n", actions->handler,
	       (unsigned long long)r->reasons[SPIN_REASON_SUCCESS], (unsigned long long)r->reasons[SPIN_REASON_SEGV],
	       (unsigned long long)r->reasons[SPIN_REASON_OVERRUN], (unsigned long long)r->sent);
	if (!rc && r->reasons[SPIN_REASON_SUCCESS] * 10 < packets) {
		printf("FAIL  %s: hardly anything is done\n", actions->handler);
		rc = 1;
	}
	rc = rc ? 1 : r->without_kernel ? 77 : 0;
	for (int kind = 0; kind < ENGINE_OF_ALL; kind++) {
		image_free(&r->image[kind]);
		host_image_free(&r->host[kind]);
	}
	engine_cache_close(&r->cache);
	free(r);
	return rc;
}

int main(int argc, char **argv)
{
	uint64_t packets = slow_rounds(2000), seed = 1;
	const char *only = NULL;
	int failed = 0, skipped = 0;

	for (int i = 1; i < argc; i += 2) {
		const char *value = i + 1 < argc ? argv[i + 1] : NULL;

		if (value && !strcmp(argv[i], "--packets")) {
			packets = strtoull(value, NULL, 0);
		} else if (value && !strcmp(argv[i], "--seed")) {
			seed = strtoull(value, NULL, 0);
		} else if (value && !strcmp(argv[i], "--handler")) {
			only = value;
		} else {
			fprintf(stderr, "usage: fuzz_actions [--packets N] [--seed N] [--handler NAME]\n");
			return 2;
		}
	}
	for (unsigned i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++) {
		int rc = only && strcmp(only, handlers[i].handler) ? 0 : one_handler(&handlers[i], packets, seed);

		failed |= rc == 1;
		skipped |= rc == 77;
	}
	if (skipped)
		printf("skip: bpf: PROG_TEST_RUN needs root\n");
	return failed ? 1 : skipped ? 77 : 0;
}
