/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Prints the messages in flight (their packets are still arriving) as text and as JSON, for spinctl mpq. Called by mpq.c. Both have the
 * same values in the same order.
 */
#include <arpa/inet.h>
#include <inttypes.h>

#include "user/spinctl/mpq/mpq.h"

static void format_source(const struct spin_message_info *m, char *text, size_t bytes)
{
	char address[INET6_ADDRSTRLEN] = "?";

	inet_ntop(m->ip_version == 4 ? AF_INET : AF_INET6, m->src_addr, address, sizeof(address));
	snprintf(text, bytes, m->ip_version == 4 ? "%s:%u" : "[%s]:%u", address, m->src_port);
}

static void text_message(const struct spin_message_info *m)
{
	char from[INET6_ADDRSTRLEN + 16], packets[32], entry[16];

	format_source(m, from, sizeof(from));
	if (m->packets_total)
		snprintf(packets, sizeof(packets), "%u of %u", m->packets, m->packets_total);
	else
		snprintf(packets, sizeof(packets), "%u", m->packets);
	snprintf(entry, sizeof(entry), m->me < SPIN_MES_MAX ? "%u" : "-", m->me);
	printf("  %-28s %10u  %-7s %9.1f %9.1f  %-20s %7u %7u %10u  %5s%s\n", from, m->message_id, spin_message_phase_name(m->phase),
	       m->age_ms / 1000.0, m->idle_ms / 1000.0, packets, m->lowest_missing, m->parked, m->dropped_bytes, entry,
	       m->flow_control ? "  flow control" : "");
}

static void text_context(const struct mpq_context *c)
{
	printf("%s on %s, rule: %s", c->name, c->device, c->rule);
	if (c->owner_pid)
		printf(", process %d", c->owner_pid);
	printf("\n  messages: %u in flight of at most %u, %" PRIu64 " completed, %" PRIu64 " evicted; parked packets: %" PRIu64
	       " handled, %" PRIu64 " lost",
	       c->messages, c->mpqs, c->stats.completed, c->stats.evicted, c->stats.replayed, c->stats.replay_lost);
	if (c->stats.events_lost)
		printf("; %" PRIu64 " events lost", c->stats.events_lost);
	putchar('\n');
	run_memory__counters_text("  ", c->ct);
	if (!c->messages)
		return;
	printf("  %-28s %10s  %-7s %9s %9s  %-20s %7s %7s %10s  %5s\n", "source", "id", "phase", "age s", "idle s", "packets", "missing",
	       "parked", "dropped B", "entry");
	for (unsigned i = 0; i < c->messages; i++)
		text_message(&c->message[i]);
}

void mpq_print__text(const struct mpq_context *context, unsigned count)
{
	if (!count)
		puts("no context that takes messages is attached");
	for (unsigned i = 0; i < count; i++)
		text_context(&context[i]);
}

static void json_message(struct json *j, const struct spin_message_info *m)
{
	char address[INET6_ADDRSTRLEN] = "?";

	inet_ntop(m->ip_version == 4 ? AF_INET : AF_INET6, m->src_addr, address, sizeof(address));
	json_object(j, NULL);
	json_string(j, "source", address);
	json_uint(j, "source_port", m->src_port);
	json_uint(j, "message_id", m->message_id);
	json_string(j, "phase", spin_message_phase_name(m->phase));
	json_uint(j, "age_ms", m->age_ms);
	json_uint(j, "idle_ms", m->idle_ms);
	json_uint(j, "packets", m->packets);
	if (m->packets_total)
		json_uint(j, "packets_total", m->packets_total);
	else
		json_string(j, "packets_total", NULL);
	json_uint(j, "lowest_missing_packet", m->lowest_missing);
	json_uint(j, "parked_packets", m->parked);
	json_uint(j, "dropped_bytes", m->dropped_bytes);
	if (m->me < SPIN_MES_MAX)
		json_uint(j, "entry", m->me);
	else
		json_string(j, "entry", NULL);
	json_bool(j, "flow_control", (int)m->flow_control);
	json_object_end(j);
}

static void json_context(struct json *j, const struct mpq_context *c)
{
	json_object(j, NULL);
	json_string(j, "context", c->name);
	json_string(j, "device", c->device);
	json_string(j, "rule", c->rule);
	json_uint(j, "program_id", c->program_id);
	json_int(j, "owner_pid", c->owner_pid);
	json_uint(j, "messages_max", c->mpqs);
	json_uint(j, "messages_opened", c->stats.opened);
	json_uint(j, "messages_completed", c->stats.completed);
	json_uint(j, "messages_evicted", c->stats.evicted);
	json_uint(j, "messages_evicted_for_others", c->stats.pressed);
	json_uint(j, "parked_packets_handled", c->stats.replayed);
	json_uint(j, "parked_packets_lost", c->stats.replay_lost);
	json_uint(j, "events_lost", c->stats.events_lost);
	json_uint(j, "packets_without_room_for_events", c->stats.events_full);
	run_memory__counters_json(j, c->ct);
	json_array(j, "messages");
	for (unsigned i = 0; i < c->messages; i++)
		json_message(j, &c->message[i]);
	json_array_end(j);
	json_object_end(j);
}

void mpq_print__json(const struct mpq_context *context, unsigned count, int pretty)
{
	struct json j;

	json_begin(&j, stdout, pretty);
	json_object(&j, NULL);
	json_array(&j, "contexts");
	for (unsigned i = 0; i < count; i++)
		json_context(&j, &context[i]);
	json_array_end(&j);
	json_object_end(&j);
	json_end(&j);
}
