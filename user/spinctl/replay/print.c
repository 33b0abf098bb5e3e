/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Prints the results of spinctl replay as text and as JSON: packet counts by reason, and differences between engines (ways to execute a
 * handler: host, kernel, model). Called by replay.c.
 */
#include <inttypes.h>

#include "user/spinctl/replay/replay.h"

static void print_table_row(const struct replay_report *r, const char *reason, const char *verdict, uint64_t recorded,
			    const uint64_t *of_engine)
{
	printf("%-16s %-7s %12" PRIu64, reason, verdict, recorded);
	for (int kind = 0; kind < ENGINE_KINDS; kind++)
		if (r->engine[kind].ran)
			printf(" %12" PRIu64, of_engine[kind]);
	putchar('\n');
}

static void print_table(const struct replay_report *r)
{
	uint64_t of_engine[ENGINE_KINDS];

	printf("%-16s %-7s %12s", "reason", "verdict", "recorded");
	for (int kind = 0; kind < ENGINE_KINDS; kind++)
		if (r->engine[kind].ran)
			printf(" %12s", engine_name((enum engine_kind)kind));
	putchar('\n');
	for (int reason = 0; reason < SPIN_REASON_COUNT; reason++) {
		uint64_t any = r->info->counters[reason];

		for (int kind = 0; kind < ENGINE_KINDS; kind++)
			any |= of_engine[kind] = r->engine[kind].packets[reason];
		if (any)
			print_table_row(r, spin_reason_name((enum spin_reason)reason),
					counters__verdict((enum spin_reason)reason, r->messages), r->info->counters[reason], of_engine);
	}
	for (int kind = 0; kind < ENGINE_KINDS; kind++)
		of_engine[kind] = counters__sum(r->engine[kind].packets);
	print_table_row(r, "all", "", counters__sum(r->info->counters), of_engine);
}

/* Prints differences from the recording. Engines with the same differences are printed together. */
static void print_from_recording(const struct replay_report *r)
{
	int printed[ENGINE_KINDS] = { 0 };

	puts("\nThe replay differs from the recording:");
	for (int kind = 0; kind < ENGINE_KINDS; kind++) {
		const struct differences *d = &r->engine[kind].from_recording;

		if (!r->engine[kind].ran || printed[kind] || (!d->count && !d->left_out))
			continue;
		printf(" ");
		for (int other = kind; other < ENGINE_KINDS; other++) {
			if (!r->engine[other].ran || !differences_same(d, &r->engine[other].from_recording))
				continue;
			printf(" %s", engine_name((enum engine_kind)other));
			printed[other] = 1;
		}
		putchar('\n');
		differences_print(d, "    ", "recorded", stdout);
	}
	if (r->info->lost)
		printf("%" PRIu64 " packets found the ring full and are not in the recording: it cannot come to the same.\n",
		       r->info->lost);
	if (r->events_lost)
		printf("%" PRIu64 " events found no room and are not in the recording: a replay has more of them.\n", r->events_lost);
	if (r->other_handler)
		printf("The handler is another than the recorded one: what it does otherwise is among the differences.\n");
	if (r->info->hpus > 1)
		printf("Handlers ran on %u HPUs at once: the order on the wire was not the order of the handlers, so what\n"
		       "depends on that order may differ.\n",
		       r->info->hpus);
}

static void print_disagreement(const struct replay_report *r)
{
	const char *first = engine_name(r->first);

	puts("\nThe engines disagree with each other:");
	if (r->split.there) {
		printf("  packet %" PRIu64 ", at %.6f s: %s, and %s\n", r->split.packet, r->split.time_s, engine_name(r->split.kind),
		       first);
		differences_print(&r->split.differences, "    ", first, stdout);
	}
	for (int kind = 0; kind < ENGINE_KINDS; kind++) {
		const struct differences *d = &r->engine[kind].from_first;

		if (!d->count && !d->left_out)
			continue;
		printf("  memory at the end: %s, and %s\n", engine_name((enum engine_kind)kind), first);
		differences_print(d, "    ", first, stdout);
	}
}

void replay_print__text(const struct replay_report *r)
{
	unsigned ran = 0;

	for (int kind = 0; kind < ENGINE_KINDS; kind++)
		ran += r->engine[kind].ran != 0;
	printf("%s on %s, rule: %s: %" PRIu64 " packet%s in %.1f s, HPUs: %u\n\n", r->info->handler, r->info->device, r->info->rule,
	       r->info->packets, r->info->packets == 1 ? "" : "s", (double)r->info->duration_ns * 1e-9, r->info->hpus);
	print_table(r);
	if (r->messages)
		printf("\nevents recorded: %zu\n", r->events);
	if (r->disagree)
		print_disagreement(r);
	else if (ran > 1)
		puts("\nThe engines agree with each other: every packet, and memory at the end.");
	if (r->differ)
		print_from_recording(r);
	else
		printf("%sCounters%s and memory at the end are as recorded.\n", ran > 1 && !r->disagree ? "" : "\n",
		       r->messages ? ", events" : "");
}

static void differences_json(struct json *j, const char *key, const char *other, const struct differences *d)
{
	json_array(j, key);
	for (unsigned i = 0; i < d->count; i++) {
		json_object(j, NULL);
		json_string(j, "what", d->list[i].what);
		json_string(j, "got", d->list[i].got);
		json_string(j, other, d->list[i].expected);
		json_object_end(j);
	}
	json_array_end(j);
}

static void engine_json(struct json *j, const struct replay_report *r, enum engine_kind kind)
{
	const struct replay_engine *e = &r->engine[kind];

	json_object(j, NULL);
	json_string(j, "engine", engine_name(kind));
	counters__json(j, e->packets, r->messages);
	differences_json(j, "from_recording", "recorded", &e->from_recording);
	json_uint(j, "from_recording_left_out", e->from_recording.left_out);
	differences_json(j, "memory_from_first_engine", "first_engine", &e->from_first);
	json_uint(j, "memory_from_first_engine_left_out", e->from_first.left_out);
	json_object_end(j);
}

void replay_print__json(const struct replay_report *r)
{
	struct json j;

	json_begin(&j, stdout, 1);
	json_object(&j, NULL);
	json_string(&j, "file", r->path);
	json_string(&j, "handler", r->info->handler);
	json_string(&j, "device", r->info->device);
	json_string(&j, "rule", r->info->rule);
	json_double(&j, "duration_s", (double)r->info->duration_ns * 1e-9);
	json_uint(&j, "recorded_packets", r->info->packets);
	json_uint(&j, "lost_packets", r->info->lost);
	if (r->messages)
		json_uint(&j, "recorded_events", r->events);
	json_uint(&j, "hpus", r->info->hpus);
	json_object(&j, "recorded");
	counters__json(&j, r->info->counters, r->messages);
	json_object_end(&j);
	json_bool(&j, "engines_agree", !r->disagree);
	json_bool(&j, "as_recorded", !r->differ);
	json_bool(&j, "recorded_handler", !r->other_handler);
	if (r->split.there) {
		json_object(&j, "first_packet_that_differs");
		json_uint(&j, "packet", r->split.packet);
		json_double(&j, "time_s", r->split.time_s);
		json_string(&j, "engine", engine_name(r->split.kind));
		json_string(&j, "first_engine", engine_name(r->first));
		differences_json(&j, "differences", "first_engine", &r->split.differences);
		json_object_end(&j);
	}
	json_array(&j, "engines");
	for (int kind = 0; kind < ENGINE_KINDS; kind++)
		if (r->engine[kind].ran)
			engine_json(&j, r, (enum engine_kind)kind);
	json_array_end(&j);
	json_object_end(&j);
	json_end(&j);
}
