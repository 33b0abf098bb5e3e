/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "libspin/libspin.h"

#include "event.h"
#include "template.h"
#include "vector.h"

#define WORD_SHOWN_MAX 32 /* of a word that is none: a file of another kind may have long ones */

struct reader {
	struct vector *v;
	struct vector_step *step; /* the one being read */
	struct template template;
	enum { NOTHING, PACKET, EXPECT } filling;
	int templated; /* a template line was seen since `packet` or `expect` */
	int expected;  /* the packet has its `expect` */
	unsigned line; /* 0: the sentence is about none */
};

static int take_frame(struct reader *r, uint8_t **to, uint32_t *bytes)
{
	int err = template_finish(&r->template);

	if (err)
		return err;
	*to = malloc(r->template.bytes);
	if (!*to)
		return engine_fail(-ENOMEM, "no memory");
	memcpy(*to, r->template.frame, r->template.bytes);
	*bytes = r->template.bytes;
	return 0;
}

/* Ends the packet or expectation that is being filled. */
static int finish(struct reader *r)
{
	int filling = r->filling;

	r->filling = NOTHING;
	if (filling == PACKET)
		return take_frame(r, &r->step->in, &r->step->in_bytes);
	if (filling == EXPECT && r->templated)
		return take_frame(r, &r->step->out, &r->step->out_bytes);
	if (filling == EXPECT && r->step->verdict != SPIN_VERDICT_DROP && !r->step->out)
		return engine_fail(-EINVAL, "write what comes out, or `unchanged`");
	return 0;
}

static int add_edit(struct vector_edits *edits, const char *table, const char *text)
{
	struct vector_edit *edit = &edits->edit[edits->count];

	if (edits->count == VECTOR_EDITS_MAX)
		return engine_fail(-EINVAL, "more than %d changes", VECTOR_EDITS_MAX);
	edit->table = table ? strdup(table) : NULL;
	edit->text = strdup(text);
	edits->count++;
	return 0;
}

/* `set PATH=VALUE`, `entry TABLE FIELDS`; the same behind `after`. */
static int read_edit(struct vector_edits *edits, char *rest, int is_entry)
{
	char *fields = rest + strcspn(rest, " \t");

	if (!is_entry)
		return add_edit(edits, NULL, rest);
	if (!*fields)
		return engine_fail(-EINVAL, "write: entry TABLE FIELD=VALUE...");
	*fields++ = '\0';
	return add_edit(edits, rest, fields);
}

static int start_step(struct reader *r)
{
	/* changes may have begun the step */
	if (r->step && !r->step->in)
		return 0;
	if (r->v->count == VECTOR_STEPS_MAX)
		return engine_fail(-EINVAL, "more than %d packets", VECTOR_STEPS_MAX);
	r->step = &r->v->step[r->v->count++];
	return 0;
}

static int read_expect(struct reader *r, char *rest)
{
	for (int i = 0; i < SPIN_REASON_COUNT; i++) {
		enum spin_verdict verdict = spin_reason_verdict((enum spin_reason)i);
		char both[64];

		snprintf(both, sizeof(both), "%s %s", spin_verdict_name(verdict),
			 spin_reason_name((enum spin_reason)i));
		if (strcmp(rest, both))
			continue;
		r->step->verdict = verdict;
		r->step->reason = (enum spin_reason)i;
		return 0;
	}
	return engine_fail(-EINVAL, "'%s' is no verdict with a reason of its own", rest);
}

static int read_event(struct reader *r, const char *rest)
{
	for (uint32_t t = SPIN_EVENT_FAIL; t <= SPIN_EVENT_BAD_RETURN; t++) {
		for (uint32_t k = SPIN_KIND_HEADER; k <= SPIN_KIND_COMPLETION; k++) {
			char both[EVENT_TEXT_MAX];

			event_text(t, k, both);
			if (strcmp(rest, both))
				continue;
			r->step->event = t;
			r->step->event_handler = k;
			return 0;
		}
	}
	return engine_fail(-EINVAL, "'%s' is no event with a handler", rest);
}

static int read_unchanged(struct reader *r)
{
	if (r->filling != EXPECT)
		return engine_fail(-EINVAL, "`unchanged` belongs behind `expect`");
	if (r->templated || r->step->out)
		return engine_fail(-EINVAL, "one frame comes out: a template or `unchanged`, once");
	r->step->out = malloc(r->step->in_bytes);
	if (!r->step->out)
		return engine_fail(-ENOMEM, "no memory");
	memcpy(r->step->out, r->step->in, r->step->in_bytes);
	r->step->out_bytes = r->step->in_bytes;
	return 0;
}

static int second(const char *word)
{
	return engine_fail(-EINVAL, "a second %s for one packet; a line 'packet' may be missing", word);
}

static int read_line(struct reader *r, char *line)
{
	size_t word = strcspn(line, " \t"), word_shown = word < WORD_SHOWN_MAX ? word : WORD_SHOWN_MAX;
	char *rest = line + word + strspn(line + word, " \t");
	int rc;

	if (r->filling != NOTHING) {
		rc = template_line(&r->template, line);
		r->templated |= rc == 1;
		if (rc == 1 && r->step->out)
			return engine_fail(-EINVAL, "one frame comes out: a template or `unchanged`, once");
		if (rc)
			return rc < 0 ? rc : 0;
	}
#define IS(name) (word == sizeof(name) - 1 && !strncmp(line, name, word))
	if (IS("unchanged"))
		return read_unchanged(r);
	rc = finish(r);
	if (rc)
		return rc;
	if (IS("handler")) {
		snprintf(r->v->handler, sizeof(r->v->handler), "%s", rest);
		return 0;
	}
	if (IS("rule"))
		return spin_rule__parse(rest, &r->v->rule) ? engine_fail(-EINVAL, "%s", spin_strerror_last()) : 0;
	if (IS("set") || IS("entry")) {
		rc = start_step(r);
		return rc ? rc : read_edit(&r->step->before, rest, IS("entry"));
	}
	if (IS("packet")) {
		rc = start_step(r);
		r->filling = PACKET;
		r->expected = 0;
		r->step->line = r->line;
	} else if (!r->step || !r->step->in) {
		return engine_fail(-EINVAL, "'%.*s' before %s packet", (int)word_shown, line,
				   r->step && r->v->count > 1 ? "its" : "the first");
	} else if (IS("expect")) {
		if (r->expected)
			return second("expect");
		rc = read_expect(r, rest);
		r->expected = 1;
		r->filling = EXPECT;
	} else if (IS("event")) {
		return r->step->event ? second("event") : read_event(r, rest);
	} else if (IS("after")) {
		rc = strncmp(rest, "entry ", 6) ? 0 : 6;
		return read_edit(&r->step->after, rest + rc, rc);
	} else {
		return engine_fail(-EINVAL, "'%.*s' is not known here", (int)word_shown, line);
	}
	template_start(&r->template);
	r->templated = 0;
	return rc;
}

static int check_whole(struct reader *r)
{
	const struct vector *v = r->v;

	for (unsigned i = 0; i < v->count; i++) {
		const struct vector_step *step = &v->step[i];

		r->line = step->line ? step->line : r->line;
		if (!step->in || (step->verdict != SPIN_VERDICT_DROP && !step->out))
			return engine_fail(-EINVAL, "packet %u has no expectation", i + 1);
	}
	r->line = 0;
	if (!v->handler[0])
		return engine_fail(-EINVAL, "no handler: the first line is `handler NAME`");
	return v->count ? 0 : engine_fail(-EINVAL, "no packet");
}

int vector_read(const char *path, struct vector **out)
{
	struct reader r = { .v = calloc(1, sizeof(*r.v)) };
	FILE *file = fopen(path, "re");
	size_t room = 0;
	char *line = NULL, sentence[512];
	int err = 0;

	*out = NULL;
	if (!file || !r.v) {
		free(r.v);
		if (file)
			fclose(file);
		return engine_fail(-ENOENT, "cannot read %s", path);
	}
	r.v->path = strdup(path);
	r.v->rule.protocol = 17;
	while (!err && getline(&line, &room, file) >= 0) {
		char *text = line + strspn(line, " \t");

		r.line++;
		text[strcspn(text, "#\n")] = '\0';
		for (size_t n = strlen(text); n && strchr(" \t", text[n - 1]); n--)
			text[n - 1] = '\0';
		if (*text)
			err = read_line(&r, text);
	}
	if (!err)
		err = finish(&r);
	if (!err)
		err = check_whole(&r);
	free(line);
	fclose(file);
	if (err) {
		printable(sentence, sizeof(sentence), engine_why());
		vector_free(r.v);
		return r.line ? engine_fail(err, "%s:%u: %s", path, r.line, sentence) :
				engine_fail(err, "%s: %s", path, sentence);
	}
	*out = r.v;
	return 0;
}

static void free_edits(struct vector_edits *edits)
{
	for (unsigned i = 0; i < edits->count; i++) {
		free(edits->edit[i].table);
		free(edits->edit[i].text);
	}
}

void vector_free(struct vector *v)
{
	if (!v)
		return;
	for (unsigned i = 0; i < v->count; i++) {
		free_edits(&v->step[i].before);
		free_edits(&v->step[i].after);
		free(v->step[i].in);
		free(v->step[i].out);
	}
	free(v->path);
	free(v);
}
