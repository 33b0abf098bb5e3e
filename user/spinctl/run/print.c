/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Prints what spinctl run observes, as text and as JSON lines: packet counts by reason, the handlers' state, and events. Called by run.c.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <spin/return.h>
#include <stddef.h>
#include <stdio.h>

#include "user/conformance/event.h"
#include "user/spinctl/run/cost.h"
#include "user/spinctl/run/puts.h"
#include "user/spinctl/run/ring.h"

static void start_text(const struct run_printer *p)
{
	for (unsigned i = 0; i < p->set->contexts; i++) {
		printf("%s on", p->set->context[i].name);
		for (unsigned d = 0; d < p->set->devices; d++)
			printf(" %s", spin_nic__name(p->set->device[d].nic));
		printf(", rule: %s\n", p->set->context[i].rule);
	}
	for (unsigned d = 0; d < p->set->devices; d++) {
		const char *reason;

		spin_nic__mode(p->set->device[d].nic, &reason);
		if (reason)
			printf("%s: in generic mode: %s\n", spin_nic__name(p->set->device[d].nic), reason);
	}
}

void run_print__start(const struct run_printer *p)
{
	struct json j;

	if (!p->json) {
		start_text(p);
		return;
	}
	json_begin(&j, stdout, 0);
	json_object(&j, NULL);
	json_string(&j, "type", "start");
	json_array(&j, "contexts");
	for (unsigned i = 0; i < p->set->contexts; i++) {
		json_object(&j, NULL);
		json_string(&j, "context", p->set->context[i].name);
		json_string(&j, "handler", spin_object__meta(p->set->context[i].object)->name);
		json_string(&j, "rule", p->set->context[i].rule);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_array(&j, "interfaces");
	for (unsigned d = 0; d < p->set->devices; d++) {
		struct spin_nic *nic = p->set->device[d].nic;
		const char *reason;

		json_object(&j, NULL);
		json_string(&j, "device", spin_nic__name(nic));
		json_string(&j, "mode", spin_mode_name(spin_nic__mode(nic, &reason)));
		json_string(&j, "native_refused", reason);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	json_end(&j);
}

static int field_text(void *arg, const struct spin_field *field)
{
	(void)arg;
	printf("%-40s %" PRIu64 "\n", field->path, field->value);
	return 0;
}

static int field_json(void *arg, const struct spin_field *field)
{
	json_uint(arg, field->path, field->value);
	return 0;
}

/* Prints fields of a context's state and tables that are not zero. */
static void print_state(const struct run_context *c, struct json *j)
{
	const char *name;

	if (j)
		json_object(j, "state");
	else
		puts("");
	for (unsigned i = 0; (name = spin_ctx__symbol_name(c->ctx, i)); i++)
		spin_ctx__fields(c->ctx, name, 0, j ? field_json : field_text, j);
	if (j)
		json_object_end(j);
}

static void add(struct run_counts *sum, const struct run_counts *c)
{
	for (unsigned r = 0; r < SPIN_REASON_COUNT; r++) {
		sum->packets[r] += c->packets[r];
		sum->in_interval[r] += c->in_interval[r];
	}
}

/* Returns the sum over all contexts and packets of no context: all packets that the interfaces received. */
static struct run_counts sum_counts(const struct session *set)
{
	struct run_counts sum = { 0 };

	for (unsigned i = 0; i < set->contexts; i++)
		add(&sum, &set->context[i].counts);
	for (unsigned d = 0; d < set->devices; d++)
		add(&sum, &set->device[d].counts);
	return sum;
}

static int all_messages(const struct session *set)
{
	unsigned i = 0;

	while (i < set->contexts && session__takes_messages(&set->context[i]))
		i++;
	return i == set->contexts;
}

static void counts_json(struct json *j, const struct run_counts *c, int messages)
{
	json_uint(j, "interval_packets", counters__sum(c->in_interval));
	counters__json(j, c->packets, messages);
}

static void report_json(const struct run_printer *p, const struct run_report *r)
{
	const struct run_counts sum = sum_counts(p->set);
	struct json j;

	json_begin(&j, stdout, 0);
	json_object(&j, NULL);
	json_string(&j, "type", r->final ? "final" : "interval");
	json_double(&j, "time_s", r->time_s);
	json_double(&j, "interval_s", r->interval_s);
	counts_json(&j, &sum, all_messages(p->set));
	json_array(&j, "contexts");
	for (unsigned i = 0; i < p->set->contexts; i++) {
		json_object(&j, NULL);
		json_string(&j, "context", p->set->context[i].name);
		counts_json(&j, &p->set->context[i].counts, session__takes_messages(&p->set->context[i]));
		run_message__json(&j, p->set->context[i].ctx);
		run_memory__json(&j, p->set->context[i].ctx);
		run_puts__json(&j, p->set->context[i].ctx, spin_object__meta(p->set->context[i].object)->registration.puts);
		run_ring__json(&j, &p->set->context[i]);
		if (p->cost)
			run_cost__context_json(&j, p->cost, p->set, i, r);
		if (r->final && p->state)
			print_state(&p->set->context[i], &j);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_array(&j, "interfaces");
	for (unsigned d = 0; d < p->set->devices; d++) {
		json_object(&j, NULL);
		json_string(&j, "device", spin_nic__name(p->set->device[d].nic));
		counts_json(&j, &p->set->device[d].counts, 0);
		if (p->cost)
			run_cost__device_json(&j, p->cost, d, r);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	json_end(&j);
}

static void interval_text(const char *name, const struct run_counts *c, const struct run_report *r)
{
	uint64_t n = counters__sum(c->in_interval);

	printf("%8.1f s %-15s %12" PRIu64 " packets %12.0f packets/s", r->time_s, name, n,
	       r->interval_s > 0 ? (double)n / r->interval_s : 0);
	for (unsigned i = 0; i < SPIN_REASON_COUNT; i++)
		if (c->in_interval[i])
			printf("  %s %" PRIu64, spin_reason_name(i), c->in_interval[i]);
	putchar('\n');
}

/* Prints a table per context, and one per interface for packets of no context. */
static void report_text(const struct run_printer *p, const struct run_report *r)
{
	const struct session *set = p->set;

	for (unsigned i = 0; i < set->contexts; i++) {
		const struct run_context *c = &set->context[i];

		if (!r->final) {
			interval_text(c->name, &c->counts, r);
			continue;
		}
		printf("\n%s, %.1f s\n", c->name, r->time_s);
		counters__text(c->counts.packets, session__takes_messages(c));
		run_message__text(c->ctx);
		run_memory__text(c->ctx);
		run_puts__text(c->ctx);
		run_ring__text(c);
		if (p->state)
			print_state(c, NULL);
	}
	for (unsigned d = 0; d < set->devices && r->final; d++) {
		const struct run_device *device = &set->device[d];

		if (!counters__sum(device->counts.packets))
			continue;
		printf("\n%s, packets of no context\n", spin_nic__name(device->nic));
		counters__text(device->counts.packets, 0);
	}
}

void run_print__report(const struct run_printer *p, const struct run_report *r)
{
	if (p->json)
		report_json(p, r);
	else
		report_text(p, r);
	if (p->cost && !p->json)
		run_cost__text(p->cost, p->set, r);
	fflush(stdout);
}

void run_print__event(void *arg, const struct spin_event *event)
{
	const struct run_printer *p = arg;
	char source[INET6_ADDRSTRLEN] = "?", ports[64] = "", item[EVENT_ITEM_MAX] = "";
	struct json j;

	if (event->ip_version)
		inet_ntop(event->ip_version == 4 ? AF_INET : AF_INET6, event->src_addr, source, sizeof(source));
	if (!p->json && session__takes_messages(p->speaker)) {
		printf("event: %s: ", p->speaker->name);
		run_message__event_text(event, source);
		return;
	}
	if (event->src_port || event->dst_port)
		snprintf(ports, sizeof(ports), " port %u to port %u", event->src_port, event->dst_port);
	if (event->type == SPIN_EVENT_WORK)
		event_item(event, item);
	if (!p->json) {
		printf("event: %s: %s in the %s handler on HPU %u: %s of %u bytes%s%s%s%s%s\n", p->speaker->name, event_name(event->type),
		       event_handler_name(event->handler), event->hpu,
		       *ports              ? "datagram"
		       : event->ip_version ? "ICMP message"
					   : "frame",
		       event->length, event->ip_version ? " from " : "", event->ip_version ? source : "", ports, *item ? ": " : "", item);
		return;
	}
	json_begin(&j, stdout, 0);
	json_object(&j, NULL);
	json_string(&j, "type", "event");
	json_string(&j, "context", p->speaker->name);
	json_string(&j, "event", event_name(event->type));
	json_string(&j, "handler", event_has_handler(event->type) ? event_handler_name(event->handler) : NULL);
	json_uint(&j, "hpu", event->hpu);
	json_string(&j, "source", event->ip_version ? source : NULL);
	json_uint(&j, "source_port", event->src_port);
	json_uint(&j, "destination_port", event->dst_port);
	if (event->length == SPIN_LENGTH_UNKNOWN)
		json_string(&j, "length_bytes", NULL);
	else
		json_uint(&j, "length_bytes", event->length);
	if (*item)
		json_string(&j, "item", item);
	if (session__takes_messages(p->speaker))
		run_message__event_json(&j, event);
	json_object_end(&j);
	json_end(&j);
}

/* Counters of packets that handlers sent. Not printed for handlers that send none. */

static const struct count {
	const char *name;
	size_t at;
	const char *meaning;
} counts[] = {
#define COUNT(field, meaning)                                           \
	{                                                               \
#field, offsetof(struct spin_put_stats, field), meaning \
	}
	COUNT(returned, "sent in the frame that came"),
	COUNT(copied, "sent in copies of that frame"),
	COUNT(sent, "sent by this program"),
	COUNT(puts, "messages put from host memory"),
	COUNT(lost_queue, "lost: no room in the queue to this program"),
	COUNT(lost_copy, "lost: no copy of the frame, or under way"),
	COUNT(lost_way, "lost: no way to the target"),
	COUNT(puts_failed, "messages that no target acknowledged"),
	COUNT(answers, "gets that were answered"),
	COUNT(answers_failed, "gets that were not answered"),
	COUNT(events_lost, "events of puts that found no room"),
#undef COUNT
};

static uint64_t value(const struct spin_put_stats *stats, const struct count *c)
{
	return *(const uint64_t *)((const char *)stats + c->at);
}

void run_puts__text(struct spin_ctx *ctx)
{
	struct spin_put_stats stats;

	if (spin_ctx__put_stats(ctx, &stats))
		return;
	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (value(&stats, &counts[i]))
			printf("%-16s %-7s %14" PRIu64 "  %s\n", counts[i].name, "", value(&stats, &counts[i]), counts[i].meaning);
}

void run_puts__json(struct json *j, struct spin_ctx *ctx, unsigned puts)
{
	struct spin_put_stats stats;

	if (!puts || spin_ctx__put_stats(ctx, &stats))
		return;
	json_object(j, "sent_by_handlers");
	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		json_uint(j, counts[i].name, value(&stats, &counts[i]));
	json_object_end(j);
}
