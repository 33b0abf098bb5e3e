/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Parses the `send` lines of a vector (a test as text): the packets that a step's handlers are expected to send. Called by line.c, which
 * selects the parser by a line's first word. The frame of each is built by send_frame.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/conformance/template/number.h"
#include "user/conformance/vector/reader.h"
#include "user/conformance/vector/send.h"

static struct vector_send *add(struct vector_step *step, unsigned line)
{
	struct vector_send *list = realloc(step->send, (step->send_count + 1) * sizeof(*list));

	if (!list) {
		engine_fail(-ENOMEM, "no memory");
		return NULL;
	}
	step->send = list;
	list += step->send_count++;
	*list = (struct vector_send){ .line = line };
	return list;
}

/* to ADDRESS PORT, from ADDRESS PORT */
static int read_process(const char *word, char **rest, struct spin_process *out)
{
	const char *first = vector_next(rest), *address = vector_next(rest), *port = vector_next(rest);

	if (!first || strcmp(first, word))
		return engine_fail(-EINVAL, "write: %s ADDRESS PORT", word);
	return send_parse_process(word, address, port, out);
}

/* Reads `of N`: the packet for which the handler ran; by default that of the step. */
static int read_cause(struct vector_reader *r, char **rest, const struct vector_step **out)
{
	const struct vector *v = r->v;
	const char *word = *rest;
	uint64_t number = 0;
	char *end;

	*out = &v->step[v->count - 1];
	if (!strncmp(word, "of ", 3)) {
		vector_next(rest);
		end = vector_next(rest);
		if (!end || template_number(end, "packet", UINT32_MAX, &number))
			return -EINVAL;
		*out = NULL;
		for (unsigned i = 0; i < v->count; i++)
			if (v->step[i].kind == STEP_PACKET && v->step[i].number == number)
				*out = &v->step[i];
	}
	return *out && (*out)->in ? 0 : engine_fail(-EINVAL, "because of which packet? write: send forward|put|host of N ...");
}

static int check_length(const struct vector_send *send)
{
	return send->frame_bytes <= SPIN_REQUEST_FRAME_MAX
		       ? 0
		       : engine_fail(-EINVAL, "what handlers send has at most %u bytes", SPIN_REQUEST_FRAME_MAX);
}

static int read_forward(struct vector_reader *r, char *rest)
{
	struct vector_step *step = &r->v->step[r->v->count - 1];
	const struct vector_step *cause;
	struct spin_process target;
	struct vector_send *send;

	if (read_cause(r, &rest, &cause) || read_process("to", &rest, &target))
		return -EINVAL;
	if (*rest)
		return engine_fail(-EINVAL, "write: send forward [of N] to ADDRESS PORT");
	send = add(step, r->line);
	if (!send || send_forward(cause, &target, r->v->context.message.put, send))
		return -EINVAL;
	return check_length(send);
}

/* Reads options N, user N, me N of a put that must be acknowledged. Returns 1 for any other word. */
static int read_acked(struct vector_send *send, const char *name, const char *word)
{
	uint64_t value;

	if (strcmp(name, "options") && strcmp(name, "user") && strcmp(name, "me"))
		return 1;
	if (template_number(word, name, *name == 'u' ? UINT64_MAX : UINT32_MAX, &value))
		return -EINVAL;
	if (*name == 'u')
		send->user_ptr = value;
	else
		*(*name == 'o' ? &send->options : &send->me) = (uint32_t)value;
	send->acked = 1;
	return 0;
}

/* [id N] [match N] [data N] [off N] [options N user N me N] */
static int read_put(struct vector_reader *r, char *rest)
{
	struct vector_step *step = &r->v->step[r->v->count - 1];
	const struct vector_step *cause;
	struct spin_process target;
	const char *id = NULL, *name, *word;
	struct vector_send acked = { .line = r->line }, *send;
	char fields[256] = "";
	int err;

	if (read_cause(r, &rest, &cause) || read_process("to", &rest, &target))
		return -EINVAL;
	while ((name = vector_next(&rest))) {
		size_t at = strlen(fields);

		word = vector_next(&rest);
		if (!word)
			return engine_fail(-EINVAL, "write: send put [of N] to ADDRESS PORT [id N] [match N] [data N] [off N]");
		err = read_acked(&acked, name, word);
		if (err < 0)
			return err;
		if (!err)
			continue;
		if (!strcmp(name, "id"))
			id = word;
		else
			snprintf(fields + at, sizeof(fields) - at, " %s %s", name, word);
	}
	if (send_put_start(&r->template, cause, &target, id, fields))
		return -EINVAL;
	r->filling = SEND;
	r->is_put = 1;
	r->templated = 1;
	send = add(step, r->line);
	if (send)
		*send = acked;
	return send ? 0 : -ENOMEM;
}

static int read_field(struct vector_send *send, const char *name, const char *word)
{
	int err = read_acked(send, name, word);
	uint64_t *to = !strcmp(name, "match")  ? &send->put.match_bits
		       : !strcmp(name, "data") ? &send->put.hdr_data
		       : !strcmp(name, "off")  ? &send->put.remote_offset
					       : NULL;

	if (err <= 0)
		return err;
	if (!to)
		return engine_fail(-EINVAL, "a put has no '%.32s'", name);
	return template_number(word, name, UINT64_MAX, to) ? -EINVAL : 0;
}

/* START BYTES to ADDRESS PORT [match N] [data N] [off N] */
static int read_host(struct vector_reader *r, char *rest)
{
	struct vector_send *send = add(&r->v->step[r->v->count - 1], r->line);
	const struct vector_step *cause;
	const char *start, *bytes, *name, *word;
	uint64_t from, count;

	if (!send)
		return -ENOMEM;
	if (read_cause(r, &rest, &cause) || send_own_address(cause, &send->source))
		return -EINVAL;
	start = vector_next(&rest);
	bytes = vector_next(&rest);
	if (!start || !bytes)
		return engine_fail(-EINVAL, "write: send host [of N] START BYTES to ADDRESS PORT [match N] [data N] [off N]");
	if (template_number(start, "start in host memory", UINT32_MAX, &from) ||
	    template_number(bytes, "number of bytes", UINT32_MAX, &count) || read_process("to", &rest, &send->put.target))
		return -EINVAL;
	send->start = (uint32_t)from;
	send->bytes = (uint32_t)count;
	while ((name = vector_next(&rest))) {
		word = vector_next(&rest);
		if (!word)
			return engine_fail(-EINVAL, "no number follows '%.32s'", name);
		if (read_field(send, name, word))
			return -EINVAL;
	}
	return 0;
}

int vector_read_send(struct vector_reader *r, char *rest)
{
	char *more;

	r->templated = r->is_put = 0;
	if (vector_word(rest, "forward", &more))
		return read_forward(r, more);
	if (vector_word(rest, "put", &more))
		return read_put(r, more);
	if (vector_word(rest, "host", &more))
		return read_host(r, more);
	if (*rest)
		return engine_fail(-EINVAL, "'%.32s' is no way to send: write `send` and a frame, or send forward|put|host", rest);
	r->filling = SEND;
	template_start(&r->template);
	return add(&r->v->step[r->v->count - 1], r->line) ? 0 : -ENOMEM;
}

int vector_finish_send(struct vector_reader *r)
{
	struct vector_step *step = &r->v->step[r->v->count - 1];
	struct vector_send *send = &step->send[step->send_count - 1];

	if (!r->templated)
		return engine_fail(-EINVAL, "write what is sent: a frame, as a packet is");
	if (r->is_put)
		send_put_finish(&r->template);
	if (vector_copy_frame(r, &send->frame, &send->frame_bytes))
		return -EINVAL;
	return check_length(send);
}
