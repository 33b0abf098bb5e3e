/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads a vector from its file, and checks it as a whole. A vector is a test as text: packets in, and the packets, verdicts and memory
 * expected of a handler. Called by spinctl test and tests/vectors/run.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/lib/printable.h"

#include "user/conformance/vector/reader.h"

static int check_vector(struct vector_reader *r)
{
	struct vector *v = r->v;
	int err = vector_complete_events(v, &r->line);

	for (unsigned i = 0; i < v->count && !err; i++) {
		const struct vector_step *step = &v->step[i];

		r->line = step->line ? step->line : r->line;
		if (step->kind == STEP_PACKET && (!step->in || (step->verdict != SPIN_VERDICT_DROP && !step->out)))
			return engine_fail(-EINVAL, "packet %u has no expectation", step->number ? step->number : r->packets + 1);
	}
	if (err)
		return err;
	r->line = 0;
	if (!v->handler[0])
		return engine_fail(-EINVAL, "no handler: the first line is `handler NAME`");
	return r->packets ? 0 : engine_fail(-EINVAL, "no packet");
}

static int read_lines(struct vector_reader *r, FILE *file)
{
	size_t room = 0;
	char *line = NULL;
	int err = 0;

	while (!err && getline(&line, &room, file) >= 0) {
		char *text = line + strspn(line, " \t");

		r->line++;
		text[strcspn(text, "#\n")] = '\0';
		for (size_t n = strlen(text); n && strchr(" \t", text[n - 1]); n--)
			text[n - 1] = '\0';
		if (*text)
			err = vector_read_line(r, text);
	}
	free(line);
	return err ? err : vector_finish_frame(r);
}

int vector_read(const char *path, struct vector **out)
{
	struct vector_reader *r = calloc(1, sizeof(*r));
	struct vector *v = calloc(1, sizeof(*v));
	FILE *file = fopen(path, "re");
	char reason[512];
	unsigned line = 0;
	int err = 0;

	*out = NULL;
	if (!r || !v || !file) {
		err = file ? engine_fail(-ENOMEM, "no memory") : engine_fail(-ENOENT, "cannot read %s", path);
		free(r);
		free(v);
		if (file)
			fclose(file);
		return err;
	}
	r->v = v;
	v->path = strdup(path);
	v->context.message.host_bytes = VECTOR_HOST_BYTES;
	template_start(&r->headers);
	err = read_lines(r, file);
	fclose(file);
	if (!err)
		err = check_vector(r);
	line = r->line;
	free(r);
	if (err) {
		printable(reason, sizeof(reason), engine_error());
		vector_free(v);
		return line ? engine_fail(err, "%s:%u: %s", path, line, reason) : engine_fail(err, "%s: %s", path, reason);
	}
	*out = v;
	return 0;
}

void vector_step_name(const struct vector_step *step, char *text, size_t bytes)
{
	if (step->kind == STEP_CLOCK && step->now_ns % 1000000)
		snprintf(text, bytes, "clock %lluns", (unsigned long long)step->now_ns);
	else if (step->kind == STEP_CLOCK)
		snprintf(text, bytes, "clock %llu", (unsigned long long)step->now_ns / 1000000);
	else
		snprintf(text, bytes, "packet %u", step->number);
}

void vector_free(struct vector *v)
{
	if (!v)
		return;
	for (unsigned i = 0; i < v->count; i++) {
		vector_free_changes(&v->step[i].before);
		vector_free_changes(&v->step[i].after);
		for (unsigned n = 0; n < v->step[i].send_count; n++)
			free(v->step[i].send[n].frame);
		free(v->step[i].send);
		free(v->step[i].event);
		free(v->step[i].in);
		free(v->step[i].out);
	}
	free(v->step);
	free(v->path);
	free(v);
}
