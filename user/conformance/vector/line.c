/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads a vector (a test as text) line by line: finds the step (packet or clock) that a line belongs to, and calls the parser for the
 * line's first word. Called by read.c. An unknown or misplaced line is an error.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <spin/slmp.h>

#include <spin/libspin.h>

#include "user/conformance/template/number.h"
#include "user/conformance/vector/reader.h"
#include "user/conformance/vector/wire.h"

#define WORD_SHOWN_MAX 32 /* bytes shown of an unknown word, which may be long if the file is not a vector */
#define BLANKS         " \t"
#define TIME_NS_MAX    (UINT32_MAX * 1000000ull) /* messages have 32 bits of milliseconds */

int vector_word(char *line, const char *word, char **rest)
{
	size_t length = strcspn(line, BLANKS);

	*rest = line + length + strspn(line + length, BLANKS);
	return length == strlen(word) && !strncmp(line, word, length);
}

char *vector_next(char **rest)
{
	char *word = *rest, *end = word + strcspn(word, BLANKS);

	if (!*word)
		return NULL;
	*rest = end + strspn(end, BLANKS);
	*end = '\0';
	return word;
}

static struct vector_step *current_step(struct vector_reader *r)
{
	return r->v->count ? &r->v->step[r->v->count - 1] : NULL;
}

int vector_copy_frame(struct vector_reader *r, uint8_t **to, uint32_t *bytes)
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

/* Ends the packet, expectation or send that is being filled. */
int vector_finish_frame(struct vector_reader *r)
{
	struct vector_step *step = current_step(r);
	int filling = r->filling;

	r->filling = NOTHING;
	if (filling == HEADERS)
		r->headers = r->template;
	if (filling == PACKET)
		return vector_copy_frame(r, &step->in, &step->in_bytes);
	if (filling == EXPECT && r->templated)
		return vector_copy_frame(r, &step->out, &step->out_bytes);
	if (filling == SEND)
		return vector_finish_send(r);
	if (filling == EXPECT && step->verdict != SPIN_VERDICT_DROP && !step->out)
		return engine_fail(-EINVAL, "write what comes out, `unchanged` or `ack`");
	return 0;
}

/* Appends a step, unless changes have already begun one. */
static int start_step(struct vector_reader *r)
{
	struct vector_step *grown;

	if (r->v->count && !r->begun)
		return 0;
	grown = realloc(r->v->step, (r->v->count + 1) * sizeof(*grown));
	if (!grown)
		return engine_fail(-ENOMEM, "no memory");
	r->v->step = grown;
	grown[r->v->count++] = (struct vector_step){ 0 };
	r->begun = r->expected = 0;
	return 0;
}

static int start_packet(struct vector_reader *r)
{
	int err = start_step(r);

	if (err)
		return err;
	r->filling = PACKET;
	r->template = r->headers;
	r->begun = 1;
	current_step(r)->line = r->line;
	current_step(r)->number = ++r->packets;
	return 0;
}

/* Parses a time: a number of milliseconds, or a number with a unit. */
static int read_time(const char *word, uint64_t *ns)
{
	static const struct unit {
		const char *name;
		uint64_t ns;
	} units[] = { { "", 1000000 }, { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	const size_t digits = strspn(word, "0123456789");
	const struct unit *unit = units;
	char number[32];

	for (size_t i = 1; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(word + digits, units[i].name))
			unit = &units[i];
	/* if the unit is unknown, the whole word is parsed as a number and refused */
	snprintf(number, sizeof(number), "%.*s", unit == units ? (int)strlen(word) : (int)digits, word);
	if (template_number(number, unit == units ? "time in milliseconds" : "time", TIME_NS_MAX / unit->ns, ns))
		return -EINVAL;
	*ns *= unit->ns;
	return 0;
}

/* clock TIME, advance TIME */
static int read_clock(struct vector_reader *r, const char *rest, int advance)
{
	uint64_t ns;
	int err = start_step(r);

	if (!err)
		err = read_time(rest, &ns);
	if (err)
		return err;
	if (advance)
		ns += r->now_ns;
	if (ns > TIME_NS_MAX)
		return engine_fail(-EINVAL, "the time is at most %u ms", UINT32_MAX);
	r->now_ns = ns;
	r->begun = 1;
	current_step(r)->kind = STEP_CLOCK;
	current_step(r)->line = r->line;
	current_step(r)->number = r->packets;
	current_step(r)->now_ns = ns;
	return 0;
}

/* Returns the flags that an acknowledgement has in addition to ACK, by the packet's reason. */
static uint16_t ack_flags(enum spin_reason reason)
{
	return reason == SPIN_REASON_BEYOND_ENTRY ? SPIN_SLMP_REFUSED : reason == SPIN_REASON_NO_MPQ ? SPIN_SLMP_AGAIN : 0;
}

/* `unchanged`, `ack` */
static int read_reply(struct vector_reader *r, int ack)
{
	struct vector_step *step = current_step(r);

	if (r->filling != EXPECT)
		return engine_fail(-EINVAL, "`%s` must follow `expect`", ack ? "ack" : "unchanged");
	if (r->templated || step->out)
		return engine_fail(-EINVAL, "one frame comes out: a template, `unchanged` or `ack`, once");
	step->out = malloc(step->in_bytes);
	if (!step->out)
		return engine_fail(-ENOMEM, "no memory");
	if (ack)
		return vector_ack(step->in, step->in_bytes, ack_flags(step->reason), step->out, &step->out_bytes);
	memcpy(step->out, step->in, step->in_bytes);
	step->out_bytes = step->in_bytes;
	return 0;
}

/*
 * Returns 1 if a packet can have this verdict and reason. Besides its usual verdict, a reason of messages may have DROP, or TX if the
 * packet is answered with an acknowledgement.
 */
static int verdict_fits(enum spin_verdict verdict, enum spin_reason reason)
{
	if (verdict == spin_reason_verdict(reason))
		return 1;
	if (verdict == SPIN_VERDICT_PASS || reason < SPIN_REASON_SUCCESS || reason == SPIN_REASON_REPLIED)
		return 0;
	return verdict == SPIN_VERDICT_DROP || reason <= SPIN_REASON_DUPLICATE || reason == SPIN_REASON_BEYOND_ENTRY ||
	       reason == SPIN_REASON_NO_MPQ;
}

static int read_verdict(struct vector_step *step, const char *verdict, const char *reason)
{
	for (int i = 0; verdict && reason && i < SPIN_REASON_COUNT; i++) {
		if (strcmp(reason, spin_reason_name((enum spin_reason)i)))
			continue;
		for (int v = SPIN_VERDICT_PASS; v <= SPIN_VERDICT_TX; v++) {
			if (strcmp(verdict, spin_verdict_name((enum spin_verdict)v)) ||
			    !verdict_fits((enum spin_verdict)v, (enum spin_reason)i))
				continue;
			step->verdict = (enum spin_verdict)v;
			step->reason = (enum spin_reason)i;
			return 0;
		}
	}
	return engine_fail(-EINVAL, "'%s%s%s' is not a verdict with a reason of its own", verdict ? verdict : "", reason ? " " : "",
			   reason ? reason : "");
}

/* expect VERDICT REASON [unchanged|ack] */
static int read_expect(struct vector_reader *r, char *rest)
{
	const char *verdict = vector_next(&rest), *reason = vector_next(&rest), *frame = vector_next(&rest);
	int err;

	if (r->expected)
		return engine_fail(-EINVAL, "a second expect for one packet; a line 'packet' may be missing");
	r->expected = 1;
	r->filling = EXPECT;
	template_start(&r->template);
	r->templated = 0;
	err = read_verdict(current_step(r), verdict, reason);
	if (err || !frame)
		return err;
	if (strcmp(frame, "ack") && strcmp(frame, "unchanged"))
		return engine_fail(-EINVAL, "write: expect VERDICT REASON [unchanged|ack]");
	return read_reply(r, frame[0] == 'a');
}

/* Reads the lines after a packet or a clock step. */
static int read_expectation(struct vector_reader *r, char *line)
{
	int word = (int)strcspn(line, BLANKS), shown = word < WORD_SHOWN_MAX ? word : WORD_SHOWN_MAX;
	struct vector_step *step = current_step(r);
	char *rest;

	if (!step || !r->begun)
		return engine_fail(-EINVAL, "'%.*s' before %s packet", shown, line, r->packets ? "its" : "the first");
	if (vector_word(line, "expect", &rest))
		return step->kind == STEP_PACKET ? read_expect(r, rest)
						 : engine_fail(-EINVAL, "a step in time has no verdict; a line 'packet' may be missing");
	if (vector_word(line, "event", &rest))
		return vector_read_event(step, rest, r->line);
	if (vector_word(line, "send", &rest))
		return vector_read_send(r, rest);
	if (vector_word(line, "after", &rest))
		return vector_read_after(&step->after, rest);
	return engine_fail(-EINVAL, "'%.*s' is not known here", shown, line);
}

static int read_handler(struct vector *v, const char *name)
{
	snprintf(v->handler, sizeof(v->handler), "%s", name);
	return 0;
}

static int read_rule(struct vector *v, const char *words)
{
	return spin_rule__parse(words, &v->context.rule) ? engine_fail(-EINVAL, "%s", spin_strerror_last()) : 0;
}

int vector_read_line(struct vector_reader *r, char *line)
{
	char *rest;
	int rc;

	if (r->filling != NOTHING) {
		rc = template_line(&r->template, line);
		r->templated |= rc == 1;
		if (rc == 1 && r->filling == EXPECT && current_step(r)->out)
			return engine_fail(-EINVAL, "one frame comes out: a template, `unchanged` or `ack`, once");
		if (rc)
			return rc < 0 ? rc : 0;
	}
	if (vector_word(line, "unchanged", &rest) || vector_word(line, "ack", &rest))
		return read_reply(r, line[0] == 'a');
	rc = vector_finish_frame(r);
	if (rc)
		return rc;
	rc = vector_read_context(r, line);
	if (rc)
		return rc < 0 ? rc : 0;
	if (vector_word(line, "handler", &rest))
		return read_handler(r->v, rest);
	if (vector_word(line, "rule", &rest))
		return read_rule(r->v, rest);
	if (vector_word(line, "headers", &rest)) {
		r->filling = HEADERS;
		template_start(&r->template);
		return 0;
	}
	if (vector_is_change(line)) {
		rc = start_step(r);
		return rc ? rc : vector_read_before(&current_step(r)->before, line);
	}
	if (vector_word(line, "packet", &rest))
		return start_packet(r);
	if (vector_word(line, "clock", &rest))
		return read_clock(r, rest, 0);
	if (vector_word(line, "advance", &rest))
		return read_clock(r, rest, 1);
	return read_expectation(r, line);
}
