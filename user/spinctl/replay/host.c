/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The host's side of a replay (recorded traffic that runs again): sets host memory and matching entries (memory posted for messages) as
 * recorded, and compares the results and events with the recording. Called by run.c. The reader of recordings has checked only sizes, so
 * values are checked here.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/conformance/event.h"
#include "user/spinctl/replay/host.h"

static unsigned copy_segments(const struct recording_entry *entry, struct spin_segment segment[SPIN_SEGMENTS_MAX])
{
	for (unsigned i = 0; i < entry->segments; i++)
		segment[i] = (struct spin_segment){ entry->segment[i].start, entry->segment[i].length };
	return entry->segments;
}

void replay_host__options(const struct recording *recording, struct spin_message_opts *opts, struct spin_segment segment[SPIN_SEGMENTS_MAX])
{
	const struct recording_context *c = &recording->context;

	*opts = (struct spin_message_opts){ .host_bytes = (size_t)c->host_bytes };
	if (!recording->has_context)
		return;
	if (c->takes_messages) {
		opts->messages = c->messages;
		opts->parking = c->parking;
		opts->idle_ms = c->idle_ms;
		opts->age_ms = c->age_ms;
		opts->tombstone_ms = c->tombstone_ms;
		opts->put = (int)c->put;
		opts->no_entry = 1;
	} else {
		opts->handler_segments = copy_segments(&recording->host[RECORDING_BEFORE].entry[0], segment);
		opts->handler_mem = opts->handler_segments ? segment : NULL;
	}
}

/* Sets the source whose messages the entry takes. Returns 0 if no entry can have this source. */
static int copy_source(const struct recording_entry *entry, struct spin_process *source)
{
	memcpy(source->addr, entry->src, sizeof(source->addr));
	source->ip_version = (uint16_t)(entry->source & 255);
	source->port = (spin_be16)(entry->source >> 16);
	return spin_me_has_source(source);
}

/* Posts the recorded entries. A new entry gets the lowest free index, so the recorded ones must have the first indexes. */
static int post(const struct recording *recording, struct engine *e)
{
	for (unsigned i = 0; i < SPIN_MES_MAX; i++) {
		const struct recording_entry *entry = &recording->host[RECORDING_BEFORE].entry[i];
		struct spin_segment segment[SPIN_SEGMENTS_MAX];
		struct spin_me_opts opts = { .bytes = sizeof(opts),
					     .match_bits = entry->match_bits,
					     .ignore_bits = entry->ignore_bits,
					     .start = entry->start,
					     .length = entry->length,
					     .options = entry->options,
					     .min_free = entry->min_free,
					     .handler_mem = segment };
		unsigned me;
		int err;

		if (entry->state == SPIN_ME_FREE)
			continue;
		if (entry->state != SPIN_ME_OPEN || entry->used)
			return engine_fail(-EINVAL, "%s: matching entry %u is in use before the first packet: record again",
					   recording->path, i);
		if (!copy_source(entry, &opts.source))
			return engine_fail(-EINVAL, "%s: matching entry %u is for a source that cannot be", recording->path, i);
		opts.handler_segments = copy_segments(entry, segment);
		err = e->ops->me_append(e, &opts, &me);
		if (err)
			return err;
		if (me != i)
			return engine_fail(-EINVAL, "%s: matching entry %u is posted before entry %u: record again", recording->path, i,
					   me);
	}
	return 0;
}

int replay_host__start(const struct recording *recording, const struct types *types, struct engine *e)
{
	const struct recording_host *before = &recording->host[RECORDING_BEFORE];
	int err;

	if (!recording->has_context || !types->host_memory)
		return 0;
	err = e->ops->host_write(e, 0, before->mem, (size_t)recording->context.host_bytes);
	if (!err && types->messages)
		err = post(recording, e);
	for (unsigned i = 0; types->me_memory && i < (types->messages ? SPIN_MES_MAX : 1) && !err; i++) {
		const struct spin_ct ct = { .success = before->entry[i].success, .failure = before->entry[i].failure };

		if (ct.success || ct.failure)
			err = e->ops->set_ct(e, i, &ct);
	}
	return err;
}

int replay_host__recorded(const struct recording *recording, const struct types *types, struct host_image *out)
{
	const struct recording_host *after = &recording->host[RECORDING_AFTER];
	int err = host_image_alloc(types, out, (size_t)recording->context.host_bytes);

	if (err)
		return err;
	memcpy(out->memory, after->mem, out->bytes);
	for (unsigned i = 0; i < SPIN_MES_MAX; i++) {
		const struct recording_entry *entry = &after->entry[i];

		out->me[i] = (struct spin_me){ .state = entry->state,
					       .options = entry->options,
					       .match_bits = entry->match_bits,
					       .ignore_bits = entry->ignore_bits,
					       .start = entry->start,
					       .length = entry->length,
					       .messages = entry->messages,
					       .bytes = entry->bytes,
					       .src = { entry->src[0], entry->src[1] },
					       .source = entry->source,
					       .source_mask = entry->source_mask,
					       .used = entry->used,
					       .min_free = entry->min_free };
		out->ct[i] = (struct spin_ct){ .success = entry->success, .failure = entry->failure };
	}
	return 0;
}

int replay_events__add(struct replay_events *to, const struct engine_events *from)
{
	char line[EVENT_LINE_MAX];

	if (from->count > ENGINE_EVENTS_MAX)
		return engine_fail(-EPROTO, "%u events at once, more than the %d that are kept", from->count, ENGINE_EVENTS_MAX);
	for (unsigned i = 0; i < from->count; i++) {
		if (to->count == to->room) {
			size_t room = to->room ? to->room * 2 : 64;
			char **more = realloc(to->line, room * sizeof(*more));

			if (!more)
				return engine_fail(-ENOMEM, "no memory for events");
			to->line = more;
			to->room = room;
		}
		event_line(&from->event[i], line);
		to->line[to->count] = strdup(line);
		if (!to->line[to->count])
			return engine_fail(-ENOMEM, "no memory for events");
		to->count++;
	}
	return 0;
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static char **sorted(char *const *line, size_t count)
{
	char **copy = malloc((count + 1) * sizeof(*copy));

	if (copy && count) {
		memcpy(copy, line, count * sizeof(*copy));
		qsort(copy, count, sizeof(*copy), compare_lines);
	}
	return copy;
}

/* Returns how many lines at the front are equal to `like`. */
static size_t count_equal(char *const *line, size_t count, const char *like)
{
	size_t n = 0;

	while (n < count && !strcmp(line[n], like))
		n++;
	return n;
}

static void add_event(struct differences *d, const char *line, size_t want, size_t got)
{
	char what[EVENT_LINE_MAX + 8], a[32], b[32];

	if (want == got)
		return;
	snprintf(what, sizeof(what), "event %s:", line);
	snprintf(a, sizeof(a), "%zu", got);
	snprintf(b, sizeof(b), "%zu", want);
	differences_add(d, what, a, b);
}

void replay_events__differ(struct differences *d, char *const *want, size_t want_count, const struct replay_events *got)
{
	char **a = sorted(want, want_count), **b = sorted(got->line, got->count);
	size_t i = 0, j = 0;

	if (!a || !b)
		differences_add(d, "events", "no memory", "to compare them");
	while (a && b && (i < want_count || j < got->count)) {
		int a_first = j == got->count || (i < want_count && strcmp(a[i], b[j]) <= 0);
		const char *line = a_first ? a[i] : b[j];
		size_t of_a = count_equal(a + i, want_count - i, line), of_b = count_equal(b + j, got->count - j, line);

		add_event(d, line, of_a, of_b);
		i += of_a;
		j += of_b;
	}
	free(a);
	free(b);
}

void replay_events__free(struct replay_events *e)
{
	for (size_t i = 0; i < e->count; i++)
		free(e->line[i]);
	free(e->line);
	*e = (struct replay_events){ 0 };
}
