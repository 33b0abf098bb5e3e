/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Parses the lines of a vector (a test as text) about the options with which handlers are loaded: limits and timeouts of messages, and the
 * size of host memory. Called by line.c, which selects the parser by a line's first word. The value 0 is refused, since it would select the
 * default.
 */
#include <errno.h>
#include <string.h>

#include "user/conformance/template/number.h"
#include "user/conformance/vector/reader.h"

static int parse_number(char *rest, const char *what, uint64_t max, uint64_t *out)
{
	const char *word = vector_next(&rest);

	if (!word || vector_next(&rest))
		return engine_fail(-EINVAL, "write: %s N", what);
	if (template_number(word, what, max, out))
		return -EINVAL;
	return *out ? 0 : engine_fail(-EINVAL, "%s 0 would be the default", what);
}

/* Parses a line WORD N: its word selects the option, and the largest value allowed. */
static int read_number(struct vector_reader *r, char *line, int *found)
{
	struct spin_message_opts *opts = &r->v->context.message;
	const struct {
		const char *word;
		uint64_t max;
		unsigned *to;
	} numbers[] = {
		{ "messages", SPIN_MPQS_MAX, &opts->messages }, { "parking", SPIN_PARKING_MAX, &opts->parking },
		{ "window", SPIN_WINDOW_MAX, &opts->window },   { "idle", UINT32_MAX, &opts->idle_ms },
		{ "age", UINT32_MAX, &opts->age_ms },           { "tombstone", UINT32_MAX, &opts->tombstone_ms },
	};
	uint64_t value;
	char *rest;

	for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (!vector_word(line, numbers[i].word, &rest))
			continue;
		*found = 1;
		if (parse_number(rest, numbers[i].word, numbers[i].max, &value))
			return -EINVAL;
		*numbers[i].to = (unsigned)value;
		return 0;
	}
	return 0;
}

/* Returns 1 for `host BYTES`, the size of the context's host memory; `host OFFSET BYTES` is a change. */
static int is_host_size(char *line, char **rest)
{
	return vector_word(line, "host", rest) && !(*rest)[strcspn(*rest, " \t")];
}

int vector_read_segment(const char *word, struct spin_segment *segment, unsigned *count)
{
	uint64_t start, length;
	char first[32];
	size_t digits = strcspn(word, "+");

	if (!word[digits] || digits >= sizeof(first))
		return engine_fail(-EINVAL, "'%.32s' is not a segment: write START+LENGTH", word);
	if (*count == SPIN_SEGMENTS_MAX)
		return engine_fail(-EINVAL, "more than %u segments", SPIN_SEGMENTS_MAX);
	memcpy(first, word, digits);
	first[digits] = '\0';
	if (template_number(first, "start in host memory", UINT32_MAX, &start) ||
	    template_number(word + digits + 1, "length of a segment", UINT32_MAX, &length))
		return -EINVAL;
	segment[(*count)++] = (struct spin_segment){ (uint32_t)start, (uint32_t)length };
	return 0;
}

/* handler_mem START+LENGTH... */
static int read_handler_mem(struct vector *v, char *rest)
{
	struct spin_message_opts *opts = &v->context.message;
	const char *word;
	int err = *rest ? 0 : engine_fail(-EINVAL, "write: handler_mem START+LENGTH...");

	while (!err && (word = vector_next(&rest)))
		err = vector_read_segment(word, v->handler_mem, &opts->handler_segments);
	opts->handler_mem = v->handler_mem;
	return err;
}

int vector_read_context(struct vector_reader *r, char *line)
{
	struct spin_message_opts *opts = &r->v->context.message;
	int found = 0, is_host_memory = 0, is_class = 0, err = read_number(r, line, &found);
	uint64_t bytes;
	char *rest;

	if (!found && is_host_size(line, &rest)) {
		found = is_host_memory = 1;
		err = parse_number(rest, "host", SPIN_HOST_BYTES_MAX, &bytes);
		if (!err)
			opts->host_bytes = bytes;
	}
	if (!found && vector_word(line, "handler_mem", &rest)) {
		found = is_host_memory = 1;
		err = read_handler_mem(r->v, rest);
	}
	if (!strcmp(line, "put"))
		found = opts->put = 1;
	if (!strcmp(line, "no_entry"))
		found = opts->no_entry = 1;
	if (!strcmp(line, "trusted"))
		found = is_class = r->v->trusted = 1;
	if (found && !err && r->v->count)
		return engine_fail(-EINVAL, "'%.32s' belongs before the first packet", line);
	r->v->of_messages |= found && !is_host_memory && !is_class;
	r->v->of_host_memory |= is_host_memory;
	return err ? err : found;
}
