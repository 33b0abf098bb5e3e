/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Parses the lines of a vector (a test as text) about memory and matching entries (host memory posted for messages): changes that the
 * application makes, and changes expected of the handlers. Called by line.c, which selects the parser by a line's first word.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/conformance/template/number.h"
#include "user/conformance/vector/reader.h"
#include "user/conformance/vector/send.h"

static struct vector_change *add(struct vector_changes *changes, enum vector_change_kind kind)
{
	struct vector_change *list = realloc(changes->list, (changes->count + 1) * sizeof(*list));

	if (!list) {
		engine_fail(-ENOMEM, "no memory");
		return NULL;
	}
	changes->list = list;
	list += changes->count++;
	*list = (struct vector_change){ .kind = kind };
	return list;
}

/* PATH=VALUE */
static int read_field(struct vector_changes *changes, const char *text)
{
	struct vector_change *change = add(changes, CHANGE_FIELD);

	if (!change)
		return -ENOMEM;
	change->text = strdup(text);
	return change->text ? 0 : engine_fail(-ENOMEM, "no memory");
}

/* TABLE FIELD=VALUE... */
static int read_entry(struct vector_changes *changes, char *rest)
{
	char *fields = rest + strcspn(rest, " \t");
	struct vector_change *change;

	if (!*fields)
		return engine_fail(-EINVAL, "write: entry TABLE FIELD=VALUE...");
	*fields++ = '\0';
	change = add(changes, CHANGE_ENTRY);
	if (!change)
		return -ENOMEM;
	change->table = strdup(rest);
	change->text = strdup(fields);
	return change->table && change->text ? 0 : engine_fail(-ENOMEM, "no memory");
}

/* OFFSET, then bytes in the syntax of a template */
static int read_host(struct vector_changes *changes, char *rest)
{
	const char *word = vector_next(&rest);
	struct vector_change *change;
	static struct template t;
	uint64_t offset;
	int rc;

	if (!word || !*rest)
		return engine_fail(-EINVAL, "write: host OFFSET hex HEX, or other bytes as in a packet");
	if (template_number(word, "offset in host memory", SPIN_HOST_BYTES_MAX - 1, &offset))
		return -EINVAL;
	template_start(&t);
	rc = template_line(&t, rest);
	if (rc < 0)
		return rc;
	if (!rc || !t.bytes)
		return engine_fail(-EINVAL, "'%.32s' gives no bytes: write hex HEX, or others as in a packet", rest);
	change = add(changes, CHANGE_HOST);
	if (!change)
		return -ENOMEM;
	change->offset = (uint32_t)offset;
	change->bytes = malloc(t.bytes);
	if (!change->bytes)
		return engine_fail(-ENOMEM, "no memory");
	change->count = t.bytes;
	memcpy(change->bytes, t.frame, t.bytes);
	return 0;
}

static int read_index(const char *word, unsigned *me)
{
	uint64_t value;

	if (template_number(word, "matching entry", SPIN_MES_MAX - 1, &value))
		return -EINVAL;
	*me = (unsigned)value;
	return 0;
}

#define POST_WORDS                                                                                                     \
	"write: post [match N] [ignore N] [from ADDRESS PORT] [start N] [length N] [min_free N] [once] [whole] [get] " \
	"[local] [overflow] [no_HANDLER] [as N] [handler_mem START+LENGTH...]"

/* Reads segments up to the end of the line. */
static int read_handler_mem(struct vector_change *change, char **rest)
{
	const char *word;
	int err = **rest ? 0 : engine_fail(-EINVAL, POST_WORDS);

	while (!err && (word = vector_next(rest)))
		err = vector_read_segment(word, change->segment, &change->post.handler_segments);
	return err;
}

/* Returns 1 if the word is an option of `post`. */
static int read_option(const char *word, uint32_t *options)
{
	static const struct {
		const char *name;
		uint32_t option;
	} rows[] = {
		{ "once", SPIN_ME_USE_ONCE },       { "whole", SPIN_ME_NO_TRUNCATE },     { "get", SPIN_ME_OP_GET },
		{ "no_header", SPIN_ME_NO_HEADER }, { "no_payload", SPIN_ME_NO_PAYLOAD }, { "no_completion", SPIN_ME_NO_COMPLETION },
		{ "local", SPIN_ME_MANAGE_LOCAL },  { "overflow", SPIN_ME_OVERFLOW },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(word, rows[i].name)) {
			*options |= rows[i].option;
			return 1;
		}
	return 0;
}

/* The syntax is in POST_WORDS. */
static int read_post(struct vector_changes *changes, char *rest)
{
	struct vector_change *change = add(changes, CHANGE_POST);
	const char *name, *word;
	uint64_t value;

	if (!change)
		return -ENOMEM;
	change->me = SPIN_MES_MAX;
	change->post.bytes = sizeof(change->post);
	while ((name = vector_next(&rest))) {
		int wide = !strcmp(name, "match") || !strcmp(name, "ignore");

		if (read_option(name, &change->post.options))
			continue;
		if (!strcmp(name, "handler_mem")) {
			if (read_handler_mem(change, &rest))
				return -EINVAL;
			continue;
		}
		word = vector_next(&rest);
		if (word && !strcmp(name, "from")) {
			if (send_parse_process("from", word, vector_next(&rest), &change->post.source))
				return -EINVAL;
			continue;
		}
		if (word && !strcmp(name, "as")) {
			if (read_index(word, &change->me))
				return -EINVAL;
			continue;
		}
		if (!word || (!wide && strcmp(name, "start") && strcmp(name, "length") && strcmp(name, "min_free")))
			return engine_fail(-EINVAL, POST_WORDS);
		if (template_number(word, name, wide ? UINT64_MAX : UINT32_MAX, &value))
			return -EINVAL;
		if (!strcmp(name, "match"))
			change->post.match_bits = value;
		else if (wide)
			change->post.ignore_bits = value;
		else if (!strcmp(name, "min_free"))
			change->post.min_free = (uint32_t)value;
		else if (!strcmp(name, "start"))
			change->post.start = (uint32_t)value;
		else
			change->post.length = (uint32_t)value;
	}
	return 0;
}

/* N [busy] */
static int read_unlink(struct vector_changes *changes, char *rest)
{
	struct vector_change *change = add(changes, CHANGE_UNLINK);
	const char *me = vector_next(&rest), *busy = vector_next(&rest);

	if (!change)
		return -ENOMEM;
	if (!me || (busy && strcmp(busy, "busy")))
		return engine_fail(-EINVAL, "write: unlink N [busy]");
	change->busy = busy != NULL;
	return read_index(me, &change->me);
}

/* N free|open|taken [messages N bytes N] [used N] */
static int read_me(struct vector_changes *changes, char *rest)
{
	static const char *const states[] = { "free", "open", "taken" };
	struct vector_change *change = add(changes, CHANGE_ME);
	const char *me = vector_next(&rest), *state = vector_next(&rest), *name, *word;
	unsigned i = 0;

	if (!change)
		return -ENOMEM;
	while (i < 3 && state && strcmp(state, states[i]))
		i++;
	if (!state || i == 3)
		return engine_fail(-EINVAL, "write: after me N free|open|taken [messages N bytes N] [used N]");
	change->state = (enum spin_me_state)i;
	while ((name = vector_next(&rest))) {
		word = vector_next(&rest);
		if (!word || (strcmp(name, "messages") && strcmp(name, "bytes") && strcmp(name, "used")))
			return engine_fail(-EINVAL, "write: after me N free|open|taken [messages N bytes N] [used N]");
		change->counted |= name[0] != 'u';
		change->used_given |= name[0] == 'u';
		if (template_number(word, name, name[0] == 'u' ? UINT32_MAX : UINT64_MAX,
				    name[0] == 'm'   ? &change->messages
				    : name[0] == 'b' ? &change->me_bytes
						     : &change->used))
			return -EINVAL;
	}
	return read_index(me, &change->me);
}

/* N SUCCESS FAILURE */
static int read_ct(struct vector_changes *changes, char *rest)
{
	struct vector_change *change = add(changes, CHANGE_CT);
	const char *me = vector_next(&rest), *success = vector_next(&rest), *failure = vector_next(&rest);
	uint64_t good, bad;

	if (!change)
		return -ENOMEM;
	if (!failure || *rest)
		return engine_fail(-EINVAL, "write: ct ENTRY SUCCESS FAILURE");
	if (template_number(success, "count of successes", UINT32_MAX, &good) ||
	    template_number(failure, "count of failures", UINT32_MAX, &bad))
		return -EINVAL;
	change->ct = (struct spin_ct){ (uint32_t)good, (uint32_t)bad };
	return read_index(me, &change->me);
}

/* N */
static int read_seed(struct vector_changes *changes, const char *rest)
{
	struct vector_change *change = add(changes, CHANGE_SEED);
	uint64_t seed;

	if (!change)
		return -ENOMEM;
	if (template_number(rest, "seed", UINT32_MAX, &seed))
		return -EINVAL;
	change->seed = (uint32_t)seed;
	return 0;
}

int vector_is_change(char *line)
{
	char *rest;

	return vector_word(line, "seed", &rest) || vector_word(line, "set", &rest) || vector_word(line, "entry", &rest) ||
	       vector_word(line, "host", &rest) || vector_word(line, "post", &rest) || vector_word(line, "unlink", &rest) ||
	       vector_word(line, "ct", &rest);
}

int vector_read_before(struct vector_changes *changes, char *line)
{
	char *rest;

	if (vector_word(line, "set", &rest))
		return read_field(changes, rest);
	if (vector_word(line, "entry", &rest))
		return read_entry(changes, rest);
	if (vector_word(line, "host", &rest))
		return read_host(changes, rest);
	if (vector_word(line, "post", &rest))
		return read_post(changes, rest);
	if (vector_word(line, "ct", &rest))
		return read_ct(changes, rest);
	if (vector_word(line, "seed", &rest))
		return read_seed(changes, rest);
	vector_word(line, "unlink", &rest);
	return read_unlink(changes, rest);
}

int vector_read_after(struct vector_changes *changes, char *line)
{
	char *rest;

	if (vector_word(line, "entry", &rest))
		return read_entry(changes, rest);
	if (vector_word(line, "host", &rest))
		return read_host(changes, rest);
	if (vector_word(line, "me", &rest))
		return read_me(changes, rest);
	if (vector_word(line, "ct", &rest))
		return read_ct(changes, rest);
	return read_field(changes, line);
}

void vector_free_changes(struct vector_changes *changes)
{
	for (unsigned i = 0; i < changes->count; i++) {
		free(changes->list[i].table);
		free(changes->list[i].text);
		free(changes->list[i].bytes);
	}
	free(changes->list);
}
