/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl run --delivery ring: packets that handlers deliver go to this process past the kernel's stack (an AF_XDP ring). Creates the rings
 * from the options, reads, counts and prints them. Called by run.c and print.c.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "user/lib/number.h"
#include "user/spinctl/run/ring.h"
#include "user/tool/notify.h"

#define READ_MAX_S  0.02  /* seconds that run_ring__poll() reads at most, if packets keep arriving */
#define PRINT_BYTES 16u   /* printed of a payload */
#define QUEUE_MAX   1023u /* largest number of a receive queue */

/* Parses "2" or "2-5". */
static int parse_queues(const char *text, struct spin_ring_opts *opts)
{
	const char *dash = strchr(text, '-');
	char from[16];
	uint64_t first, last;

	snprintf(from, sizeof(from), "%.*s", dash ? (int)(dash - text) : (int)sizeof(from) - 1, text);
	if (number__read(from, QUEUE_MAX, &first) || number__read(dash ? dash + 1 : text, QUEUE_MAX, &last) || last < first)
		return -1;
	opts->first_queue = (unsigned)first;
	opts->queues = (unsigned)(last - first + 1);
	return 0;
}

static enum spin_ring_mode parse_mode(const char *name)
{
	enum spin_ring_mode mode = SPIN_RING_AUTO;

	while (strcmp(spin_ring_mode_name(mode), name))
		mode++; /* ends: the option table has refused other names */
	return mode;
}

static int is_default(const struct run_ring_options *o)
{
	return !o->queues.count && !o->frames && !o->print && !strcmp(o->mode, "auto");
}

int run_ring__open(struct session *set, const struct run_ring_options *o)
{
	if (strcmp(o->delivery, "ring")) {
		if (is_default(o))
			return DONE;
		fprintf(stderr, "spinctl run: --ring-mode, --ring-queues, --ring-frames and --ring-print are of --delivery ring\n");
		return USAGE;
	}
	if (o->queues.count > set->contexts) {
		fprintf(stderr, "spinctl run: more --ring-queues than files\n");
		return USAGE;
	}
	for (unsigned i = 0; i < set->contexts; i++) {
		struct spin_ring_opts opts = { .bytes = sizeof(opts), .mode = parse_mode(o->mode), .frames = o->frames };

		if (i < o->queues.count && parse_queues(o->queues.items[i], &opts))
			return report_error("--ring-queues '%s': write a queue, or the first and the last one as 0-3", o->queues.items[i]);
		if (spin_ring__create(set->context[i].ctx, &opts, &set->context[i].ring))
			return report_error("%s", spin_strerror_last());
		set->context[i].ring_print = o->print;
	}
	return DONE;
}

void run_ring__start(const struct session *set, int json)
{
	for (unsigned i = 0; i < set->contexts && !json; i++) {
		const struct run_context *c = &set->context[i];
		unsigned first, queues;
		const char *reason;

		if (!c->ring)
			continue;
		queues = spin_ring__queues(c->ring, &first);
		printf("%s: ring of queue", c->name);
		if (queues > 1)
			printf("s %u to %u", first, first + queues - 1);
		else
			printf(" %u", first);
		printf(", %s", spin_ring_mode_name(spin_ring__mode(c->ring, &reason)));
		printf(reason ? ": %s\n" : "\n", reason);
	}
}

static void print_packet(const struct run_context *c, const struct spin_ring_packet *p, int json)
{
	char source[INET6_ADDRSTRLEN] = "", destination[INET6_ADDRSTRLEN] = "", hex[2 * PRINT_BYTES + 1] = "";
	const int family = p->ip_version == 4 ? AF_INET : AF_INET6;
	struct json j;

	if (p->ip_version) {
		inet_ntop(family, p->src_addr, source, sizeof(source));
		inet_ntop(family, p->dst_addr, destination, sizeof(destination));
	}
	for (uint32_t i = 0; i < p->payload_bytes && i < PRINT_BYTES; i++)
		snprintf(hex + 2 * (size_t)i, 3, "%02x", p->frame[p->payload_at + i]);
	if (!json) {
		printf("packet: %s: queue %u, %u bytes", c->name, p->queue, p->payload_bytes);
		if (p->ip_version)
			printf(" from %s port %u to %s port %u", source, p->src_port, destination, p->dst_port);
		printf(": %s%s\n", hex, p->payload_bytes > PRINT_BYTES ? "..." : "");
		return;
	}
	json_begin(&j, stdout, 0);
	json_object(&j, NULL);
	json_string(&j, "type", "packet");
	json_string(&j, "context", c->name);
	json_uint(&j, "queue", p->queue);
	json_string(&j, "source", p->ip_version ? source : NULL);
	json_string(&j, "destination", p->ip_version ? destination : NULL);
	json_uint(&j, "source_port", p->src_port);
	json_uint(&j, "destination_port", p->dst_port);
	json_uint(&j, "payload_bytes", p->payload_bytes);
	json_string(&j, "payload_start", hex);
	json_object_end(&j);
	json_end(&j);
}

struct look {
	struct run_context *c;
	int json;
};

static void on_packets(void *arg, const struct spin_ring_packet *packets, unsigned count)
{
	const struct look *look = arg;
	struct run_context *c = look->c;

	for (unsigned i = 0; i < count; i++) {
		c->ring_bytes += packets[i].payload_bytes;
		if (!c->ring_print)
			continue;
		c->ring_print--;
		print_packet(c, &packets[i], look->json);
	}
}

unsigned run_ring__poll(struct session *set, int json)
{
	const double start = now_s();
	unsigned all = 0, now;

	do {
		now = 0;
		for (unsigned i = 0; i < set->contexts; i++) {
			struct look look = { &set->context[i], json };

			if (look.c->ring)
				now += (unsigned)spin_ring__receive(look.c->ring, on_packets, &look);
		}
		all += now;
	} while (now && now_s() - start < READ_MAX_S);
	return all;
}

static const struct count {
	const char *name;
	size_t at;
	const char *meaning;
} counts[] = {
	{ "ring_received", offsetof(struct spin_ring_stats, received), "came to this program by the ring" },
	{ "ring_lost", offsetof(struct spin_ring_stats, lost), "lost: the ring was full" },
	{ "ring_unbound", offsetof(struct spin_ring_stats, unbound), "to the host: of a queue without a ring" },
	{ "ring_too_long", offsetof(struct spin_ring_stats, too_long), "to the host: longer than the ring's frames" },
};

static uint64_t value(const struct spin_ring_stats *stats, const struct count *c)
{
	return *(const uint64_t *)((const char *)stats + c->at);
}

void run_ring__text(const struct run_context *c)
{
	struct spin_ring_stats stats;

	if (!c->ring || spin_ring__stats(c->ring, &stats))
		return;
	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (value(&stats, &counts[i]) || !i)
			printf("%-16s %-7s %14" PRIu64 "  %s\n", counts[i].name, "", value(&stats, &counts[i]), counts[i].meaning);
	printf("%-16s %-7s %14" PRIu64 "  %s\n", "ring_bytes", "", c->ring_bytes, "of payload came by the ring");
}

void run_ring__json(struct json *j, const struct run_context *c)
{
	struct spin_ring_stats stats;

	if (!c->ring || spin_ring__stats(c->ring, &stats))
		return;
	json_object(j, "ring");
	json_string(j, "mode", spin_ring_mode_name(spin_ring__mode(c->ring, NULL)));
	json_uint(j, "delivered", stats.delivered);
	json_uint(j, "received", stats.received);
	json_uint(j, "received_payload_bytes", c->ring_bytes);
	json_uint(j, "lost", stats.lost);
	json_uint(j, "unbound", stats.unbound);
	json_uint(j, "too_long", stats.too_long);
	json_object_end(j);
}
