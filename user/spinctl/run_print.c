/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <arpa/inet.h>
#include <inttypes.h>

#include "run.h"

void run_print__start(const struct run_printer *p)
{
	struct json j;

	if (!p->json) {
		printf("%s on %s, rule: %s\n", p->handler, p->device, p->rule);
		return;
	}
	json_begin(&j, stdout, 0);
	json_object(&j, NULL);
	json_string(&j, "type", "start");
	json_string(&j, "handler", p->handler);
	json_string(&j, "device", p->device);
	json_string(&j, "rule", p->rule);
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

/* Fields of state and tables that are not zero. */
static void print_state(const struct run_printer *p, struct json *j)
{
	const char *name;

	if (j)
		json_object(j, "state");
	else
		puts("");
	for (unsigned i = 0; (name = spin_ctx__symbol_name(p->ctx, i)); i++)
		spin_ctx__fields(p->ctx, name, 0, j ? field_json : field_text, j);
	if (j)
		json_object_end(j);
}

static void report_json(const struct run_printer *p, const struct run_report *r)
{
	struct json j;

	json_begin(&j, stdout, 0);
	json_object(&j, NULL);
	json_string(&j, "type", r->final ? "final" : "interval");
	json_double(&j, "time_s", r->time_s);
	json_double(&j, "interval_s", r->interval_s);
	json_uint(&j, "interval_packets", counters__sum(r->in_interval));
	counters__json(&j, r->packets);
	if (r->final && p->state)
		print_state(p, &j);
	json_object_end(&j);
	json_end(&j);
}

static void report_text(const struct run_printer *p, const struct run_report *r)
{
	uint64_t n = counters__sum(r->in_interval);

	if (r->final) {
		printf("\n%s on %s for %.1f s\n", p->handler, p->device, r->time_s);
		counters__text(r->packets);
		if (p->state)
			print_state(p, NULL);
		return;
	}
	printf("%8.1f s %12" PRIu64 " packets %12.0f packets/s", r->time_s, n,
	       r->interval_s > 0 ? (double)n / r->interval_s : 0);
	for (unsigned i = 0; i < SPIN_REASON_COUNT; i++)
		if (r->in_interval[i])
			printf("  %s %" PRIu64, spin_reason_name(i), r->in_interval[i]);
	putchar('\n');
}

void run_print__report(const struct run_printer *p, const struct run_report *r)
{
	if (p->json)
		report_json(p, r);
	else
		report_text(p, r);
	fflush(stdout);
}

static const char *event_name(uint32_t type)
{
	switch (type) {
	case SPIN_EVENT_FAIL:       return "fail";
	case SPIN_EVENT_SEGV:       return "segv";
	case SPIN_EVENT_BAD_RETURN: return "bad_return";
	}
	return "unknown";
}

static const char *handler_name(uint32_t kind)
{
	switch (kind) {
	case SPIN_KIND_HEADER:     return "header";
	case SPIN_KIND_PAYLOAD:    return "payload";
	case SPIN_KIND_COMPLETION: return "completion";
	}
	return "unknown";
}

void run_print__event(void *arg, const struct spin_event *event)
{
	const struct run_printer *p = arg;
	char source[INET6_ADDRSTRLEN] = "?";
	struct json j;

	inet_ntop(event->ip_version == 4 ? AF_INET : AF_INET6, event->src_addr, source, sizeof(source));
	if (!p->json) {
		printf("event: %s in the %s handler on HPU %u: datagram of %u bytes from %s port %u to port %u\n",
		       event_name(event->type), handler_name(event->handler), event->hpu, event->length,
		       source, event->src_port, event->dst_port);
		return;
	}
	json_begin(&j, stdout, 0);
	json_object(&j, NULL);
	json_string(&j, "type", "event");
	json_string(&j, "event", event_name(event->type));
	json_string(&j, "handler", handler_name(event->handler));
	json_uint(&j, "hpu", event->hpu);
	json_string(&j, "source", source);
	json_uint(&j, "source_port", event->src_port);
	json_uint(&j, "destination_port", event->dst_port);
	json_uint(&j, "length_bytes", event->length);
	json_object_end(&j);
	json_end(&j);
}
