/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Options of handlers that take messages of many packets (--messages, --entry and others): converts them to struct spin_message_opts of
 * libspin, and prints their counters and events. Called by spinctl run, record and status.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <spin/return.h>
#include <stdlib.h>
#include <string.h>

#include "user/conformance/event.h"
#include "user/lib/number.h"
#include "user/spinctl/run/message.h"

#define REPORTED 1 /* an invalid word that has been reported */

int run_message__has_options(const struct message_options *o)
{
	return o->messages || o->window || o->idle_s > 0 || o->age_s > 0 || o->tombstone_s > 0 || o->put || o->entries.count;
}

/* Converts seconds to milliseconds, at least 1, because 0 selects the default. */
static int parse_ms(const char *option, double seconds, unsigned *out)
{
	if (seconds > INT_MAX / 1000)
		return report_error("--%s %g: write fewer seconds", option, seconds);
	*out = (unsigned)(seconds * 1000 + 0.5);
	*out += seconds > 0 && !*out;
	return DONE;
}

int run_message__convert(const struct message_options *o, int messages, struct run_memory *memory, struct spin_message_opts *out)
{
	int status;

	memset(out, 0, sizeof(*out));
	out->host_bytes = (size_t)o->host_kib << 10;
	if (o->handler_mem && messages && o->entries.count)
		return report_error("--handler-mem is the first entry's, and --entry posts others: write mem=%s there", o->handler_mem);
	if (o->handler_mem && run_memory__parse("--handler-mem", o->handler_mem, memory))
		return FAILED;
	if (o->handler_mem) {
		out->handler_mem = memory->segment;
		out->handler_segments = memory->segments;
	}
	if (!messages)
		return DONE;
	out->messages = o->messages;
	out->window = o->window;
	out->put = o->put;
	out->no_entry = o->no_entry || o->entries.count > 0;
	status = parse_ms("idle", o->idle_s, &out->idle_ms);
	if (!status)
		status = parse_ms("age", o->age_s, &out->age_ms);
	return status ? status : parse_ms("tombstone", o->tombstone_s, &out->tombstone_ms);
}

/* Parses one word of an entry: "match=0x10", "once", "no-header"; mem= fills *memory. Returns 0, -EINVAL or REPORTED. */
static int parse_word(const char *word, struct spin_me_opts *me, struct run_memory *memory)
{
	uint64_t number = 0;
	int err = -EINVAL;

	if (!strcmp(word, "once")) {
		me->options |= SPIN_ME_USE_ONCE;
		err = 0;
	} else if (!strcmp(word, "whole")) {
		me->options |= SPIN_ME_NO_TRUNCATE;
		err = 0;
	} else if (!strcmp(word, "get")) {
		me->options |= SPIN_ME_OP_GET;
		err = 0;
	} else if (!strcmp(word, "local")) {
		me->options |= SPIN_ME_MANAGE_LOCAL;
		err = 0;
	} else if (!strcmp(word, "overflow")) {
		me->options |= SPIN_ME_OVERFLOW;
		err = 0;
	} else if (!strncmp(word, "min-free=", 9)) {
		err = number__read(word + 9, UINT32_MAX, &number);
		me->min_free = (uint32_t)number;
	} else if (!strcmp(word, "no-header")) {
		me->options |= SPIN_ME_NO_HEADER;
		err = 0;
	} else if (!strcmp(word, "no-payload")) {
		me->options |= SPIN_ME_NO_PAYLOAD;
		err = 0;
	} else if (!strcmp(word, "no-completion")) {
		me->options |= SPIN_ME_NO_COMPLETION;
		err = 0;
	} else if (!strncmp(word, "match=", 6)) {
		err = number__read(word + 6, UINT64_MAX, &me->match_bits);
	} else if (!strncmp(word, "ignore=", 7)) {
		err = number__read(word + 7, UINT64_MAX, &me->ignore_bits);
	} else if (!strncmp(word, "from=", 5)) {
		me->source.ip_version = strchr(word, ':') ? 6 : 4;
		err = inet_pton(strchr(word, ':') ? AF_INET6 : AF_INET, word + 5, me->source.addr) == 1 ? 0 : -EINVAL;
	} else if (!strncmp(word, "port=", 5)) {
		err = number__read(word + 5, UINT16_MAX, &number);
		me->source.port = htons((uint16_t)number);
	} else if (!strncmp(word, "start=", 6)) {
		err = number__read(word + 6, UINT32_MAX, &number);
		me->start = (uint32_t)number;
	} else if (!strncmp(word, "length=", 7)) {
		err = number__read(word + 7, UINT32_MAX, &number);
		me->length = (uint32_t)number;
	} else if (!strncmp(word, "mem=", 4)) {
		if (run_memory__parse("--entry mem", word + 4, memory))
			return REPORTED;
		me->handler_mem = memory->segment;
		me->handler_segments = memory->segments;
		err = 0;
	}
	return err;
}

static int parse_entry(const char *words, struct spin_me_opts *me, struct run_memory *memory)
{
	char *copy = strdup(words), *rest = copy, *word;
	int status = copy ? DONE : report_error("no memory"), err;

	*me = (struct spin_me_opts){ .bytes = sizeof(*me), .ignore_bits = strstr(words, "match=") ? 0 : UINT64_MAX };
	while (!status && (word = strsep(&rest, " \t")))
		if (*word && (err = parse_word(word, me, memory)))
			status =
				err == REPORTED
					? FAILED
					: report_error(
						  "--entry '%s': '%s' is none of match=BITS, ignore=BITS, from=ADDRESS, port=PORT, start=BYTES, "
						  "length=BYTES, min-free=BYTES, mem=START+LENGTH, once, whole, get, local, overflow, no-header, no-payload, no-completion",
						  words, word);
	free(copy);
	return status;
}

/* Checks the entry against host memory. libspin would name a field of its struct instead of the option. */
static int check_room(const char *words, const struct spin_me_opts *me, struct spin_ctx *ctx)
{
	size_t have;
	void *memory;

	if (spin_ctx__host_memory(ctx, &memory, &have))
		return report_error("--entry '%s': %s", words, spin_strerror_last());
	if (me->start >= have)
		return report_error("--entry '%s': starts beyond the %zu bytes of host memory; give more with --host-kib", words, have);
	if ((uint64_t)me->start + me->length > have)
		return report_error("--entry '%s': ends at byte %llu, beyond the %zu bytes of host memory; give more with --host-kib %llu",
				    words, (unsigned long long)me->start + me->length, have,
				    ((unsigned long long)me->start + me->length + 1023) >> 10);
	return DONE;
}

int run_message__post(const struct message_options *o, struct spin_ctx *ctx)
{
	for (unsigned i = 0; i < o->entries.count; i++) {
		struct run_memory memory;
		struct spin_me_opts me;
		unsigned index;

		if (parse_entry(o->entries.items[i], &me, &memory))
			return FAILED;
		if (check_room(o->entries.items[i], &me, ctx))
			return FAILED;
		if (spin_ctx__me_append(ctx, &me, &index))
			return report_error("--entry '%s': %s", o->entries.items[i], spin_strerror_last());
	}
	return DONE;
}

static int count(void *arg, const struct spin_message_info *message)
{
	(void)message;
	++*(unsigned *)arg;
	return 0;
}

void run_message__stats_text(const struct spin_message_stats *stats, unsigned in_flight)
{
	printf("messages: %" PRIu64 " opened, %" PRIu64 " completed, %" PRIu64 " evicted, %u in flight; parked packets: %" PRIu64
	       " handled, %" PRIu64 " lost",
	       stats->opened, stats->completed, stats->evicted, in_flight, stats->replayed, stats->replay_lost);
	if (stats->pressed)
		printf("; %" PRIu64 " of those evicted made room for others", stats->pressed);
	if (stats->events_lost)
		printf("; %" PRIu64 " events found no room", stats->events_lost);
	if (stats->events_full)
		printf("; %" PRIu64 " packets waited for room for their message's event", stats->events_full);
	putchar('\n');
}

void run_message__stats_json(struct json *j, const struct spin_message_stats *stats, unsigned in_flight)
{
	json_object(j, "messages");
	json_uint(j, "opened", stats->opened);
	json_uint(j, "completed", stats->completed);
	json_uint(j, "evicted", stats->evicted);
	json_uint(j, "evicted_for_others", stats->pressed);
	json_uint(j, "in_flight", in_flight);
	json_uint(j, "parked_packets_handled", stats->replayed);
	json_uint(j, "parked_packets_lost", stats->replay_lost);
	json_uint(j, "events_lost", stats->events_lost);
	json_uint(j, "packets_without_room_for_events", stats->events_full);
	json_object_end(j);
}

/* Returns 0 if the context takes datagrams. */
static int read_stats(struct spin_ctx *ctx, struct spin_message_stats *stats, unsigned *in_flight)
{
	*in_flight = 0;
	return !spin_ctx__message_stats(ctx, stats) && !spin_ctx__messages(ctx, count, in_flight);
}

void run_message__text(struct spin_ctx *ctx)
{
	struct spin_message_stats stats;
	unsigned in_flight;

	if (read_stats(ctx, &stats, &in_flight))
		run_message__stats_text(&stats, in_flight);
}

void run_message__json(struct json *j, struct spin_ctx *ctx)
{
	struct spin_message_stats stats;
	unsigned in_flight;

	if (read_stats(ctx, &stats, &in_flight))
		run_message__stats_json(j, &stats, in_flight);
}

static void text_length(const struct spin_event *e)
{
	if (e->length != SPIN_LENGTH_UNKNOWN)
		printf(" of %u bytes", e->length);
}

/* Prints how a message ended. */
static void text_end(const struct spin_event *e)
{
	if (e->me < SPIN_MES_MAX)
		printf(", entry %u", e->me);
	if (e->offset)
		printf(" from byte %u on", e->offset);
	if (e->match_bits)
		printf(", match bits 0x%" PRIx64, e->match_bits);
	if (e->hdr_data)
		printf(", header data 0x%" PRIx64, e->hdr_data);
	if (e->deposited_bytes)
		printf(", %u bytes deposited", e->deposited_bytes);
	if (e->dropped_bytes)
		printf(", %u bytes dropped", e->dropped_bytes);
	if (e->flags & SPIN_EVENT_FLOW_CONTROL)
		printf(", flow control");
	if (e->flags & SPIN_EVENT_FAILED)
		printf(", a handler failed");
	if (e->flags & SPIN_EVENT_DROPPED)
		printf(", header handler: drop");
	if (e->flags & SPIN_EVENT_PROCEEDED)
		printf(", header handler: proceed");
	if (e->flags & SPIN_EVENT_REFUSED)
		printf(", refused: longer than its entry");
	if (e->flags & SPIN_EVENT_GET)
		printf(", a get");
	if (e->flags & SPIN_EVENT_ATOMIC)
		printf(", an atomic");
	if (e->flags & SPIN_EVENT_UNLINKED)
		printf(", entry unlinked");
}

void run_message__event_text(const struct spin_event *e, const char *source)
{
	const int ends = !event_has_handler(e->type);

	if (ends)
		printf("%s: message %u", e->type == SPIN_EVENT_MESSAGE ? "complete" : "timed out", e->message_id);
	else
		printf("%s in the %s handler: message %u", event_name(e->type), event_handler_name(e->handler), e->message_id);
	text_length(e);
	printf(" from %s port %u to port %u on HPU %u", source, e->src_port, e->dst_port, e->hpu);
	if (ends)
		text_end(e);
	if (e->type == SPIN_EVENT_WORK) {
		char item[EVENT_ITEM_MAX];

		event_item(e, item);
		printf(": %s", item);
	}
	putchar('\n');
}

void run_message__event_json(struct json *j, const struct spin_event *e)
{
	const char *flag;

	json_uint(j, "message_id", e->message_id);
	if (e->me < SPIN_MES_MAX)
		json_uint(j, "entry", e->me);
	else
		json_string(j, "entry", NULL);
	json_uint(j, "offset_bytes", e->offset);
	json_uint(j, "dropped_bytes", e->dropped_bytes);
	json_uint(j, "deposited_bytes", e->deposited_bytes);
	if (e->type == SPIN_EVENT_WORK) /* the item occupies the fields below */
		return;
	json_uint(j, "match_bits", e->match_bits);
	json_uint(j, "header_data", e->hdr_data);
	json_array(j, "flags");
	for (unsigned i = 0; (flag = event_flag_name(i)); i++)
		if (e->flags >> i & 1)
			json_string(j, NULL, flag);
	json_array_end(j);
}
